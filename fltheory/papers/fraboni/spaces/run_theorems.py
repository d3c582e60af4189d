"""Where Theorem 1 and Corollary 1 may fail: whole exact runs with drawn clients, weights,
participation, steps and noise."""

from collections.abc import Sequence
from dataclasses import replace

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.papers.fraboni.checks.path_run import Number, Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import certain, run_values, sampling_setting, told
from fltheory.papers.fraboni.checks.theorem1 import down, loss_gap, sampled_values
from fltheory.papers.fraboni.checks.weights import objectives
from fltheory.papers.fraboni.checks.whole_runs import whole_run
from fltheory.papers.fraboni.spaces.conditions import restated
from fltheory.papers.fraboni.spaces.drawing import F, losses, setting, theorem_step
from fltheory.papers.fraboni.spaces.named import space_of
from fltheory.papers.fraboni.spaces.run_rounds import RUN


def _averages(choices: Choices, claim: Claim) -> Instance:
    """Averages over a whole run at a step size of Theorem 1."""
    return whole_run(Quantities(theorem_step(choices, setting(choices, chance=True, far=6))))


def _objectives(choices: Choices, claim: Claim) -> Instance:
    """Objectives, types and residuals of a whole run, at any point."""
    drawn = setting(choices, chance=True, most_rounds=3)
    q = Quantities(theorem_step(choices, drawn))
    return objectives(q, choices.number(-3, 3))


def _theorem(choices: Choices, claim: Claim) -> Instance:
    """A whole run; only certain participation where the claim says so, chances that remember where
    nothing excludes them."""
    chance = claim.id != "fraboni.thm1.constants"
    drawn = setting(
        choices, chance=chance, memory=not claim.source.ours and chance, far=6, most_rounds=6
    )
    q = Quantities(theorem_step(choices, drawn))
    return Instance(run_values.__wrapped__(q), told(q))


def _sampled(choices: Choices, claim: Claim) -> Instance:
    """One of two clients (optima 1 and -1) per round, many local steps, start at the optimum: exact
    second moments, rounded down."""
    taken, num_rounds = choices.whole(1, 150), choices.whole(1, 150)
    return Instance(
        sampled_values.__wrapped__(taken, num_rounds),
        f"one of two clients sampled, {taken} local steps, {num_rounds} rounds",
    )


def _fair(choices: Choices, claim: Claim) -> Instance:
    """Rounds in which all clients have equal normalised weights: everybody with one weight, or
    sampled, from new or from old models."""
    clients = choices.whole(1, 3)
    servers: Sequence[Number] = (1, 2, F(1, 2))
    rest = losses(choices, clients) | {
        "local_steps": choices.whole(1, 3),
        "local_step_size": F(1),
        "noise": choices.whole(0, 1),
        "server_step_size": choices.choice(servers),
    }
    num_rounds = choices.whole(1, 3)
    if choices.flag():
        sampled = sampling_setting(clients, choices.whole(1, clients), min(num_rounds, 2), **rest)
        drawn = replace(sampled, fresh=not choices.flag())
    else:
        weight = choices.choice((F(1), F(1, 10), F(1, 100), F(2)))
        drawn = Setting(
            f"everybody with weight {weight}",
            weights=(weight,) * clients,
            paths=certain([range(clients)] * num_rounds),
            **rest,
        )
    q = Quantities(theorem_step(choices, drawn))
    return Instance(
        run_values.__wrapped__(q) | {"mean_loss_gap": loss_gap(q)},
        f"{drawn.says}, {num_rounds} rounds",
    )


def _lone(choices: Choices, claim: Claim) -> Instance:
    """One client of any weight and curvature for many rounds of the largest step size, solved:
    squared models fall geometrically.

    The means of the losses and of the squared gradients are rounded down, so that what exceeds a
    bound here exceeds it in truth.
    """
    weight = choices.choice((F(1), F(1, 2), F(1, 10), F(1, 100)))
    top, num_rounds = choices.choice((F(1), F(10), F(1, 4))), choices.whole(1, 600)
    size = F(1) / (144 * top)
    kept = (1 - weight * size * top) ** 2
    mean = down((1 - kept**num_rounds) / ((1 - kept) * num_rounds), 30)
    ones = (
        "num_clients local_steps server_step_size covariance_factor largest_total_weight"
        " initial_distance_squared balance_period"
    )
    zeros = (
        "max_staleness variance_excess round_optimum_noise round_optimum_noise_squared"
        " objective_spread"
    )
    return Instance(
        {
            **dict.fromkeys(ones.split(), 1),
            **dict.fromkeys(zeros.split(), 0),
            "mean_loss_gap": top / 2 * mean,
            "mean_step_gradient": top**2 * mean,
            "num_rounds": num_rounds,
            "local_step_size": size,
            "smoothness": top,
            "mean_total_weight": weight,
            "gradient_bound": top,
        },
        f"one client of weight {weight}, curvature {top}, {num_rounds} rounds",
    )


SPACES = restated(
    (
        space_of(
            "averages",
            "Averages over exact runs with certain and random participation.",
            _averages,
            "eq30 def.R thm2.remark eq32 eq32.corrected eq32.optimum eq32.optimum.corrected",
            more=RUN,
        ),
        space_of(
            "objectives",
            "Objectives and data types on exact runs.",
            _objectives,
            "def.L def.types def.P def.U",
        ),
        space_of(
            "theorem-runs",
            "Whole runs at the step sizes of Theorem 1.",
            _theorem,
            "thm1 thm1.constants thm1.corrected thm1.learning_rate lem6 lem6.corrected",
            more=RUN,
        ),
        space_of(
            "many-steps",
            "One of two clients sampled, many local steps.",
            _sampled,
            "thm1.sampling thm1.corrected thm1.learning_rate",
        ),
        space_of(
            "fair",
            "Rounds that represent all clients equally.",
            _fair,
            "cor1 cor1.corrected",
            more=RUN,
        ),
        space_of(
            "lone",
            "One client of any weight for many rounds.",
            _lone,
            "cor1 thm3.gradient",
        ),
    )
)
