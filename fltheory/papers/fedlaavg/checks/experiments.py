"""Section 6 and Appendix D: exact surrogates of the experiments, and counted operations."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import product

import numpy as np

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_sweep
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Scalar, Values
from fltheory.papers.fedlaavg.paper import N
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.time_of_day import TimeOfDay
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import availability_window


@by_instances(Method.EXACT_RUN, covers="half periods 1, 2, 5 and 100, D = 1, 3, 5, two days")
def windows() -> Iterator[Instance]:
    """Section 6.1.3: the least availability window of day and night with half period E."""
    for half, day in product((1, 2, 5, 100), (1, 3, 5)):
        yield Instance(diurnal_window(half, day), f"E={half}, D={day}")


def diurnal_window(half: int, day: int) -> dict[str, Scalar]:
    """Ten groups, `day` of them available by day, over two days."""
    available = Diurnal(10, half_period=half, day_groups=day).matrix(4 * half)
    return {"half_period": half, "availability_window": availability_window(available)}


@by_instances(
    Method.EXACT_RUN,
    covers="ten clients with E = 9, 12, D = 1, 4, K = 1, 2, 3, 9, and the paper's 1000 clients,"
    " over three days",
)
def settled_staleness() -> Iterator[Instance]:
    """Algorithm 1's selection on the pattern itself, with the paper's N = 1000 and with small
    numbers of clients."""
    small = [(10, half, day, used) for half, day, used in product((9, 12), (1, 4), (1, 2, 3, 9))]
    large = [(1000, 100, 1, 100), (1000, 50, 3, 100), (1000, 100, 1, 10)]
    for clients, half, day, used in [*small, *large]:
        yield Instance(
            settled_values(clients, half, day, used), f"N={clients}, K={used}, E={half}, D={day}"
        )


def settled_values(clients: int, half: int, day: int, used: int) -> dict[str, Scalar]:
    """The worst staleness in the second and third of three days, when `day` of ten groups are
    available by day."""
    pattern = Diurnal(clients, half_period=half, day_groups=day).matrix(6 * half)
    chosen = longest_absent(pattern, used)
    rounds = np.arange(len(chosen))[:, None]
    ages = rounds - np.maximum.accumulate(np.where(chosen, rounds, -1), axis=0)
    return {
        "half_period": half,
        "largest_group": max(day, 10 - day) * clients // 10,
        "clients_per_round": used,
        "worst_staleness": int(ages[2 * half :].max()),
    }


def diurnal_limits(problem: Quadratic, half: int, day: int, size: Fraction) -> list[LimitCycle]:
    """Where FedLaAvg and FedAvg end on five clients by day and night, one client per group."""
    days = Diurnal(5, half_period=half, day_groups=day, num_groups=5)
    trace = Trace.fresh(days.matrix(8 * half))
    return [
        limit_cycle(method, problem, trace, local_step_size=size)
        for method in (FedLaAvg(), FedAvg())
    ]


def amplitudes(limits: Sequence[LimitCycle]) -> dict[str, Scalar]:
    """Largest minus least model of the limit cycles of FedLaAvg and FedAvg."""
    cycles = [[Fraction(x) for (x,) in known(limit.cycle)] for limit in limits]
    spreads = (max(models) - min(models) for models in cycles)
    return dict(zip(("fedlaavg_amplitude", "fedavg_amplitude"), spreads, strict=True))


@by_instances(Method.EXACT_RUN, covers="exact limit cycles: five quadratic clients, four settings")
def oscillation() -> Iterator[Instance]:
    """Section 6: FedLaAvg oscillates less than FedAvg; one client per pair of digits, optima 0 to
    4."""
    problem = Quadratic((2,) * 5, tuple(range(5)))
    for half, day in product((2, 4), (1, 2)):
        limits = diurnal_limits(problem, half, day, Fraction(1, 8))
        yield Instance(amplitudes(limits), f"E={half}, D={day}")


def daily_limits(problem: Quadratic, rounds: int, size: Fraction) -> list[LimitCycle]:
    """Where FedAvg and FedLaAvg end if each of three clients is available for eight hours a day."""
    trace = Trace.fresh(TimeOfDay(3, rounds_per_day=rounds).matrix(4 * rounds))
    return [
        limit_cycle(method, problem, trace, local_step_size=size)
        for method in (FedAvg(), FedLaAvg())
    ]


def daily_ends(limits: Sequence[LimitCycle]) -> dict[str, Scalar]:
    """The limits of FedAvg and FedLaAvg at the end of a day."""
    ends = (known(limit.at_period_end)[0] for limit in limits)
    return dict(zip(("fedavg_limit", "fedlaavg_limit"), ends, strict=True))


@by_instances(Method.EXACT_RUN, covers="three clients for eight hours a day each, four settings")
def no_correlation() -> Iterator[Instance]:
    """Section 6: if availability and data are not correlated (equal optima), both methods end at
    the same point."""
    for rounds, size in product((3, 6), (Fraction(1, 8), Fraction(1, 3))):
        limits = daily_limits(Quadratic((2, 1, 3), (4, 4, 4)), rounds, size)
        yield Instance(daily_ends(limits), f"{rounds} rounds a day, step size {size}")


DEFAULTS: Values = {
    "num_clients": 1000,
    "clients_per_round": 100,
    "availability_window": 101,
    "num_rounds": 2000,
}
"""The printed defaults of Section 6.1.3, and about 2000 rounds."""


@by_instances(
    Method.DATA,
    covers="the printed defaults of Section 6.1.3 and about 2000 rounds",
    complete=True,
)
def long_enough() -> Iterator[Instance]:
    """N = 1000, K = 100, E = 101 and about 2000 rounds."""
    yield Instance(DEFAULTS, "the MNIST defaults")


def iteration_cost(clients: int, used: int, parameters: int) -> tuple[int, int]:
    """One server iteration with every comparison and every addition counted; also the numbers that
    are kept."""
    count = 0

    def compared(a: tuple[int, int], b: tuple[int, int]) -> int:
        nonlocal count
        count += 1
        return (a > b) - (a < b)

    last = [(7919 * i) % clients for i in range(clients)]
    chosen = sorted(zip(last, range(clients), strict=True), key=cmp_to_key(compared))[:used]
    running, model = np.zeros(parameters), np.zeros(parameters)
    for _ in chosen:
        running += np.ones(parameters) / clients
        count += running.size
    model -= running
    return count + model.size, len(last) + running.size + model.size


def costs(claim: Claim) -> Evidence:
    """Appendix D: operations of the server in one iteration, and the numbers that it keeps."""
    path = []
    for clients in (16, 64, 256, 1024, 4096):
        operations, numbers = iteration_cost(clients, clients // 2, clients)
        path.append(
            Instance(
                {
                    "num_clients": clients,
                    "clients_per_round": clients // 2,
                    "num_parameters": clients,
                    "server_operations": operations,
                    "server_numbers": numbers,
                }
            )
        )
    return check_order_sweep(
        claim, path, covers="counted operations for N = 16 to 4096, K = N/2, Q = N"
    )


def client_cost(steps: int, gradient: int, parameters: int) -> tuple[int, int]:
    """One round of a client, every operation counted: gradients, moves of the local model, sum of
    the gradients, difference from the stored update; also the numbers that it keeps."""
    model, total, stored = (np.zeros(parameters) for _ in range(3))
    count = 0
    for _ in range(steps):
        count += gradient
        slope = np.ones(parameters)
        model -= slope
        total += slope
        count += model.size + total.size
    sent = total - stored
    return count + sent.size, stored.size


def client_costs(claim: Claim) -> Evidence:
    """Appendix D: operations of a client in one round, and the numbers that it keeps."""
    path = []
    for size in (16, 64, 256, 1024, 4096):
        steps = size // 8
        operations, numbers = client_cost(steps, 2 * size, size)
        path.append(
            Instance(
                {
                    "local_steps": steps,
                    "gradient_cost": 2 * size,
                    "num_parameters": size,
                    "client_operations": operations,
                    "client_numbers": numbers,
                }
            )
        )
    return check_order_sweep(
        claim, path, covers="counted operations for Q = 16 to 4096, P = 2 Q, C = Q/8"
    )


def without_size(claim: Claim) -> Claim:
    """A planted falsehood: a constant on the right."""
    return claim.planted(right=claim.statement.right / claim.statement.right)


def without_model(claim: Claim) -> Claim:
    """A planted falsehood: N alone on the right, or 1, which is too small for both costs."""
    return claim.planted(right=N / N if "memory" in claim.id else N)


CHECKS = (
    Check("fedlaavg.sec613.window", windows),
    Check("fedlaavg.sec613.window.corrected", windows),
    Check("fedlaavg.exp.mnist", oscillation),
    Check("fedlaavg.exp.mnist.staleness", settled_staleness),
    Check("fedlaavg.exp.sent140", no_correlation),
    Check(
        "fedlaavg.sec62.theory",
        long_enough,
        everything="the printed numbers are all that it speaks of",
    ),
    Check("fedlaavg.appD", costs, plant=without_model),
    Check("fedlaavg.appD.memory", costs, plant=without_model),
    Check("fedlaavg.appD.client", client_costs, plant=without_size),
    Check("fedlaavg.appD.client_memory", client_costs, plant=without_size),
)
