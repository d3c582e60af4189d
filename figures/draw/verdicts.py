"""Verdicts per paper, as printed and as corrected."""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from figures.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    OCHRE,
    SKY,
    SOFT,
    VERMILLION,
    panels,
    paper_looks,
)

LOOKS = {
    "PROVED": (BLUE, "", "white"),
    "CERTIFIED": (SKY, "--", INK),
    "SUPPORTED": (GREEN, "", "white"),
    "REFUTED": (VERMILLION, "////", "white"),
    "VACUOUS": (OCHRE, "xxxx", "white"),
    "UNDECIDED": (FAINT, "", INK),
}
"""Colour, hatch and colour of the number of each verdict."""
SMALLEST_LABELLED = 8


def draw(data: dict[str, Any]) -> Figure:
    """One pair of stacked bars per paper; the counts stand in the bars."""
    figure, axes = panels(height=4.8)
    places, labels = [], []
    for k, (paper, kinds) in enumerate(data["papers"].items()):
        for j, (kind, counts) in enumerate(kinds.items()):
            place = -(2.5 * k + j)
            places.append(place)
            labels.append(f"{paper_looks()[paper].name}, {kind}" if j == 0 else kind)
            _bar(axes, place, counts)
    shown = [name for name in LOOKS if data["total"][name]]
    handles = [
        Patch(
            facecolor=LOOKS[name][0],
            hatch=LOOKS[name][1],
            edgecolor="white",
            label=f"{name.lower()} ({data['total'][name]})",
        )
        for name in shown
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=min(len(shown), 3 if len(shown) > 5 else 5),
        handlelength=1.4,
        columnspacing=1.6,
    )
    axes.set_yticks(places, labels)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set(xlabel="claims")
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    return figure


def _bar(axes: Any, place: float, counts: dict[str, int]) -> None:
    left = 0
    for name, (colour, hatch, ink) in LOOKS.items():
        count = counts[name]
        if count:
            axes.barh(
                place,
                count,
                left=left,
                height=0.86,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                linewidth=0.8,
            )
        if count >= SMALLEST_LABELLED:
            box = (
                {"boxstyle": "round,pad=0.15", "facecolor": colour, "edgecolor": "none"}
                if hatch
                else None
            )
            axes.text(
                left + count / 2,
                place,
                str(count),
                ha="center",
                va="center",
                color=ink,
                fontsize=11,
                fontweight="bold",
                bbox=box,
            )
        left += count
    axes.text(left + 1.5, place, str(left), va="center", color=SOFT, fontsize=11)
