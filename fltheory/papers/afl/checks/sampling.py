"""Uniform sampling: exhaustive subsets for small M, and counting for all M and m."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.afl.checks.paths import mean
from fltheory.papers.afl.paper import PER_ROUND, M
from fltheory.papers.afl.statements.sampling import SQUARES, SUM_SQUARE

Plane = tuple[Fraction, Fraction]

VECTORS: tuple[Plane, ...] = tuple(
    (Fraction(x), Fraction(y))
    for x, y in (("0", "1"), ("3/2", "-1"), ("-2", "1/3"), ("1", "5"), ("-7/3", "0"), ("1/7", "-4"))
)
"""Six vectors in the plane; the first M of them belong to M workers."""


def square(vectors: Iterable[Plane]) -> Fraction:
    """|z_1 + z_2 + ...|^2."""
    return sum(
        (sum(column, Fraction(0)) ** 2 for column in zip(*vectors, strict=True)), Fraction(0)
    )


def minus(u: Plane, v: Plane) -> Plane:
    """u - v."""
    return (u[0] - v[0], u[1] - v[1])


def sample_quantities(vectors: Sequence[Plane], size: int) -> dict[str, Fraction | int]:
    """Steps (b10) to (b12): the quantities of a uniform subset of m among M workers with these
    vectors, by enumeration of all subsets."""
    clients, pairs = len(vectors), list(permutations(vectors, 2))
    chosen = list(combinations(range(clients), size))
    centre = (mean([x for x, _ in vectors]), mean([y for _, y in vectors]))
    squares = sum((square([u]) for u in vectors), Fraction(0))
    expected = mean([square(vectors[i] for i in subset) for subset in chosen])
    return {
        "single_probability": Fraction(sum(0 in s for s in chosen), len(chosen)),
        "pair_probability": Fraction(sum({0, 1} <= set(s) for s in chosen), len(chosen)),
        "sum_of_squares": squares,
        "square_of_sum": square(vectors),
        "expected_square": expected,
        "sum_of_pair_differences": sum((square([minus(u, v)]) for u, v in pairs), Fraction(0)),
        "expected_mean_square": expected / size**2,
        "square_of_mean": square([centre]),
        "mean_of_squares": squares / clients,
        "population_variance": mean([square([minus(u, centre)]) for u in vectors]),
        "num_clients": clients,
        "clients_per_round": size,
    }


def sampled_settings() -> Iterator[tuple[int, int]]:
    """M = 2, ..., 6 workers and every m."""
    for clients in range(2, 7):
        for size in range(1, clients + 1):
            yield clients, size


@by_instances(
    Method.ENUMERATION, covers="all subsets of all sizes for M = 2..6, vectors in the plane"
)
def all_subsets() -> Iterator[Instance]:
    """Probabilities, squares and variances of uniform subsets, for given vectors."""
    for clients, size in sampled_settings():
        values = sample_quantities(VECTORS[:clients], size)
        yield Instance(values, f"M = {clients}, m = {size}")


def counted(claim: Claim) -> Evidence:
    """For all M and m: C(M-1, m-1) of the C(M, m) subsets hold one given worker, C(M-2, m-2) hold
    two.

    With A = sum |z|^2 and B = |sum z|^2 the sum over i != j of <z_i, z_j> is B - A, that of |z_i -
    z_j|^2 is 2MA - 2B.
    """
    single = sympy.gammasimp(sympy.binomial(M - 1, PER_ROUND - 1) / sympy.binomial(M, PER_ROUND))
    pair = sympy.gammasimp(sympy.binomial(M - 2, PER_ROUND - 2) / sympy.binomial(M, PER_ROUND))
    expected = single * SQUARES + pair * (SUM_SQUARE - SQUARES)
    derived = {
        "single_probability": single,
        "pair_probability": pair,
        "expected_square": expected,
        "sum_of_pair_differences": 2 * M * SQUARES - 2 * SUM_SQUARE,
    }
    return check_symbolic(
        claim, derived=derived, covers="counting subsets, for all M > 1, all m and all vectors"
    )


CHECKS = (
    *(
        Check(f"afl.sampling{part}", all_subsets)
        for part in ("", ".single", ".pair", ".b10", ".variance", ".differences")
    ),
    *(
        Check(
            f"afl.sampling{part}",
            counted,
            everything="subsets counted for all M > 1 and all m; vectors enter by two sums alone",
        )
        for part in ("", ".single", ".pair")
    ),
)
