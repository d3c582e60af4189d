"""How fast each paper's quantity falls with clients, local steps, rounds and staleness: measured exponents beside claimed ones."""

from typing import Any

from fltheory.rates import measure_rate
from fltheory.regimes import REGIMES, Regime

PANELS = {"clients": ("N", "M", "m"), "local steps": ("K",), "rounds": ("T",), "staleness": ("staleness",)}


def series(regime: Regime, versus: str, arrivals: int | None) -> dict[str, Any]:
    """The points of one regime in one variable, with their exponent; None where it is not yet asymptotic."""
    rate = measure_rate(regime, versus, arrivals=arrivals)
    return {"claim": rate.claim, "algorithm": regime.algorithm, "quantity": regime.metric.value, "versus": versus,
            "clients_per_round": arrivals, "claimed": str(rate.claimed), "measured": rate.exponent, "verdict": rate.says,
            "values": list(rate.values), "quantities": list(rate.quantities), "rounds": list(rate.rounds),
            "local_slopes": list(rate.trend.slopes)}


def numbers() -> dict[str, Any]:
    """Every regime in every variable that its claim speaks of."""
    panels = {panel: [series(regime, versus, arrivals) for regime in REGIMES for versus in regime.claimed if versus in variables
                      for arrivals in regime.arrivals_for(versus)] for panel, variables in PANELS.items()}
    return {
        "title": "Measured rates beside the claimed ones",
        "caption": "Exact expectations on quadratics with unit curvature and unit noise, each paper's own step sizes, no sampling. Points "
                   "are those of the longest runs; dashed lines have the claimed slope. Each series is scaled to keep apart from the "
                   "others: only slopes count. N, M: all clients; m: those used per round; T0: the least number of "
                   "rounds that the theorem asks for. Sizes were doubled by one rule for all until the local slopes settled; the "
                   "exponent is extrapolated from them, and given only where they did.",
        "panels": panels,
    }
