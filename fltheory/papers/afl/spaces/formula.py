"""Where AFL's formulas and orders may fail: any constants, and paths along which workers, rounds,
local steps or delays grow."""

from fractions import Fraction
from typing import Any

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.space import Space
from fltheory.papers import find_claim
from fltheory.papers.afl.checks.error_ball import substituted
from fltheory.papers.afl.paper import (
    AGE,
    APART,
    DELAY,
    GAP,
    LOCAL,
    NOISE,
    PER_ROUND,
    SERVER,
    SPREAD,
    STEP,
    K,
    L,
    M,
    T,
)
from fltheory.papers.afl.spaces.setting import Values, given
from fltheory.papers.afl.statements.memory import STALE, condition_4
from fltheory.papers.afl.statements.speedup import STEPS3
from fltheory.papers.afl.statements.uniform_arrivals import MOVE

LOCAL_DRIFT = 5 * K * L**2 * LOCAL**2 * (NOISE**2 + 6 * K * APART**2)
LAG = STEP**2 * DELAY**2 * NOISE**2 / PER_ROUND
MOVED = 30 * K**2 * L**2 * LOCAL**2
STALE_PART = sympy.Rational(9, 2) * STALE * (1 + L * STEP)


def _per_round(claim: Claim) -> sympy.Expr:
    """What one round adds in the proofs of Theorems 2 and 3."""
    if claim.id.startswith("afl.thm3"):
        noise = L * STEP**2 * NOISE**2 / PER_ROUND
        return (
            STEP * (L**2 * LAG + LOCAL_DRIFT)
            + noise
            + STEP * MOVE * SPREAD * (3 * LOCAL_DRIFT + 3 * APART**2)
        )
    return L * STEP**2 * NOISE**2 / PER_ROUND + STEP / 2 * (
        3 * L**2 * LAG + 3 * APART**2 + 3 * LOCAL_DRIFT
    )


def draw_constants(choices: Choices, *, least: int = 1) -> Values:
    """All constants of the theorems; T and m are squares, so that the corollaries' step sizes are
    rational; m <= M, `least` workers."""
    side, root, size = choices.whole(1, 3), choices.whole(1, 30), choices.whole(1, 3)
    clients = max(side**2, least) + choices.whole(0, 4) if choices.flag() else max(size, least) ** 2
    per_round = side**2 if side**2 <= clients else 1
    fresh = choices.whole(0, clients)
    return {
        "num_clients": clients,
        "clients_per_round": per_round,
        "num_rounds": root**2,
        "local_steps": choices.whole(1, 5),
        "max_delay": choices.whole(0, 4),
        "max_staleness": choices.whole(0, 4),
        "fresh_entries": fresh,
        "local_step_size": choices.number("1/4", 2) * choices.power(),
        "server_step_size": choices.number("1/4", 2) * choices.power(),
        "smoothness": choices.number("1/4", 2) * choices.power(),
        "gradient_noise": choices.number(0, 2) * choices.power(),
        "dissimilarity": choices.number(0, 2) * choices.power(),
        "initial_loss_gap": choices.number(0, 2) * choices.power(),
    }


def _at_infinity(bound: sympy.Expr, values: Values, factor: sympy.Expr = sympy.S.One) -> sympy.Expr:
    """The limit of a bound, times a factor, as T grows; everything else at its value."""
    given_values = {
        s: sympy.Rational(str(values[s.name]))
        for s in bound.free_symbols | factor.free_symbols
        if s != T
    }
    return sympy.limit(sympy.expand((bound * factor).xreplace(given_values).doit()), T, sympy.oo)


def _formulas(choices: Choices, claim: Claim) -> Values:
    """One worker too, unless the claim divides by M - 1, as all that is about samples does."""
    values = draw_constants(
        choices, least=2 if claim.id.startswith(("afl.thm3", "afl.cor2", "afl.rem4")) else 1
    )
    smoothness, delay = sympy.Rational(str(values["smoothness"])), values["max_delay"]
    if claim.id in ("afl.cor1.substituted", "afl.cor2.substituted"):
        values["theorem_bound"] = evaluate(
            substituted("afl.thm2" if "cor1" in claim.id else "afl.thm3"), values
        )
    if claim.id in ("afl.rem2", "afl.rem4"):
        values["floor"] = _at_infinity(substituted("afl.thm2"), values)
        values["leading_constant"] = (
            _at_infinity(substituted("afl.thm3"), values, sympy.sqrt(PER_ROUND * T))
            if "4" in claim.id
            else 0
        )
    if claim.id.startswith("afl.rem6"):
        theorem = find_claim("afl.thm4c" if claim.id.endswith("corrected") else "afl.thm4")
        values["floor"] = _at_infinity(theorem.statement.right.subs(STEPS3), values)
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
        values["assembled_bound"] = evaluate((GAP / T + _per_round(claim)) / (STEP / 4), values)
    choices.require(delay > 0 or claim.id != "afl.exp.range", "a delay")
    squared = 180 * (values["local_step_size"] * values["local_steps"]) ** 2 * max(delay, 1)
    values["largest_smoothness"] = sympy.sqrt(1 / sympy.Rational(str(squared)))
    values["local_condition"] = (
        180
        * Fraction(values["local_steps"] ** 2 * delay, values["num_rounds"])
        * values["smoothness"] ** 2
    )
    return values


def _memory_formulas(choices: Choices, claim: Claim) -> Values:
    values = draw_constants(choices)
    taken = (
        (STALE_PART + sympy.Rational(3, 2) + 3 * L * STEP) * MOVED
        + 3 * L * STEP
        + STALE_PART * AGE * MOVED
    )
    values["condition_of_the_proof"] = evaluate(4 * taken, values)
    rise = evaluate(STEP * STALE_PART * 3 * AGE * L**2, values)
    beta = sum(
        (rise for _ in range(values["max_staleness"])), sympy.S.Zero
    )  # beta_u = beta_{u+1} + rise, from the last to the first
    values["doubled_first_beta"] = evaluate(2 * STEP, values) * beta
    noise = sympy.Rational(str(values["gradient_noise"])) / sympy.sqrt(values["num_clients"])
    values["least_squared_path"] = sympy.expand((sympy.sqrt(3) * noise - noise) ** 2)
    return values


def _taking_turns(choices: Choices, claim: Claim) -> Instance:
    """M workers take turns on x^2/2, one per round, K = 1: afl.cor3.floor bounds the error from
    below, for every M and 1/g whole above M.

    Here M = s^a and g = 1/s^k with k > a; T = s^b, and with Corollary 3's step sizes g = sqrt(M/T),
    so that b = a + 2k.
    """
    clients, speed = choices.whole(0, 3), choices.whole(1, 3)
    workers, step = SCALE**clients, SCALE ** -(clients + speed)
    rounds = SCALE ** (clients + 2 * (clients + speed))
    floor = find_claim("afl.cor3.floor").statement.right
    error = floor.xreplace(
        {M: workers, T: rounds, LOCAL: step, SERVER: sympy.S.One, NOISE: sympy.S.One}
    )
    rate = (1 - step * workers) ** 3 / 3
    values = {
        "num_clients": workers,
        "num_rounds": rounds,
        "local_steps": sympy.S.One,
        "mean_squared_gradient": sympy.expand(error),
        "noise_floor_per_step": rate,
        "clients_per_round": sympy.S.One,
    }
    return Instance(values, f"M = s^{clients} workers take turns, T = s^{3 * clients + 2 * speed}")


def _condition_sizes(choices: Choices, claim: Claim) -> Instance:
    """The left side of eq. (4) while K, tau and the step sizes grow or shrink; L = 1, all entries
    fresh or one stale."""
    steps, age = choices.choice((0, 1, 2)), choices.choice((None, 0, 1))
    local, server = choices.choice((0, -1, -2, 1)), choices.choice((0, -1, -2, -3, 1))
    clients, fresh = sympy.Integer(2), sympy.Integer(choices.choice((2, 1)))
    values: dict[str, Any] = {
        "local_steps": SCALE**steps,
        "max_staleness": sympy.S.Zero if age is None else SCALE**age,
        "local_step_size": SCALE**local / 100,
        "server_step_size": SCALE**server,
        "smoothness": sympy.S.One,
        "num_clients": clients,
        "fresh_entries": fresh,
    }
    four = condition_4(320)
    values["condition_four"] = sympy.expand(
        four.xreplace({s: values[s.name] for s in four.free_symbols})
    )
    return Instance(
        values,
        f"K = s^{steps}, tau = {'0' if age is None else f's^{age}'}, eta_L = s^{local}/100, eta ="
        f" s^{server}",
    )


def _descent(choices: Choices, claim: Claim) -> Instance:
    """m workers, all of them in every round, on x^2/2 with noise, eta_L = 1/sqrt(T), eta = sqrt(m),
    T = m s^2: so g = 1/s; K = 1, no delay.

    E x_t^2 = a^t x0^2 + (g^2 sigma^2/m) (1 - a^t)/(1 - a) with a = (1 - g)^2; here its mean over t
    < T.
    """
    per_round = sympy.Integer(choices.whole(1, 4))
    noise = sympy.Integer(choices.whole(0, 2))
    start = sympy.Integer(choices.whole(0, 2))
    rounds, step = per_round * SCALE**2, 1 / SCALE
    keep = (1 - step) ** 2
    mixed = step**2 * noise**2 / per_round / (1 - keep)
    error = mixed + (start**2 - mixed) * (1 - keep**rounds) / ((1 - keep) * rounds)
    values = {
        "clients_per_round": per_round,
        "num_clients": per_round,
        "num_rounds": rounds,
        "local_steps": sympy.S.One,
        "max_delay": sympy.S.Zero,
        "dissimilarity": sympy.S.Zero,
        "mean_squared_gradient": error,
        "gradient_noise": noise,
    }
    return Instance(values, f"m = M = {per_round}, noise {noise}, start {start}, T = m s^2")


CONSTANTS = (
    "num_clients clients_per_round num_rounds local_steps max_delay max_staleness fresh_entries"
    " local_step_size server_step_size smoothness gradient_noise dissimilarity initial_loss_gap"
)

SPACES = (
    given(
        "Any constants, the theorems' bounds at the corollaries' step sizes, and their limits.",
        f"{CONSTANTS} theorem_bound floor leading_constant largest_step assembled_bound"
        " largest_smoothness local_condition",
        (
            "afl.cor1.substituted",
            "afl.cor2.substituted",
            "afl.rem2",
            "afl.rem3",
            "afl.rem3.local-steps",
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
    Space(
        "afl turns",
        "Workers that take turns; their number, the rounds and the step sizes grow or shrink"
        " together.",
        frozenset(
            (
                "num_clients",
                "num_rounds",
                "local_steps",
                "mean_squared_gradient",
                "noise_floor_per_step",
                "clients_per_round",
            )
        ),
        _taking_turns,
        ("afl.cor3", "afl.rem7"),
    ),
    Space(
        "afl condition 4",
        "Paths along which K, tau and the step sizes grow or shrink.",
        frozenset(
            (
                "local_steps",
                "max_staleness",
                "local_step_size",
                "server_step_size",
                "smoothness",
                "num_clients",
                "fresh_entries",
                "condition_four",
            )
        ),
        _condition_sizes,
        ("afl.rem5.sizes", "afl.rem5.sizes.corrected"),
    ),
    Space(
        "afl noisy descent",
        "All workers in every round on x^2/2 with noise, T grows.",
        frozenset(
            (
                "clients_per_round",
                "num_clients",
                "num_rounds",
                "local_steps",
                "max_delay",
                "dissimilarity",
                "mean_squared_gradient",
                "gradient_noise",
            )
        ),
        _descent,
        ("afl.cor1", "afl.cor2"),
    ),
)
