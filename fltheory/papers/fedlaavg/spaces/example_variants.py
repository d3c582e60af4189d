"""Where Example 1 may fail for other methods: FedProx, local steps, rescaling, and the period map
of FedLaAvg."""

from fractions import Fraction

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.partial_work import PartialWork
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.engine.simulate import Algorithm
from fltheory.papers.fedlaavg.checks.variants import (
    bias_indicator,
    bias_of_turns,
    end_of,
    equivalent_size,
    limit_on,
    models_on,
)
from fltheory.papers.fedlaavg.spaces.example import BLOCKS, draw_blocks


def _variant(choices: Choices, claim: Claim) -> Drawn:
    """FedProx, FedAvg with local steps, Ruan et al.'s rescaling or FedLaAvg, where it ends."""
    example = draw_blocks(choices, most=3)
    size = choices.number("1/8", "7/8", max_denominator=8)
    steps = choices.whole(1, 3)
    strength = choices.choice((Fraction(0), Fraction(1), Fraction(1, 3)))
    alone = claim.id != "fedlaavg.ex1.variants"
    methods: dict[str, Algorithm] = {
        "fedlaavg.appA.limit": PartialWork(1),
        "fedlaavg.ex1.limit": FedLaAvg(),
        "fedlaavg.ex1.stability": FedLaAvg(),
    }
    method = methods.get(claim.id, FedAvg(worker=proximal(strength)))
    limit = limit_on(example, method, size, periods=4, local_steps=1 if alone else steps)
    values: Drawn = {
        **example.values,
        "local_step_size": size,
        "local_steps": steps,
        "proximal_strength": strength,
    }
    if limit.spectral_radius_exact is not None:
        values["spectral_radius"] = limit.spectral_radius_exact
    if claim.id == "fedlaavg.ex1.stability":
        return values
    choices.require(limit.stable and limit.at_period_end is not None, "the method converges")
    return values | end_of(limit)


def _period_map(choices: Choices, claim: Claim) -> Drawn:
    """Trace and determinant of the product of the two block maps, in fractions."""
    example = draw_blocks(choices)
    size = choices.number("1/8", "7/8", max_denominator=8)
    shrinkage = 1 - size

    def block(length: int) -> list[list[Fraction]]:
        return [
            [shrinkage**length, shrinkage**length - 1],
            [shrinkage ** (length - 1), shrinkage ** (length - 1) - 1],
        ]

    one, two = block(example.second), block(example.first)
    both = [[sum(one[i][k] * two[k][j] for k in range(2)) for j in range(2)] for i in range(2)]
    return {
        **example.values,
        "local_step_size": size,
        "trace_of_period": both[0][0] + both[1][1],
        "determinant_of_period": both[0][0] * both[1][1] - both[0][1] * both[1][0],
    }


def _equivalent(choices: Choices, claim: Claim) -> Drawn:
    """FedLaAvg with local steps and with one step of the equivalent size."""
    size = choices.number("1/8", "7/8", max_denominator=8)
    steps = choices.whole(1, 4)
    start = choices.number(-3, 3)
    one = equivalent_size(size, steps)
    example = draw_blocks(choices, most=3)
    many, single = (
        models_on(example, start, size, local_steps=steps),
        models_on(example, start, one),
    )
    t = choices.whole(0, len(many) - 1)
    return {
        "local_step_size": size,
        "local_steps": steps,
        "equivalent_step_size": one,
        "model_with_local_steps": many[t],
        "model_with_one_step": single[t],
    }


def _contributions(choices: Choices, claim: Claim) -> Drawn:
    """z_r by its definition, for clients that are away by turns, or with a chance."""
    example, full, chance = draw_blocks(choices), choices.whole(1, 5), choices.number("1/4", "3/4")
    return {
        **bias_of_turns(example, full),
        "absence_probability": chance,
        "bias_indicator": bias_indicator(chance),
    }


SPACES = (
    given(
        "Example 1 under FedProx, local steps, rescaling or FedLaAvg.",
        f"{BLOCKS} local_step_size local_steps proximal_strength limit_at_period_end"
        " spectral_radius",
        (
            "fedlaavg.ex1.variants",
            "fedlaavg.ex1.limit",
            "fedlaavg.ex1.stability",
            "fedlaavg.appA.limit",
        ),
        _variant,
    ),
    given(
        "The period map of FedLaAvg on Example 1.",
        f"{BLOCKS} local_step_size trace_of_period determinant_of_period",
        tuple(f"fedlaavg.ex1.stability.{end}" for end in ("determinant", "trace", "low", "high")),
        _period_map,
    ),
    given(
        "Local steps and one larger step.",
        "local_step_size local_steps equivalent_step_size model_with_local_steps"
        " model_with_one_step",
        ("fedlaavg.ex1.variants.fedlaavg", "fedlaavg.ex1.variants.step"),
        _equivalent,
    ),
    given(
        "Contributions of clients that are away.",
        "bias_rate steps_of_absent_client absence_probability bias_indicator",
        ("fedlaavg.appA", "fedlaavg.appA.absent", "fedlaavg.appA.indicator"),
        _contributions,
    ),
)
