"""Where this paper's lemmas and theorems may fail: exact runs with drawn clients, weights,
participation, steps and noise."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from typing import Any

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.scoring import worst
from fltheory.claims.spaces.space import Space
from fltheory.papers.fraboni.checks.appendix import (
    delivered,
    first_step,
    gradient_run,
    rough_step,
    steps,
    typed_values,
    whole_run,
    with_symbols,
)
from fltheory.papers.fraboni.checks.lemmas import Law, rough_values
from fltheory.papers.fraboni.checks.quantities import Quantities, Setting
from fltheory.papers.fraboni.checks.relaxed import rises_of, windows_of
from fltheory.papers.fraboni.checks.runs import certain, round_values, run_values, sampling_setting
from fltheory.papers.fraboni.checks.sampling import uniform
from fltheory.papers.fraboni.checks.theorems import down, loss_gap, sampled_values, window_run
from fltheory.papers.fraboni.checks.weights import objectives
from fltheory.papers.fraboni.spaces.conditions import restated
from fltheory.papers.fraboni.spaces.drawing import (
    F,
    groups,
    lemma_step,
    losses,
    setting,
    shares,
    theorem_step,
)
from fltheory.papers.fraboni.spaces.setting import symbols_of
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import balance_period

Draw = Callable[[Choices, Claim], Instance]
SAMPLED_WINDOWS = (
    "fraboni.thm3.corrected",
    "fraboni.thm3.gradient",
    "fraboni.thm3.gradient.corrected",
)


def _rounds(choices: Choices, claim: Claim) -> Instance:
    """One filled round of a short run; chances may remember the past where the paper does not
    exclude it."""
    name = claim.id.removeprefix("fraboni.")
    drawn = setting(
        choices, chance=True, memory=claim.source.as_printed and name != "lem2.local_steps", far=20
    )
    if name == "lem3.q":
        drawn = replace(drawn, local_steps=1)
    q = Quantities(lemma_step(choices, drawn, free=name.startswith(("lem2", "eq22"))))
    if name == "lem3.virtual":
        choices.require(q.max_staleness == 0, "there is no delay")
    n = choices.choice(q.filled)
    return Instance(
        round_values.__wrapped__(q, n),
        f"{q.setting.says}, {q.setting.local_steps} local steps, round {n}",
    )


def _law(choices: Choices) -> Law:
    """Batches of one client: steep with a small chance, flat otherwise; the mean curvature is 1."""
    steep = choices.choice((1, 2, 10, 100, 1000))
    return ((F(1, steep), steep), (1 - F(1, steep), 0))


def _rough(choices: Choices, claim: Claim) -> Instance:
    """One client whose single batches are rougher than its mean loss, which no printed condition
    excludes; exact second moments."""
    num_rounds, law = choices.whole(1, 100), _law(choices)
    values = rough_values(num_rounds, law)
    return Instance(
        values
        | {
            "mean_objective_gap": values["mean_round_gap"],
            "mean_loss_gap": values["mean_round_gap"],
            "gradient_bound": F(law[0][1]) ** (num_rounds + 1),
        },
        f"batches of curvature {law[0][1]} or 0, {num_rounds} rounds",
    )


def _rough_step(choices: Choices, claim: Claim) -> Instance:
    return rough_step(_law(choices))


def _steps(choices: Choices, claim: Claim) -> Instance:
    """Every local step of a run with certain participation: the one that comes closest to
    contradicting the claim."""
    q = Quantities(
        lemma_step(choices, setting(choices, chance=False, far=6, most_rounds=3), free=True)
    )
    return worst(claim, with_symbols(claim, steps([q])))


def _first_step(choices: Choices, claim: Claim) -> Instance:
    return first_step(
        Quantities(
            lemma_step(
                choices, setting(choices, chance=True, most_rounds=1, filled=True), free=True
            )
        )
    )


def _moves(choices: Choices, claim: Claim) -> Instance:
    return worst(
        claim,
        delivered(
            Quantities(lemma_step(choices, setting(choices, chance=True, most_rounds=3), free=True))
        ),
    )


def _averages(choices: Choices, claim: Claim) -> Instance:
    """Averages over a whole run at a step size of Theorem 1."""
    return whole_run(Quantities(theorem_step(choices, setting(choices, chance=True, far=6))))


def _objectives(choices: Choices, claim: Claim) -> Instance:
    return objectives(
        Quantities(theorem_step(choices, setting(choices, chance=True, most_rounds=3))),
        choices.number(-3, 3),
    )


def _theorem(choices: Choices, claim: Claim) -> Instance:
    """A whole run; only certain participation where the claim says so, chances that remember where
    nothing excludes them."""
    chance = claim.id != "fraboni.thm1.constants"
    drawn = setting(
        choices, chance=chance, memory=claim.source.as_printed and chance, far=6, most_rounds=6
    )
    q = Quantities(theorem_step(choices, drawn))
    return Instance(
        run_values.__wrapped__(q),
        f"{q.setting.says}, {q.setting.local_steps} local steps, {q.setting.num_rounds} rounds",
    )


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
    rest = losses(choices, clients) | {
        "local_steps": choices.whole(1, 3),
        "local_step_size": F(1),
        "noise": choices.whole(0, 1),
        "server_step_size": choices.choice((1, 2, F(1, 2))),
    }
    num_rounds = choices.whole(1, 3)
    if choices.flag():
        drawn = replace(
            sampling_setting(clients, choices.whole(1, clients), min(num_rounds, 2), **rest),
            fresh=not choices.flag(),
        )
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
    return Instance(
        {
            "mean_loss_gap": top / 2 * mean,
            "mean_step_gradient": top**2 * mean,
            "num_rounds": num_rounds,
            "num_clients": 1,
            "local_steps": 1,
            "local_step_size": size,
            "server_step_size": 1,
            "smoothness": top,
            "max_staleness": 0,
            "covariance_factor": 1,
            "variance_excess": 0,
            "largest_total_weight": 1,
            "initial_distance_squared": 1,
            "round_optimum_noise": 0,
            "round_optimum_noise_squared": 0,
            "objective_spread": 0,
            "mean_total_weight": weight,
            "balance_period": 1,
            "gradient_bound": top,
        },
        f"one client of weight {weight}, curvature {top}, {num_rounds} rounds",
    )


def _in_windows(choices: Choices, claim: Claim) -> tuple[Quantities, int]:
    """Whole windows of any participation in which everybody delivers, without noise; fair mean
    weights where the printed claim asks.

    Sampled clients are windows of one round, for then everybody has the same expected weight in
    each.
    """
    clients, length = choices.whole(1, 3), choices.whole(1, 3)
    if claim.id in SAMPLED_WINDOWS and choices.flag():
        rest = losses(choices, clients) | {
            "local_steps": choices.whole(1, 2),
            "server_step_size": choices.choice((1, 3, F(1, 2))),
        }
        drawn = sampling_setting(
            clients, choices.whole(1, clients), choices.whole(1, 2), local_step_size=F(1), **rest
        )
        return Quantities(theorem_step(choices, replace(drawn, fresh=not choices.flag()))), 1
    window = groups(choices, clients, length)
    counts = [sum(i in group for group in window) for i in range(clients)]
    if not all(counts) or not all(window):
        choices.reject("everybody delivers in every window")
    scale = choices.choice((F(1), F(1, 5), F(2)))
    fair = claim.id == "fraboni.thm3.gradient"
    weights = tuple(
        (
            scale * length / (count * clients)
            if fair
            else choices.choice((F(1), F(1, 2), F(1, 5), F(2)))
        )
        for count in counts
    )
    rest = losses(choices, clients) | {
        "local_steps": choices.whole(1, 2),
        "server_step_size": choices.choice((1, 3, F(1, 2))),
    }
    drawn = Setting(
        f"windows {window}",
        weights=weights,
        paths=certain(window * choices.whole(1, 3)),
        local_step_size=F(1),
        **rest,
    )
    q = Quantities(theorem_step(choices, drawn))
    return q, balance_period(
        Trace.continuous([[i in group for i in range(clients)] for group in drawn.paths[0][1]])
    )


def _windows(choices: Choices, claim: Claim) -> Instance:
    q, window = _in_windows(choices, claim)
    return window_run(q, window)


def _rises(choices: Choices, claim: Claim) -> Instance:
    return worst(claim, rises_of(_in_windows(choices, claim)[0]))


def _losses_in_windows(choices: Choices, claim: Claim) -> Instance:
    q, window = _in_windows(choices, claim)
    return worst(claim, windows_of(q, window, claim.id.endswith("corrected")))


def _gradients(choices: Choices, claim: Claim) -> Instance:
    drawn = setting(choices, chance=False, noise=False, filled=True)
    q = Quantities(theorem_step(choices, drawn))
    choices.require(len(q.filled) == q.setting.num_rounds, "no round is empty")
    return gradient_run(q)


def _types(choices: Choices, claim: Claim) -> Instance:
    """Quadratic data types with any importances, weights, curvatures up to 1, optima, and any
    point."""
    count = choices.whole(1, 3)
    weights = [choices.choice((F(1), F(0), F(1, 2), F(4), F(10))) for _ in range(count)]
    choices.require(any(weights), "some type has a weight")
    curvatures = [choices.choice((F(1), F(1, 2), F(1, 3))) for _ in range(count)]
    return Instance(
        typed_values(
            shares(choices, count),
            weights,
            curvatures,
            [choices.number(-3, 3) for _ in range(count)],
            choices.number(-3, 3),
        ),
        f"{count} types",
    )


def _lengths(choices: Choices, claim: Claim) -> Instance:
    """One client of constant slope with noise +-s, K steps; B bounds |grad L|, or E |stochastic
    gradient| where the correction has it."""
    slope, noise, taken = choices.number(0, 3), choices.number(0, 10), choices.whole(1, 3)
    size, server, weight = (
        choices.number(F(1, 4), 1),
        choices.choice((1, 2, F(1, 2))),
        choices.choice((F(1), F(1, 5), F(2))),
    )
    sums = [
        abs(sum(slope + sign * noise for sign in signs)) for signs in product((1, -1), repeat=taken)
    ]
    single = (abs(slope + noise) + abs(slope - noise)) / 2
    return Instance(
        {
            "mean_step_length": size * server * weight * sum(sums) / len(sums),
            "local_step_size": size,
            "server_step_size": server,
            "total_weight": weight,
            "local_steps": taken,
            "gradient_bound": single if not claim.source.as_printed else slope,
        },
        f"slope {slope}, noise {noise}, {taken} steps",
    )


def _scheme_condition(choices: Choices, claim: Claim) -> Instance:
    """The condition of A.5 for one client sampled out of many, of which one may have nearly all
    importance, at the largest step sizes."""
    clients, heavy = choices.whole(2, 25), choices.choice((1, 10, 100, 2000))
    drawn = uniform(
        clients, 1, [F(heavy if i == 0 else 1, heavy + clients - 1) for i in range(clients)]
    )
    total = max(F(1), sum(drawn.moment(i) for i in drawn.clients))
    taken, top, late = choices.whole(1, 3), choices.number(F(1, 2), 2), 0
    largest = F(1) / (48 * taken * top)
    step = largest * min(F(1), 1 / (3 * total**2 * (late + 1)))
    return Instance(
        {
            "local_steps": taken,
            "smoothness": top,
            "max_staleness": late,
            "largest_total_weight": total,
            "local_step_size": step,
            "effective_step_size": step,
            "covariance_factor": drawn.covariance_factor,
            "variance_excess": drawn.variance_excess,
        },
        drawn.says,
    )


def _space(name: str, says: str, draw: Draw, claims: str, *, more: Iterable[str] = ()) -> Space:
    names = claims.split()
    return Space(
        f"fraboni.{name}",
        says,
        symbols_of(*names) | frozenset(more),
        draw,
        tuple(f"fraboni.{claim}" for claim in names),
    )


RUN: Any = (
    "num_clients",
    "num_rounds",
    "local_steps",
    "max_staleness",
    "smoothness",
    "server_step_size",
    "local_step_size",
)
SPACES = restated(
    (
        _space(
            "rounds",
            "Rounds of short exact runs: certain, on clocks, sampled, or with chances that"
            " remember.",
            _rounds,
            "lem2 lem2.local_steps lem2.corrected lem3 lem3.q lem3.virtual lem3.corrected"
            " lem3.gradients lem3.gradients.corrected lem4 lem4.corrected lem5 lem5.corrected eq22"
            " eq22.corrected eq28 eq28.corrected",
            more=RUN,
        ),
        _space(
            "rough",
            "One client whose batches are rougher than its mean loss.",
            _rough,
            "lem3 lem3.gradients lem5 lem6 eq22 eq28 thm1 thm3",
        ),
        _space(
            "rough-steps", "A local step of a client with rough batches.", _rough_step, "eq25 eq26"
        ),
        _space(
            "steps",
            "Local steps of exact runs with certain participation.",
            _steps,
            "eq19 eq19.corrected eq20 eq20.corrected eq21 eq24 eq25 eq25.corrected eq26"
            " eq26.corrected eq27",
            more=RUN,
        ),
        _space(
            "first-steps",
            "First local steps over all participants.",
            _first_step,
            "eq18 lem2.display lem2.display.corrected",
        ),
        _space("moves", "Moves of the model and the deliveries that make them.", _moves, "def.aux"),
        _space(
            "averages",
            "Averages over exact runs with certain and random participation.",
            _averages,
            "eq30 def.R thm2.remark eq32 eq32.corrected eq32.optimum eq32.optimum.corrected",
            more=RUN,
        ),
        _space(
            "objectives",
            "Objectives and data types on exact runs.",
            _objectives,
            "def.L def.types def.P def.U",
        ),
        _space(
            "theorem-runs",
            "Whole runs at the step sizes of Theorem 1.",
            _theorem,
            "thm1 thm1.constants thm1.corrected lem6 lem6.corrected",
            more=RUN,
        ),
        _space(
            "many-steps",
            "One of two clients sampled, many local steps.",
            _sampled,
            "thm1.sampling thm1.corrected",
        ),
        _space(
            "fair",
            "Rounds that represent all clients equally.",
            _fair,
            "cor1 cor1.corrected",
            more=RUN,
        ),
        _space("lone", "One client of any weight for many rounds.", _lone, "cor1 thm3.gradient"),
        _space(
            "windows",
            "Whole windows in which everybody delivers.",
            _windows,
            "thm3.corrected thm3.gradient thm3.gradient.corrected",
            more=RUN,
        ),
        _space("rises", "Rounds of runs in windows.", _rises, "eq9", more=RUN),
        _space(
            "window-losses",
            "Windows of exact runs.",
            _losses_in_windows,
            "eq10 eq10.corrected",
            more=RUN,
        ),
        _space(
            "gradients",
            "Whole runs, each client a data type of its own.",
            _gradients,
            "thm2.corrected",
            more=RUN,
        ),
        _space(
            "types",
            "Up to three quadratic data types with any weights.",
            _types,
            "lem7 thm2.display thm2.display.corrected",
        ),
        _space(
            "lengths", "One client of constant slope with noise.", _lengths, "ass7 ass7.corrected"
        ),
        _space(
            "sampled-condition",
            "The condition of A.5 for sampling schemes.",
            _scheme_condition,
            "lr",
        ),
    )
)
