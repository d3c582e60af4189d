"""How each paper's quantity changes with local steps and staleness: measured exponents beside
claimed ones."""

from typing import Any

from figures.compute.rates import SHOWN, panels

PANELS: dict[str, tuple[str, ...]] = {"local steps": ("K",), "staleness": ("staleness",)}


def numbers() -> dict[str, Any]:
    """Versus local steps and staleness; FedLaAvg's Theorem 4 is the one with local steps."""
    return {
        "title": "Measured rates in local steps and staleness",
        "caption": (
            "As above. Staleness is what each theorem calls so: 1 + mean staleness for MIFA's"
            " Theorem 5.1, 1 + the largest one for its Theorem 6.1, the availability window for"
            " FedLaAvg, the delay of all updates for AFA-CD."
        ),
        "panels": panels(PANELS, SHOWN | {"fedlaavg.thm4"}),
    }
