"""AutoLyap on rates of gradient descent, by its bisection over the rate with Clarabel."""

import json
import os
import sys
import time
import warnings
from fractions import Fraction
from pathlib import Path

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path.insert(0, str(Path(__file__).parent.parent))

from autolyap import IterationIndependent, SolverOptions  # noqa: E402
from autolyap.algorithms import GradientMethod  # noqa: E402
from autolyap.problemclass import InclusionProblem, SmoothStronglyConvex  # noqa: E402
from forever_cases import CASES  # noqa: E402

TOLERANCE = 1e-6
"""Of the bisection; our certified rates lie at most so far above the smallest one."""


def solve(case: tuple[str, str]) -> float:
    """rho in |x_{t+1} - x*|^2 <= rho |x_t - x*|^2."""
    convexity, step = (float(Fraction(value)) for value in case)
    method = GradientMethod(step)
    linear = IterationIndependent.LinearConvergence
    first, functions, last, others = linear.get_parameters_distance_to_solution(method)
    found = linear.bisection_search_rho(
        InclusionProblem([SmoothStronglyConvex(convexity, 1.0)]),
        method,
        P=first,
        p=functions,
        T=last,
        t=others,
        tol=TOLERANCE,
        solver_options=SolverOptions(backend="cvxpy", cvxpy_solver="CLARABEL"),
        verbosity=0,
    )
    return float(found["rho"])


warnings.simplefilter("ignore")
solve(CASES[0])
print(json.dumps({"ready": True}), file=ANSWERS, flush=True)
for line in sys.stdin:
    begin = time.process_time()
    value = solve(json.loads(line))
    seconds = time.process_time() - begin
    print(json.dumps({"value": value, "seconds": seconds}), file=ANSWERS, flush=True)
