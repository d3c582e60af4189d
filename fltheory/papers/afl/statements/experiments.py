"""The discussion (Appendix D) and the experiments (Sec. 5, Appendix E): laws, sizes and ranges."""

import sympy

from fltheory.claims.claim import (
    Claim,
    Identity,
    Severity,
    SpecialCase,
    letter,
)
from fltheory.papers.afl.paper import (
    APART,
    DELAY,
    LOCAL,
    PER_ROUND,
    WHERE,
    K,
    printed,
    read,
    repaired,
)

INCLUSION, RACE, SHARE, INCLUDED = (
    letter(n)
    for n in ("inclusion_probability", "race_probability", "printed_share", "sum_of_inclusions")
)
BIAS, HEAVY, LIGHT = letter("worst_bias"), letter("heavy_inclusion"), letter("light_inclusion")
MEAN_STEPS, HALF = letter("mean_local_steps"), letter("c", integer=True, positive=True)
FLAT = letter("flattened_size")
SIDE = letter("image_side", integer=True, positive=True)
PADDING = letter("padding", integer=True, nonnegative=True)
LARGEST = letter("largest_smoothness")
LIMIT_ERROR = letter("limit_error")
SURROGATE = letter("squared_bias_of_weights")
DEVIATION = letter("path_deviation")

PLACES = WHERE | {
    "inclusion_probability": (
        "chance that successive sampling of m workers without replacement takes a given worker"
    ),
    "race_probability": (
        "chance that a worker is among the first m arrivals when worker i arrives after an"
        " exponential time of rate p_i"
    ),
    "printed_share": "p_i, the share printed for the worker",
    "sum_of_inclusions": "sum over the workers of their inclusion probabilities",
    "worst_bias": (
        "largest |E of the sampled mean gradient - grad f| with |grad f_i - grad f| <= sigma_G on a"
        " line"
    ),
    "heavy_inclusion": "inclusion probability of a worker with share 0.19",
    "light_inclusion": "inclusion probability of a worker with share 0.01",
    "mean_local_steps": "mean of a uniform number of local steps in 1, ..., 2c",
    "c": "the constant number of local steps that is compared with",
    "flattened_size": "numbers per image after both convolutions and poolings of Table 1",
    "image_side": "side of the square image",
    "padding": "zero padding of both convolutions",
    "largest_smoothness": "L at which 180 eta_L^2 K^2 L^2 tau = 1",
    "limit_error": "|grad f|^2 at the limit of AFA-CD when the same workers arrive in every round",
    "squared_bias_of_weights": (
        "|sum_i (w_i - 1/M)(grad f_i - grad f)|^2 with w_i = 1/m for those that arrive"
    ),
    "path_deviation": (
        "|grad f(x) - (1/M) sum over all workers of Delta_i(x)|^2, term A3 of Appendix B.3, without"
        " delay and noise"
    ),
}


def _flattened(side: int, padding: int, value: str) -> SpecialCase:
    return SpecialCase(
        f"side {side}, padding {padding}", {"image_side": side, "padding": padding}, value
    )


def _range(steps: int, size: str, value: str) -> SpecialCase:
    return SpecialCase(
        f"K = {steps}, eta_L = {size}, tau = 4",
        {"local_steps": steps, "local_step_size": size, "max_delay": 4},
        value,
    )


CLAIMS = (
    Claim(
        "afl.discussion",
        read(
            "Appendix D, convergence error",
            "The surrogate objective is the average loss of the workers that arrive in every round,"
            " K = 1 and the step size is stable.",
        ),
        "When the same workers arrive in every round, AFA-CD with a stable step size minimises"
        " their average loss and keeps the error |sum (w_i - 1/M) grad f_i|^2.",
        Identity(LIMIT_ERROR, SURROGATE),
        where=PLACES,
    ),
    Claim(
        "afl.discussion.a3",
        printed(
            "Appendix D, convergence error",
            "for uniformly independent sampling the bound of |grad f(x_t) - f~(x_t)|^2 is "
            "independent of sigma_G (A3 term in B.3)",
        ),
        "With uniform arrivals the deviation of the surrogate's gradient (A3 in B.3) does not"
        " depend on sigma_G.",
        Identity(DEVIATION, 0 * DEVIATION),
        where=PLACES,
        note=(
            "True for K = 1 only: with more local steps A5 holds 30 K^2 L^2 eta_L^2 sigma_G^2. The"
            " text writes |grad f - f| without a gradient."
        ),
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        "afl.discussion.a3.one-step",
        repaired("Appendix D, convergence error"),
        "With one local step and no delay the workers' mean path is the global gradient, whatever"
        " sigma_G is.",
        Identity(DEVIATION, 0 * DEVIATION),
        where=PLACES,
        corrects="afl.discussion.a3",
    ),
    Claim(
        "afl.exp.incl",
        repaired("Appendix E.1, biased sampling"),
        "Successive sampling without replacement takes the first m in a race of exponential arrival"
        " times.",
        Identity(INCLUSION, RACE),
        where=PLACES,
    ),
    Claim(
        "afl.exp.incl.sum",
        repaired("Appendix E.1, biased sampling"),
        "The inclusion probabilities add up to m.",
        Identity(INCLUDED, PER_ROUND),
        where=PLACES,
    ),
    Claim(
        "afl.exp.incl.bias",
        repaired("Appendix E.1, biased sampling"),
        "The worst bias of the sampled mean gradient is 2 (heavy - light)/m times sigma_G.",
        Identity(BIAS, 2 * (HEAVY - LIGHT) / PER_ROUND * APART),
        where=PLACES,
    ),
    Claim(
        "afl.exp.dynamic",
        repaired("Appendix E.1, dynamic local steps"),
        "Dynamic local steps, uniform in 1, ..., 2c, have mean c + 1/2, not c.",
        Identity(MEAN_STEPS, HALF + sympy.Rational(1, 2)),
        where=PLACES,
        special_cases=tuple(
            SpecialCase(f"c = {c}", {"c": c}, f"{2 * c + 1}/2") for c in (5, 10, 50)
        ),
    ),
    Claim(
        "afl.exp.table1",
        printed(
            "Table 1",
            "5x5x32, 2x2, 5x5x64, 2x2, fully connected 1024x512, for CIFAR-10",
        ),
        "After the second pooling a CIFAR-10 image (32 by 32) has 1024 numbers.",
        Identity(FLAT, sympy.Integer(1024)),
        where=PLACES,
        note=(
            "1024 needs images of side 28 without padding, or 24 with padding 1; no crop is stated."
        ),
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.exp.table1.corrected",
        repaired("Table 1"),
        "Each 5 by 5 convolution takes 4 off the padded side, each pooling halves it, rounding"
        " down; the last of 64 channels leaves 64 side^2.",
        Identity(
            FLAT,
            64
            * sympy.floor((sympy.floor((SIDE + 2 * PADDING - 4) / 2) + 2 * PADDING - 4) / 2) ** 2,
        ),
        where=PLACES,
        corrects="afl.exp.table1",
        special_cases=(
            _flattened(28, 0, "1024"),
            _flattened(24, 1, "1024"),
            _flattened(32, 0, "1600"),
            _flattened(32, 1, "2304"),
            _flattened(32, 2, "4096"),
        ),
    ),
    Claim(
        "afl.exp.range",
        repaired("Appendix E.1, step sizes"),
        "Condition (a) of Theorem 2 holds at the printed step sizes only for losses with L below"
        " 1/(eta_L K sqrt(180 tau)).",
        Identity(LARGEST, 1 / (LOCAL * K * sympy.sqrt(180 * DELAY))),
        where=PLACES,
        special_cases=(_range(10, "1/10", "0.0373"), _range(100, "4/5", "0.000466")),
    ),
)
