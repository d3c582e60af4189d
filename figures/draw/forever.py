"""Certified rates against the step size, with the steps that break and the papers' steps."""

from fractions import Fraction
from math import log
from typing import Any

from matplotlib.figure import Figure

from figures.style import BLUE, GREEN, INK, PURPLE, SOFT, VERMILLION, panels, readable

COLOURS = (INK, BLUE, GREEN, VERMILLION)
LINES = ("-", (0, (6, 2)), (0, (4, 1, 1, 1)), (0, (2, 1)))


def draw(data: dict[str, Any]) -> Figure:
    """Rounds for a tenfold smaller distance, on logarithmic axes: lower is faster."""
    figure, axes = panels(height=5.2)
    shown = []
    for (staleness, curve), colour, line in zip(
        data["curves"].items(), COLOURS, LINES, strict=True
    ):
        rounds = [2 * log(10) / -log(rate) for rate in curve["rates"]]
        shown += rounds
        axes.plot(curve["steps"], rounds, color=colour, linestyle=line)
        edge = float(Fraction(curve["breaks_at"]))
        axes.axvline(edge, color=colour, linewidth=1.2, linestyle=(0, (1.5, 2)))
        axes.text(
            edge, 1.01, f"τ = {staleness}\n{Fraction(curve['breaks_at'])}",
            color=readable(colour), ha="center", va="bottom",
            transform=axes.get_xaxis_transform(), fontsize=10.5,
        )  # fmt: skip
    for name, step in data["papers"].items():
        axes.axvline(step, color=PURPLE, linewidth=1.6, ymax=0.36)
        axes.text(
            step * 0.96, 0.015, name, color=readable(PURPLE), ha="right",
            va="bottom", rotation=90, transform=axes.get_xaxis_transform(), fontsize=10.5,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set(
        xlabel="step size times L",
        ylabel="rounds until the distance is a tenth",
        ylim=(min(shown) / 2.5, max(shown) * 1.3),
    )
    axes.tick_params(labelcolor=SOFT)
    return figure
