"""Section 5.1, the comparison with FedAvg that waits: exact mean waits, sampling as noise, and who
is faster."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.enumeration import subsets
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.probability import coin_flips
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic_cases
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.measures import measure
from fltheory.core.exact import exact
from fltheory.core.types import ExactLike, Scalar
from fltheory.papers.mifa.checks.asymptotes import summed_noise
from fltheory.papers.mifa.checks.runs import decreasing_steps
from fltheory.papers.mifa.checks.tools import one_instance
from fltheory.papers.mifa.paper import CHANCE, CLIENTS, CONVEX, NOISE, ROUNDS
from fltheory.papers.mifa.statements.bernoulli import CLAIMS as COIN_FLIPS
from fltheory.papers.mifa.statements.closed_forms import A
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.selection import expected_wait

_SETS = "1; 1/2; 1/10; 1/2 1/2; 1/10 1/2; 1/10 1/2 9/10; 1/2 1/2 1/2; 1/100 1 1 1"
POPULATIONS = tuple(tuple(map(Fraction, chances.split())) for chances in _SETS.split(";"))
"""Chances of the devices, one set per entry."""
UNIT: dict[str, Scalar] = {"gradient_noise": 1, "strong_convexity": 1, "local_steps": 1}


@by_instances(Method.PROBABILITY, "exact mean of the maximum of geometric times for eight sets")
def waits() -> Iterator[Instance]:
    """E T(S), the mean wait until everybody of a set has been active (Section 5.1)."""
    for chances in POPULATIONS:
        yield Instance(
            {"expected_wait": expected_wait(chances), "least_chance": min(chances)},
            f"p = {[str(p) for p in chances]}",
        )


@by_instances(
    Method.PROBABILITY, "exact mean waits for uniform samples of every size from eight sets"
)
def sampled_waits() -> Iterator[Instance]:
    """E_S T(S), the mean wait for a uniform sample of S devices (Section 5.1, eq. 3)."""
    for chances in POPULATIONS:
        for size in range(1, len(chances) + 1):
            yield Instance(
                UNIT
                | {
                    "expected_wait": expected_wait(chances, sample_size=size),
                    "least_chance": min(chances),
                    "accuracy": Fraction(1, 10),
                    "clients_per_round": size,
                    "num_clients": len(chances),
                },
                f"p = {[str(p) for p in chances]}, S = {size}",
            )


def start_at_the_optimum(claim: Claim) -> Evidence:
    """A run from w_1 = w* needs no update at all (eq. 3)."""
    values = UNIT | {
        "expected_wait": expected_wait(["1/2"]),
        "updates_needed": 0,
        "least_chance": Fraction(1, 2),
        "num_clients": 1,
        "accuracy": 1,
    }
    return one_instance(
        claim,
        values,
        says="one device, p = 1/2, w_1 = w*: no update is needed",
        method=Method.PROBABILITY,
        covers="one device that starts at the optimum",
    )


def sampling_is_noise(claim: Claim) -> Evidence:
    """Two devices with (w -+ 1)^2/2, one of them drawn for each update: gradients w -+ 1, that is
    noise +-1, without gradient noise."""
    gap = sympy.factor(summed_noise().subs({CONVEX: 1, CLIENTS: 1, NOISE: 1, A: 100}))
    derived = {
        "weighted_loss_gap": gap,
        "gradient_noise": sympy.Integer(0),
        "strong_convexity": sympy.Integer(1),
        "clients_per_round": sympy.Integer(1),
        "local_steps": sympy.Integer(1),
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=ROUNDS,
        covers=(
            "N = 2, S = K = 1, sigma = 0, minimisers +-1, a = 100: the exact gap "
            "of mifa.thm5.1.noise with variance 1"
        ),
    )


def samples_of(gradients: Sequence[Fraction | int], size: int) -> dict[str, Scalar]:
    """The variance of the mean of `size` of these gradients, whose sum is 0, over all samples."""
    count = len(gradients)
    means = [
        Fraction(sum(gradients[i] for i in chosen)) / size for chosen in subsets(count, size=size)
    ]
    return {
        "sampling_variance": sum(m * m for m in means) / len(means),
        "num_clients": count,
        "clients_per_round": size,
        "dissimilarity_at_optimum": Fraction(sum(g * g for g in gradients)) / count,
    }


@by_instances(Method.ENUMERATION, "every sample of every size from five sets of gradients at w*")
def sampling_variance() -> Iterator[Instance]:
    """The variance of the mean gradient of a uniform sample at w*, over all samples (eq. 3)."""
    for gradients in ((-1, 1), (-2, 1, 1), (-3, -1, 1, 3), (5, -2, -2, -1), (4, 0, 0, -1, -3)):
        for size in range(1, len(gradients) + 1):
            yield Instance(samples_of(gradients, size), f"gradients {gradients}, S = {size}")


@by_instances(Method.PROBABILITY, "exact waits for several populations of two or more devices")
def comparison() -> Iterator[Instance]:
    """The mean wait for everybody against mean(1/p), which MIFA pays (eq. 3)."""
    for chances in sorted(POPULATIONS, key=len):
        if len(chances) > 1:
            yield Instance(
                {
                    "expected_wait": expected_wait(chances),
                    "mean_inverse_chance": sum(1 / p for p in chances) / len(chances),
                },
                f"p = {[str(p) for p in chances]}",
            )


def four_devices(claim: Claim) -> Evidence:
    """p = 1/(1 + z): the mean of the maximum of four geometric times by inclusion and exclusion, as
    a function of z (eq. 3)."""
    rest = letter("z", nonnegative=True)
    absent = rest / (1 + rest)
    wait = sum((-1) ** (n + 1) * comb(4, n) / (1 - absent**n) for n in range(1, 5))
    case = {"availability_probability": 1 / (1 + rest), "expected_wait": sympy.factor(wait)}
    return check_symbolic_cases(
        claim,
        [case],
        covers="every p = 1/(1 + z) with four devices; more devices only wait longer",
    )


def expected_gap(
    chances: Sequence[ExactLike], num_rounds: int, problem: Quadratic, start: ExactLike
) -> Fraction:
    """E f(wbar_T) - f* over noise and coin flips: every availability pattern with its chance."""
    total = Fraction(0)
    for matrix, chance in coin_flips(chances, num_rounds):
        rows = matrix.astype(int).tolist()
        run = decreasing_steps(problem, rows, initial_gap=num_rounds, start=start)
        total += chance * exact(measure(run, ["weighted_loss_gap"])["weighted_loss_gap"])
    return total


def equal_averages(claim: Claim) -> Evidence:
    """E f(wbar_T) - f* of two populations with the same mean of 1/p (after eq. 3)."""
    problem = Quadratic((1, 1), (0, 0), noise_squared=1)
    values = {
        "gap_of_equal_chances": expected_gap(("1/4", "1/4"), 3, problem, 0),
        "gap_of_unequal_chances": expected_gap(("1/6", "1/2"), 3, problem, 0),
    }
    return one_instance(
        claim,
        values,
        says="p = (1/4, 1/4) against (1/6, 1/2), three rounds",
        method=Method.PROBABILITY,
        covers=(
            "two devices with equal losses and noise 1, all availability patterns over three rounds"
        ),
    )


@by_instances(Method.SYMBOLIC, "exact limits for four populations")
def limit_of_average() -> Iterator[Instance]:
    """E taubar_T of mifa.def5.2.average as T grows, and mean(1/p) (after eq. 3)."""
    formula = next(c.statement.right for c in COIN_FLIPS if c.id == "mifa.def5.2.average")
    for chances in (("1",), ("1/2",), ("1/10", "9/10"), ("1/3", "1/4", "1/5")):
        known = [sympy.Rational(p) for p in chances]
        limits = [sympy.limit(formula.subs(CHANCE, p), ROUNDS, sympy.oo) for p in known]
        yield Instance(
            {
                "limit_of_mean_staleness": sum(limits) / len(known),
                "mean_inverse_chance": sum(1 / p for p in known) / len(known),
            },
            f"p = {chances}",
        )


CHECKS = (
    Check("mifa.TS", waits),
    Check("mifa.TS.average", sampled_waits),
    Check("mifa.eq3", sampled_waits),
    Check("mifa.eq3.necessary", start_at_the_optimum),
    Check("mifa.eq3.updates", sampling_is_noise, rests_on=("mifa.thm5.1.noise",)),
    Check("mifa.eq3.updates.corrected", sampling_variance),
    Check("mifa.eq3.comparison", comparison),
    Check("mifa.eq3.comparison.corrected", four_devices),
    Check("mifa.eq3.average", equal_averages),
    Check("mifa.eq3.average.corrected", limit_of_average),
)
