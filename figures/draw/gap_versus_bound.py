"""Exact value and bound along the number of rounds, for three theorems."""

from typing import Any

from matplotlib.figure import Figure

from figures.style import SOFT, panels, paper_looks, readable


def draw(data: dict[str, Any]) -> Figure:
    """One panel per theorem; the gap between the curves is shaded and its factor written into
    it."""
    theorems = data["theorems"]
    figure, row = panels(1, len(theorems), height=4.4)
    rounds = data["rounds"]
    for axes, (claim, found) in zip(row, theorems.items(), strict=True):
        _, colour, marker = paper_looks()[claim.split(".")[0]]
        measured, bound = found["measured"], found["bound"]
        axes.fill_between(rounds, measured, bound, color=colour, alpha=0.12, linewidth=0)
        axes.plot(
            rounds,
            bound,
            color=colour,
            linestyle=(0, (5, 2)),
            marker=marker,
            markerfacecolor="white",
            markeredgewidth=1.8,
        )
        axes.plot(rounds, measured, color=colour, marker=marker)
        axes.set(xscale="log", yscale="log", xlabel="rounds T", ylabel=found["quantity"])
        axes.set_title(f"{found['method']}\n{found['place']}", fontsize=11)
        for k in (0, len(rounds) // 2, len(rounds) - 1):
            part = 0.5 if k else 0.3  # the band narrows from above
            middle = measured[k] ** (1 - part) * bound[k] ** part
            axes.text(
                rounds[k],
                middle,
                f"{bound[k] / measured[k]:.0f}×",
                ha=("left", "center", "right")[(k > 0) + (k == len(rounds) - 1)],
                va="center",
                fontsize=12,
                fontweight="bold",
                color=SOFT,
            )
        name = {"textcoords": "offset points", "color": readable(colour), "fontweight": "bold"}
        axes.annotate("bound", (rounds[1], bound[1]), (4, 8), **name)
        axes.annotate("exact", (rounds[1], measured[1]), (-4, -9), ha="right", va="top", **name)
        axes.set_xticks([100, 1000, 10000], ["10²", "10³", "10⁴"])
        axes.minorticks_off()
        axes.grid(axis="y")
        axes.margins(y=0.12)
    return figure
