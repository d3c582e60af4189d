"""Measured exponents beside the claimed ones."""

from collections.abc import Callable
from fractions import Fraction

from fltheory.checks.check import Check
from fltheory.checks.instances import Instance, check_instances
from fltheory.claims import Claim
from fltheory.evidence import Evidence, Method
from fltheory.rates import TOLERANCE, Rate, measure_rate
from fltheory.regimes import REGIMES, Regime

DECIMALS = 4


def measured(regime: Regime, variable: str) -> Callable[[Claim], Evidence]:
    """The exponent where a run is asymptotic; where it is not yet, the largest local slope, which must not be larger either."""
    def decide(claim: Claim) -> Evidence:
        rates = [measure_rate(regime, variable, base=base) for base in regime.bases_for(variable)]
        return check_instances(claim, map(_instance, rates), method=Method.MOMENTS, covers="; ".join(map(_told, rates)))

    return decide


def _instance(rate: Rate) -> Instance:
    found = rate.slope.exponent if rate.slope.exponent is not None else max(rate.slope.local)
    return Instance({"measured_exponent": Fraction(f"{found:.{DECIMALS}f}"), "tolerance": Fraction(str(TOLERANCE))}, _told(rate))


def _told(rate: Rate) -> str:
    used = "" if rate.base.clients_per_round is None or rate.versus == "m" else f", {rate.base.clients_per_round} used per round, in turn"
    slopes = ", ".join(f"{slope:.3f}" for slope in rate.slope.local)
    return f"{rate.versus} = {', '.join(f'{v:g}' for v in rate.values)}{used}: {rate.slope.says}, local slopes {slopes}"


def steeper(claim: Claim) -> Claim:
    """A rate that is better by 1/2 in the exponent than what is claimed."""
    return claim.planted(right=claim.statement.right - Fraction(1, 2))


CHECKS = tuple(
    Check(f"{regime.claim}.rate.{variable}", measured(regime, variable), plant=steeper, slow=True)
    for regime in REGIMES
    for variable in regime.claimed
)
