"""Lemma 1 and eq. (4), (16), (17): moments of random weights, by enumeration of participants."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.core.types import Scalar
from fltheory.papers.fraboni.checks.path_run import Number
from fltheory.papers.fraboni.checks.sampling import Scheme, schemes

F = Fraction
VECTORS = ((1, -1, 1, -1, 1), (1, 1, 1, 1, 1), (2, 0, -3, 1, 5))


def aggregates() -> Iterator[Instance]:
    """The moments of Lemma 1 for every scheme and three lists of vectors."""
    return (
        aggregate(scheme, vector[: len(scheme.clients)])
        for scheme in schemes()
        for vector in VECTORS
    )


def aggregate(scheme: Scheme, x: Sequence[Number]) -> Instance:
    """Moments of one round's random aggregate sum_i omega_i x_i of one-dimensional vectors, by
    enumeration of the participants (Lemma 1, eq. 16 and 17)."""
    q, alpha = [scheme.moment(i) for i in scheme.clients], scheme.covariance_factor
    totals = [
        (chance, sum(o * v for o, v in zip(omega, x, strict=True)))
        for chance, omega in scheme.outcomes
    ]
    means = [a * b for a, b in zip(q, x, strict=True)]
    squares = sum(m**2 for m in means)
    values: dict[str, Scalar] = {
        "aggregate_second_moment": sum(chance * total**2 for chance, total in totals),
        "own_terms": sum(scheme.excess(i) * x[i] ** 2 for i in scheme.clients),
        "squared_mean_aggregate": sum(means) ** 2,
        "covariance_factor": alpha,
        "cross_terms": sum(
            (means[i] * means[j] for i in scheme.clients for j in scheme.clients if i != j), F(0)
        ),
        "squared_terms": squares,
        "own_second_moments": sum(scheme.moment(i, i) * x[i] ** 2 for i in scheme.clients),
        "own_squares": squares,
    }
    return Instance(values, f"{scheme.says}, vectors {tuple(x)}")


def single_weights() -> Iterator[Instance]:
    """The second moment of every client's weight in every scheme (Lemma 1)."""
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


def with_printed_beta(scheme: Scheme, client: int) -> Instance:
    """The same with max (d_i - alpha q_i) for beta, as Theorem 1 has it."""
    alpha = scheme.covariance_factor
    beta = max(scheme.weight[i] - alpha * scheme.moment(i) for i in scheme.clients)
    found = single_weight(scheme, client)
    return Instance({**found.values, "variance_excess": beta}, found.says)


def printed_betas() -> Iterator[Instance]:
    """Every client in every scheme whose weights are d_i or 0."""
    several = (s for s in schemes() if not s.says.startswith("multinomial"))
    return (with_printed_beta(scheme, i) for scheme in several for i in scheme.clients)


def one_valued() -> Iterator[Instance]:
    """The same for schemes whose weights are d_i or 0, as eq. (4) has it (not multinomial
    sampling)."""
    return (
        instance for instance in single_weights() if not instance.says.startswith("multinomial")
    )


SCHEMES = (
    "all participants of certain, uniform, multinomial and independent schemes with up to"
    " five clients"
)
moments = by_instances(Method.ENUMERATION, SCHEMES)(aggregates)
weights = by_instances(Method.ENUMERATION, SCHEMES)(single_weights)
weights_of_eq4 = by_instances(Method.ENUMERATION, SCHEMES)(one_valued)
betas = by_instances(
    Method.ENUMERATION, "all participants of certain, uniform and independent schemes"
)(printed_betas)

CHECKS = (
    Check("fraboni.lem1", moments),
    Check("fraboni.lem1.excess", betas),
    Check("fraboni.lem1.sign", weights, plant=lambda claim: claim.planted(right=sympy.S.One)),
    Check("fraboni.lem1.remark", moments),
    Check("fraboni.lem1.remark.corrected", moments),
    Check("fraboni.eq16", moments),
    Check("fraboni.eq17", moments),
    Check("fraboni.def.omega", weights_of_eq4),
)
