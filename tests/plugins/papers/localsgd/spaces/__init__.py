"""Where counterexamples are searched; claims about runs have the space of runs."""

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space
from localsgd.checks import deviation


def _deviation(choices: Choices, claim: Claim) -> Instance:
    clients, steps = choices.whole(1, 3), choices.whole(1, 9)
    optima = tuple(choices.whole(-60, 60) for _ in range(clients))
    return deviation(choices.number("1/10", 2), optima, steps)


def _one_step(choices: Choices, claim: Claim) -> Instance:
    one, other, before = (choices.number(-3, 3) for _ in range(3))
    size = choices.number("1/8", 2)
    return Instance(
        {
            "first_gradient": one,
            "second_gradient": other,
            "model_before": before,
            "local_step_size": size,
            "mean_model": before - size * one / 2 - size * other / 2,
        }
    )


SPACES = (
    Space(
        "localsgd.deviation",
        "Up to 3 clipped clients, 1 to 9 local steps.",
        frozenset({"model_variance", "local_step_size", "gradient_bound", "local_steps"}),
        _deviation,
        claims=("localsgd.deviation*",),
    ),
    Space(
        "localsgd.one-step",
        "Any two gradients.",
        frozenset(
            {"first_gradient", "second_gradient", "model_before", "local_step_size", "mean_model"}
        ),
        _one_step,
        claims=("localsgd.one-step",),
    ),
)
