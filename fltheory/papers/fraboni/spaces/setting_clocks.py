"""Where this paper's definitions and Table 2 may fail: clocks under every policy."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import islice
from math import lcm

from fltheory.claims.checks.event_simulation import ClockRun
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.scoring import worst
from fltheory.claims.spaces.space import Draw, Space
from fltheory.core.types import Scalar, Values
from fltheory.papers.fraboni.checks.application_schemes import delays_of
from fltheory.papers.fraboni.checks.clock_facts import excesses, facts, rounds_until
from fltheory.papers.fraboni.checks.definitions import BY_EVENTS, Observe
from fltheory.papers.fraboni.checks.table2 import PLAN
from fltheory.papers.fraboni.checks.weights import betas_of
from fltheory.papers.fraboni.spaces.drawing import F, shares, times
from fltheory.papers.fraboni.spaces.named import space_of
from fltheory.traces.clocks import Asynchronous, Buffer, FixedWindow, Policy, Synchronous
from fltheory.traces.trace_statistics import balance_period
from fltheory.traces.weights import asynchronous_weights

LONGEST_PERIOD = 120


def _policy(choices: Choices, kind: str, given: tuple[Fraction, ...]) -> Policy:
    """A waiting policy of this kind, its window or buffer drawn."""
    options: dict[str, Callable[[], Policy]] = {
        "sync": Synchronous,
        "async_": Asynchronous,
        "whole_async": Asynchronous,
        "joint": lambda: Asynchronous(joint_ties=True),
        "fedfix": lambda: FixedWindow(choices.number(F(1, 2), 5, max_denominator=3)),
        "Synchronous": Synchronous,
        "buffer": lambda: Buffer(choices.whole(1, len(given))),
    }
    return options["fedfix" if kind.startswith("fedfix") else kind]()


def _clock(choices: Choices, kinds: tuple[str, ...], *, least: int = 1, most: int = 4) -> ClockRun:
    """A drawn clock whose pattern repeats soon enough to be counted."""
    kind = choices.choice(kinds)
    several = kind == "fedfix_spreads"
    given = times(
        choices, least=max(least, 2 if several else 1), most=most, whole=kind == "whole_async"
    )
    run = ClockRun(given, _policy(choices, kind, given))
    if run.counted.period > LONGEST_PERIOD:
        choices.reject("the pattern repeats within 120 rounds")
    choices.require(any(run.groups(6)), "somebody delivers")
    return run


def _whole_rounds(row: Values) -> bool:
    """A training time with fixed windows is meant to end with a round."""
    if "training_time" not in row or "round_duration" not in row:
        return True
    return (F(row["training_time"]) / F(row["round_duration"])).denominator == 1


def _searched(run: ClockRun) -> Iterable[Values]:
    """The shortest window in which every client always delivers equally often, over all aligned
    windows of the repeating pattern."""
    period = run.counted.period
    if run.counted.warm_up or period > 40:
        return ()
    groups = run.groups(period)

    def balanced(window: int) -> bool:
        starts = range(0, lcm(window, period), window)
        counts = [
            [
                sum(i in groups[n % period] for n in range(s, s + window))
                for i in range(run.num_clients)
            ]
            for s in starts
        ]
        return all(row == counts[0] for row in counts)

    return [
        {
            "balance_period": period,
            "window_by_search": next(w for w in range(1, period + 1) if balanced(w)),
        }
    ]


def _all_seen(run: ClockRun) -> Iterable[Values]:
    """Excesses are looked at over 20 rounds, in which everybody must deliver."""
    return excesses(run) if run.counted.period <= 20 else ()


def observing(kinds: tuple[str, ...], observe: Observe, *, least: int = 1, most: int = 4) -> Draw:
    """Draw a clock, and take the row of what is observed on it that comes closest to contradicting
    the claim."""

    def draw(choices: Choices, claim: Claim) -> Instance:
        run = _clock(choices, kinds, least=least, most=most)
        names = {s.name for s in claim.symbols}
        rows = [
            Instance(row, f"update times {tuple(map(str, run.times))} under {run.policy}")
            for row in islice(observe(run), 400)
            if names <= set(row) and _whole_rounds(row)
        ]
        if not rows:
            choices.reject("the clock shows what the claim speaks of")
        return worst(claim, rows)

    return draw


def _of_clock(kinds: tuple[type, ...]) -> tuple[str, ...]:
    """The names of these kinds of policy; all of them without any."""
    named = {Synchronous: "sync", Asynchronous: "async_", FixedWindow: "fedfix", Buffer: "buffer"}
    return tuple(named[kind] for kind in kinds) or ("sync", "async_", "joint", "fedfix", "buffer")


def _by_observation() -> list[Space]:
    """One space for each way of looking at a clock: those of Table 2 and those of the
    definitions."""
    small, several = "Up to four clients with any small update times.", " under the policies."
    found = []
    for name, clocks, look in PLAN:
        draw = observing((clocks.__name__,), _all_seen if look is excesses else look)
        found.append(space_of(name, small, draw, name, more=FACTS))
    for name, kinds, look, _ in BY_EVENTS:
        # the losses of the definitions are those of three clients
        draw = observing(_of_clock(kinds), _searched if name == "def.W" else look, most=3)
        found.append(space_of(name, small.removesuffix(".") + several, draw, name))
    return found


FACTS = "num_clients sum_of_rates common_multiple slowest_time fastest_time sum_of_ceilings"


def _crowds(run: ClockRun) -> list[dict[str, Scalar]]:
    """The fewest and most clients of a round, and the staleness."""
    groups = run.groups(12)
    return [
        {
            "least_deliverers": min(map(len, groups)),
            "most_deliverers": max(map(len, groups)),
            "num_clients": run.num_clients,
            "max_staleness": run.counted.max_staleness,
        }
    ]


def _long_windows(choices: Choices, claim: Claim) -> Instance:
    """FedFix with windows at least as long as the slowest client, and rounds counted until a common
    time."""
    given = times(choices, most=3)
    run = ClockRun(given, FixedWindow(max(given) + choices.choice((0, 1, 2))))
    return Instance(_crowds(run)[0], f"update times {tuple(map(str, given))}, {run.policy}")


def _round_ratio(choices: Choices, claim: Claim) -> Instance:
    """Rounds of FedFix and of synchronous waiting within a time that is a multiple of both round
    lengths."""
    given, duration = times(choices, most=3, whole=True), F(1, choices.whole(1, 3))
    slowest = max(given)
    limit = slowest * choices.whole(1, 4)
    policies: tuple[tuple[Policy, Fraction], ...] = (
        (FixedWindow(duration), duration),
        (Synchronous(), slowest),
    )
    fixed, waiting = (
        rounds_until(ClockRun(given, policy), limit, int(limit / length) + 2)
        for policy, length in policies
    )
    return Instance(
        {
            "fedfix_round_ratio": F(fixed, waiting),
            "slowest_time": slowest,
            "round_duration": duration,
        },
        f"{given}, {duration}",
    )


def _single(choices: Choices, claim: Claim) -> Instance:
    """The staleness of one client that is always heard."""
    time, policies = choices.number(F(1, 2), 5), list[Policy]([Synchronous(), Asynchronous()])
    run = ClockRun((time,), choices.choice(policies))
    return Instance({"max_staleness": run.counted.max_staleness}, f"one client under {run.policy}")


def _exponential(choices: Choices, claim: Claim) -> Instance:
    """Exponential update times with these means, drawn with a seed."""
    means = tuple(choices.whole(1, 5) for _ in range(choices.whole(2, 3)))
    num_rounds, seed = choices.whole(1, 300), choices.whole(0, 9)
    return Instance(delays_of(means, num_rounds=num_rounds, seed=seed), f"means {means}")


def _finite(choices: Choices, claim: Claim) -> Instance:
    """An asynchronous run that stops after whole windows, at least two, in which everybody
    delivers."""
    run = _clock(choices, ("whole_async",))
    rounds = choices.whole(2, 40)
    trace = run.trace(rounds)
    window = balance_period(trace)
    if window > rounds // 2 or not trace.delivers.any(axis=0).all():
        choices.reject("the run has two whole windows")
    return Instance(
        facts(run) | {"window_of_finite_run": window},
        f"update times {run.times}, {rounds} rounds",
    )


def _largest_weight(choices: Choices, claim: Claim) -> Instance:
    """The largest weight of eq. (12), with drawn and with equal importances."""
    given = times(choices, least=2)
    equal = claim.id == "fraboni.tab2.beta.bound"
    importance = [F(1, len(given))] * len(given) if equal else shares(choices, len(given))
    return Instance(
        facts(ClockRun(given, Asynchronous()))
        | {
            "largest_aggregation_weight": max(asynchronous_weights(given, importance=importance)),
            "largest_importance": max(importance),
            "variance_excess": max(asynchronous_weights(given)),
        },
        f"update times {tuple(map(str, given))}, importance {importance}",
    )


def _betas(choices: Choices, claim: Claim) -> Instance:
    """FedFix with alpha = 1: d_i(n) - q_i(n) over everybody, and over participants."""
    run = _clock(choices, ("fedfix",))
    return Instance(betas_of(run, run.needed_weights()), f"{run.times}, {run.policy}")


SPACES = (
    *_by_observation(),
    space_of(
        "empty-rounds",
        "Two or more clients under any policy.",
        observing(("sync", "async_", "fedfix"), _crowds, least=2),
        "fedfix.empty",
    ),
    space_of(
        "long-windows",
        "FedFix with windows as long as the slowest client.",
        _long_windows,
        "fedfix.async fedfix.sync",
    ),
    space_of(
        "round-ratio",
        "FedFix against waiting for all, counted on events.",
        _round_ratio,
        "fedfix.rate",
    ),
    space_of(
        "single",
        "One client that is always heard.",
        _single,
        "app.centralized app.centralized.corrected",
    ),
    space_of(
        "exponential",
        "Exponential update times with two or three means.",
        _exponential,
        "exponential.delay",
    ),
    space_of(
        "finite",
        "Asynchronous runs of at least two whole windows.",
        _finite,
        "W.finite",
    ),
    space_of(
        "largest-weight",
        "Asynchronous FedAvg with any times and importances.",
        _largest_weight,
        "tab2.beta.bound tab2.beta.bound.corrected lr.beta",
    ),
    space_of(
        "betas",
        "FedFix rounds.",
        _betas,
        "def.beta def.beta.corrected",
    ),
)
