"""How the claims are decided."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy

from fltheory import FedAvg, Quadratic, Scenario, Trace, simulate
from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.rates import rate_checks
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.problems.clipped import Clipped
from localsgd.regimes import REGIMES
from localsgd.statements import BEFORE, STEP


def deviation(size: Fraction, optima: tuple[int, ...], steps: int) -> Instance:
    """The clients' models after H local steps from 0, each by a run of its own; G = 1."""
    trace = Trace.fresh([[1]], local_steps=steps)
    models = [
        simulate(FedAvg(), Clipped((c,), 1), trace, start=0, local_step_size=size).models[-1, 0]
        for c in optima
    ]
    mean = sum(models) / len(models)
    apart = sum((x - mean) ** 2 for x in models) / len(models)
    return Instance(
        {
            "model_variance": apart,
            "local_step_size": size,
            "gradient_bound": 1,
            "local_steps": steps,
        },
        f"clients that pull towards {optima}, {steps} local steps of size {size}",
    )


def one_step(claim: Claim) -> Evidence:
    """A symbolic run of two clients."""
    h, k, c, d = sympy.symbols("h k c d", positive=True)
    run = simulate(
        FedAvg(),
        Quadratic((h, k), (c, d)),
        Trace.fresh([[1, 1]]),
        start=BEFORE,
        local_step_size=STEP,
        arithmetic=SYMBOLIC,
    )
    derived = {
        "mean_model": run.models[-1, 0],
        "first_gradient": h * (BEFORE - c),
        "second_gradient": k * (BEFORE - d),
    }
    return check_symbolic(claim, derived=derived, covers="a symbolic run of two clients")


def deviations(claim: Claim) -> Evidence:
    """Clipped clients far apart, where all gradients have the norm G."""
    cases = product((Fraction(1, 10), Fraction(1)), ((0,), (-50, 50), (0, 1, 90)), (1, 2, 5, 9))
    found = (deviation(size, optima, steps) for size, optima, steps in cases)
    return check_instances(
        claim, found, method=Method.EXACT_RUN, covers="clipped clients, 1 to 9 local steps"
    )


def _runs() -> Iterator[Scenario]:
    for delivers, size in product(([[1, 1]] * 3, [[0, 1]] * 4, [[1, 0], [0, 1]]), ("1/20", "1/2")):
        problem = Quadratic((2, 2), (0, 1))
        for start in ("1/2", 3):
            yield Scenario(
                "fedavg", problem, Trace.fresh(delivers), start=start, local_step_size=size
            )


def descent(claim: Claim) -> Evidence:
    """Both sides on exact runs that meet the assumptions."""
    return check_on_runs(claim, _runs(), covers="two quadratics, 2 to 4 rounds")


CHECKS = (
    Check("localsgd.one-step", one_step),
    Check("localsgd.deviation", deviations),
    Check("localsgd.deviation.linear", deviations),
    Check("localsgd.descent", descent),
    Check("localsgd.descent.absent", descent),
    *rate_checks(REGIMES),
)
