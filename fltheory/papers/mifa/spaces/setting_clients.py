"""Where MIFA's statements about clients may fail: small sets of quadratic clients, their gradients
and the laws of their noise."""

from fractions import Fraction

import sympy

from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.papers.mifa.checks.staleness import gradients_at
from fltheory.papers.mifa.checks.tools import known
from fltheory.papers.mifa.checks.waiting import samples_of
from fltheory.papers.mifa.spaces.drawing import numbered, quadratic, space_of_values
from fltheory.problems.quadratic import Quadratic


def _three(choices: Choices, claim: Claim) -> Drawn:
    """Three quadratic clients and where the mean of their gradients vanishes, found from two values
    of that affine function."""
    curvatures = [choices.number(Fraction(1, 4), 3) for _ in range(3)]
    centres = [choices.number(-3, 3) for _ in range(3)]
    at = [sum(h * (w - c) for h, c in zip(curvatures, centres, strict=True)) for w in (0, 1)]
    return {
        "optimum": -at[0] / (at[1] - at[0]),
        **numbered("curvature", curvatures),
        **numbered("centre", centres),
    }


def _two(choices: Choices, claim: Claim) -> Drawn:
    """D of two quadratic clients."""
    curvatures = [choices.number(Fraction(1, 4), 3) for _ in range(2)]
    centres = [choices.number(-3, 3) for _ in range(2)]
    problem = Quadratic(curvatures, centres)
    return {
        "dissimilarity_at_optimum": known(problem.constants.dissimilarity_at_optimum),
        **numbered("curvature", curvatures),
        **numbered("centre", centres),
    }


def _client_gradients(choices: Choices, claim: Claim) -> Drawn:
    """Gradients, loss gap and dissimilarity of up to four quadratic clients at any point."""
    clients = choices.whole(1, 4)
    problem = quadratic(choices, clients=clients, noise=False)
    return gradients_at(problem, choices.number(-5, 5)) | {"num_clients": clients}


def _sampled_gradients(choices: Choices, claim: Claim) -> Drawn:
    """All samples of one size from up to five gradients whose sum is 0."""
    clients = choices.whole(2, 5)
    gradients = [choices.number(-4, 4, max_denominator=2) for _ in range(clients - 1)]
    gradients.append(-sum(gradients, Fraction(0)))
    return samples_of(gradients, choices.whole(1, clients))


def _laws_of_norms(choices: Choices, claim: Claim) -> Drawn:
    """A gradient norm with two or three values; and noise with the same law, made symmetric, below
    its largest value."""
    values = [choices.number(0, 3) for _ in range(choices.whole(1, 3))]
    masses = [Fraction(choices.whole(1, 4)) for _ in values]
    first, second = (
        sum(m * x**k for m, x in zip(masses, values, strict=True)) / sum(masses) for k in (1, 2)
    )
    spare = choices.number(0, 2)
    if not max(values) + spare:
        choices.reject("the bound on the noise is positive")
    return {
        "mean_gradient_norm": first,
        "mean_squared_norm": second,
        "gradient_noise": sympy.sqrt(sympy.Rational(str(second))),
        "noise_bound": max(values) + spare,
    }


SPACES = (
    space_of_values(
        "three-clients",
        "Three quadratic clients.",
        _three,
        "optimum " + " ".join(f"curvature_{i} centre_{i}" for i in (1, 2, 3)),
        "eq1",
    ),
    space_of_values(
        "two-clients",
        "Two quadratic clients.",
        _two,
        "dissimilarity_at_optimum curvature_1 curvature_2 centre_1 centre_2",
        "D",
    ),
    space_of_values(
        "client-gradients",
        "Up to four quadratic clients, at any point.",
        _client_gradients,
        "mean_squared_client_gradient smoothness loss_gap dissimilarity_at_optimum num_clients",
        "ass.BGD",
    ),
    space_of_values(
        "samples",
        "All samples of a size from up to five gradients at the optimum.",
        _sampled_gradients,
        "sampling_variance num_clients clients_per_round dissimilarity_at_optimum",
        "eq3.updates.corrected",
    ),
    space_of_values(
        "norms",
        "Random gradient norms with up to three values.",
        _laws_of_norms,
        "mean_gradient_norm mean_squared_norm gradient_noise noise_bound",
        "prop6.1.middle ass6",
    ),
)
