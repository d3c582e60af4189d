"""Averages over whole runs: R({L^n}), Sigma_1 and Sigma_2 of Appendix A, and moves of the model."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import chain

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Json, Values
from fltheory.papers.fraboni.checks.appendix_steps import square
from fltheory.papers.fraboni.checks.lemmas import telling
from fltheory.papers.fraboni.checks.path_run import Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import (
    ONE,
    TWO,
    certain,
    lemma_runs,
    read,
    run_values,
    theorem_runs,
    written,
)

F = Fraction

LIGHT = Setting(
    "one client of weight 1/10 with noise",
    weights=(F(1, 10),),
    paths=certain([(0,)]),
    **(ONE | {"local_step_size": F(1, 10), "noise": 1}),
)
WRONG_WEIGHTS = Setting(
    "two clients, always weights 1/4 and 3/4",
    weights=(F(1, 4), F(3, 4)),
    paths=certain([(0, 1)] * 2),
    **(TWO | {"local_step_size": F(1, 10), "start": 0}),
)


@cache
def whole_runs() -> tuple[Instance, ...]:
    """Averages over runs, a light client first (eq. 30 and 32)."""
    light = [Quantities(LIGHT), Quantities(WRONG_WEIGHTS)]
    return tuple(whole_run(q) for q in chain(light, theorem_runs()))


def again_whole(setting: Mapping[str, object]) -> Values:
    """The values of a whole run, from its setting as a file has it."""
    return whole_run(read(setting)).values


ORIGINS = {"fraboni.whole": again_whole}


def whole_run(q: Quantities) -> Instance:
    """Averages over one run."""
    filled, equal = q.filled, F(1, q.setting.num_clients)
    origin: Json = {"kind": "fraboni.whole", "setting": written(q.setting)}

    def minimum(n: int) -> Fraction:
        """L^n at its own optimum."""
        weights = q.expected_weights[n]
        return q.loss(weights, q.constant(q.minimiser(weights)))

    return Instance(
        run_values(q)
        | {
            "mean_gap_to_common": q.average(q.gap_to_point),
            "largest_weight": max(max(q.expected_weights[n]) for n in filled),
            "largest_share": max(max(q.shares(n)) for n in filled),
            "mean_minimum": q.loss(q.mean_weights, q.constant(q.common_optimum)),
            "mean_of_minima": q.average(minimum),
            "spread_is_positive": int(q.spread > 0),
            "poorly_represented": int(any(share != equal for n in filled for share in q.shares(n))),
        },
        q.setting.says,
        {"origin": origin},
    )


@by_instances(Method.EXACT_RUN, "moves of the model in exact runs")
def deliveries() -> Iterator[Instance]:
    """Q(n) against the squared deliveries of round n (Appendix A.2)."""
    return (instance for q in lemma_runs() for instance in delivered(q))


def delivered(q: Quantities) -> Iterator[Instance]:
    """Moves of the model against the deliveries that make them, also over random participants."""
    s = q.setting
    for n in range(s.num_rounds):
        total = F(0)
        for (chance, groups), (_, run) in zip(s.paths, q.runs, strict=True):
            moved = (s.weights[i] * (run.local[n][i][-1] - run.local[n][i][0]) for i in groups[n])
            total += chance * square(sum(moved, q.constant(0)))
        values = {
            "move": q.move(n),
            "squared_total_delivery": total,
            "server_step_size": s.server_step_size,
        }
        yield Instance(values, f"{s.says}, round {n}")


def averages(claim: Claim) -> Evidence:
    """Averages over whole runs whose left side is not 0 (eq. 32)."""
    return check_instances(
        claim, telling(claim, whole_runs()), method=Method.EXACT_RUN, covers=AVERAGES
    )


AVERAGES = "averages over exact runs with certain and random participation, with and without noise"
over_runs = by_instances(Method.EXACT_RUN, AVERAGES)(whole_runs)

CHECKS = (
    Check("fraboni.eq30", over_runs),
    Check("fraboni.def.R", over_runs),
    Check("fraboni.thm2.remark", over_runs),
    Check("fraboni.eq32", averages),
    Check("fraboni.eq32.corrected", averages),
    Check("fraboni.eq32.optimum", averages),
    Check("fraboni.eq32.optimum.corrected", averages),
    Check("fraboni.def.aux", deliveries),
)
