"""What Table 2 names, read off the simulated events of one clock."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import ceil, lcm

from fltheory.claims.checks.event_simulation import ClockRun, run_of
from fltheory.core.types import ExactLike, Scalar
from fltheory.papers.fraboni.checks.path_run import Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import certain
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous
from fltheory.traces.weights import asynchronous_weights, policy_weights

F = Fraction

UNEQUAL: dict[int, Sequence[ExactLike]] = {2: ("1/3", "2/3"), 3: ("1/2", "1/3", "1/6")}


def facts(run: ClockRun) -> dict[str, Scalar]:
    """What a run's clocks are, without looking at any event."""
    slowest = max(run.times)
    values: dict[str, Scalar] = {
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


def shares_of(run: ClockRun, importance: Sequence[ExactLike] | None) -> list[Fraction]:
    """The importances as given, or equal ones."""
    return [F(p) for p in importance or [F(1, run.num_clients)] * run.num_clients]


def needed(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Weights by counting deliveries, for equal and for unequal importances (Table 2, d_i)."""
    for importance in (None, UNEQUAL.get(run.num_clients)):
        weights = run.needed_weights(importance=importance)
        rows = zip(run.times, weights, shares_of(run, importance), strict=True)
        for time, weight, share in rows:
            yield facts(run) | {
                "aggregation_weight": weight,
                "update_time": time,
                "importance": share,
            }


def windowed(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Mean weights in the first three aligned windows, with the paper's weights; the window is
    counted on events (eq. 12 and 14)."""
    period, given = run.counted.period, UNEQUAL.get(run.num_clients)
    if period > 200:
        return
    groups, importance = run.groups(3 * period), shares_of(run, given)
    weights = policy_weights(run.times, run.policy, importance=given)
    for first, i in product(range(0, 3 * period, period), range(run.num_clients)):
        count = sum(i in group for group in groups[first : first + period])
        yield {"expected_weight": weights[i] * count / period, "importance": importance[i]}


def rounds_in_time(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Rounds that end within a multiple of the common time, counted on events (Table 2, N)."""
    policy = run.policy
    step = run.together * (policy.duration if isinstance(policy, FixedWindow) else 1)
    for training in (step, 2 * step):
        count, ends = 8, run.events(8)
        while ends[-1].time <= training:
            count *= 2
            ends = run.events(count)
        yield facts(run) | {
            "training_time": training,
            "num_rounds": sum(event.time <= training for event in ends) - 1,
        }


def durations(run: ClockRun) -> Iterator[dict[str, Scalar]]:
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


def pairs(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Products of two clients' weights in single rounds, where nothing is left to chance."""
    weights = policy_weights(run.times, run.policy)
    for group in run.groups(8):
        for i, j in combinations(range(run.num_clients), 2):
            first, second = (weights[k] * (k in group) for k in (i, j))
            yield {"pair_moment": first * second, "first_mean": first, "second_mean": second}


def excesses(run: ClockRun) -> Iterator[dict[str, Scalar]]:
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


def pattern(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Window and staleness of the repeating pattern, counted on events."""
    yield facts(run) | {
        "balance_period": run.counted.period,
        "max_staleness": run.counted.max_staleness,
    }


def pattern_again(update_times: list[str], policy: str) -> dict[str, Scalar]:
    """The same for clocks that a file names."""
    return next(pattern(run_of(update_times, policy)))


ORIGINS = {"fraboni.pattern": pattern_again}


def totals(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """The largest total weight of a round with the paper's weights, at least 1 (Table 2, rho)."""
    weights = policy_weights(run.times, run.policy)
    groups = run.groups(3 * run.counted.period)
    largest = max([F(1), *(sum((weights[i] for i in group), F(0)) for group in groups)])
    yield facts(run) | {"largest_total_weight": largest, "largest_aggregation_weight": max(weights)}


def spreads(run: ClockRun) -> Iterator[dict[str, Scalar]]:
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


def ratios(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Rounds of a policy per round of synchronous FedAvg, until a common time (Section 4.3)."""
    many, few = (
        rounds_until(ClockRun(run.times, policy), run.together, run.counted.period + 2)
        for policy in (run.policy, Synchronous())
    )
    yield facts(run) | {"round_ratio": F(many, few)}


def rounds_until(run: ClockRun, time: Fraction, most: int) -> int:
    """Rounds that end by a time, among the first `most` ones."""
    return sum(event.time <= time for event in run.events(most)) - 1


def normalised(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Mean weights by eq. (12), normalised, and the importances (Section 4.3)."""
    weights = asynchronous_weights(run.times)
    means = [w * p for w, p in zip(weights, run.counted.participation, strict=True)]
    for mean in means:
        yield {"normalised_mean_weight": mean / sum(means), "importance": F(1, run.num_clients)}
