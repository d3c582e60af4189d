"""Pictures of a log as PNG data: curves of the methods, availability, staleness, and longest
absences (extra `plot`)."""

import base64
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fltheory.core.types import FloatArray, IntArray
from fltheory.fleet.answer_rows import CurveRow
from fltheory.fleet.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE = "#0072B2", "#D55E00"
COLORS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00")
MOST_ROWS, MOST_COLUMNS = 120, 400


def heat_map_cells(summary: Summary) -> FloatArray:
    """Mean availability on a grid of at most MOST_ROWS groups of clients (by share) and
    MOST_COLUMNS stretches of rounds."""
    log = summary.log
    rows, columns = min(log.num_clients, MOST_ROWS), min(log.num_rounds, MOST_COLUMNS)
    rank = np.empty(log.num_clients, np.int64)
    rank[np.argsort(summary.shares, kind="stable")] = np.arange(log.num_clients)
    row_of = rank * rows // log.num_clients
    edges = np.arange(columns + 1) * log.num_rounds // columns
    row = row_of[log.client_of_run]

    def up_to(times: IntArray) -> FloatArray:
        """Sum of min(edge, time) over the runs of each row, for each edge: the times before it, and
        the edge for all others."""
        place = row * (columns + 1) + np.searchsorted(edges, times, side="right") - 1
        counts, sums = (
            np.bincount(place, weights, rows * (columns + 1)).reshape(rows, -1)
            for weights in (None, times)
        )
        before, total = (np.cumsum(table, axis=1) - table for table in (counts, sums))
        return total + edges * (counts.sum(axis=1, keepdims=True) - before)

    # The rounds that a run covers of each stretch are differences of min(edge, end) - min(edge,
    # begin) along the edges.
    cells = np.diff(up_to(log.ends) - up_to(log.begins), axis=1)
    size = np.bincount(row_of, minlength=rows)[:, None] * np.diff(edges)[None, :]
    return cells / size


GAP_CAPTION = (
    "Expected gap of each method at its step size, for the first setting; the bands reach from the"
    " least to the largest over all settings of the assumed constants"
)


def draw(summary: Summary, curves: Sequence[CurveRow] = ()) -> dict[str, str]:
    """Caption and data address of each picture: the curves of the methods first."""
    first = {GAP_CAPTION: _address(_curves(curves))} if curves else {}
    captions = {
        "Availability: each row is a client (or a group of clients), the rarest at the bottom;"
        " dark means available": _heat_map,
        "Staleness: rounds since a client was last available, over all clients and rounds": (
            _staleness
        ),
        "Longest absence of each client, in increasing order": _absences,
    }
    return first | {caption: _address(drawn(summary)) for caption, drawn in captions.items()}


def _figure(height: float) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _curves(curves: Sequence[CurveRow]) -> "Figure":
    figure, axes = _figure(4.2)
    for place, (one, color) in enumerate(zip(curves, COLORS, strict=False)):
        times, gap, least, largest = (
            np.array([np.nan if x is None else x for x in values], float)
            for values in (one["times"], one["gap"], one["least"], one["largest"])
        )
        # The recommended method comes first and lies on top; equal curves show beside each other.
        axes.plot(
            times + 1,
            gap,
            color=color,
            linewidth=2 + 1.2 * place,
            zorder=9 - place,
            label=one["method"].split(",")[0],
        )
        axes.fill_between(times + 1, least, largest, color=color, alpha=0.1, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel=curves[0]["unit"], ylabel="gap", ylim=(1e-4, 3))
    axes.legend(frameon=False, fontsize=9)
    return figure


def _heat_map(summary: Summary) -> "Figure":
    figure, axes = _figure(3.4)
    axes.imshow(
        heat_map_cells(summary),
        aspect="auto",
        cmap="Blues",
        vmin=0,
        vmax=1,
        interpolation="nearest",
        origin="lower",
        extent=(0, summary.log.num_rounds, 0, summary.log.num_clients),
    )
    axes.set(xlabel="round", ylabel="clients, by share")
    return figure


def _staleness(summary: Summary) -> "Figure":
    figure, axes = _figure(2.6)
    counts = summary.staleness_counts()
    tail = counts[::-1].cumsum()[::-1] / counts.sum()
    axes.step(np.arange(len(tail)), tail, where="post", color=BLUE, linewidth=2)
    axes.axvline(float(summary.mean_staleness), color=ORANGE, linestyle="--")
    axes.annotate(
        f" mean {float(summary.mean_staleness):.3g}",
        (float(summary.mean_staleness), 0.92),
        color=ORANGE,
    )
    axes.set(
        xlabel="rounds since a client was available",
        ylabel="share at least as stale",
        ylim=(0, 1.02),
    )
    return figure


def _absences(summary: Summary) -> "Figure":
    figure, axes = _figure(2.6)
    longest = np.sort(summary.longest_absence)
    axes.fill_between(
        np.arange(len(longest) + 1),
        np.append(longest, longest[-1]),
        step="post",
        color=BLUE,
        alpha=0.85,
    )
    axes.set(xlabel="clients", ylabel="rounds", xlim=(0, len(longest)), ylim=(0, None))
    return figure


def _address(figure: "Figure") -> str:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110)
    return "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()
