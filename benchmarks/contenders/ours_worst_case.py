"""fltheory on the same worst cases: the methods are those of the package, only conditions and
metric are translated."""

import json
import os
import sys
import time
from fractions import Fraction
from pathlib import Path

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np  # noqa: E402
from worst_case_cases import CASES  # noqa: E402

from fltheory import Trace  # noqa: E402
from fltheory.analysis.worst_case.answer import WORTH_A_CHAIN, worst_case  # noqa: E402
from fltheory.analysis.worst_case.build_structure import structure  # noqa: E402
from fltheory.analysis.worst_case.case import Case  # noqa: E402
from fltheory.analysis.worst_case.chain import ChainOfBlocks  # noqa: E402
from fltheory.analysis.worst_case.function_classes import FunctionClass  # noqa: E402
from fltheory.analysis.worst_case.question import (  # noqa: E402
    Conditions,
    Metric,
    Question,
)
from fltheory.analysis.worst_case.solver_time import estimated_seconds  # noqa: E402
from fltheory.engine.arithmetic import FLOAT  # noqa: E402

METRICS = {
    "loss": Metric.LOSS,
    "mean_gradient": Metric.MEAN_SQUARED_GRADIENT,
    "min_gradient": Metric.MIN_SQUARED_GRADIENT,
}
NAMES = {
    "distance": "distance_squared",
    "gap": "loss_gap",
    "heterogeneity": "heterogeneity",
    "gradient": "gradient_bound_squared",
    "dissimilarity": "dissimilarity_squared",
}


def translated(case) -> Case:
    functions = FunctionClass(
        Fraction(case["smoothness"]), Fraction(case["convexity"]), case["convex"]
    )
    known = Conditions(
        **{NAMES[name]: Fraction(value) for name, value in case["conditions"].items()}
    )
    question = Question(
        functions, known, METRICS[case["metric"]], tuple(Fraction(w) for w in case["at"])
    )
    trace = Trace.with_delays(case["delivers"], case["delays"], local_steps=case["local_steps"])
    shares = None if case["weights"] is None else tuple(Fraction(w) for w in case["weights"])
    method = {"average": "fedavg", "memory": "mifa", "weighted": "async"}[case["method"]]
    return Case(
        method,
        trace,
        question,
        tuple(Fraction(x) for x in case["sizes"]),
        settings={"weights": shares} if shares else {},
        importance=shares,
    )


def expected(case: Case) -> float:
    """What is estimated before a solve: processor seconds of our own method or of a chain, which
    seldom ends with local steps."""
    problem, local_steps = structure(case.compact().encode(FLOAT)), case.trace.local_steps.max()
    whole = estimated_seconds(problem, int(local_steps))
    if whole <= WORTH_A_CHAIN or local_steps > 1:
        return whole
    return min(whole, ChainOfBlocks.of(problem.only(np.flatnonzero(problem.first))).seconds)


worst_case(translated(CASES[0]))
print(json.dumps({"ready": True}), file=ANSWERS, flush=True)
by_name = {case["name"]: case for case in CASES}
for line in sys.stdin:
    told = json.loads(line)
    case = translated(by_name[told] if isinstance(told, str) else told)
    begin = time.process_time()
    found = worst_case(case)
    seconds = time.process_time() - begin
    print(
        json.dumps(
            {
                "value": found.value,
                "status": found.status.name,
                "seconds": seconds,
                "estimated": expected(case),
            }
        ),
        file=ANSWERS,
        flush=True,
    )
