"""AutoLyap on the last loss of gradient descent: one search for a chain of inequalities over all
steps, with Clarabel."""

import json
import os
import sys
import time
import warnings
from pathlib import Path

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path.insert(0, str(Path(__file__).parent.parent))

from autolyap import IterationDependent, SolverOptions  # noqa: E402
from autolyap.algorithms import GradientMethod  # noqa: E402
from autolyap.problemclass import InclusionProblem, SmoothConvex  # noqa: E402
from worst_case_cases import CASES  # noqa: E402

OPTIONS = SolverOptions(backend="cvxpy", cvxpy_solver="CLARABEL")


def solve(case) -> float | None:
    """The smallest c with f(x_n) - f* <= c |x_0 - x*|^2."""
    steps, method = len(case["delivers"]), GradientMethod(gamma=case["sizes"][0])
    problem = InclusionProblem([SmoothConvex(case["smoothness"])])
    start = IterationDependent.get_parameters_distance_to_solution(method, 0)
    end = IterationDependent.get_parameters_function_value_suboptimality(method, steps)
    found = IterationDependent.search_lyapunov(
        problem,
        method,
        steps,
        start[0],
        end[0],
        start[1],
        end[1],
        solver_options=OPTIONS,
        verbosity=0,
    )
    return float(found["c_K"]) if found["status"] == "feasible" else None


warnings.simplefilter("ignore")
solve(CASES[0])
print(json.dumps({"ready": True}), file=ANSWERS, flush=True)
for line in sys.stdin:
    case = json.loads(line)
    begin = time.process_time()
    value = solve(case)
    seconds = time.process_time() - begin
    print(json.dumps({"value": value, "seconds": seconds}), file=ANSWERS, flush=True)
