"""Table 2 by event simulation: all small whole update times, and some rational ones, under each
policy."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, product
from math import ceil, lcm
from typing import Any

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.event_simulation import ClockRun, clock_instances, run_of, small_clocks
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fraboni.checks.quantities import Quantities, Setting
from fltheory.papers.fraboni.checks.runs import certain
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous
from fltheory.traces.trace_statistics import balance_period
from fltheory.traces.weights import asynchronous_weights, policy_weights

F = Fraction
Observe = Callable[[ClockRun], Iterable[Mapping[str, Any]]]
SMALL = (
    *small_clocks(4, (1, 2)),
    *small_clocks(2, (3,)),
    (1, 5),
    (2, 3, 5),
    (1, 1, 1, 5),
    (1, 1, 1, 1),
    (F(1, 2), F(2, 3)),
)
WINDOWS = (F(5), F(2), F(1, 2), F(3, 2))
UNEQUAL = {2: ("1/3", "2/3"), 3: ("1/2", "1/3", "1/6")}


def sync() -> Iterator[tuple[Any, Policy]]:
    return ((times, Synchronous()) for times in SMALL)


def async_() -> Iterator[tuple[Any, Policy]]:
    return ((times, Asynchronous()) for times in SMALL if len(times) > 1)


def joint() -> Iterator[tuple[Any, Policy]]:
    return ((times, Asynchronous(joint_ties=True)) for times in SMALL if len(times) > 1)


def fedfix() -> Iterator[tuple[Any, Policy]]:
    return ((times, FixedWindow(window)) for window, times in product(WINDOWS, SMALL))


def whole(clocks: Callable[[], Iterator[tuple[Any, Policy]]]) -> Iterator[tuple[Any, Policy]]:
    return (
        (times, policy) for times, policy in clocks() if all(F(t).denominator == 1 for t in times)
    )


def facts(run: ClockRun) -> dict[str, Any]:
    """What a run's clocks are, without looking at any event."""
    slowest = max(run.times)
    values = {
        "num_clients": run.num_clients,
        "sum_of_rates": sum(1 / t for t in run.times),
        "common_multiple": run.together,
        "slowest_time": slowest,
        "fastest_time": min(run.times),
        "sum_of_ceilings": sum(ceil(slowest / t) for t in run.times) - 1,
    }
    if isinstance(run.policy, FixedWindow):
        cycles = [ceil(t / run.policy.duration) for t in run.times]
        values |= {
            "round_duration": run.policy.duration,
            "cycle_multiple": lcm(*cycles),
            "mean_cycle": F(sum(cycles), len(cycles)),
        }
    return values


def needed(run: ClockRun) -> Iterator[dict[str, Any]]:
    """Weights by counting deliveries, for equal and for unequal importances."""
    for importance in (None, UNEQUAL.get(run.num_clients)):
        for time, weight, share in zip(
            run.times,
            run.needed_weights(importance=importance),
            [F(p) for p in importance or [F(1, run.num_clients)] * run.num_clients],
            strict=True,
        ):
            yield facts(run) | {
                "aggregation_weight": weight,
                "update_time": time,
                "importance": share,
            }


def windowed(run: ClockRun) -> Iterator[dict[str, Any]]:
    """Mean weights in the first three aligned windows, with the paper's weights; the window is
    counted on events."""
    period = run.counted.period
    if period > 200:
        return
    groups = run.groups(3 * period)
    weights = policy_weights(run.times, run.policy, importance=UNEQUAL.get(run.num_clients))
    importance = [
        F(p) for p in UNEQUAL.get(run.num_clients, [F(1, run.num_clients)] * run.num_clients)
    ]
    for first, i in product(range(0, 3 * period, period), range(run.num_clients)):
        count = sum(i in group for group in groups[first : first + period])
        yield {"expected_weight": weights[i] * count / period, "importance": importance[i]}


def rounds_in_time(run: ClockRun) -> Iterator[dict[str, Any]]:
    """Rounds that end within a multiple of the common time, counted on events."""
    step = (
        run.together
        if not isinstance(run.policy, FixedWindow)
        else run.policy.duration * run.together
    )
    for training in (step, 2 * step):
        count, ends = 8, run.events(8)
        while ends[-1].time <= training:
            count *= 2
            ends = run.events(count)
        yield facts(run) | {
            "training_time": training,
            "num_rounds": sum(event.time <= training for event in ends) - 1,
        }


def durations(run: ClockRun) -> Iterator[dict[str, Any]]:
    """Each round's duration against T_i - (t^n - t^{rho_i(n)}), the remaining times by their
    definition."""
    timed = run.timed(8)
    received = [0] * run.num_clients
    for n, group in enumerate(run.groups(8)):
        remaining = [
            time - (timed.times[n] - timed.times[received[i]]) for i, time in enumerate(run.times)
        ]
        yield {
            "round_duration": timed.durations[n],
            "largest_remaining_time": max(remaining),
            "least_remaining_time": min(remaining),
        }
        for i in group:
            received[i] = n + 1


def pairs(run: ClockRun) -> Iterator[dict[str, Any]]:
    """Products of two clients' weights in single rounds, where nothing is left to chance."""
    weights = policy_weights(run.times, run.policy)
    for group in run.groups(8):
        for i, j in combinations(range(run.num_clients), 2):
            first, second = (weights[k] * (k in group) for k in (i, j))
            yield {"pair_moment": first * second, "first_mean": first, "second_mean": second}


def excesses(run: ClockRun) -> Iterator[dict[str, Any]]:
    """The smallest beta that Lemma 1 needs over the rounds: gamma_i / q_i for clients with q_i(n) >
    0."""
    weights = policy_weights(run.times, run.policy)
    alpha = 0 if isinstance(run.policy, Asynchronous) else 1
    needed_beta = max(
        (weights[i] ** 2 - alpha * weights[i] ** 2) / weights[i]
        for group in run.groups(20)
        for i in group
    )
    yield facts(run) | {"variance_excess": needed_beta, "largest_aggregation_weight": max(weights)}


def largest_weights() -> Iterator[Instance]:
    """Unequal importances first."""
    for times, importance in chain(
        [((1, 1), ("9/10", "1/10"))],
        product(SMALL, (None,)),
        (((1, 5, 5), ("1/10", "1/10", "4/5")),),
    ):
        run = ClockRun(times, Asynchronous())
        shares = [F(p) for p in importance or [F(1, len(times))] * len(times)]
        largest = max(asynchronous_weights(times, importance=importance))
        yield Instance(
            facts(run) | {"largest_aggregation_weight": largest, "largest_importance": max(shares)},
            f"update times {times}",
        )


def pattern(run: ClockRun) -> Iterator[dict[str, Any]]:
    """Window and staleness of the repeating pattern, counted on events."""
    yield facts(run) | {
        "balance_period": run.counted.period,
        "max_staleness": run.counted.max_staleness,
    }


def pattern_again(update_times: list[str], policy: str) -> dict[str, Any]:
    """The same for clocks that a file names."""
    return next(pattern(run_of(update_times, policy)))


ORIGINS = {"fraboni.pattern": pattern_again}


def totals(run: ClockRun) -> Iterator[dict[str, Any]]:
    weights = policy_weights(run.times, run.policy)
    largest = max(
        [
            F(1),
            *(
                sum((weights[i] for i in group), F(0))
                for group in run.groups(3 * run.counted.period)
            ),
        ]
    )
    yield facts(run) | {"largest_total_weight": largest, "largest_aggregation_weight": max(weights)}


def spreads(run: ClockRun) -> Iterator[dict[str, Any]]:
    """R over one window with the paper's weights, for clients with optima 0, 1, 3 and unit
    curvature."""
    count = run.num_clients
    if run.counted.period > 40:
        return
    weights, paths = policy_weights(run.times, run.policy), certain(run.groups(run.counted.period))
    setting = Setting("", (1,) * count, (0, 1, 3, 7)[:count], weights, paths, F(1, 10))
    q = Quantities(setting)
    best = q.minimiser([F(1, count)] * count)
    yield {
        "objective_spread": q.spread,
        "mean_conflict": sum(F(1, count) * (best - c) ** 2 / 2 for c in setting.optima),
    }


def ratios(run: ClockRun) -> Iterator[dict[str, Any]]:
    counts = [
        sum(
            event.time <= run.together
            for event in ClockRun(run.times, policy).events(run.counted.period + 2)
        )
        - 1
        for policy in (run.policy, Synchronous())
    ]
    yield facts(run) | {"round_ratio": F(counts[0], counts[1])}


def normalised(run: ClockRun) -> Iterator[dict[str, Any]]:
    weights = asynchronous_weights(run.times)
    means = [w * p for w, p in zip(weights, run.counted.participation, strict=True)]
    for mean in means:
        yield {"normalised_mean_weight": mean / sum(means), "importance": F(1, run.num_clients)}


def finite_windows() -> Iterator[Instance]:
    """Runs that stop after whole windows, at least two, in which everybody delivers."""
    for times in small_clocks(4, (2,)):
        run = ClockRun(times, Asynchronous())
        for rounds in range(2, 2 * run.counted.period + 1):
            trace = run.trace(rounds)
            window = balance_period(trace)
            if window <= rounds // 2 and trace.delivers.any(axis=0).all():
                yield Instance(
                    facts(run) | {"window_of_finite_run": window},
                    f"update times {times}, {rounds} rounds",
                )


def simulated(
    clocks: Callable[[], Iterator[tuple[Any, Policy]]], observe: Observe, claim: Claim
) -> Evidence:
    kind = "fraboni.pattern" if observe is pattern else None
    return check_instances(
        claim,
        clock_instances(clocks(), observe, kind=kind),
        method=Method.EVENT_SIMULATION,
        covers=f"{len(SMALL)} lists of one to four update times, whole and rational",
    )


def listed(instances: Callable[[], Iterator[Instance]], claim: Claim) -> Evidence:
    return check_instances(
        claim, instances(), method=Method.EVENT_SIMULATION, covers="small whole update times"
    )


def whole_async() -> Iterator[tuple[Any, Policy]]:
    return whole(async_)


def fedfix_spreads() -> Iterator[tuple[Any, Policy]]:
    return (
        (times, FixedWindow(window))
        for window, times in product((F(1), F(2), F(5)), SMALL)
        if len(times) > 1
    )


PLAN: tuple[tuple[str, Callable[[], Iterator[tuple[Any, Policy]]], Observe], ...] = (
    ("tab2.d.sync", sync, needed),
    ("tab2.d.async", async_, needed),
    ("tab2.d.fedfix", fedfix, needed),
    ("eq12", async_, windowed),
    ("eq14", fedfix, windowed),
    ("tab2.N.sync", sync, rounds_in_time),
    ("tab2.N.async", async_, rounds_in_time),
    ("tab2.N.fedfix", fedfix, rounds_in_time),
    ("tab2.dt.sync", sync, durations),
    ("tab2.dt.async", async_, durations),
    ("tab2.alpha.sync", sync, pairs),
    ("tab2.alpha.async", async_, pairs),
    ("tab2.alpha.fedfix", fedfix, pairs),
    ("tab2.beta.sync", sync, excesses),
    ("tab2.beta.async", async_, excesses),
    ("tab2.beta.fedfix", fedfix, excesses),
    ("tab2.tau.sync", sync, pattern),
    ("tab2.tau.async.lower", async_, pattern),
    ("tab2.tau.async", async_, pattern),
    ("tab2.tau.async.sharp", async_, pattern),
    ("fedfix.tau", fedfix, pattern),
    ("fedfix.tau.corrected", fedfix, pattern),
    ("fedfix.tau.bound", fedfix, pattern),
    ("tab2.W.sync", sync, pattern),
    ("tab2.W.async", async_, pattern),
    ("tab2.W.async.lower", async_, pattern),
    ("tab2.W.async.upper", whole_async, pattern),
    ("tab2.W.async.table", whole_async, pattern),
    ("tab2.W.fedfix", fedfix, pattern),
    ("tab2.W.fedfix.upper", fedfix, pattern),
    ("tab2.W.fedfix.table", fedfix, pattern),
    ("tab2.R.sync", sync, spreads),
    ("tab2.R.async", async_, spreads),
    ("tab2.R.fedfix", fedfix_spreads, spreads),
    ("tab2.rho.sync", sync, totals),
    ("tab2.rho.async", async_, totals),
    ("tab2.rho.fedfix", fedfix, totals),
    ("async.ratio", async_, ratios),
    ("async.ties", joint, pattern),
    ("async.ties.weights", joint, normalised),
)
CHECKS = (
    *(
        Check(f"fraboni.{name}", partial(simulated, clocks, observe))
        for name, clocks, observe in PLAN
    ),
    Check("fraboni.tab2.beta.bound", partial(listed, largest_weights)),
    Check("fraboni.tab2.beta.bound.corrected", partial(listed, largest_weights)),
    Check("fraboni.W.finite", partial(listed, finite_windows)),
)
