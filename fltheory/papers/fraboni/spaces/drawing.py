"""What the spaces of this paper draw alike: clocks and policies, sampling schemes, whole settings
with certain or random participation."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from fltheory.claims.checks.exact_run import below_root
from fltheory.claims.spaces.choices import Choices
from fltheory.papers.fraboni.checks.path_run import Number, Path, PathWork, Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import certain, learning_rate, on_clock, sampling_setting
from fltheory.papers.fraboni.checks.sampling import Scheme, independent, multinomial, uniform
from fltheory.papers.fraboni.checks.sampling import certain as certain_scheme
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous

F = Fraction
WEIGHTS = (F(1), F(1, 2), F(1, 4), F(1, 5), F(1, 20), F(2), F(4))


def times(
    choices: Choices, *, least: int = 1, most: int = 4, whole: bool = False
) -> tuple[Fraction, ...]:
    """Update times of a few clients: small whole numbers, or halves and thirds."""
    count = choices.whole(least, most)
    return tuple(
        F(choices.whole(1, 5)) if whole else choices.number(F(1, 2), 5, max_denominator=3)
        for _ in range(count)
    )


def shares(choices: Choices, count: int, *, sum_to: int = 1) -> tuple[Fraction, ...]:
    """Positive importances that sum to 1; the simplest are equal, and one may have nearly
    everything."""
    parts = [choices.choice((1, 2, 3, 100)) for _ in range(count)]
    return tuple(F(part * sum_to, sum(parts)) for part in parts)


def scheme(
    choices: Choices,
    *,
    kinds: Sequence[str] = ("uniform", "multinomial", "independent", "certain"),
    equal: bool = False,
) -> Scheme:
    """One round's random weights, unbiased except for certain ones; `equal`: sampled clients have
    one importance."""
    kind, count = choices.choice(kinds), choices.whole(1, 4)
    if kind == "certain":
        return certain_scheme([choices.choice((F(1), F(1, 2), F(0), F(2))) for _ in range(count)])
    if kind == "independent":
        return independent(
            [choices.choice((F(1), F(1, 2), F(1, 3), F(1, 5))) for _ in range(count)]
        )
    size = choices.whole(1, 3 if kind == "multinomial" else count)
    importance = [F(1, count)] * count if equal else shares(choices, count)
    if kind == "multinomial":
        return multinomial(size, importance)
    return uniform(count, size, importance)


def groups(
    choices: Choices, clients: int, rounds: int, *, single: bool = False
) -> list[tuple[int, ...]]:
    """Who delivers in each round: one client, or any set, the empty one too."""
    if single:
        return [(choices.whole(0, clients - 1),) for _ in range(rounds)]
    return [tuple(i for i in range(clients) if not choices.flag()) for _ in range(rounds)]


def losses(choices: Choices, clients: int, *, far: int = 3) -> PathWork:
    """Quadratic clients with curvatures up to 1 (one of them has 1, unless a scale is drawn),
    optima and a start."""
    scale = choices.choice((F(1), F(2), F(1, 2), F(10)))
    parts = (F(1), F(1, 2), F(1, 3))
    return {
        "curvatures": (scale, *(scale * choices.choice(parts) for _ in range(clients - 1))),
        "optima": tuple(choices.number(-far, far, max_denominator=2) for _ in range(clients)),
        "start": choices.number(-far, far, max_denominator=2),
    }


def setting(
    choices: Choices,
    *,
    chance: bool,
    memory: bool = False,
    noise: bool = True,
    far: int = 3,
    filled: bool = False,
    most_rounds: int = 4,
) -> Setting:
    """A run with certain participation, or on clocks, or with sampled clients where `chance`, or
    with chances that remember the past.

    Sampled clients start from the newest model, or ("late") from the last one that they received,
    so that chance and delays meet.
    """
    kinds = ["certain", "single", "clock"]
    kinds += ["sampled"] * chance + ["memory"] * memory + ["late"] * chance
    kind, steps = choices.choice(kinds), choices.whole(1, 3)
    clients = choices.whole(1, 1 if kind == "memory" else 3)
    servers: Sequence[Number] = (1, 2, F(1, 2), 3, 7, 10)
    rest = losses(choices, clients, far=far) | {
        "local_steps": steps,
        "local_step_size": F(1, 10),
        "server_step_size": choices.choice(servers),
        "noise": choices.whole(0, 2) if noise else 0,
    }
    rounds = choices.whole(1, most_rounds if not rest["noise"] else 2)
    if kind in ("sampled", "late"):
        sampled = sampling_setting(clients, choices.whole(1, clients), min(rounds, 2), **rest)
        return replace(sampled, fresh=kind == "sampled")
    if kind == "clock":
        policies: Sequence[Policy] = (
            Asynchronous(),
            FixedWindow(1),
            Synchronous(),
            FixedWindow(2),
        )
        policy = choices.choice(policies)
        run = on_clock(tuple(choices.whole(1, 3) for _ in range(clients)), policy, rounds, **rest)
        _require_deliveries(choices, run.paths[0][1], filled=filled)
        return run
    if kind == "memory":
        return _with_memory(choices, rest)
    weights = tuple(choices.choice(WEIGHTS) for _ in range(clients))
    who = tuple(groups(choices, clients, rounds, single=kind == "single"))
    _require_deliveries(choices, who, filled=filled)
    alone = all(len(group) <= 1 for group in who) and clients > 1
    pair: tuple[Number, Number] = (0, max(weights)) if alone and choices.flag() else (1, 0)
    return Setting(
        f"{kind} participation {who}",
        weights=weights,
        paths=certain(who),
        covariance_factor=pair[0],
        variance_excess=pair[1],
        **rest,
    )


def _require_deliveries(choices: Choices, groups: Sequence[Sequence[int]], *, filled: bool) -> None:
    """Somebody delivers in some round, or with `filled` in every round."""
    everywhere = all(map(bool, groups)) or not filled
    choices.require(any(groups) and everywhere, "somebody delivers")


def _with_memory(choices: Choices, rest: PathWork) -> Setting:
    """One client over two rounds, each of the four participations with a chance of its own; alpha =
    1 and the least beta."""
    masses = [choices.whole(0, 3) for _ in range(4)]
    if not sum(masses):
        choices.reject("chances sum to 1")
    every = ((0,), (0,)), ((0,), ()), ((), (0,)), ((), ())
    paths: tuple[Path, ...] = tuple(
        (F(mass, sum(masses)), path) for mass, path in zip(masses, every, strict=True) if mass
    )
    shares = [sum((chance for chance, path in paths if path[n]), F(0)) for n in range(2)]
    if not any(shares):
        choices.reject("somebody delivers")
    weight = choices.choice((F(1), F(2), F(1, 2)))
    return Setting(
        f"one client that remembers, chances {masses}",
        weights=(weight,),
        paths=paths,
        variance_excess=max(weight * (1 - share) for share in shares if share),
        **rest,
    )


def lemma_step(choices: Choices, given: Setting, *, free: bool) -> Setting:
    """The same run with a step size for lemmas: kappa D <= 1/2 (any up to 1/L where `free` or with
    one local step), and a point x."""
    top = max(given.curvatures)
    size = choices.choice((F(1), F(1, 2), F(1, 4), F(1, 10), F(1, 100), F(1, 2000))) / top
    if given.local_steps > 1 and not free:
        steep = ((given.local_steps - 1) * top) ** 2
        size = min(size, below_root(1 / (12 * Quantities(given).virtual_factor * steep)))
    start = F(given.start)
    point = choices.choice((None, F(0), start - size * F(1, 2) * start, start + 1))
    return replace(given, local_step_size=size, point=point)


def theorem_step(choices: Choices, given: Setting) -> Setting:
    """The same run at the largest step size of Theorem 1, or a part of it."""
    return learning_rate(given, share=choices.choice((F(1), F(1, 2), F(1, 10))))
