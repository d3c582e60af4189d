"""fltheory on rates of gradient descent: a certified rate with its exact certificate."""

import json
import os
import sys
import time
from pathlib import Path

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path.insert(0, str(Path(__file__).parent.parent))

from forever_cases import CASES  # noqa: E402

from fltheory import forever  # noqa: E402
from fltheory.analysis.potentials.public import Forever  # noqa: E402


def solve(case: tuple[str, str]) -> Forever:
    convexity, step = case
    return forever("fedavg", staleness=0, strong_convexity=convexity, step_size=step)


solve(CASES[0])
print(json.dumps({"ready": True}), file=ANSWERS, flush=True)
for line in sys.stdin:
    begin = time.process_time()
    found = solve(json.loads(line))
    seconds = time.process_time() - begin
    answer = {"value": str(found.rate), "status": found.status, "seconds": seconds}
    print(json.dumps(answer), file=ANSWERS, flush=True)
