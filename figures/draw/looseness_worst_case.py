"""Worst case over bound along four sweeps, one line per paper."""

from typing import Any

from matplotlib.figure import Figure

from figures.style import INK, panels, paper_looks, readable

PANELS = {
    "num_rounds": "rounds T",
    "local_steps": "local steps K",
    "max_staleness": "maximal staleness",
    "mean_staleness": "mean staleness",
}


def draw(data: dict[str, Any]) -> Figure:
    """Four panels on one logarithmic scale."""
    figure, axes = panels(2, 2, height=6.6, sharey=True)
    looks = paper_looks()
    for place, (sweep, label) in zip(axes.flat, PANELS.items(), strict=True):
        ends = {}
        for paper, series in data["sweeps"][sweep].items():
            _, colour, marker = looks[paper]
            known = [
                (at, ratio)
                for at, ratio in zip(series["at"], series["ratio"], strict=True)
                if ratio is not None
            ]
            place.plot(
                *zip(*known, strict=True), color=colour, marker=marker, markersize=7, linewidth=1.8
            )
            ends[paper] = known[-1]
        for paper, height in _apart({paper: ratio for paper, (_, ratio) in ends.items()}).items():
            name, colour, _ = looks[paper]
            place.annotate(
                name,
                (ends[paper][0], height),
                (9, 0),
                textcoords="offset points",
                va="center",
                color=readable(colour),
                fontweight="bold",
                fontsize=10,
                annotation_clip=False,
            )
        place.axhline(1, color=INK, linewidth=1.2)
        place.set(yscale="log", ylim=(8e-5, 1.6), xlabel=label)
        place.grid(axis="y")
        place.minorticks_off()
        if sweep in ("local_steps", "num_rounds"):
            place.set_xticks(
                sorted({at for series in data["sweeps"][sweep].values() for at in series["at"]})
            )
        ticks = [10.0**k for k in range(-4, 1)]
        place.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        place.tick_params(labelleft=True)
    for place in axes[:, 0]:
        place.set_ylabel("worst case / bound")
    return figure


APART = 2.6
"""Least factor between the heights of two names."""


def _apart(heights: dict[str, float]) -> dict[str, float]:
    """The heights of the names, from the highest down, each clear of the one above.

    >>> _apart({"a": 0.01, "b": 1.3, "c": 1.0})
    {'b': 1.3, 'c': 0.5, 'a': 0.01}
    """
    found: dict[str, float] = {}
    above = float("inf")
    for name, height in sorted(heights.items(), key=lambda one: -one[1]):
        above = found[name] = min(height, above / APART)
    return found
