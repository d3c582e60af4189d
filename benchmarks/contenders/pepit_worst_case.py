"""PEPit on worst cases, encoded by hand as its examples do: one function per client, points and
gradients, Clarabel as the solver."""

import json
import os
import sys
import time
from pathlib import Path

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path.insert(0, str(Path(__file__).parent.parent))

from PEPit import PEP, Expression  # noqa: E402
from PEPit.functions import (  # noqa: E402
    SmoothConvexFunction,
    SmoothFunction,
    SmoothStronglyConvexFunction,
)
from worst_case_cases import CASES  # noqa: E402


def declare(pep, case):
    if not case["convex"]:
        return pep.declare_function(SmoothFunction, L=case["smoothness"])
    if case["convexity"]:
        return pep.declare_function(
            SmoothStronglyConvexFunction, mu=case["convexity"], L=case["smoothness"]
        )
    return pep.declare_function(SmoothConvexFunction, L=case["smoothness"])


def models(case, clients, start):
    """The method, over PEPit's points."""
    found, memory = [start], [0 * start for _ in clients]
    keeps = case["method"] == "memory"
    for delivers, delays, size in zip(case["delivers"], case["delays"], case["sizes"], strict=True):
        fresh = {}
        for i, client in enumerate(clients):
            if delivers[i]:
                begun = len(found) - 1 - delays[i]
                local, total, own = found[begun], 0 * start, case["sizes"][begun]
                for _ in range(case["local_steps"]):
                    gradient = client.gradient(local)
                    local, total = local - own * gradient, total + gradient
                fresh[i] = total if keeps else own * total
        memory = [fresh.get(i, old) for i, old in enumerate(memory)]
        if keeps:
            move = sum(memory[1:], memory[0]) / len(clients)
        else:
            shares = (
                case["weights"] if case["method"] == "weighted" else [1 / len(fresh)] * len(clients)
            )
            move = sum((shares[i] * total for i, total in fresh.items()), 0 * start)
        found.append(found[-1] - (size * move if keeps else move))
    return found


def solve(case):
    pep = PEP()
    clients = [declare(pep, case) for _ in case["delivers"][0]]
    importance = case["weights"] or [1 / len(clients)] * len(clients)
    loss = sum(
        (p * f for p, f in zip(importance[1:], clients[1:], strict=True)),
        importance[0] * clients[0],
    )
    start, known = pep.set_initial_point(), case["conditions"]
    best = loss.stationary_point() if case["convex"] else None
    lowest = loss(best) if case["convex"] else Expression()
    path = models(case, clients, start)
    total = sum(case["at"])
    if case["metric"] == "loss":
        points = [
            sum(
                (w / total * x for w, x in zip(case["at"][1:], path[1:], strict=True)),
                case["at"][0] / total * path[0],
            )
        ]
    else:
        points = [x for w, x in zip(case["at"], path, strict=True) if w]
    if "distance" in known:
        pep.set_initial_condition((start - best) ** 2 <= known["distance"])
    if "heterogeneity" in known:
        pep.add_constraint(
            sum(p * f.gradient(best) ** 2 for p, f in zip(importance, clients, strict=True))
            <= known["heterogeneity"]
        )
    if "gap" in known:
        pep.set_initial_condition(loss(start) - lowest <= known["gap"])
    visited = (
        points
        + ([start] if "gap" in known else [])
        + (path[:-1] if "dissimilarity" in known else [])
    )
    if not case["convex"]:
        for point in visited:
            pep.add_constraint(
                loss(point) - lowest >= loss.gradient(point) ** 2 / (2 * case["smoothness"])
            )
    if "dissimilarity" in known:
        for point in visited:
            for f in clients:
                pep.add_constraint(
                    (f.gradient(point) - loss.gradient(point)) ** 2 <= known["dissimilarity"]
                )
    if case["metric"] == "loss":
        pep.set_performance_metric(loss(points[0]) - lowest)
    elif case["metric"] == "min_gradient":
        for point in points:
            pep.set_performance_metric(loss.gradient(point) ** 2)
    else:
        pep.set_performance_metric(
            sum((loss.gradient(x) ** 2 for x in points[1:]), loss.gradient(points[0]) ** 2)
            / len(points)
        )
    if "gradient" in known:
        for f in clients:
            for _, gradient, _ in list(f.list_of_points):
                pep.add_constraint(gradient**2 <= known["gradient"])
    return pep.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0)


solve(CASES[0])
print(json.dumps({"ready": True}), file=ANSWERS, flush=True)
by_name = {case["name"]: case for case in CASES}
for line in sys.stdin:
    begin = time.process_time()
    told = json.loads(line)
    value = solve(by_name[told] if isinstance(told, str) else told)
    print(
        json.dumps({"value": float(value), "seconds": time.process_time() - begin}),
        file=ANSWERS,
        flush=True,
    )
