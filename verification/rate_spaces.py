"""Where a claimed rate may fail: the exact leading term of each regime's quantity, for any sizes that the theorem leaves free.

On unit curvature and unit noise, with step sizes that vanish as rounds grow, the model is pulled by s = sigma/sqrt T a round and receives
noise of variance v = nu/T a round, so that E x_t^2 tends to exp(-2 s t) + v/(2 s). An update that stays in memory for g rounds acts g
times. Then sqrt T times the quantity tends to 1/(2 sigma) + nu/(2 sigma) where it is averaged over the rounds, to nu/(2 sigma) where it is
the least one. A rate in T is the power of T; one in another variable is the limit of v C'(v)/C(v) for the leading constant C as v grows:
rule 4 of `fltheory.rates`, rounds first, then the variable, without its float runs (tests compare C with these).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import sympy

from fltheory.attack.source import Source
from fltheory.attack.space import Space
from fltheory.checks.instances import Instance
from fltheory.claims import Claim
from fltheory.rates import TOLERANCE
from fltheory.regimes import REGIMES

VALUE = sympy.Symbol("v", positive=True)
HALF = sympy.Rational(1, 2)


@dataclass(frozen=True)
class Setting:
    """What the leading constant depends on: numbers, or formulas in VALUE; everybody is available once in `period` rounds."""

    clients: sympy.Expr = sympy.S.One
    steps: sympy.Expr = sympy.S.One
    period: sympy.Expr = sympy.S.One
    used: sympy.Expr = sympy.S.One


def _constant_steps(pull: sympy.Expr, noise: sympy.Expr) -> sympy.Expr:
    return (1 + noise) / (2 * pull)


def _strongly_convex(at: Setting) -> sympy.Expr:
    """MIFA Theorem 5.1, T times the gap: 24/35 (2 taubar + 1)/(N K), with 2 taubar + 1 = period."""
    return sympy.Rational(24, 35) * at.period / (at.clients * at.steps)


def _nonconvex(at: Setting) -> sympy.Expr:
    """MIFA Theorem 6.1, eta = sqrt(N/(K T (1 + nubar))): sigma = K eta sqrt T and nu = eta^2 T K (1 + nubar)/N = 1."""
    return 1 / (2 * sympy.sqrt(at.clients * at.steps / at.period))


def _latest_averaging(at: Setting) -> sympy.Expr:
    """FedLaAvg Corollary 1 and Theorem 4, gamma C = beta^(1/2) N^(1/4)/(2 (E T)^(1/2)).

    Each gradient acts for E N/m rounds, so nu = sigma^2 E/(m C).
    """
    pull = sympy.sqrt(at.used / at.clients) * at.clients ** sympy.Rational(1, 4) / (2 * sympy.sqrt(at.period))
    return _constant_steps(pull, pull**2 * at.period / (at.used * at.steps))


def _everybody(at: Setting) -> sympy.Expr:
    """FedLaAvg Theorem 3 with full participation, gamma = N^(1/2)/(2 T^(1/2)): nu = sigma^2/N."""
    pull = sympy.sqrt(at.clients) / 2
    return _constant_steps(pull, pull**2 / at.clients)


def _anarchic_device(at: Setting) -> sympy.Expr:
    """AFL Corollaries 1 and 2, eta eta_L = sqrt(m/T), each update the mean of m K gradients: nu = sigma^2/(m K), whatever the delay."""
    pull = sympy.sqrt(at.used)
    return _constant_steps(pull, pull**2 / (at.used * at.steps))


def _anarchic_silo(at: Setting) -> sympy.Expr:
    """AFL Corollary 3, eta eta_L = sqrt(M/T); of m workers in turn each update acts for M/m rounds with weight 1/M: nu = sigma^2/(m K)."""
    pull = sympy.sqrt(at.clients)
    return _constant_steps(pull, pull**2 / (at.used * at.steps))


def _synchronous(at: Setting) -> sympy.Expr:
    """Fraboni et al., eq. (11), eta_l = 1/sqrt(K T), half of the mean square: sigma = sqrt K, nu = 1/N."""
    return _weighted(at, 1 / at.clients)


def _asynchronous(at: Setting) -> sympy.Expr:
    """Eq. (13), every second of N clients twice as slow, one arrival per round: d = 3/4 twice for each 3/2, so E d^2 = 9/8."""
    return _weighted(at, sympy.Rational(9, 8))


def _fixed_window(at: Setting) -> sympy.Expr:
    """Eq. (15), window 1: N/2 arrivals with d = 1/N in every round, N/2 with d = 2/N in every second one: sum of d^2 = 3/(2 N)."""
    return _weighted(at, sympy.Rational(3, 2) / at.clients)


def _weighted(at: Setting, squares: sympy.Expr) -> sympy.Expr:
    """Half of the mean square for sigma = sqrt K and nu = the mean sum of squared weights of a round."""
    return _constant_steps(sympy.sqrt(at.steps), squares) / 2


LEADING: dict[str, tuple[sympy.Rational, Callable[[Setting], sympy.Expr]]] = {
    "mifa.thm5.1": (sympy.S.One, _strongly_convex), "mifa.thm6.1": (HALF, _nonconvex), "fedlaavg.cor1": (HALF, _latest_averaging),
    "fedlaavg.thm4": (HALF, _latest_averaging), "fedlaavg.thm3.fullpart": (HALF, _everybody), "afl.cor1": (HALF, _anarchic_device),
    "afl.cor2": (HALF, _anarchic_device), "afl.cor3": (HALF, _anarchic_silo), "fraboni.eq11": (HALF, _synchronous),
    "fraboni.eq13": (HALF, _asynchronous), "fraboni.eq15": (HALF, _fixed_window)}
"""The power of T with which each quantity falls, and T to that power times the quantity in the limit."""


IN_TURN = ("fedlaavg.cor1", "fedlaavg.thm4", "afl.cor1", "afl.cor2", "afl.cor3")
"""Theorems that speak of clients used per round."""


def draw_setting(source: Source, theorem: str, variable: str) -> Setting:
    """Any sizes, the variable growing; everybody is used, or where the theorem speaks of it a share or a number of clients in turn.

    The number used grows while the number of clients stays what it is; the exponent in it is the same at every number up to that.
    """
    one_step = theorem in ("fedlaavg.cor1", "fedlaavg.thm3.fullpart")
    steps = VALUE if variable == "K" else sympy.Integer(1 if one_step else source.whole(1, 8))
    turns = source.whole(1, 4) if theorem in IN_TURN else 1
    used = VALUE if variable == "m" else sympy.Integer(source.whole(1, 8))
    clients = VALUE if variable in ("N", "M") else turns * (sympy.Integer(64) if variable == "m" else used)
    clients = 2 * clients if theorem in ("fraboni.eq13", "fraboni.eq15") else clients  # as many slow ones as fast ones
    if variable in ("N", "M") and not (theorem == "afl.cor3" and source.flag()):  # else so many arrive, however many there are
        used = clients / turns
    waits = theorem.startswith(("mifa", "fedlaavg")) and theorem != "fedlaavg.thm3.fullpart"
    period = sympy.Integer(source.whole(1, 6)) if waits else sympy.S.One
    if variable == "staleness" and waits:
        period = 2 * VALUE - 1 if theorem == "mifa.thm5.1" else VALUE
    return Setting(clients, steps, period, used)


@cache
def exponent_of(constant: sympy.Expr) -> sympy.Expr:
    """The limit of v C'(v)/C(v) as v grows."""
    return sympy.limit(sympy.simplify(VALUE * sympy.diff(constant, VALUE) / constant), VALUE, sympy.oo)


def _rate(source: Source, claim: Claim) -> Instance:
    theorem, _, variable = claim.id.partition(".rate.")
    power, leading = LEADING[theorem]
    at = draw_setting(source, theorem, variable)
    constant = leading(at)
    exponent = -power if variable == "T" else exponent_of(constant)
    told = {name: part.subs(VALUE, sympy.Symbol(variable)) for name, part in {**vars(at), "constant": constant}.items()}
    says = ("{clients} clients, {used} used per round, {steps} local steps, available once in {period} rounds; "
            "T^{power} times the quantity tends to {constant}").format(power=power, **told)
    return Instance({"measured_exponent": exponent, "tolerance": Fraction(str(TOLERANCE))}, f"{theorem}: {says}")


SPACES = (
    Space("rates", "Exact leading constants of a regime's quantity on unit curvature and noise, as rounds and then the variable grow.",
          frozenset(("measured_exponent", "tolerance")), _rate, tuple(f"{r.claim}.rate.{v}" for r in REGIMES for v in r.claimed)),
)
