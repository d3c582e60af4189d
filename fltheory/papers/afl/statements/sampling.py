"""Uniform subsets of m among M workers: steps (b10) to (b12) of Theorem 3's proof."""

from fltheory.claims.claim import Claim, Identity, UpperBound, letter
from fltheory.papers.afl.paper import PER_ROUND, SPREAD, M, printed, repaired
from fltheory.papers.afl.statements.uniform_arrivals import UNIFORM

SINGLE, PAIR = letter("single_probability"), letter("pair_probability")
SQUARES = letter("sum_of_squares")
SUM_SQUARE = letter("square_of_sum")
DIFFERENCES = letter("sum_of_pair_differences")
EXPECTED, EXPECTED_MEAN = letter("expected_square"), letter("expected_mean_square")
MEAN_SQUARE, VARIANCE = letter("square_of_mean"), letter("population_variance")

PLACES = {
    "single_probability": "P(i in M_t)",
    "pair_probability": "P(i and j in M_t), i != j",
    "sum_of_squares": "sum over all M workers of |z_i|^2",
    "square_of_sum": "|sum over all M workers of z_i|^2",
    "sum_of_pair_differences": "sum over ordered pairs i != j of |z_i - z_j|^2",
    "expected_square": "E |sum over M_t of z_i|^2",
    "expected_mean_square": "E |(1/m) sum over M_t of z_i|^2",
    "square_of_mean": "|zbar|^2, zbar the average over all M workers",
    "population_variance": "(1/M) sum over all M workers of |z_i - zbar|^2",
}

PAIRS = PER_ROUND * (PER_ROUND - 1) / (M * (M - 1))

CLAIMS = (
    Claim(
        "afl.sampling.single",
        printed(
            "Appendix B.3, step (b11)",
            "P{i in M_t} = m/M",
        ),
        "Each worker is in M_t with probability m/M.",
        Identity(SINGLE, PER_ROUND / M),
        assumes=(UNIFORM,),
        where=PLACES,
    ),
    Claim(
        "afl.sampling.pair",
        printed(
            "Appendix B.3, step (b11)",
            "P{i, j in M_t} = m(m-1)/(M(M-1))",
        ),
        "Two workers are both in M_t with probability m(m-1) / (M(M-1)).",
        Identity(PAIR, PAIRS),
        assumes=(UNIFORM,),
        where=PLACES,
    ),
    Claim(
        "afl.sampling.b10",
        printed(
            "Appendix B.3, step (b10)",
            "|sum z_i|^2 = M sum |z_i|^2 - (1/2) sum_{i != j} |z_i - z_j|^2",
        ),
        "The square of a sum is M times the sum of squares less half the squared differences of all"
        " ordered pairs.",
        Identity(SUM_SQUARE, M * SQUARES - DIFFERENCES / 2),
        where=PLACES,
    ),
    Claim(
        "afl.sampling",
        printed(
            "Appendix B.3, step (b12)",
            "E|sum 1{i in M_t} z_i|^2 = (m^2/M) sum |z_i|^2 - (m(m-1)/(2M(M-1))) sum_{i != j} "
            "|z_i - z_j|^2",
        ),
        "The expected square of a sampled sum is (m^2/M) sum |z_i|^2 - m(m-1)/(2M(M-1)) sum |z_i -"
        " z_j|^2.",
        Identity(EXPECTED, PER_ROUND**2 / M * SQUARES - PAIRS / 2 * DIFFERENCES),
        assumes=(UNIFORM,),
        where=PLACES,
    ),
    Claim(
        "afl.sampling.variance",
        repaired("Appendix B.3, step (b12)"),
        "The expected square of a sampled mean is the square of the mean plus rho times the"
        " population variance.",
        Identity(EXPECTED_MEAN, MEAN_SQUARE + SPREAD * VARIANCE),
        assumes=(UNIFORM,),
        where=PLACES,
    ),
    Claim(
        "afl.sampling.differences",
        printed(
            "Appendix B.3, line after (b12)",
            "- sum_{i != j} |z_i - z_j|^2 is replaced by its largest size 2M sum |z_i|^2, "
            "through (M-1) sum |z_i|^2 terms",
        ),
        "The squared differences of all ordered pairs add up to at most 2M times the sum of"
        " squares.",
        UpperBound(DIFFERENCES, 2 * M * SQUARES),
        where=PLACES,
    ),
)
