"""Lemmas 2 to 6: exact runs round by round, and the smallest counterexamples."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fraboni.checks.path_run import Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.rough import rough
from fltheory.papers.fraboni.checks.runs import (
    ONE,
    TWO,
    certain,
    in_rounds,
    in_runs,
    lemma_runs,
    sampling_setting,
    theorem_runs,
    turns,
)
from fltheory.papers.fraboni.checks.runs import in_round as on_round

F = Fraction
LARGEST_STEPS = "exact runs at the largest step size of Theorem 1"
KINDS = (
    "one client, turns, asynchronous, FedFix, synchronous and sampled clients; 1 to 3 local steps,"
    " with and without noise"
)


def in_round(setting: Setting, n: int) -> Instance:
    """One round of one setting."""
    return on_round(Quantities(setting), n, f"{setting.says}, round {n}")


MEMORY = Setting(
    "one client with update time 1 or 3, windows of length 1",
    weights=(1,),
    paths=((F(1, 4), ((0,), (0,))), (F(1, 4), ((0,), ())), (F(1, 2), ((), ()))),
    variance_excess=F(3, 4),
    **(ONE | {"local_step_size": F(1, 2)}),
)
ONE_OF_TWO = sampling_setting(
    2, 1, 1, curvatures=(1, 1), optima=(1, -1), start=0, local_step_size=F(1, 2), local_steps=2
)
SMALL_WEIGHTS = Setting(
    "two clients in turn with weights 1/5",
    weights=(F(1, 5),) * 2,
    paths=turns(4),
    **(TWO | {"local_step_size": F(1, 10)}),
)
TINY_WEIGHTS = Setting(
    "two clients in turn with weights 1/20",
    weights=(F(1, 20),) * 2,
    paths=turns(4),
    curvatures=(1, 1),
    optima=(0, -18),
    start=1,
    local_step_size=F(1),
)
BIG_SERVER_STEP = Setting(
    "one client, two local steps, server step 7",
    weights=(1,),
    paths=certain([(0,)]),
    **(ONE | {"local_step_size": F(1, 2016), "server_step_size": 7, "local_steps": 2}),
)
NEAR_POINT = replace(
    BIG_SERVER_STEP,
    says="the same with x between start and local model",
    point=F(4031, 4032),
)


def telling(claim: Claim, instances: Iterable[Instance]) -> Iterator[Instance]:
    """Without the instances whose left side is 0, which say nothing about a bound by non-negative
    terms."""
    return (
        instance for instance in instances if evaluate(claim.statement.left, instance.values) != 0
    )


def by_rounds(first: Iterable[Instance], claim: Claim) -> Evidence:
    """Simplest suspects first, then every round of the lemma runs."""
    instances = telling(claim, chain(first, in_rounds(lemma_runs())))
    return check_instances(
        claim, instances, method=Method.EXACT_RUN, covers=f"rounds of exact runs: {KINDS}"
    )


def by_runs(first: Iterable[Instance], claim: Claim) -> Evidence:
    """Simplest suspects first, then the whole runs at the largest step size of Theorem 1."""
    return check_instances(
        claim,
        chain(first, in_runs(theorem_runs())),
        method=Method.EXACT_RUN,
        covers=f"exact runs: {KINDS}",
    )


@by_instances(Method.EXACT_RUN, "rounds of exact runs with one local step")
def one_step_rounds() -> Iterable[Instance]:
    """Rounds with one local step, where delay is the only cause of drift (Lemma 3)."""
    one = [q for q in lemma_runs() if q.setting.local_steps == 1]
    return chain([in_round(SMALL_WEIGHTS, 2)], in_rounds(one))


@by_instances(Method.EXACT_RUN, "rounds of exact runs without delay")
def fresh_rounds() -> Iterable[Instance]:
    """Rounds without delay (Lemma 3)."""
    fresh = [q for q in lemma_runs() if q.max_staleness == 0]
    return chain([in_round(BIG_SERVER_STEP, 0)], in_rounds(fresh))


ROUNDS: dict[str, tuple[Instance, ...]] = {
    "lem2": (in_round(MEMORY, 1),),
    "lem2.local_steps": (in_round(ONE_OF_TWO, 0),),
    "lem2.corrected": (in_round(ONE_OF_TWO, 0),),
    "lem3": (in_round(SMALL_WEIGHTS, 2),),
    "lem3.corrected": (in_round(SMALL_WEIGHTS, 2), in_round(BIG_SERVER_STEP, 0)),
    "lem3.gradients": (in_round(TINY_WEIGHTS, 2),),
    "lem3.gradients.corrected": (in_round(TINY_WEIGHTS, 2),),
    "lem4": (in_round(NEAR_POINT, 0),),
    "lem4.corrected": (in_round(NEAR_POINT, 0),),
    "lem5": (rough(),),
    "lem5.corrected": (),
    "eq28": (rough(),),
    "eq28.corrected": (),
}

CHECKS = (
    *(Check(f"fraboni.{name}", partial(by_rounds, first)) for name, first in ROUNDS.items()),
    Check("fraboni.lem3.q", one_step_rounds),
    Check("fraboni.lem3.virtual", fresh_rounds),
    Check("fraboni.lem6", partial(by_runs, (rough(),))),
    Check("fraboni.lem6.corrected", partial(by_runs, ())),
)
