"""Where AFL's formulas may fail: any constants of the theorems."""

from fractions import Fraction
from typing import NamedTuple

import sympy

from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.core.enclosure import as_expression
from fltheory.core.types import Formula, Values
from fltheory.papers.afl.checks.general_arrivals import PER_ROUND_2
from fltheory.papers.afl.checks.memory import CONDITION_C3, RISE
from fltheory.papers.afl.checks.orders import substituted
from fltheory.papers.afl.checks.uniform_arrivals import PER_ROUND_3
from fltheory.papers.afl.paper import (
    GAP,
    PER_ROUND,
    STEP,
    T,
)
from fltheory.papers.afl.statements.speedup import STEPS3


class TheoremConstants(NamedTuple):
    """Constants of the theorems, under the names of their symbols."""

    num_clients: int
    clients_per_round: int
    num_rounds: int
    local_steps: int
    max_delay: int
    max_staleness: int
    fresh_entries: int
    local_step_size: Fraction
    server_step_size: Fraction
    smoothness: Fraction
    gradient_noise: Fraction
    dissimilarity: Fraction
    initial_loss_gap: Fraction


def draw_constants(choices: Choices, *, least: int = 1) -> TheoremConstants:
    """All constants of the theorems; T and m are squares, so that the corollaries' step sizes are
    rational; m <= M, `least` workers."""
    side, root, size = choices.whole(1, 3), choices.whole(1, 30), choices.whole(1, 3)
    clients = max(side**2, least) + choices.whole(0, 4) if choices.flag() else max(size, least) ** 2
    fresh = choices.whole(0, clients)
    return TheoremConstants(
        num_clients=clients,
        clients_per_round=side**2 if side**2 <= clients else 1,
        num_rounds=root**2,
        local_steps=choices.whole(1, 5),
        max_delay=choices.whole(0, 4),
        max_staleness=choices.whole(0, 4),
        fresh_entries=fresh,
        local_step_size=choices.number("1/4", 2) * choices.power(),
        server_step_size=choices.number("1/4", 2) * choices.power(),
        smoothness=choices.number("1/4", 2) * choices.power(),
        gradient_noise=choices.number(0, 2) * choices.power(),
        dissimilarity=choices.number(0, 2) * choices.power(),
        initial_loss_gap=choices.number(0, 2) * choices.power(),
    )


def _at_infinity(bound: Formula, values: Values, factor: Formula = sympy.S.One) -> Formula:
    """The limit of a bound, times a factor, as T grows; everything else at its value."""
    scaled = bound * factor
    at = {s: as_expression(values[s.name]) for s in scaled.free_symbols if s != T}
    return sympy.limit(sympy.expand(scaled.xreplace(at).doit()), T, sympy.oo)


def _formulas(choices: Choices, claim: Claim) -> Drawn:
    """One worker too, unless the claim divides by M - 1, as all claims about samples do."""
    sampled = claim.id.startswith(("afl.thm3", "afl.cor2", "afl.rem4"))
    constants = draw_constants(choices, least=2 if sampled else 1)
    values: Drawn = {**constants._asdict(), "least_local_steps": constants.local_steps}
    smoothness, delay = as_expression(constants.smoothness), constants.max_delay
    if claim.id in ("afl.cor1.substituted", "afl.cor2.substituted"):
        theorem = "afl.thm2" if "cor1" in claim.id else "afl.thm3"
        values["theorem_bound"] = evaluate(substituted(theorem), values)
    if claim.id in ("afl.rem2", "afl.rem4"):
        values["floor"] = _at_infinity(substituted("afl.thm2"), values)
        values["leading_constant"] = (
            _at_infinity(substituted("afl.thm3star"), values, sympy.sqrt(PER_ROUND * T))
            if "4" in claim.id
            else 0
        )
    if claim.id.startswith("afl.rem6"):
        theorem = "afl.thm4star" if claim.id.endswith("corrected") else "afl.thm4"
        values["floor"] = _at_infinity(substituted(theorem, STEPS3), values)
    if claim.id == "afl.rem3":
        delay = 0
    values["largest_step"] = (
        1 / (smoothness * (1 + sympy.sqrt(1 + 3 * delay**2))) if delay else 1 / (2 * smoothness)
    )
    if claim.id == "afl.thm2.condition-b":  # the positive root of 2 L g + 3 tau^2 L^2 g^2 = 1
        values["largest_step"] = (
            (sympy.sqrt(1 + 3 * delay**2) - 1) / (3 * delay**2 * smoothness)
            if delay
            else 1 / (2 * smoothness)
        )
    if claim.id.endswith(".assembly"):
        per_round = PER_ROUND_3 if claim.id.startswith("afl.thm3") else PER_ROUND_2
        values["assembled_bound"] = evaluate((GAP / T + per_round) / (STEP / 4), values)
    choices.require(delay > 0 or claim.id != "afl.exp.range", "a delay")
    taken = constants.local_step_size * constants.local_steps
    values["largest_smoothness"] = sympy.sqrt(1 / as_expression(180 * taken**2 * max(delay, 1)))
    return values


def _memory_formulas(choices: Choices, claim: Claim) -> Drawn:
    """Condition (c3), the smallest series beta, and what (7) keeps the mean path above."""
    constants = draw_constants(choices)
    values: Drawn = constants._asdict()
    values["condition_of_the_proof"] = evaluate(4 * CONDITION_C3, values)
    # beta_u = beta_{u+1} + rise, from the last to the first
    beta = sum([evaluate(RISE, values)] * constants.max_staleness, sympy.S.Zero)
    values["doubled_first_beta"] = evaluate(2 * STEP, values) * beta
    noise = as_expression(constants.gradient_noise) / sympy.sqrt(constants.num_clients)
    values["least_squared_path"] = sympy.expand((sympy.sqrt(3) * noise - noise) ** 2)
    return values


CONSTANTS = (
    "num_clients clients_per_round num_rounds local_steps max_delay max_staleness fresh_entries"
    " local_step_size server_step_size smoothness gradient_noise dissimilarity initial_loss_gap"
)

SPACES = (
    given(
        "Any constants, the theorems' bounds at the corollaries' step sizes, and their limits.",
        f"{CONSTANTS} theorem_bound floor leading_constant largest_step assembled_bound"
        " largest_smoothness",
        (
            "afl.cor1.substituted",
            "afl.cor2.substituted",
            "afl.rem2",
            "afl.rem3",
            "afl.rem4",
            "afl.rem6",
            "afl.rem6.corrected",
            "afl.thm2.assembly",
            "afl.thm3.assembly",
            "afl.thm2.condition-b",
            "afl.exp.range",
        ),
        _formulas,
    ),
    given(
        "Any constants of Theorem 4.",
        f"{CONSTANTS} condition_of_the_proof doubled_first_beta least_squared_path",
        ("afl.thm4.four", "afl.thm4.four.corrected", "afl.thm4.betas", "afl.thm4.forces"),
        _memory_formulas,
    ),
)
