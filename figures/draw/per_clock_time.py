"""Loss gap per clock time for four ways of waiting."""

from fractions import Fraction
from typing import Any

from matplotlib.figure import Figure

from figures.style import BLUE, GREEN, ORANGE, VERMILLION, panels, readable

LOOKS = {
    "synchronous": ("synchronous", BLUE, "o"),
    "asynchronous": ("asynchronous,\nright weights", GREEN, "s"),
    "asynchronous, identical weights": ("asynchronous,\nidentical weights", VERMILLION, "^"),
    "fedfix": ("FedFix,\nwindow 2", ORANGE, "D"),
}
ON_CURVE = "synchronous"
"""The one curve that has no floor at the right edge to be labelled at."""


def draw(data: dict[str, Any]) -> Figure:
    """One curve each, with its band and its floor, labelled where it ends."""
    figure, axes = panels(height=4.9)
    for name, curve in data["curves"].items():
        label, colour, marker = LOOKS[name]
        times = [float(Fraction(time)) for time in curve["times"]]
        axes.fill_between(
            times, curve["least"], curve["largest"], color=colour, alpha=0.13, linewidth=0
        )
        axes.plot(
            times,
            curve["mean"],
            color=colour,
            marker=marker,
            markevery=max(1, len(times) // 12),
            markersize=7,
            clip_on=False,
            zorder=3,
        )
        place = {
            "color": readable(colour),
            "fontweight": "bold",
            "va": "center",
            "annotation_clip": False,
            "textcoords": "offset points",
        }
        if name == ON_CURVE:
            middle = len(times) // 2
            axes.annotate(label, (times[middle], curve["mean"][middle]), (12, 12), **place)
        else:
            axes.axhline(curve["floor"], color=colour, linewidth=1.5, linestyle=(0, (1, 2)))
            axes.annotate(label, (data["duration"], curve["floor"]), (10, 0), **place)
    axes.set(yscale="log", xlabel="clock time", ylabel="exact loss gap", xlim=(0, data["duration"]))
    axes.minorticks_off()
    axes.grid(axis="y")
    return figure
