"""Section 7: the participation probabilities, the seeds, the waits and the biases, without training
a network."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.probability import expected_wait_bounds
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.types import ExactLike
from fltheory.papers.mifa.checks.tools import known, one_instance
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
    """The smallest p_i over all pairs of labels, by the printed or the corrected rule (Section
    7)."""
    rule = label_probabilities_as_printed if not claim.source.ours else label_probabilities
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


@by_instances(Method.DATA, "availability seeds round x (run + 1) of 200 rounds, five runs")
def shared_draws() -> Iterator[Instance]:
    """Rounds of two runs that are drawn with the same seed, round x (run + 1) (released code)."""
    for first, second in combinations(range(5), 2):
        draws = [{index * (seed + 1) for index in range(200)} for seed in (first, second)]
        yield Instance({"shared_rounds": len(draws[0] & draws[1])}, f"runs {first} and {second}")


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


@by_instances(Method.DATA, "the initial step sizes of four released scripts")
def script_step_sizes() -> Iterator[Instance]:
    """eta_0 of each released script (Section 7)."""
    for script, size in SCRIPT_STEP_SIZES.items():
        yield Instance({"script_step_size": size}, script)


@by_instances(
    Method.PROBABILITY,
    "the released MNIST partition, p_min = 1/10 and 1/5, S = 50 and 100; 25 terms of the"
    " series from below",
)
def waits_of_experiment() -> Iterator[Instance]:
    """E T(S) from below: the wait is at least a partial sum of its series (Section 7)."""
    for least, size in product(LEAST, (50, 100)):
        chances = label_probabilities([(label,) for label in range(len(SMALLEST_LABELS))], least)
        kinds: dict[ExactLike, int] = dict(zip(chances, SMALLEST_LABELS, strict=True))
        pairs = zip(chances, SMALLEST_LABELS, strict=True)
        inverse = sum((n / p for p, n in pairs), Fraction(0)) / sum(SMALLEST_LABELS)
        wait = expected_wait_bounds(kinds, sample_size=size, terms=25)[0]
        yield Instance(
            {"expected_wait": wait, "mean_inverse_chance": inverse}, f"p_min = {least}, S = {size}"
        )


@by_instances(Method.PROBABILITY, "all sets of active devices out of four, three populations")
def biased_gap() -> Iterator[Instance]:
    """f - f* at the limit of biased FedAvg, the root of the mean step over all sets of active
    devices, beside the effective weights (Section 7)."""
    model = sympy.Symbol("w")
    for chances, centres in (
        (("1/10", "2/5", "7/10", "1"), (3, 1, -1, -3)),
        (("1/2", "1/2", "1/2", "1/2"), (0, 1, 2, 5)),
        (("1/3", "1", "1/5", "1/2"), (1, 0, 0, 0)),
    ):
        probabilities = [sympy.Rational(p) for p in chances]
        step = sympy.S.Zero
        for active in product((0, 1), repeat=4):
            if any(active):
                pairs = zip(probabilities, active, strict=True)
                mass = sympy.prod(p if here else 1 - p for p, here in pairs)
                heard = [model - c for c, here in zip(centres, active, strict=True) if here]
                step += mass * sum(heard) / len(heard)
        (limit,) = sympy.solve(step, model)
        middle = sympy.Rational(sum(centres), 4)
        numbered = [
            (f"{name}_{i}", value)
            for name, values in (("effective_weight", biased_weights(chances)), ("centre", centres))
            for i, value in enumerate(values, start=1)
        ]
        gap = sum((limit - c) ** 2 - (middle - c) ** 2 for c in centres) / 8
        yield Instance({"residual_gap": gap, **dict(numbered)}, f"p = {chances}")


@by_instances(Method.EXACT_RUN, "exact limit cycles of two devices, four repeating availabilities")
def unbiased_limits() -> Iterator[Instance]:
    """The limit of MIFA with one local step, and the optimum (Section 7)."""
    for pattern, curvatures in product(
        (
            ((1, 1),),
            ((1, 0), (0, 1)),
            ((1, 0), (0, 1), (0, 1), (0, 1)),
            ((1, 1), (1, 0), (1, 0)),
        ),
        ((2, 2), (1, 3)),
    ):
        problem = Quadratic(curvatures, (0, 1))
        scenario = Scenario(
            "mifa", problem, Trace.fresh(pattern * 6), start=0, local_step_size="1/16"
        )
        yield Instance(
            measure(scenario, ["limit"]) | {"optimum": known(problem.constants.optimum)[0]},
            f"availability {pattern}, {curvatures}",
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
