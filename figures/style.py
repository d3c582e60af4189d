"""One look for all figures: a palette that colour-blind readers can tell apart, with a marker and a
line style to each colour."""

from fractions import Fraction
from itertools import cycle
from typing import Any, NamedTuple

import matplotlib
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from fltheory.papers import papers

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
OKABE_ITO = (BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILLION, PURPLE)
"""The palette of Okabe and Ito (2008)."""
INK, SOFT, FAINT, PAPER = "#222222", "#5F6368", "#DADCE0", "#FFFFFF"
GREYS = ("#E0E3E8", "#A9B0BA")
"""Of clients that take turns: colours belong to methods."""

COLOURS = (PURPLE, VERMILLION, GREEN, BLUE, ORANGE, SKY, BLACK)
MARKERS = ("^", "s", "D", "o", "v", "P", "X", "*", "<")
"""Of papers, in their order; the numbers of colours and of markers have no common divisor, so the
first 63 papers differ."""


class PaperLook(NamedTuple):
    """Name, colour and marker of a paper in figures."""

    name: str
    colour: str
    marker: str


def paper_looks() -> dict[str, PaperLook]:
    """The look of every paper that the package finds, by key."""
    looks = zip(cycle(COLOURS), cycle(MARKERS))
    return {
        key: PaperLook(paper.short_name, *look)
        for (key, paper), look in zip(papers().items(), looks, strict=False)
    }


WIDTH = 9.0
"""Inches; at a README's 830 pixels a 12-point letter stays about 15 pixels high."""

matplotlib.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": 12,
        "axes.titlesize": 13,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 10,
        "axes.labelsize": 12,
        "xtick.labelsize": 11,
        "ytick.labelsize": 11,
        "legend.fontsize": 11,
        "text.color": INK,
        "axes.labelcolor": INK,
        "xtick.color": SOFT,
        "ytick.color": SOFT,
        "axes.edgecolor": SOFT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": False,
        "grid.color": FAINT,
        "grid.linewidth": 0.8,
        "axes.axisbelow": True,
        "lines.linewidth": 2.4,
        "lines.markersize": 6.5,
        "legend.frameon": False,
        "figure.facecolor": PAPER,
        "axes.facecolor": PAPER,
        "savefig.facecolor": PAPER,
        "svg.hashsalt": "fltheory",
        "hatch.linewidth": 0.8,
        "path.simplify_threshold": 0.5,
    }
)


def panels(
    rows: int = 1, columns: int = 1, *, height: float = 4.6, **options: Any
) -> tuple[Figure, Any]:
    """A figure of the common width and its axes; no window system is asked for."""
    figure = Figure(
        figsize=(WIDTH, height),
        layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08, wspace=0.03, hspace=0.03),
    )
    return figure, figure.subplots(rows, columns, **options)


def luminance(colour: str) -> float:
    """Relative luminance, 0 for black and 1 for white (WCAG 2).

    >>> round(luminance("#FFFFFF"), 6), round(luminance("#0072B2"), 3)
    (1.0, 0.152)
    """
    red, green, blue = (
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def readable(colour: str) -> str:
    """The same hue, dark enough to be read as text on white (contrast 4.5 to 1).

    >>> readable(BLUE) == BLUE.lower(), readable(SKY)
    (True, '#3c7da2')
    """
    shade = to_rgb(colour)
    while 1.05 / (luminance(to_hex(shade)) + 0.05) < 4.5:
        red, green, blue = shade
        shade = (0.98 * red, 0.98 * green, 0.98 * blue)
    return to_hex(shade)


def fraction_text(value: str | float) -> str:
    """A small fraction as it is spoken of, a decimal else.

    >>> fraction_text(-0.5), fraction_text("14/15"), fraction_text(-1), fraction_text(0.276)
    ('−1/2', '14/15', '−1', '0.28')
    """
    exact = Fraction(value).limit_denominator(20)
    text = (
        str(exact) if abs(float(exact) - float(Fraction(value))) < 1e-12 else f"{float(value):.2f}"
    )
    return text.replace("-", "−")


OCHRE = readable(YELLOW)
"""Yellow cannot be seen on white."""
