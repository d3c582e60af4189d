"""How fast each paper's quantity falls with clients and rounds: measured exponents beside claimed
ones."""

from typing import Any

from fltheory.analysis.rates import measure_rate
from fltheory.analysis.regimes import Regime
from fltheory.papers import regimes

PANELS = {"clients": ("N", "M", "m"), "rounds": ("T",)}

SHOWN = {
    "mifa.thm5.1",
    "mifa.thm6.1",
    "fedlaavg.cor1",
    "afl.cor2",
    "afl.cor3",
    "fraboni.eq11",
    "fraboni.eq13",
    "fraboni.eq15",
}
"""One or two regimes for each algorithm; the ledger has all."""


def series(regime: Regime, versus: str, arrivals: int | None) -> dict[str, Any]:
    """The points of one regime in one variable, with their exponent; None where it is not yet
    asymptotic."""
    rate = measure_rate(regime, versus, arrivals=arrivals)
    return {
        "claim": rate.claim,
        "algorithm": regime.algorithm,
        "quantity": regime.metric.value,
        "versus": versus,
        "clients_per_round": arrivals,
        "claimed": str(rate.claimed),
        "measured": rate.exponent,
        "verdict": rate.says,
        "values": list(rate.values),
        "quantities": list(rate.quantities),
        "rounds": list(rate.rounds),
        "local_slopes": list(rate.trend.slopes),
    }


def panels(variables: dict[str, tuple[str, ...]], shown: set[str]) -> dict[str, Any]:
    """The series of each panel: every regime that is shown, in every variable that its claim speaks
    of."""
    return {
        panel: [
            series(regime, versus, arrivals)
            for regime in regimes()
            if regime.claim in shown
            for versus in regime.claimed
            if versus in chosen
            for arrivals in regime.arrivals_for(versus)
        ]
        for panel, chosen in variables.items()
    }


def numbers() -> dict[str, Any]:
    """Versus clients and rounds."""
    return {
        "title": "Measured rates beside the claimed ones",
        "caption": (
            "Exact expectations on quadratics with unit curvature and unit noise, each paper's own"
            " step sizes, no sampling. Points are those of the longest runs; dashed lines have the"
            " claimed slope. Each series is scaled to keep apart from the others: only slopes"
            " count. N, M: all clients; m: those used per round; T0: the least number of rounds"
            " that the theorem asks for. Sizes were doubled by one rule for all until the local"
            " slopes settled; the exponent is extrapolated from them, and given only where they"
            " did. For AFA-CS with one arrival per round it is at least 1/2, by proof"
            " (afl.cor3.rate.M)."
        ),
        "panels": panels(PANELS, SHOWN),
    }
