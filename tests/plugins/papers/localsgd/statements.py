"""What the paper states, and two falsehoods that are close to it."""

from fltheory.claims.claim import (
    Authorship,
    Claim,
    Identity,
    Source,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.core.vocabulary import symbol
from localsgd.paper import BELOW, EVERYBODY, ONE_GRADIENT, PAPER, SMALL_STEP

STEP, ROUNDS, STEPS = (symbol(name) for name in ("local_step_size", "num_rounds", "local_steps"))
BOUND, GAP = symbol("gradient_bound"), symbol("initial_loss_gap")
APART = letter("model_variance", nonnegative=True)
MEAN, BEFORE = letter("mean_model"), letter("model_before")
ONE, OTHER = letter("first_gradient"), letter("second_gradient")

DEVIATION = {
    "model_variance": "mean squared distance of the clients' models from their mean, after H steps"
}
GRADIENTS = {
    "mean_model": "mean of the two clients' models after the step",
    "model_before": "the common model before it",
    "first_gradient": "gradient of the first client there",
    "second_gradient": "gradient of the second client there",
}

CLAIMS = (
    Claim(
        "localsgd.one-step",
        Source(PAPER, "Section 2"),
        "With one local step, averaging the models is a step along the averaged gradient.",
        Identity(MEAN, BEFORE - STEP * (ONE + OTHER) / 2),
        where=GRADIENTS,
    ),
    Claim(
        "localsgd.deviation",
        Source(PAPER, "Lemma 3.3"),
        "Between two averagings the clients' models stay within 4 eta^2 G^2 H^2 of their mean.",
        UpperBound(APART, 4 * STEP**2 * BOUND**2 * STEPS**2),
        special_cases=(
            SpecialCase(
                "one step of size 1 with gradients up to 1",
                {"local_step_size": 1, "gradient_bound": 1, "local_steps": 1},
                "4",
            ),
        ),
        where=DEVIATION,
    ),
    Claim(
        "localsgd.deviation.linear",
        Source(PAPER, "Lemma 3.3 with H in place of H^2", kind=Authorship.OURS),
        "Between two averagings the clients' models stay within 4 eta^2 G^2 H of their mean.",
        UpperBound(APART, 4 * STEP**2 * BOUND**2 * STEPS),
        where=DEVIATION,
        note="The distance grows with H, so its square does not stay below a multiple of H.",
    ),
    Claim(
        "localsgd.descent",
        Source(PAPER, "the descent that the theorems rest on", kind=Authorship.OURS),
        "With step sizes up to 1/L the mean squared gradient is at most 2 (f - f*) / (eta T).",
        UpperBound(symbol("mean_squared_gradient"), 2 * GAP / (STEP * ROUNDS)),
        assumes=(BELOW, SMALL_STEP, ONE_GRADIENT, EVERYBODY),
        about=("fedavg",),
    ),
    Claim(
        "localsgd.descent.absent",
        Source(PAPER, "the same without full participation", kind=Authorship.OURS),
        "The same holds whoever delivers.",
        UpperBound(symbol("mean_squared_gradient"), 2 * GAP / (STEP * ROUNDS)),
        assumes=(BELOW, SMALL_STEP, ONE_GRADIENT),
        about=("fedavg",),
    ),
)
