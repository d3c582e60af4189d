"""Figures from a record's numbers: one column per panel, mean over the seeds with a band from the
least to the largest."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.core.extras import MissingExtra

Numbers = dict[str, Any]
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#8C6D31")
"""Okabe and Ito's palette, which colour-blind readers can tell apart; its yellow, too faint on
white, is replaced."""

STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2)))
DRAWN = (1, 0.7, 0.75, 0.4, 0.83, 0.67, 0.5, 0.78)
"""Share of each style's line that is drawn, about."""

LABELS = {
    "train_loss": "training loss",
    "test_accuracy": "test accuracy",
    "client_spread": "spread of clients' losses",
    "surrogate_loss": "surrogate loss",
    "surrogate_spread": "surrogate spread",
    "rounds": "round",
    "times": "time",
}
MOST_COLUMNS, MOST_COLOURS, DOTS = 4, 256, 110


def draw(record: Numbers, file: Path) -> None:
    """All measures of a record, measures below one another; panels beyond the fourth wrap where
    there is one measure."""
    try:
        from matplotlib.figure import Figure
        from PIL import Image
    except ImportError:
        raise MissingExtra("plot", "a figure") from None
    panels, measures = record["panels"], record["draw"]
    columns = len(panels) if len(measures) > 1 else min(MOST_COLUMNS, len(panels))
    rows = len(measures) if len(measures) > 1 else -(-len(panels) // columns)
    names = list(dict.fromkeys(series["title"] for panel in panels for series in panel["series"]))
    figure = Figure(
        figsize=(max(3.1 * columns, 5.2), 2.5 * rows + 0.75 + 0.22 * (len(names) // 3)),
        layout="constrained",
    )
    grid = np.array(
        figure.subplots(rows, columns, squeeze=False, sharex=len(measures) > 1 and "col")
    ).ravel()
    places = [(panel, measure) for measure in measures for panel in panels]
    lines: dict[str, Any] = {}
    for axes, (panel, measure) in zip(grid, places, strict=False):
        for series in panel["series"]:
            number = names.index(series["title"])
            line = _curve(axes, series, measure, record["x"], number)
            lines.setdefault(series["title"], line)
        if len(measures) == 1 or measure == measures[0]:
            axes.set_title(panel["title"], fontsize=10, loc="left", fontweight="bold")
        axes.grid(color="#E4E6E8", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=9)
    for axes in grid[len(places) :]:
        axes.set_visible(False)
    for row in range(rows):
        grid[row * columns].set_ylabel(LABELS[measures[min(row, len(measures) - 1)]], fontsize=10)
    for measure in measures:
        _scale(
            [
                (axes, panel)
                for axes, (panel, drawn) in zip(grid, places, strict=False)
                if drawn == measure
            ],
            measure,
        )
    for axes in grid[max(0, len(places) - columns) : len(places)]:
        axes.set_xlabel(LABELS[record["x"]], fontsize=10)
        axes.tick_params(labelbottom=True)
    fit = max(1, int(figure.get_figwidth() / (0.075 * max(map(len, names)) + 0.6)))
    figure.legend(
        [lines[name] for name in names],
        names,
        loc="outside lower center",
        ncols=min(fit, len(names)),
        frameon=False,
        fontsize=9,
    )
    pixels = BytesIO()
    figure.savefig(pixels, format="png", dpi=DOTS)
    _few_colours(Image.open(pixels).convert("RGB")).save(file, optimize=True)


def _few_colours(picture: Any) -> Any:
    """The picture in its most frequent colours: those of lines and bands are kept exactly, shades
    at their edges become the nearest."""
    from PIL import Image

    pixels = np.asarray(picture).astype(np.int32)
    codes, place, counts = np.unique(
        pixels @ (1 << 16, 1 << 8, 1), return_inverse=True, return_counts=True
    )
    colours = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1)
    kept = colours[np.argsort(-counts, kind="stable")[:MOST_COLOURS]]
    nearest = ((colours[:, None] - kept) ** 2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    found = Image.fromarray(nearest[place].reshape(pixels.shape[:2]), "P")
    found.putpalette(kept.ravel().tolist())
    return found


def _curve(axes: Any, series: Numbers, measure: str, x: str, number: int) -> Any:
    """Mean and band; a more broken line lies on top, so that where two coincide the other shows
    through its gaps."""
    colour, style = COLOURS[number % len(COLOURS)], STYLES[number % len(STYLES)]
    places = series["x"][x]
    whole = [curve for curve in series["measures"][measure] if len(curve) == len(places)]
    if not whole:
        return axes.plot([], [], color=colour, linestyle=style)[0]
    values = np.array(whole)
    axes.fill_between(
        places, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.18, linewidth=0
    )
    return axes.plot(
        places,
        values.mean(axis=0),
        color=colour,
        linestyle=style,
        linewidth=1.6,
        zorder=3 - DRAWN[number % len(DRAWN)],
    )[0]


def _scale(drawn: list[tuple[Any, Numbers]], measure: str) -> None:
    """One scale for all panels of a measure, or one for each where they are too different to share
    one."""
    ranges = [_range(panel["series"], measure) for _, panel in drawn]
    widths = [high - low for low, high in ranges]
    if max(widths) <= 3 * min(widths):
        ranges = [(min(low for low, _ in ranges), max(high for _, high in ranges))] * len(ranges)
    for (axes, _), (low, high) in zip(drawn, ranges, strict=True):
        axes.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))


def _range(found: list[Numbers], measure: str) -> tuple[float, float]:
    """Least and largest of the mean curves after their first fifth, where most of them change
    steeply, with the bands of the last half."""
    kept = [
        [curve for curve in series["measures"][measure] if len(curve) == len(series["x"]["rounds"])]
        for series in found
    ]
    values = [np.array(curves) for curves in kept if curves]
    parts = [
        x
        for curves in values
        for x in (
            curves.mean(axis=0)[curves.shape[1] // 5 :],
            curves[:, curves.shape[1] // 2 :].ravel(),
        )
    ]
    low, high = (
        min((float(part.min()) for part in parts), default=0.0),
        max((float(part.max()) for part in parts), default=1.0),
    )
    return low, max(high, low + 1e-3)


def caption(record: Numbers) -> str:
    """The figure's setting in a sentence or two."""
    first = record["panels"][0]["series"][0]["settings"]
    work, unit = (
        (first["local_steps"], "step") if first["local_steps"] else (first["epochs"], "epoch")
    )
    common = [
        f"{first['num_clients']} clients",
        f"batch {first['batch_size']}",
        f"{work} local {unit}{'s' if work > 1 else ''}",
        f"step size {first['local_step_size']}"
        + ("/t" if first["step_schedule"] == "inverse" else ""),
    ]
    length = f"time {first['duration']}" if first["policy"] else f"{first['num_rounds']} rounds"
    seeds = (
        f"{record['seeds']} seeds: mean, band from least to largest"
        if record["seeds"] > 1
        else "one seed"
    )
    return (
        f"{record['title']} ({record['size']} size; {', '.join(record['data'])};"
        f" {', '.join(common)}, {length}; {seeds}). Settings of the first curve; the table has what"
        " the others change."
    )
