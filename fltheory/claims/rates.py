"""A paper's rates as claims: in each variable the quantity falls at least as fast as the claimed
exponent says."""

from collections.abc import Iterable

import sympy

from fltheory.analysis.regimes import Regime
from fltheory.claims.claim import Authorship, Claim, Paper, Source, UpperBound, letter
from fltheory.core.enclosure import as_expression

EXPONENT, TOLERANCE = letter("measured_exponent"), letter("tolerance", positive=True)
VARIABLES = {
    "N": "the number of clients",
    "M": "the number of clients",
    "K": "local steps",
    "T": "rounds",
    "m": "clients used per round",
    "staleness": "staleness",
}


def rate_claims(paper: Paper, regimes: Iterable[Regime]) -> tuple[Claim, ...]:
    """One claim for each variable of each regime."""
    return tuple(_claim(paper, regime, variable) for regime in regimes for variable in regime.own)


def _claim(paper: Paper, regime: Regime, variable: str) -> Claim:
    exponent = regime.claimed[variable]
    return Claim(
        id=f"{regime.claim}.rate.{variable}",
        source=Source(paper, f"rate of {regime.claim} in {variable}", kind=Authorship.OURS),
        says=(
            "On quadratics with unit curvature and unit noise, with its step sizes, the quantity of"
            f" {regime.claim} changes with {VARIABLES[variable]} like a power of at most"
            f" {exponent}."
        ),
        statement=UpperBound(EXPONENT, as_expression(exponent) + TOLERANCE),
        where={
            "measured_exponent": (
                f"slope of log({regime.metric.value}) in log({variable}), after the bias check"
            ),
            "tolerance": "how far a measured slope may be off",
        },
        note=(
            "A measurement on one family of runs, no statement about other losses; see"
            " `fltheory rates`."
        ),
    )


def constant_steps(pull: sympy.Expr, noise: sympy.Expr) -> sympy.Expr:
    """The limit of sqrt T times the mean of E x_t^2, for a pull of `pull`/sqrt T and noise of
    variance `noise`/T per round."""
    return (1 + noise) / (2 * pull)
