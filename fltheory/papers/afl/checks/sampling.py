"""Uniform sampling: exhaustive subsets for small M, and counting for all M and m."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.afl.paper import PER_ROUND, M
from fltheory.papers.afl.statements.sampling import SQUARES, SUM_SQUARE

VECTORS = tuple(
    tuple(Fraction(*pair) for pair in row)
    for row in (
        ((0, 1), (1, 1)),
        ((3, 2), (-1, 1)),
        ((-2, 1), (1, 3)),
        ((1, 1), (5, 1)),
        ((-7, 3), (0, 1)),
        ((1, 7), (-4, 1)),
    )
)
"""Six vectors in the plane; the first M of them belong to M workers."""


def square(vectors: list[tuple[Fraction, ...]]) -> Fraction:
    return sum((sum(column) ** 2 for column in zip(*vectors, strict=True)), Fraction(0))


def subsets() -> Iterator[Instance]:
    for clients in range(2, 7):
        z = list(VECTORS[:clients])
        centre = tuple(sum(column) / clients for column in zip(*z, strict=True))
        apart = [
            [tuple(a - b for a, b in zip(u, v, strict=True))]
            for i, u in enumerate(z)
            for j, v in enumerate(z)
            if i != j
        ]
        for size in range(1, clients + 1):
            chosen = list(combinations(range(clients), size))
            expected = sum(square([z[i] for i in s]) for s in chosen) / len(chosen)
            variance = (
                sum(square([tuple(a - b for a, b in zip(u, centre, strict=True))]) for u in z)
                / clients
            )
            yield Instance(
                {
                    "single_probability": Fraction(sum(0 in s for s in chosen), len(chosen)),
                    "pair_probability": Fraction(
                        sum({0, 1} <= set(s) for s in chosen), len(chosen)
                    ),
                    "sum_of_squares": sum(square([u]) for u in z),
                    "square_of_sum": square(z),
                    "expected_square": expected,
                    "sum_of_pair_differences": sum(square(pair) for pair in apart),
                    "expected_mean_square": expected / size**2,
                    "square_of_mean": square([centre]),
                    "population_variance": variance,
                    "num_clients": clients,
                    "clients_per_round": size,
                },
                f"M = {clients}, m = {size}",
            )


@by_instances(
    Method.ENUMERATION, covers="all subsets of all sizes for M = 2..6, vectors in the plane"
)
def all_subsets() -> Iterable[Instance]:
    return subsets()


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
    *(Check(f"afl.sampling{part}", counted) for part in ("", ".single", ".pair")),
)
