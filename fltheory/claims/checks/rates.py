"""Measured exponents against claimed ones, by the rule in `fltheory.analysis.rates`."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache

from fltheory.analysis.rates import Rate, measure_rate
from fltheory.analysis.regimes import Regime
from fltheory.analysis.trends import TOLERANCE
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict

DECIMALS = 4


def measured(regime: Regime, variable: str) -> Callable[[Claim], Evidence]:
    """A check that judges each pattern of arrivals at each of its candidate exponents; a rate that
    is not asymptotic, or candidates that disagree, decide nothing."""

    @cache
    def rates() -> tuple[Rate, ...]:
        """The measured rates, one for each pattern of arrivals; computed once per process."""
        return tuple(
            measure_rate(regime, variable, arrivals=arrivals)
            for arrivals in regime.arrivals_for(variable)
        )

    def decide(claim: Claim) -> Evidence:
        found = rates()
        covers = "; ".join(map(told, found))
        verdicts = [judge(claim, rate, covers) for rate in found]
        for verdict in (Verdict.REFUTED, Verdict.UNDECIDED):
            for evidence in verdicts:
                if evidence.verdict is verdict:
                    return evidence
        return max(verdicts, key=lambda evidence: Fraction(evidence.left))

    return decide


def judge(claim: Claim, rate: Rate, covers: str) -> Evidence:
    """The claim's two sides at every candidate of a rate: REFUTED if all contradict the claim,
    SUPPORTED if none does."""
    if not rate.asymptotic:
        return Evidence(
            claim.id,
            Method.MOMENTS,
            Verdict.UNDECIDED,
            covers,
            note=f"{rate.says} within the budget: {told(rate)}",
        )
    found = [
        check_instances(claim, [_instance(candidate, rate)], method=Method.MOMENTS, covers=covers)
        for candidate in rate.candidates
    ]
    if len({evidence.verdict for evidence in found}) > 1:
        return Evidence(
            claim.id,
            Method.MOMENTS,
            Verdict.UNDECIDED,
            covers,
            note=f"the candidates disagree: {told(rate)}",
        )
    return max(found, key=lambda evidence: Fraction(evidence.left))


def _instance(candidate: float, rate: Rate) -> Instance:
    return Instance(
        {
            "measured_exponent": Fraction(f"{candidate:.{DECIMALS}f}"),
            "tolerance": Fraction(str(TOLERANCE)),
        },
        told(rate),
    )


def told(rate: Rate) -> str:
    """One line on a rate: what was run and what was measured."""
    used = "" if rate.arrivals is None else f", {rate.arrivals} used per round, in turn"
    runs = "" if rate.versus == "T" else f" in runs of up to {rate.rounds[-1]} rounds"
    slopes = ", ".join(f"{slope:.3f}" for slope in rate.trend.slopes)
    return (
        f"{rate.versus} = {', '.join(f'{v:g}' for v in rate.values)}{used}{runs}: {rate.says},"
        f" local slopes {slopes}, extrapolated {rate.trend.limit:.4f}"
    )


def steeper(claim: Claim) -> Claim:
    """The claim with an exponent that is better by 1/2."""
    return claim.planted(right=claim.statement.right - Fraction(1, 2))


def rate_checks(regimes: Iterable[Regime]) -> tuple[Check, ...]:
    """One check for each variable of each regime."""
    return tuple(
        Check(
            f"{regime.claim}.rate.{variable}", measured(regime, variable), plant=steeper, slow=True
        )
        for regime in regimes
        for variable in regime.own
    )
