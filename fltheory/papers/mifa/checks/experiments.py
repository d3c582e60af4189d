"""Section 7: the participation probabilities, the seeds, the waits and the biases, without training
a network."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product

import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.probability import expected_wait_bounds
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.papers.mifa.checks.tools import one_instance
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.bernoulli import biased_weights
from fltheory.traces.availability.label_correlated import (
    NUM_LABELS,
    label_probabilities,
    label_probabilities_as_printed,
)
from fltheory.traces.trace import Trace

PAIRS = tuple(combinations(range(NUM_LABELS), 2))
LEAST = (Fraction(1, 10), Fraction(1, 5))
SMALLEST_LABELS = (21, 15, 16, 18, 12, 9, 7, 1, 1)
"""Devices by smallest label 0, 1, ... in the released MNIST partition, as reproduced from the
released code by an independent audit."""


def least_probability(claim: Claim) -> Evidence:
    rule = label_probabilities_as_printed if claim.source.as_printed else label_probabilities
    instances = (
        Instance(
            {"least_chance": min(rule(PAIRS, least)), "min_probability": least}, f"p_min = {least}"
        )
        for least in LEAST
    )
    return check_instances(
        claim,
        instances,
        method=Method.DATA,
        covers="all pairs of different labels, the two printed values of p_min",
    )


def shared_draws(claim: Claim) -> Evidence:
    def instances() -> Iterator[Instance]:
        for first, second in combinations(range(5), 2):
            draws = [{index * (seed + 1) for index in range(200)} for seed in (first, second)]
            yield Instance(
                {"shared_rounds": len(draws[0] & draws[1])}, f"runs {first} and {second}"
            )

    return check_instances(
        claim,
        instances(),
        method=Method.DATA,
        covers="availability seeds round x (run + 1) of 200 rounds, five runs",
    )


def printed_schedule(claim: Claim) -> Evidence:
    """60000 MNIST images over 100 devices, batches of 100, two epochs; eta_0 = 0.1, weight decay
    0.001."""
    values = {
        "first_step_size": "1/10",
        "steps_per_round": 2 * 60000 // 100 // 100,
        "weight_decay": "1/1000",
    }
    return one_instance(
        claim, values, says="MNIST", method=Method.DATA, covers="the printed parameters for MNIST"
    )


def parameters(
    convolutions: tuple[tuple[int, int], ...], dense: tuple[int, ...], *, side: int = 5
) -> int:
    """Weights and biases: (channels in, channels out) of square kernels, then the widths of the
    dense layers."""
    kernels = sum(fewer * more * side**2 + more for fewer, more in convolutions)
    return kernels + sum(a * b + b for a, b in pairwise(dense))


NETWORK_SIZES = {
    "script_parameters": parameters(((3, 32), (32, 64)), (64 * 25, 512, 10)),
    "lenet_parameters": parameters(((3, 6), (6, 16)), (16 * 25, 120, 84, 10)),
}
"""The network that the released scripts name, and LeNet-5."""


def sizes_of_networks(claim: Claim) -> Evidence:
    """32 x 32 images, kernels of 5 x 5 without padding, each followed by pooling in pairs: 32, 28,
    14, 10, 5."""
    return one_instance(
        claim,
        NETWORK_SIZES,
        says="CIFAR-10",
        method=Method.DATA,
        covers="layers as printed and as in the released scripts",
    )


SCRIPT_STEP_SIZES = {
    "MNIST": "1/100",
    "CIFAR-10, MIFA, importance sampling and biased": "2/25",
    "CIFAR-10, S = 50": "1/20",
    "CIFAR-10, S = 100": "3/50",
}
"""Initial step sizes of the released scripts, as read by an independent audit."""


def script_step_sizes(claim: Claim) -> Evidence:
    instances = (
        Instance({"script_step_size": size}, script) for script, size in SCRIPT_STEP_SIZES.items()
    )
    return check_instances(
        claim,
        instances,
        method=Method.DATA,
        covers="the initial step sizes of four released scripts",
    )


def waits_of_experiment(claim: Claim) -> Evidence:
    """A series cut short: the wait is at least its partial sum."""

    def instances() -> Iterator[Instance]:
        for least, size in product(LEAST, (50, 100)):
            chances = label_probabilities(
                [(label,) for label in range(len(SMALLEST_LABELS))], least
            )
            kinds = dict(zip(chances, SMALLEST_LABELS, strict=True))
            inverse = sum(n / p for p, n in kinds.items()) / sum(kinds.values())
            wait = expected_wait_bounds(kinds, sample_size=size, terms=25)[0]
            yield Instance(
                {"expected_wait": wait, "mean_inverse_chance": inverse},
                f"p_min = {least}, S = {size}",
            )

    return check_instances(
        claim,
        instances(),
        method=Method.PROBABILITY,
        covers=(
            "the released MNIST partition, p_min = 1/10 and 1/5, S = 50 and 100; 25 terms of the"
            " series from below"
        ),
    )


def biased_limits() -> Iterator[Instance]:
    """The root of the mean step over all sets of active devices, against effective weights."""
    model = sympy.Symbol("w")
    for chances, centres in (
        (("1/10", "2/5", "7/10", "1"), (3, 1, -1, -3)),
        (("1/2", "1/2", "1/2", "1/2"), (0, 1, 2, 5)),
        (("1/3", "1", "1/5", "1/2"), (1, 0, 0, 0)),
    ):
        known = [sympy.Rational(p) for p in chances]
        move = sympy.S.Zero
        for active in product((0, 1), repeat=4):
            chance = sympy.prod(p if here else 1 - p for p, here in zip(known, active, strict=True))
            if any(active):
                move += (
                    chance
                    * sum(here * (model - c) for c, here in zip(centres, active, strict=True))
                    / sum(active)
                )
        (limit,) = sympy.solve(move, model)
        gap = (
            sum((limit - c) ** 2 - (sympy.Rational(sum(centres), 4) - c) ** 2 for c in centres) / 8
        )
        weights = {
            f"effective_weight_{i}": w for i, w in enumerate(biased_weights(chances), start=1)
        }
        yield Instance(
            {
                "residual_gap": gap,
                **weights,
                **{f"centre_{i}": c for i, c in enumerate(centres, start=1)},
            },
            f"p = {chances}",
        )


def biased_gap(claim: Claim) -> Evidence:
    return check_instances(
        claim,
        biased_limits(),
        method=Method.PROBABILITY,
        covers="all sets of active devices out of four, three populations",
    )


def unbiased_limits(claim: Claim) -> Evidence:
    def instances() -> Iterator[Instance]:
        for pattern in (
            ((1, 1),),
            ((1, 0), (0, 1)),
            ((1, 0), (0, 1), (0, 1), (0, 1)),
            ((1, 1), (1, 0), (1, 0)),
        ):
            for curvatures in ((2, 2), (1, 3)):
                problem = Quadratic(curvatures, (0, 1))
                scenario = Scenario(
                    "mifa", problem, Trace.fresh(pattern * 6), start=0, local_step_size="1/16"
                )
                yield Instance(
                    measure(scenario, ["limit"]) | {"optimum": problem.constants.optimum[0]},
                    f"availability {pattern}, {curvatures}",
                )

    return check_instances(
        claim,
        instances(),
        method=Method.EXACT_RUN,
        covers="exact limit cycles of two devices, four repeating availabilities",
    )


CHECKS = (
    Check("mifa.exp.probabilities", least_probability),
    Check("mifa.exp.probabilities.corrected", least_probability),
    Check("mifa.exp.seeds", shared_draws),
    Check("mifa.exp.schedule", printed_schedule),
    Check("mifa.exp.network", sizes_of_networks),
    Check("mifa.exp.rate", script_step_sizes),
    Check("mifa.exp.1", waits_of_experiment),
    Check("mifa.exp.2", biased_gap),
    Check("mifa.exp.3", unbiased_limits),
)
