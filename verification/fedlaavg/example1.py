"""Example 1: exact limits of FedAvg on two clients that take turns."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from fltheory import FedAvg, Quadratic, Trace
from fltheory.checks.check import Check
from fltheory.checks.instances import Instance, check_instances
from fltheory.claims import Claim
from fltheory.evidence import Evidence, Method
from fltheory.limits import limit_cycle

STEP_SIZES = tuple(Fraction(k, 16) for k in (1, 2, 4, 7, 8, 12, 15))
BLOCKS = tuple(product(range(1, 5), repeat=2))


def fedavg_limits(optima: tuple[int, int] = (0, 1)) -> Iterator[Instance]:
    """The exact limit at each period end, for step sizes over the whole stable range (0, 1)."""
    for (first, second), step_size in product(BLOCKS, STEP_SIZES):
        trace = Trace.fresh(([[1, 0]] * first + [[0, 1]] * second) * 3)
        limit = limit_cycle(FedAvg(), Quadratic((2, 2), optima), trace, local_step_size=step_size)
        values = {"first_block": first, "second_block": second, "first_optimum": optima[0], "second_optimum": optima[1],
                  "local_step_size": step_size, "limit_at_period_end": limit.at_period_end[0]}
        yield Instance(values, f"t1={first}, t2={second}, step size {step_size}")


def limits_equal_the_formula(claim: Claim) -> Evidence:
    return check_instances(claim, fedavg_limits(), method=Method.EXACT_RUN,
                           covers="exact limit cycles for blocks up to 4 and seven step sizes in (0, 1)")


CHECKS = (
    Check("fedlaavg.thm1", limits_equal_the_formula),
    Check("fedlaavg.thm1.closed", limits_equal_the_formula),
)
