"""Lemmas 1 to 6: enumeration over participants, exact runs round by round, and the smallest
counterexamples."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any

import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fraboni.checks.quantities import Quantities, Setting
from fltheory.papers.fraboni.checks.runs import (
    MOST,
    certain,
    in_rounds,
    in_runs,
    lemma_runs,
    sampling_setting,
    theorem_runs,
    turns,
)
from fltheory.papers.fraboni.checks.runs import in_round as on_round
from fltheory.papers.fraboni.checks.sampling import Scheme, schemes

F = Fraction
VECTORS = ((1, -1, 1, -1, 1), (1, 1, 1, 1, 1), (2, 0, -3, 1, 5))
KINDS = (
    "one client, turns, asynchronous, FedFix, synchronous and sampled clients; 1 to 3 local steps,"
    " with and without noise"
)


def aggregates() -> Iterator[Instance]:
    return (
        aggregate(scheme, vector[: len(scheme.clients)])
        for scheme in schemes()
        for vector in VECTORS
    )


def aggregate(scheme: Scheme, x: Sequence[Any]) -> Instance:
    """Moments of one round's random aggregate of one-dimensional vectors, by enumeration of the
    participants."""
    q, alpha = [scheme.moment(i) for i in scheme.clients], scheme.covariance_factor
    totals = [
        (chance, sum(o * v for o, v in zip(omega, x, strict=True)))
        for chance, omega in scheme.outcomes
    ]
    values = {
        "aggregate_second_moment": sum(chance * total**2 for chance, total in totals),
        "own_terms": sum(scheme.excess(i) * x[i] ** 2 for i in scheme.clients),
        "squared_mean_aggregate": sum(a * b for a, b in zip(q, x, strict=True)) ** 2,
        "covariance_factor": alpha,
        "cross_terms": sum(
            (q[i] * x[i] * q[j] * x[j] for i in scheme.clients for j in scheme.clients if i != j),
            F(0),
        ),
        "squared_terms": sum((a * b) ** 2 for a, b in zip(q, x, strict=True)),
        "own_second_moments": sum(scheme.moment(i, i) * x[i] ** 2 for i in scheme.clients),
    }
    values["own_squares"] = values["squared_terms"]
    return Instance(values, f"{scheme.says}, vectors {tuple(x)}")


def single_weights() -> Iterator[Instance]:
    return (single_weight(scheme, i) for scheme in schemes() for i in scheme.clients)


def single_weight(scheme: Scheme, client: int) -> Instance:
    """Second moment of one client's weight."""
    values = {
        "weight_excess": scheme.excess(client),
        "variance_excess": scheme.variance_excess,
        "expected_weight": scheme.moment(client),
        "weight_second_moment": scheme.moment(client, client),
        "aggregation_weight": scheme.weight[client],
    }
    return Instance(values, scheme.says)


def one_valued() -> Iterator[Instance]:
    """The same for schemes whose weights are d_i or 0, as eq. (4) has it (not multinomial
    sampling)."""
    return (
        instance for instance in single_weights() if not instance.says.startswith("multinomial")
    )


def enumerate_schemes(instances: Any, claim: Claim) -> Evidence:
    return check_instances(
        claim,
        instances(),
        method=Method.ENUMERATION,
        covers=(
            "all participants of certain, uniform, multinomial and independent schemes with up to"
            " five clients"
        ),
    )


def in_round(setting: Setting, n: int) -> Instance:
    """One round of one setting."""
    return on_round(Quantities(setting), n, f"{setting.says}, round {n}")


MEMORY = Setting(
    "one client with update time 1 or 3, windows of length 1",
    (1,),
    (0,),
    (1,),
    ((F(1, 4), ((0,), (0,))), (F(1, 4), ((0,), ())), (F(1, 2), ((), ()))),
    F(1, 2),
    start=1,
    variance_excess=F(3, 4),
)
ONE_OF_TWO = sampling_setting(
    2, 1, 1, curvatures=(1, 1), optima=(1, -1), start=0, local_step_size=F(1, 2), local_steps=2
)
SMALL_WEIGHTS = Setting(
    "two clients in turn with weights 1/5",
    (1, 1),
    (0, 1),
    (F(1, 5),) * 2,
    turns(4),
    F(1, 10),
    start=5,
)
TINY_WEIGHTS = Setting(
    "two clients in turn with weights 1/20",
    (1, 1),
    (0, -18),
    (F(1, 20),) * 2,
    turns(4),
    F(1),
    start=1,
)
BIG_SERVER_STEP = Setting(
    "one client, two local steps, server step 7",
    (1,),
    (0,),
    (1,),
    certain([(0,)]),
    F(1, 2016),
    7,
    2,
    start=1,
)
NEAR_POINT = Setting(
    "the same with x between start and local model",
    (1,),
    (0,),
    (1,),
    certain([(0,)]),
    F(1, 2016),
    7,
    2,
    start=1,
    point=F(4031, 4032),
)

Law = tuple[tuple[Fraction, int], ...]
ROUGH: Law = ((F(1, 1000), 1000), (F(999, 1000), 0))
"""Chances and curvatures of single batches; their mean curvature is 1, so that Assumptions 1 to 3
hold with L = 1."""


def rough_values(num_rounds: int, law: Law = ROUGH) -> dict[str, Any]:
    """One client, one local step of 1/144, start 1, curvature random with mean 1: exact second
    moments of the run."""
    size = F(1, 144)
    growth = sum(chance * (1 - size * h) ** 2 for chance, h in law)
    roughness = sum(chance * h**2 for chance, h in law)
    second = sum(growth**n for n in range(num_rounds)) / num_rounds
    return {
        "num_rounds": num_rounds,
        "num_clients": 1,
        "local_steps": 1,
        "local_step_size": size,
        "server_step_size": 1,
        "smoothness": 1,
        "max_staleness": 0,
        "covariance_factor": 1,
        "variance_excess": 0,
        "largest_total_weight": 1,
        "virtual_factor": 1,
        "shared_steps": 1,
        "total_weight": 1,
        "round_gap": F(1, 2),
        "round_drift": 0,
        "round_squared_gradient": roughness,
        "round_mean_gradient": roughness,
        "move": size**2 * roughness,
        "recent_moves": 0,
        "round_noise": 0,
        "round_noise_squared": 0,
        "mean_round_gap": second / 2,
        "mean_move": size**2 * roughness * second,
        "objective_spread": 0,
        "initial_distance_squared": 1,
        "round_optimum_noise": 0,
        "round_optimum_noise_squared": 0,
        "mean_total_weight": 1,
        "least_total_weight": 1,
        "balance_period": 1,
        "optimum_noise": 0,
    }


def rough(num_rounds: int = 1) -> Instance:
    return Instance(
        rough_values(num_rounds),
        f"one client, batches of curvature 1000 once in a thousand, else 0; {num_rounds} rounds",
        {"origin": {"kind": "fraboni.rough", "num_rounds": num_rounds}},
    )


def rough_again(num_rounds: int) -> dict[str, Any]:
    """The values of `rough`, for so many rounds as a file may ask for."""
    if not 1 <= num_rounds <= MOST:
        raise ValueError(f"between 1 and {MOST} rounds")
    return rough_values(num_rounds)


ORIGINS = {"fraboni.rough": rough_again}


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


def one_step_rounds(claim: Claim) -> Evidence:
    """Rounds with one local step, where delay is the only cause of drift."""
    one = [q for q in lemma_runs() if q.setting.local_steps == 1]
    return check_instances(
        claim,
        chain([in_round(SMALL_WEIGHTS, 2)], in_rounds(one)),
        method=Method.EXACT_RUN,
        covers="rounds of exact runs with one local step",
    )


def fresh_rounds(claim: Claim) -> Evidence:
    """Rounds without delay."""
    fresh = [q for q in lemma_runs() if q.max_staleness == 0]
    return check_instances(
        claim,
        chain([in_round(BIG_SERVER_STEP, 0)], in_rounds(fresh)),
        method=Method.EXACT_RUN,
        covers="rounds of exact runs without delay",
    )


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
    Check("fraboni.lem1", partial(enumerate_schemes, aggregates)),
    Check("fraboni.lem1.excess", partial(enumerate_schemes, single_weights)),
    Check(
        "fraboni.lem1.sign",
        partial(enumerate_schemes, single_weights),
        plant=lambda claim: claim.planted(right=sympy.S.One),
    ),
    Check("fraboni.lem1.remark", partial(enumerate_schemes, aggregates)),
    Check("fraboni.lem1.remark.corrected", partial(enumerate_schemes, aggregates)),
    Check("fraboni.eq16", partial(enumerate_schemes, aggregates)),
    Check("fraboni.eq17", partial(enumerate_schemes, aggregates)),
    Check("fraboni.def.omega", partial(enumerate_schemes, one_valued)),
    *(Check(f"fraboni.{name}", partial(by_rounds, first)) for name, first in ROUNDS.items()),
    Check("fraboni.lem3.q", one_step_rounds),
    Check("fraboni.lem3.virtual", fresh_rounds),
    Check("fraboni.lem6", partial(by_runs, (rough(),))),
    Check("fraboni.lem6.corrected", partial(by_runs, ())),
)
