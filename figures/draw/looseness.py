"""The tightest ratio found for each bound that stands."""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from figures.style import INK, SOFT, panels, paper_looks


def draw(data: dict[str, Any]) -> Figure:
    """One lollipop per bound on a logarithmic axis, tightest on top."""
    bounds, looks = data["bounds"], paper_looks()
    figure, axes = panels(height=1.6 + 0.29 * len(bounds))
    for k, bound in enumerate(bounds):
        _, colour, marker = looks[bound["paper"]]
        axes.plot(
            [bound["ratio"], 1],
            [-k, -k],
            color=colour,
            linewidth=1.4,
            alpha=0.45,
            solid_capstyle="butt",
        )
        axes.plot(
            bound["ratio"],
            -k,
            color=colour,
            marker=marker,
            markersize=8,
            markerfacecolor=colour if bound["as_printed"] else "white",
            markeredgewidth=2,
        )
        axes.annotate(
            _times(bound["ratio"]),
            (bound["ratio"], -k),
            (-9, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color=SOFT,
            fontsize=10,
        )
    axes.axvline(1, color=INK, linewidth=1.4)
    axes.set_xscale("log")
    axes.set_yticks(
        [-k for k in range(len(bounds))], [bound["claim"] for bound in bounds], fontsize=10.5
    )
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    smallest = min(bound["ratio"] for bound in bounds)
    axes.set(
        xlim=(smallest / 2, 1.12),
        ylim=(0.7 - len(bounds), 0.7),
        xlabel="largest left side / right side found  (1: the bound is attained)",
    )
    ticks = [10.0**k for k in range(-4, 1) if 10.0**k > smallest / 2]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    papers = [
        Line2D([], [], color=colour, marker=marker, linestyle="", markersize=8, label=name)
        for name, colour, marker in (
            looks[key] for key in looks if key in {bound["paper"] for bound in bounds}
        )
    ]
    kinds = [
        Line2D(
            [],
            [],
            color=SOFT,
            marker="o",
            linestyle="",
            markersize=8,
            markerfacecolor=fill,
            markeredgewidth=2,
            label=label,
        )
        for fill, label in ((SOFT, "as printed"), ("white", "corrected or added"))
    ]
    figure.legend(
        handles=[*papers, *kinds],
        loc="outside lower center",
        ncols=6,
        columnspacing=1.4,
        handletextpad=0.3,
    )
    return figure


def _times(ratio: float) -> str:
    return "attained" if ratio == 1 else f"{1 / ratio:.1f}×" if ratio > 0.1 else f"{1 / ratio:.0f}×"
