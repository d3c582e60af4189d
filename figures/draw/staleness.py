"""MIFA's loss gap against mean staleness and against maximal staleness, on one scale."""

from typing import Any

from matplotlib.figure import Figure

from figures.style import BLUE, INK, ORANGE, SOFT, panels

SCALE = 1e5


def draw(data: dict[str, Any]) -> Figure:
    """Left: the mean grows at the same maximum. Right: the maximum grows at the same mean."""
    figure, (left, right) = panels(1, 2, height=4.5, sharey=True)
    maximum, mean = data["same_maximum"], data["same_mean"]
    _panel(left, maximum, "mean_staleness", BLUE, "o", data)
    _panel(right, mean, "max_staleness", ORANGE, "D", data)
    left.set(
        xlabel="mean staleness (rounds)",
        ylabel="exact loss gap  (× 10⁻⁵)",
        ylim=(0, None),
        xlim=(0, None),
    )
    right.set(xlabel="maximal staleness (rounds)", xlim=(0, None))
    left.set_title(f"maximum fixed at {maximum[0]['max_staleness']}")
    right.set_title(f"mean fixed at {mean[0]['mean_staleness']:.1f}")
    for axes in (left, right):
        axes.grid(axis="y")
        axes.tick_params(labelleft=True)
    return figure


def _panel(
    axes: Any,
    points: list[dict[str, Any]],
    across: str,
    colour: str,
    marker: str,
    data: dict[str, Any],
) -> None:
    points = sorted(points, key=lambda point: point[across])
    positions = [point[across] for point in points]
    limit = [
        SCALE
        * 24
        / 35
        * (2 * point["mean_staleness"] + 1)
        / (data["num_clients"] * data["num_rounds"])
        for point in points
    ]
    axes.plot(positions, limit, color=INK, linewidth=1.4, linestyle=(0, (5, 3)))
    axes.plot(
        positions,
        [SCALE * point["gap"] for point in points],
        color=colour,
        marker=marker,
        markersize=8,
    )
    middle = (
        sum(limit[:: len(limit) - 1]) / 2
    )  # above the dashed line, left of where it passes this height
    axes.text(
        sum(positions[:: len(positions) - 1]) / 2,
        middle + 0.6,
        "limit for long runs  ",
        color=SOFT,
        va="bottom",
        ha="right" if limit[0] < limit[-1] else "center",
    )
