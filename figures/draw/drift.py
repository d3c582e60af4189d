"""FedLaAvg's Example 1, for the README's first screen."""

from fractions import Fraction
from typing import Any

from matplotlib.figure import Figure

from figures.style import BLUE, FAINT, GREYS, INK, SOFT, VERMILLION, panels, readable

STRIP = (-0.24, -0.14)
"""Height of the strip that tells who is available."""


def draw(data: dict[str, Any]) -> Figure:
    """Both paths over the rounds, with the ends of periods marked; who is available below, exact
    limits at the right."""
    figure, axes = panels(height=4.7)
    rounds = len(data["available"])
    fedavg, memory = data["fedavg"], data["mifa"]
    limit, mean, optimum = (
        Fraction(fedavg["at_period_end"]),
        Fraction(fedavg["mean"]),
        Fraction(data["optimum"]),
    )
    ends = slice(0, None, data["period"])
    axes.axhline(float(optimum), color=INK, linewidth=1.2, linestyle=(0, (5, 3)), zorder=1)
    for level in (limit, mean):
        axes.axhline(
            float(level), color=VERMILLION, linewidth=1.2, linestyle=(0, (1.5, 2)), zorder=1
        )
    axes.plot(fedavg["models"], color=VERMILLION, linewidth=3, zorder=2)
    axes.plot(
        range(rounds + 1)[ends],
        fedavg["models"][ends],
        color=VERMILLION,
        linestyle="",
        marker="s",
        markersize=8,
        zorder=3,
    )
    axes.plot(memory["models"], color=BLUE, linewidth=3.2, marker="o", markersize=4.5, zorder=4)
    for start, client in enumerate(data["available"]):
        axes.fill_between(
            [start + 0.05, start + 0.95], *STRIP, color=GREYS[client - 1], linewidth=0
        )
        axes.text(
            start + 0.5,
            sum(STRIP) / 2,
            str(client),
            ha="center",
            va="center_baseline",
            fontsize=11,
            fontweight="bold",
        )
    right = rounds + 0.7
    axes.text(
        right,
        float(limit),
        f"{limit}  FedAvg",
        color=readable(VERMILLION),
        va="center",
        fontsize=14.5,
        fontweight="bold",
    )
    axes.text(right, float(limit) - 0.08, "at the end of each period", color=SOFT, va="center")
    axes.text(
        right,
        float(mean),
        f"{mean}  FedAvg",
        color=readable(VERMILLION),
        va="center",
        fontsize=14.5,
        fontweight="bold",
    )
    axes.text(right, float(mean) - 0.08, "mean over a period", color=SOFT, va="center")
    axes.text(
        right,
        float(optimum),
        f"{optimum}  MIFA, FedLaAvg",
        color=BLUE,
        va="center",
        fontsize=14.5,
        fontweight="bold",
    )
    axes.text(right, float(optimum) - 0.08, "tend to the optimum", color=SOFT, va="center")
    axes.text(right, sum(STRIP) / 2, "client available", color=SOFT, va="center")
    low, high = (float(Fraction(x)) for x in data["client_optima"])
    for client, own in enumerate((low, high), start=1):
        axes.plot([0, rounds], [own, own], color=FAINT, linewidth=1.2, zorder=0)
        axes.text(
            rounds,
            own + 0.02,
            f"optimum of client {client} alone",
            color=SOFT,
            ha="right",
            fontsize=11,
        )
    axes.set(
        xlim=(-0.5, rounds + 0.4),
        ylim=(-0.26, 1.09),
        xlabel="round",
        ylabel="model",
        xticks=range(0, rounds + 1, data["period"]),
    )
    axes.set_yticks(
        [low, float(optimum), high],
        [data["client_optima"][0], str(optimum), data["client_optima"][1]],
        fontsize=13,
    )
    axes.spines["left"].set_bounds(low, high)
    return figure
