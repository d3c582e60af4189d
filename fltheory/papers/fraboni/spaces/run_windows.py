"""Where Theorems 2 and 3, Assumption 7 and A.5 may fail: exact runs in windows, data types and
sampling schemes."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.scoring import worst
from fltheory.papers.fraboni.checks.appendix_types import gradient_run, typed_values
from fltheory.papers.fraboni.checks.learning_rate import condition_values
from fltheory.papers.fraboni.checks.path_run import Number, PathWork, Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import certain, sampling_setting
from fltheory.papers.fraboni.checks.sampling import uniform
from fltheory.papers.fraboni.checks.theorem3 import window_run
from fltheory.papers.fraboni.checks.windows import rises_of, windows_of
from fltheory.papers.fraboni.spaces.conditions import restated
from fltheory.papers.fraboni.spaces.drawing import F, groups, losses, setting, shares, theorem_step
from fltheory.papers.fraboni.spaces.named import space_of
from fltheory.papers.fraboni.spaces.run_rounds import RUN
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import balance_period

SAMPLED_WINDOWS = (
    "fraboni.thm3.corrected",
    "fraboni.thm3.learning_rate",
    "fraboni.thm3.gradient",
    "fraboni.thm3.gradient.corrected",
)


def _in_windows(choices: Choices, claim: Claim) -> tuple[Quantities, int]:
    """Whole windows of any participation in which everybody delivers, without noise; fair mean
    weights where the printed claim asks.

    Sampled clients are windows of one round, for then everybody has the same expected weight in
    each.
    """
    clients, length = choices.whole(1, 3), choices.whole(1, 3)
    if claim.id in SAMPLED_WINDOWS and choices.flag():
        rest = _work_of(choices, clients)
        size, rounds = choices.whole(1, clients), choices.whole(1, 2)
        drawn = replace(sampling_setting(clients, size, rounds, **rest), fresh=not choices.flag())
        return Quantities(theorem_step(choices, drawn)), 1
    window = groups(choices, clients, length)
    counts = [sum(i in group for group in window) for i in range(clients)]
    if not all(counts) or not all(window):
        choices.reject("everybody delivers in every window")
    scale = choices.choice((F(1), F(1, 5), F(2)))
    if claim.id == "fraboni.thm3.gradient":
        weights = tuple(scale * length / (count * clients) for count in counts)
    else:
        weights = tuple(choices.choice((F(1), F(1, 2), F(1, 5), F(2))) for _ in counts)
    rest = _work_of(choices, clients)
    paths = certain(window * choices.whole(1, 3))
    drawn = Setting(f"windows {window}", weights=weights, paths=paths, **rest)
    q = Quantities(theorem_step(choices, drawn))
    return q, balance_period(
        Trace.continuous([[i in group for i in range(clients)] for group in drawn.paths[0][1]])
    )


def _work_of(choices: Choices, clients: int) -> PathWork:
    """Losses of the clients, one or two local steps, and a server step."""
    servers: Sequence[Number] = (1, 3, F(1, 2))
    return losses(choices, clients) | {
        "local_steps": choices.whole(1, 2),
        "server_step_size": choices.choice(servers),
        "local_step_size": F(1),
    }


def _windows(choices: Choices, claim: Claim) -> Instance:
    """Theorem 3's quantities on whole windows."""
    q, window = _in_windows(choices, claim)
    return window_run(q, window)


def _rises(choices: Choices, claim: Claim) -> Instance:
    """The rise of a client's loss in one round that comes closest to contradicting the claim."""
    return worst(claim, rises_of(_in_windows(choices, claim)[0]))


def _losses_in_windows(choices: Choices, claim: Claim) -> Instance:
    """Both sides of eq. (10) in the window that comes closest to contradicting the claim."""
    q, window = _in_windows(choices, claim)
    return worst(claim, windows_of(q, window, claim.id.endswith("corrected")))


def _gradients(choices: Choices, claim: Claim) -> Instance:
    """Theorem 2's quantities on a whole run, each client a type of its own."""
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
    servers: Sequence[Number] = (1, 2, F(1, 2))
    size, server = choices.number(F(1, 4), 1), choices.choice(servers)
    weight = choices.choice((F(1), F(1, 5), F(2)))
    every = product((1, -1), repeat=taken)
    sums = [abs(taken * slope + sum(signs) * noise) for signs in every]
    single = (abs(slope + noise) + abs(slope - noise)) / 2
    return Instance(
        {
            "mean_step_length": size * server * weight * sum(sums) / len(sums),
            "local_step_size": size,
            "server_step_size": server,
            "total_weight": weight,
            "local_steps": taken,
            "gradient_bound": single if claim.source.ours else slope,
        },
        f"slope {slope}, noise {noise}, {taken} steps",
    )


def _scheme_condition(choices: Choices, claim: Claim) -> Instance:
    """The condition of A.5 for one client sampled out of many, of which one may have nearly all
    importance, at the largest step sizes."""
    clients, heavy = choices.whole(2, 25), choices.choice((1, 10, 100, 2000))
    parts = [heavy, *[1] * (clients - 1)]
    drawn = uniform(clients, 1, [F(part, sum(parts)) for part in parts])
    taken, top = choices.whole(1, 3), choices.number(F(1, 2), 2)
    return Instance(condition_values(drawn, local_steps=taken, smoothness=top), drawn.says)


SPACES = restated(
    (
        space_of(
            "windows",
            "Whole windows in which everybody delivers.",
            _windows,
            "thm3.corrected thm3.learning_rate thm3.gradient thm3.gradient.corrected",
            more=RUN,
        ),
        space_of(
            "rises",
            "Rounds of runs in windows.",
            _rises,
            "eq9",
            more=RUN,
        ),
        space_of(
            "window-losses",
            "Windows of exact runs.",
            _losses_in_windows,
            "eq10 eq10.corrected",
            more=RUN,
        ),
        space_of(
            "gradients",
            "Whole runs, each client a data type of its own.",
            _gradients,
            "thm2.corrected",
            more=RUN,
        ),
        space_of(
            "types",
            "Up to three quadratic data types with any weights.",
            _types,
            "lem7 thm2.display thm2.display.corrected",
        ),
        space_of(
            "lengths",
            "One client of constant slope with noise.",
            _lengths,
            "ass7 ass7.corrected",
        ),
        space_of(
            "sampled-condition",
            "The condition of A.5 for sampling schemes.",
            _scheme_condition,
            "lr",
        ),
    )
)
