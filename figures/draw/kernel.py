"""Printed and proved sizes of the terms of bounds, one line per term."""

from typing import Any

from matplotlib.figure import Figure

from figures.style import BLUE, FAINT, INK, SOFT, VERMILLION, panels, readable


def draw(data: dict[str, Any]) -> Figure:
    """Pairs of marks on a logarithmic axis, from printed to proved."""
    figure, axes = panels(height=4.8)
    places: list[float] = []
    names: list[str] = []
    place = 0.0
    for theorem, found in data["theorems"].items():
        for said, (printed, proved) in found["terms"].items():
            axes.plot([printed, proved], [place, place], color=FAINT, linewidth=3, zorder=1)
            axes.plot(printed, place, "s", color=VERMILLION, markersize=9)
            axes.plot(proved, place, "o", color=BLUE, markersize=9)
            factor = printed / proved
            told = "the same" if abs(factor - 1) < 0.005 else f"{factor:.3g}×"
            axes.annotate(
                told,
                (max(printed, proved), place),
                xytext=(11, 0),
                textcoords="offset points",
                va="center",
                color=SOFT,
                fontsize=10.5,
            )
            if not places:
                for x, name, colour, side in (
                    (printed, "printed", VERMILLION, 1),
                    (proved, "checked by Coq", BLUE, -1),
                ):
                    axes.annotate(
                        name,
                        (x, place),
                        xytext=(0, 11 * side),
                        textcoords="offset points",
                        ha="center",
                        va="bottom" if side > 0 else "top",
                        color=readable(colour),
                        fontweight="bold",
                    )
            places.append(place)
            names.append(f"{theorem}: {said}")
            place -= 1
        place -= 0.6
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_xscale("log")
    axes.margins(x=0.12, y=0.1)
    axes.set(xlabel="size of the term (one amount 1, the others 0)")
    axes.spines["left"].set_visible(False)
    return figure
