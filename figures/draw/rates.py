"""Measured quantities on logarithmic axes, with lines of the claimed slope."""

from fractions import Fraction
from typing import Any

from matplotlib.figure import Figure

from figures.style import (
    BLACK,
    BLUE,
    GREEN,
    INK,
    OCHRE,
    ORANGE,
    PURPLE,
    SKY,
    SOFT,
    VERMILLION,
    fraction_text,
    panels,
    readable,
)

LOOKS = {
    "mifa.thm5.1": ("MIFA, Thm 5.1", BLUE, "o"),
    "mifa.thm6.1": ("MIFA, Thm 6.1", SKY, "v"),
    "fedlaavg.cor1": ("FedLaAvg, Cor. 1", VERMILLION, "s"),
    "fedlaavg.thm4": ("FedLaAvg, Thm 4", OCHRE, "X"),
    "afl.cor2": ("AFA-CD, Cor. 2", PURPLE, "^"),
    "afl.cor3": ("AFA-CS, Cor. 3", ORANGE, "P"),
    "fraboni.eq11": ("FedAvg, eq. 11", GREEN, "D"),
    "fraboni.eq13": ("async, eq. 13", BLACK, "h"),
    "fraboni.eq15": ("FedFix, eq. 15", SOFT, "p"),
}
SPACING = 5.0
"""Factor between the first points of neighbouring series."""
TITLES = {
    "clients": "versus clients",
    "local steps": "versus local steps K",
    "rounds": "versus rounds T / T0",
    "staleness": "versus staleness",
}


def draw(data: dict[str, Any]) -> Figure:
    """Two panels; in each, series one below the other with their exponents at the right."""
    figure, grid = panels(1, 2, height=5.6)
    for axes, (panel, found) in zip(grid.flat, data["panels"].items(), strict=True):
        _panel(axes, found if panel != "rounds" else _from_least(found))
        axes.set_title(TITLES[panel])
    return figure


def _from_least(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rounds over the first number of rounds, the least that the theorem asks for; the longest
    series come first, above the names of the others."""
    longest = sorted(found, key=lambda series: -len(series["values"]))
    return [
        one | {"values": [value / one["values"][0] for value in one["values"]]} for one in longest
    ]


def _panel(axes: Any, found: list[dict[str, Any]]) -> None:
    for k, series in enumerate(found):
        name, colour, marker = LOOKS[series["claim"]]
        values, last = series["values"], series["quantities"][-1]
        scaled = [quantity / last / SPACING**k for quantity in series["quantities"]]
        reference = [
            (value / values[-1]) ** float(Fraction(series["claimed"])) / SPACING**k
            for value in values
        ]
        axes.plot(values, reference, color=INK, linewidth=1.2, linestyle=(0, (4, 3)), alpha=0.75)
        axes.plot(values, scaled, color=colour, marker=marker, markersize=7, linewidth=1.6)
        at = {
            "xy": (values[-1], SPACING**-k),
            "textcoords": "offset points",
            "va": "center",
            "fontsize": 10,
            "annotation_clip": False,
        }
        axes.annotate(
            name + _variable(series),
            xytext=(11, 6),
            color=readable(colour),
            fontweight="bold",
            **at,
        )
        axes.annotate(
            f"{_exponent(series['measured'])}, claimed {fraction_text(series['claimed'])}",
            xytext=(11, -7),
            color=SOFT,
            **at,
        )
    axes.set(xscale="log", yscale="log")
    largest = max(value for series in found for value in series["values"])
    ticks = [2**k for k in range(0, int(largest).bit_length(), 2 if largest > 32 else 1)]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_ylabel("quantity, scaled apart")
    axes.minorticks_off()
    axes.margins(y=0.09)


def _variable(series: dict[str, Any]) -> str:
    """Which number of clients varies, and who arrives, where that is not clear from the panel."""
    if series["versus"] not in ("N", "M", "m"):
        return ""
    return f": {series['versus']}" + (", one arrives" if series["clients_per_round"] == 1 else "")


def _exponent(measured: float | None) -> str:
    return (
        "not yet asymptotic"
        if measured is None
        else f"{round(measured, 2) + 0.0:.2f}".replace("-", "−")
    )
