"""Section 6 and Appendix D: exact surrogates of the experiments, and counted operations."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cmp_to_key
from itertools import product

import numpy as np

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.sweep import check_order_sweep
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fedlaavg.checks.variants import PROBLEM, turns
from fltheory.papers.fedlaavg.paper import N
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.time_of_day import TimeOfDay
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import availability_window


@by_instances(Method.EXACT_RUN, covers="half periods 1, 2, 5 and 100, D = 1, 3, 5, two days")
def windows() -> Iterator[Instance]:
    for half, day in product((1, 2, 5, 100), (1, 3, 5)):
        available = Diurnal(10, half_period=half, day_groups=day).matrix(4 * half)
        yield Instance(
            {"half_period": half, "availability_window": availability_window(available)},
            f"E={half}, D={day}",
        )


@by_instances(
    Method.EXACT_RUN,
    covers="ten clients with E = 9, 12, D = 1, 4, K = 1, 2, 3, 9, and the paper's 1000 clients,"
    " over three days",
)
def settled_staleness() -> Iterator[Instance]:
    """Algorithm 1's selection on the pattern itself, with the paper's N = 1000 and with small
    numbers of clients."""
    small = [(10, half, day, used) for half, day, used in product((9, 12), (1, 4), (1, 2, 3, 9))]
    for clients, half, day, used in [
        *small,
        (1000, 100, 1, 100),
        (1000, 50, 3, 100),
        (1000, 100, 1, 10),
    ]:
        chosen = longest_absent(
            Diurnal(clients, half_period=half, day_groups=day).matrix(6 * half), used
        )
        ages = np.arange(len(chosen))[:, None] - np.maximum.accumulate(
            np.where(chosen, np.arange(len(chosen))[:, None], -1), axis=0
        )
        group = max(day, 10 - day) * clients // 10
        yield Instance(
            {
                "half_period": half,
                "largest_group": group,
                "clients_per_round": used,
                "worst_staleness": int(ages[2 * half :].max()),
            },
            f"N={clients}, K={used}, E={half}, D={day}",
        )


def amplitude(limit: LimitCycle) -> Fraction:
    """Largest minus least model of a limit cycle."""
    assert limit.cycle is not None
    models = [point[0] for point in limit.cycle]
    return Fraction(max(models) - min(models))


@by_instances(Method.EXACT_RUN, covers="exact limit cycles: five quadratic clients, four settings")
def oscillation() -> Iterator[Instance]:
    """Five clients, one per pair of digits, with optima 0 to 4."""
    problem = Quadratic((2,) * 5, tuple(range(5)))
    for half, day in product((2, 4), (1, 2)):
        trace = Trace.fresh(
            Diurnal(5, half_period=half, day_groups=day, num_groups=5).matrix(8 * half)
        )
        settled = [
            amplitude(limit_cycle(method, problem, trace, local_step_size=Fraction(1, 8)))
            for method in (FedLaAvg(), FedAvg())
        ]
        yield Instance(
            {"fedlaavg_amplitude": settled[0], "fedavg_amplitude": settled[1]},
            f"E={half}, D={day}",
        )


def overlap(claim: Claim) -> Evidence:
    """Learning rate 0.01, ten local steps, proximal strengths 1 and 0.01."""

    def instances() -> Iterator[Instance]:
        for first, second, strength in product(
            range(1, 5), range(1, 5), (Fraction(1), Fraction(1, 100))
        ):
            ends = []
            for method in (FedAvg(), FedAvg(worker=proximal(strength))):
                limit = limit_cycle(
                    method,
                    PROBLEM,
                    turns(first, second, 3, local_steps=10),
                    local_step_size=Fraction(1, 100),
                )
                assert limit.cycle is not None
                ends.append(limit.cycle[0][0])
            yield Instance(
                {
                    "distance_between_methods": abs(ends[1] - ends[0]),
                    "distance_to_optimum": abs(ends[0] - Fraction(1, 2)),
                },
                f"t1={first}, t2={second}, mu={strength}",
            )

    covers = "exact limits: blocks of 1 to 4 rounds, both proximal strengths"
    return check_instances(claim, instances(), method=Method.EXACT_RUN, covers=covers)


@by_instances(Method.EXACT_RUN, covers="three clients for eight hours a day each, four settings")
def no_correlation() -> Iterator[Instance]:
    for rounds, size in product((3, 6), (Fraction(1, 8), Fraction(1, 3))):
        problem = Quadratic((2, 1, 3), (4, 4, 4))
        trace = Trace.fresh(TimeOfDay(3, rounds_per_day=rounds).matrix(4 * rounds))
        ends = [
            limit_cycle(method, problem, trace, local_step_size=size).at_period_end
            for method in (FedAvg(), FedLaAvg())
        ]
        yield Instance(
            {"fedavg_limit": ends[0][0], "fedlaavg_limit": ends[1][0]},
            f"{rounds} rounds a day, step size {size}",
        )  # type: ignore[index]


@by_instances(Method.DATA, covers="the printed defaults of Section 6.1.3 and about 2000 rounds")
def long_enough() -> Iterable[Instance]:
    """N = 1000, K = 100, E = 101 and about 2000 rounds: the claim is about these numbers, so that
    its failure refutes it."""
    values = {
        "num_clients": 1000,
        "clients_per_round": 100,
        "availability_window": 101,
        "num_rounds": 2000,
    }
    return [Instance(values, "the MNIST defaults")]


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


def without_model(claim: Claim) -> Claim:
    """The right side N alone, or 1: too small for both costs."""
    return claim.planted(right=N / N if "memory" in claim.id else N)


CHECKS = (
    Check("fedlaavg.sec613.window", windows),
    Check("fedlaavg.sec613.window.corrected", windows),
    Check("fedlaavg.exp.mnist", oscillation),
    Check("fedlaavg.exp.mnist.staleness", settled_staleness),
    Check("fedlaavg.exp.baselines", overlap),
    Check("fedlaavg.exp.sent140", no_correlation),
    Check("fedlaavg.sec62.theory", long_enough),
    Check("fedlaavg.appD", costs, plant=without_model),
    Check("fedlaavg.appD.memory", costs, plant=without_model),
)
