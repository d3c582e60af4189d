"""Worst case over bound along four sweeps, one line per paper."""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from figures.style import INK, headline, panels, paper_looks

PANELS = {
    "num_rounds": "rounds T",
    "local_steps": "local steps K",
    "max_staleness": "maximal staleness",
    "mean_staleness": "mean staleness",
}


def draw(data: dict[str, Any]) -> Figure:
    """Four panels on one logarithmic scale."""
    figure, axes = panels(2, 2, height=6.6, sharey=True)
    looks, drawn = paper_looks(), {paper for sweep in data["sweeps"].values() for paper in sweep}
    for place, (sweep, label) in zip(axes.flat, PANELS.items(), strict=True):
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
        place.axhline(1, color=INK, linewidth=1.2)
        place.set(yscale="log", ylim=(8e-5, 1.6), xlabel=label)
        place.grid(axis="y")
        place.minorticks_off()
        if sweep == "local_steps":
            place.set_xticks(
                sorted({at for series in data["sweeps"][sweep].values() for at in series["at"]})
            )
    for place in axes[:, 0]:
        place.set_ylabel("worst case / bound")
        ticks = [10.0**k for k in range(-4, 1)]
        place.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    handles = [
        Line2D([], [], color=colour, marker=marker, markersize=7, label=name)
        for name, colour, marker in (looks[key] for key in looks if key in drawn)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(drawn), 4))
    headline(figure, data["title"])
    return figure
