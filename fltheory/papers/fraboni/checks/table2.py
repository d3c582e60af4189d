"""Table 2 by event simulation: all small whole update times, and some rational ones, under each
policy."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.event_simulation import ClockRun, clock_instances, small_clocks
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import ExactLike
from fltheory.papers.fraboni.checks.clock_facts import (
    durations,
    excesses,
    facts,
    needed,
    normalised,
    pairs,
    pattern,
    ratios,
    rounds_in_time,
    shares_of,
    spreads,
    totals,
    windowed,
)
from fltheory.papers.fraboni.checks.definitions import Clock, Observe
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous
from fltheory.traces.trace_statistics import balance_period
from fltheory.traces.weights import asynchronous_weights

F = Fraction
SMALL: tuple[Sequence[ExactLike], ...] = (
    *small_clocks(4, (1, 2)),
    *small_clocks(2, (3,)),
    (1, 5),
    (2, 3, 5),
    (1, 1, 1, 5),
    (1, 1, 1, 1),
    (F(1, 2), F(2, 3)),
)
WINDOWS = (F(5), F(2), F(1, 2), F(3, 2))


def sync() -> Iterator[Clock]:
    """All small clocks under synchronous FedAvg."""
    return ((times, Synchronous()) for times in SMALL)


def async_() -> Iterator[Clock]:
    """All small clocks of several clients, asynchronous."""
    return ((times, Asynchronous()) for times in SMALL if len(times) > 1)


def joint() -> Iterator[Clock]:
    """The same, with joint rounds for clients that finish together."""
    return ((times, Asynchronous(joint_ties=True)) for times in SMALL if len(times) > 1)


def fedfix() -> Iterator[Clock]:
    """All small clocks under FedFix with several windows."""
    return ((times, FixedWindow(window)) for window, times in product(WINDOWS, SMALL))


def whole(clocks: Callable[[], Iterator[Clock]]) -> Iterator[Clock]:
    """The clocks whose update times are whole numbers."""
    return (
        (times, policy) for times, policy in clocks() if all(F(t).denominator == 1 for t in times)
    )


@by_instances(Method.EVENT_SIMULATION, "small whole update times")
def largest_weights() -> Iterator[Instance]:
    """max_i d_i of asynchronous FedAvg, unequal importances first (Table 2, beta)."""
    first: tuple[Sequence[ExactLike], Sequence[ExactLike]] = ((1, 1), ("9/10", "1/10"))
    last: tuple[Sequence[ExactLike], Sequence[ExactLike]] = ((1, 5, 5), ("1/10", "1/10", "4/5"))
    for times, importance in (first, *((times, None) for times in SMALL), last):
        run = ClockRun(times, Asynchronous())
        largest = max(asynchronous_weights(times, importance=importance))
        yield Instance(
            facts(run)
            | {
                "largest_aggregation_weight": largest,
                "largest_importance": max(shares_of(run, importance)),
            },
            f"update times {times}",
        )


@by_instances(Method.EVENT_SIMULATION, "small whole update times, equal importances")
def equal_weights() -> Iterator[Instance]:
    """max_i d_i of asynchronous FedAvg with p_i = 1/M (Table 2, beta; Section 4.1)."""
    for times in SMALL:
        largest = max(asynchronous_weights(times))
        yield Instance(
            facts(ClockRun(times, Asynchronous())) | {"largest_aggregation_weight": largest},
            f"update times {times}",
        )


@by_instances(Method.EVENT_SIMULATION, "small whole update times")
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


def simulated(clocks: Callable[[], Iterator[Clock]], observe: Observe, claim: Claim) -> Evidence:
    """The claim on what is observed on every one of these clocks (Table 2)."""
    kind = "fraboni.pattern" if observe is pattern else None
    return check_instances(
        claim,
        clock_instances(clocks(), observe, kind=kind),
        method=Method.EVENT_SIMULATION,
        covers=f"{len(SMALL)} lists of one to four update times, whole and rational",
    )


def whole_async() -> Iterator[Clock]:
    """Asynchronous clocks with whole update times."""
    return whole(async_)


def fedfix_spreads() -> Iterator[Clock]:
    """Small clocks of several clients under FedFix, for the spread R."""
    return (
        (times, FixedWindow(window))
        for window, times in product((F(1), F(2), F(5)), SMALL)
        if len(times) > 1
    )


PLAN: tuple[tuple[str, Callable[[], Iterator[Clock]], Observe], ...] = (
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
    Check("fraboni.tab2.beta.bound", equal_weights),
    Check("fraboni.tab2.beta.bound.corrected", largest_weights),
    Check("fraboni.W.finite", finite_windows),
)
