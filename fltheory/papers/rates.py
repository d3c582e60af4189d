"""The papers' rates as claims of their own: in each variable the quantity falls at least as fast as its exponent says."""

from fltheory.claims import Claim, Source, UpperBound, letter
from fltheory.enclosure import as_expression
from fltheory.papers.afl.paper import PAPER as AFL
from fltheory.papers.fedlaavg.paper import PAPER as FEDLAAVG
from fltheory.papers.fraboni.paper import PAPER as FRABONI
from fltheory.papers.mifa.paper import PAPER as MIFA
from fltheory.regimes import REGIMES, Regime

PAPERS = {paper.key: paper for paper in (AFL, FEDLAAVG, FRABONI, MIFA)}
EXPONENT, TOLERANCE = letter("measured_exponent"), letter("tolerance", positive=True)
WORDS = {"N": "the number of clients", "M": "the number of clients", "K": "local steps", "T": "rounds", "m": "clients used per round",
         "staleness": "staleness"}


def _claim(regime: Regime, variable: str) -> Claim:
    exponent = regime.claimed[variable]
    return Claim(
        id=f"{regime.claim}.rate.{variable}",
        source=Source(PAPERS[regime.claim.split(".")[0]], f"rate of {regime.claim} in {variable}", as_printed=False),
        says=f"With its step sizes the quantity of {regime.claim} changes with {WORDS[variable]} like a power of at most {exponent}.",
        statement=UpperBound(EXPONENT, as_expression(exponent) + TOLERANCE),
        where={"measured_exponent": f"slope of log({regime.metric.value}) in log({variable}), after the bias check",
               "tolerance": "how far a measured slope may be off"},
        note="Measured on quadratics with unit curvature and unit noise; see `fltheory rates`.",
    )


CLAIMS = tuple(_claim(regime, variable) for regime in REGIMES for variable in regime.claimed)
