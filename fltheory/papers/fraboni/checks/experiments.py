"""Section 5: printed numbers, hardware scenarios, and quadratic surrogates of the experiments."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import isqrt

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.event_simulation import ClockRun
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.vacuity import check_vacuous
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Scalar
from fltheory.engine.simulate import simulate
from fltheory.papers.fraboni.checks.path_run import Number
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.balance import asynchronous_balance, rounds_within
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous
from fltheory.traces.update_times import FixedTimes
from fltheory.traces.weights import asynchronous_weights, identical_weights, window_weights

F = Fraction
CAPTION, TEXT = F(5, 1000), F(5, 10000)
"""Learning rates of Figure 3, in its caption and in Section 5.2.2."""
BUDGET = 25_000
"""Training time of Figure 3."""
SURROGATE = "two quadratic clients with unequal update times and small steps, exact limit cycles"


def hardware(num_clients: int) -> tuple[Fraction, ...]:
    """F80: update times evenly spaced from 0.2 to 1."""
    times: tuple[Fraction, ...] = FixedTimes.spread(num_clients, 80).times
    return times


IN_THE_RUN = F(1, isqrt(rounds_within(BUDGET, hardware(10), Asynchronous())) + 1)
"""1/sqrt(N) of Figure 3's run, rounded down."""


@by_instances(Method.DATA, "F80 with 10, 20 and 50 clients")
def scenarios() -> Iterator[Instance]:
    """Extreme times and time-based weights of F80 (Section 5.2)."""
    for count in (10, 20, 50):
        yield Instance(extremes(hardware(count)), f"F80 with {count} clients")


def extremes(times: tuple[Fraction, ...]) -> dict[str, Scalar]:
    """The longest and shortest update time, the largest and smallest weight of eq. (12)."""
    weights = asynchronous_weights(times)
    return {
        "slowest_time": max(times),
        "fastest_time": min(times),
        "largest_aggregation_weight": max(weights),
        "smallest_aggregation_weight": min(weights),
    }


@by_instances(Method.DATA, "the printed values")
def printed_rates() -> Iterator[Instance]:
    """The learning rates in the caption and in the text of Figure 3."""
    yield Instance({"caption_value": CAPTION, "text_value": TEXT}, "Figure 3")


def figure3(claim: Claim) -> Evidence:
    """W and N of the run of Figure 3, of which Theorem 3 asks W <= N."""
    times = hardware(10)
    values = {
        "balance_period": asynchronous_balance(times).period,
        "num_rounds": rounds_within(BUDGET, times, Asynchronous()),
    }
    return check_vacuous(
        claim,
        [Instance(values, "F80, ten clients, 25000 units of time")],
        needs="balance_period",
        allows="num_rounds",
        method=Method.DATA,
        covers="F80 as update times evenly spaced from 0.2 to 1, ten clients",
    )


@cache
def figure3_values(rate: Fraction, local_steps: int) -> dict[str, Scalar]:
    """What Theorem 1 asks of a learning rate on F80 with ten clients: staleness counted on 3000
    events, total weight from eq. (12)."""
    times = hardware(10)
    return {
        "local_step_size": rate,
        "local_steps": local_steps,
        "smoothness": 1,
        "server_step_size": 1,
        "max_staleness": ClockRun(times, Asynchronous()).max_staleness(3000),
        "largest_total_weight": max(asynchronous_weights(times)),
    }


PRINTED_STEPS = ((TEXT, 1), (TEXT, 25))
"""Learning rate and local steps of Figure 3."""


def figure3_steps(rates: Iterable[tuple[Fraction, int]]) -> Iterator[Instance]:
    """What Theorem 1 asks of each (learning rate, local steps)."""
    for rate, steps in rates:
        yield Instance(figure3_values(rate, steps), f"learning rate {rate}, {steps} local steps")


@by_instances(Method.DATA, "F80 with ten clients")
def printed_steps() -> Iterator[Instance]:
    """The learning rate of Figure 3 with one and with 25 local steps."""
    return figure3_steps(PRINTED_STEPS)


@by_instances(Method.DATA, "F80 with ten clients")
def steps_of_run() -> Iterator[Instance]:
    """1/sqrt(KN) in the run of Figure 3 with K = 1 (Section 4.1)."""
    return figure3_steps([(IN_THE_RUN, 1)])


@by_instances(Method.DATA, "F0 with 10, 20 and 50 clients")
def equal_hardware() -> Iterator[Instance]:
    """Whether the update times of F0 differ (Section 5.2.3)."""
    for count in (10, 20, 50):
        times = set(FixedTimes.spread(count, 0).times)
        yield Instance({"times_differ": int(len(times) > 1)}, f"F0 with {count} clients")


def losses_after(
    times: Sequence[Number], optima: Sequence[Number], start: Number, size: Fraction, until: int
) -> dict[str, Scalar]:
    """The mean of the clients' losses (x - e_i)^2/2 after the same time under each scheme, each
    with the weights that Section 4 gives it (Figures 5 and 7)."""
    window, found = F(1, 2), {}
    for name, policy, weights in (
        ("sync_loss", Synchronous(), (F(1, len(times)),) * len(times)),
        ("fedfix_loss", FixedWindow(window), window_weights(times, window)),
        ("async_loss", Asynchronous(), asynchronous_weights(times)),
    ):
        trace = ClockRun(times, policy).trace(rounds_within(until, times, policy))
        problem = Quadratic((1,) * len(times), tuple(optima))
        method = WeightedAggregation(tuple(weights))
        run = simulate(method, problem, trace, start=start, local_step_size=size)
        model = run.models[-1, 0]
        found[name] = sum((model - e) ** 2 / 2 for e in optima) / len(times)
    return found


@by_instances(
    Method.EXACT_RUN, "F80 with five quadratic clients, far starts, 2 and 4 units of time"
)
def small_steps() -> Iterator[Instance]:
    """The federated loss after the same time, for small steps (Section 5.2.3)."""
    for start, size, until in product((10, -6), (F(1, 500), F(1, 2000)), (2, 4)):
        values = losses_after(hardware(5), (-2, -1, 0, 1, 2), start, size, until)
        yield Instance(values, f"start {start}, step {size}, {until} units of time")


def models_of(
    policy: Policy, weights: Sequence[Fraction], rounds: int, server: int
) -> list[Fraction]:
    """Models of two clients of update time 1 with two local steps."""
    trace = ClockRun((1, 1), policy).trace(rounds, local_steps=2)
    problem = Quadratic((1, F(1, 2)), (0, 1))
    run = simulate(
        WeightedAggregation(tuple(weights)),
        problem,
        trace,
        start=3,
        local_step_size=F(1, 10),
        server_step_size=server,
    )
    return [row[0] for row in run.models]


def half_windows(other: Policy) -> Iterator[Instance]:
    """Two equal clients: FedFix with windows of half their time against another scheme with server
    step 2."""
    window = F(1, 2)
    fixed = models_of(FixedWindow(window), window_weights((1, 1), window), 12, 1)
    compared = models_of(other, (F(1, 2), F(1, 2)), 6, 2)
    for n in range(1, 7):
        yield Instance(
            {"fedfix_model": fixed[2 * n], "other_model": compared[n]},
            f"after {2 * n} and {n} rounds",
        )


@by_instances(Method.EXACT_RUN, "two equal clients, two local steps")
def against_asynchronous() -> Iterator[Instance]:
    """FedFix-0.5 and asynchronous FedAvg (Section 5.2.3)."""
    return half_windows(Asynchronous())


@by_instances(Method.EXACT_RUN, "two equal clients, two local steps")
def against_synchronous() -> Iterator[Instance]:
    """FedFix-0.5 and synchronous FedAvg (Section 5.2.3, corrected)."""
    return half_windows(Synchronous())


def long_run_losses(surrogate: bool) -> Iterator[Instance]:
    """Mean loss over the limit cycle, for small steps: the federated loss, or the one that
    identical weights minimise."""
    for times, optima, size in product(
        ((1, 2), (1, 3), (2, 3)), ((0, 1), (-1, 2)), (F(1, 20), F(1, 100))
    ):
        yield Instance(
            losses_of_cycle(times, optima, size, surrogate=surrogate),
            f"update times {times}, optima {optima}, step {size}",
        )


def losses_of_cycle(
    times: Sequence[Number], optima: tuple[Number, Number], size: Fraction, *, surrogate: bool
) -> dict[str, Scalar]:
    """Mean loss over the limit cycle of two asynchronous clients, with time-based and with
    identical weights (Section 5.2.1)."""
    run = ClockRun(times, Asynchronous())
    trace = run.trace(6 * run.counted.period)
    weights = run.counted.participation if surrogate else (F(1, 2), F(1, 2))
    problem, losses = Quadratic((1, 1), optima), []
    for chosen in (asynchronous_weights(times), identical_weights(2)):
        limit = limit_cycle(WeightedAggregation(chosen), problem, trace, local_step_size=size)
        values = [
            sum(w * (x - c) ** 2 / 2 for w, c in zip(weights, optima, strict=True))
            for (x,) in limit.cycle or ()
        ]
        losses.append(sum(values, F(0)) / len(values))
    return {"time_based_loss": losses[0], "identical_loss": losses[1]}


@by_instances(Method.EXACT_RUN, SURROGATE)
def federated_losses() -> Iterator[Instance]:
    """The federated loss (Figure 2(a))."""
    return long_run_losses(surrogate=False)


@by_instances(Method.EXACT_RUN, SURROGATE)
def surrogate_losses() -> Iterator[Instance]:
    """The loss that identical weights minimise (Figure 2(c))."""
    return long_run_losses(surrogate=True)


CHECKS = (
    Check("fraboni.exp.f80", scenarios),
    Check("fraboni.exp.weights", scenarios),
    Check("fraboni.exp.weights.fast", scenarios),
    Check("fraboni.exp.fig2", federated_losses),
    Check("fraboni.exp.fig2.surrogate", surrogate_losses),
    Check("fraboni.exp.fig3.rate", printed_rates),
    Check("fraboni.exp.fig3", figure3),
    Check("fraboni.exp.fig3.step", printed_steps),
    Check("fraboni.exp.rate", steps_of_run),
    Check("fraboni.exp.fig4.hardware", equal_hardware),
    Check("fraboni.exp.fig4.small_steps", small_steps),
    Check("fraboni.exp.fig4.small_steps.async", small_steps),
    Check("fraboni.exp.sec523", against_asynchronous),
    Check("fraboni.exp.sec523.corrected", against_synchronous),
)
