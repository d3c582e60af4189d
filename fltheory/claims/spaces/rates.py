"""Instances of claimed rates: the exact leading term of each regime's quantity, for any sizes that
the theorem leaves free.

On unit curvature and unit noise, with step sizes that vanish as rounds grow, the model is pulled by
s = sigma/sqrt T a round and receives noise of variance v = nu/T a round, so that E x_t^2 tends to
exp(-2 s t) + v/(2 s). An update that stays in memory for g rounds acts g times. Then sqrt T times
the quantity tends to 1/(2 sigma) + nu/(2 sigma) where it is averaged over the rounds, to nu/(2
sigma) where it is the least one. A rate in T is the power of T; one in another variable is the
limit of v C'(v)/C(v) for the leading constant C as v grows: rule 4 of `fltheory.analysis.rates`,
rounds first, then the variable, without its float runs (tests compare C with these).
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, partial

import sympy

from fltheory.analysis.regimes import Leading, LeadingVariables, Regime
from fltheory.analysis.trends import TOLERANCE
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space

VALUE = sympy.Symbol("v", positive=True)


def draw_setting(choices: Choices, leading: Leading, variable: str) -> LeadingVariables:
    """Sizes of any kind, with the variable growing. All clients are used, or, if the theorem allows
    it, a share or a number of them in turn.

    If the number of used clients grows, the number of clients stays fixed; the exponent is the same
    at every number up to it.
    """
    steps = (
        VALUE if variable == "K" else sympy.Integer(1 if leading.one_step else choices.whole(1, 8))
    )
    turns = choices.whole(1, 4) if leading.in_turn else 1
    used = VALUE if variable == "m" else sympy.Integer(choices.whole(1, 8))
    clients = (
        VALUE
        if variable in ("N", "M")
        else turns * (sympy.Integer(64) if variable == "m" else used)
    )
    clients = 2 * clients if leading.in_pairs else clients
    if variable in ("N", "M") and not (leading.fixed_arrivals and choices.flag()):
        used = clients / turns
    period = sympy.Integer(choices.whole(1, 6)) if leading.waits else sympy.S.One
    if variable == "staleness" and leading.waits:
        period = leading.period_of(VALUE)
    return LeadingVariables(clients, steps, period, used)


@cache
def exponent_of(constant: sympy.Expr) -> sympy.Expr:
    """The limit of v C'(v)/C(v) as v grows."""
    return sympy.limit(
        sympy.simplify(VALUE * sympy.diff(constant, VALUE) / constant), VALUE, sympy.oo
    )


def _rate(choices: Choices, claim: Claim, *, known: Mapping[str, Leading]) -> Instance:
    theorem, _, variable = claim.id.partition(".rate.")
    leading = known[theorem]
    at = draw_setting(choices, leading, variable)
    constant = leading.constant(at)
    exponent = -leading.power if variable == "T" else exponent_of(constant)
    told = {
        name: part.subs(VALUE, sympy.Symbol(variable))
        for name, part in {**vars(at), "constant": constant}.items()
    }
    says = (
        "{clients} clients, {used} used per round, {steps} local steps, available once in {period}"
        " rounds; T^{power} times the quantity tends to {constant}"
    ).format(power=leading.power, **told)
    return Instance(
        {"measured_exponent": exponent, "tolerance": Fraction(str(TOLERANCE))}, f"{theorem}: {says}"
    )


def rate_spaces(regimes: Iterable[Regime]) -> tuple[Space, ...]:
    """The space of the leading terms of a paper's regimes."""
    listed = [regime for regime in regimes if regime.leading is not None]
    known = {regime.claim: regime.leading for regime in listed if regime.leading is not None}
    says = (
        "Exact leading constants of a regime's quantity on unit curvature and noise, as rounds and"
        " then the variable grow."
    )
    return (
        Space(
            "rates",
            says,
            frozenset(("measured_exponent", "tolerance")),
            partial(_rate, known=known),
            tuple(
                f"{regime.claim}.rate.{variable}" for regime in listed for variable in regime.own
            ),
        ),
    )
