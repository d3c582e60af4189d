"""A picture in characters: a grid of coloured marks, complete or up to some point."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from fltheory.teaching.pictures import DemoPicture

Cell = tuple[str, str]
"""A character and its colour, empty outside curves."""

EMPTY: Cell = (" ", "")


@dataclass(frozen=True)
class Frame:
    """The map from a picture's numbers to a grid of characters."""

    low: float
    high: float
    last: float
    width: int
    height: int

    @classmethod
    def of(cls, picture: DemoPicture, width: int, height: int) -> "Frame":
        """A frame around levels and curves, without points of curves that run away."""
        kept = [*picture.levels.values(), *(curve.y[0] for curve in picture.curves)]
        slack = 2 * max(max(kept) - min(kept), 0.5)
        seen = [
            y
            for curve in picture.curves
            for y in curve.y
            if isfinite(y) and min(kept) - slack <= y <= max(kept) + slack
        ]
        low, high = min(kept + seen), max(kept + seen)
        return cls(
            low,
            high if high > low else low + 1,
            max(curve.x[-1] for curve in picture.curves) or 1,
            width,
            height,
        )

    def row(self, y: float) -> int | None:
        """Row of a height, counted from the top; None outside."""
        if not isfinite(y):
            return None
        row = round((self.high - y) / (self.high - self.low) * (self.height - 1))
        return row if 0 <= row < self.height else None

    def column(self, x: float) -> int:
        return min(self.width - 1, round(x / self.last * (self.width - 1)))


def grid(picture: DemoPicture, frame: Frame, until: float) -> list[list[Cell]]:
    """Rows of cells: levels as dashes, then each curve's marks up to `until`; a later curve
    overwrites an earlier one in every second column."""
    cells = [[EMPTY] * frame.width for _ in range(frame.height)]
    for height in picture.levels.values():
        row = frame.row(height)
        if row is not None:
            cells[row] = [("-", "") if column % 2 == 0 else EMPTY for column in range(frame.width)]
    for order, curve in enumerate(picture.curves):
        for x, y in zip(curve.x, curve.y, strict=True):
            row = frame.row(y)
            if x > until or row is None:
                continue
            column = frame.column(x)
            taken = cells[row][column][1] not in ("", curve.colour)
            if not taken or (column + order) % 2 == 0:
                cells[row][column] = (curve.mark, curve.colour)
    return cells


def lines(
    picture: DemoPicture, width: int, height: int, until: float | None = None
) -> list[list[Cell]]:
    """The whole plot as lines of cells: title, grid with its axis, legend.

    >>> from fltheory.teaching.pictures import drift_picture
    >>> drawn = lines(drift_picture(rounds=8, methods=("fedavg",)), 40, 5)
    >>> plain(drawn[1:2])
    '0.9297 |               o          o   o'
    """
    labels = [
        f"{value:.4g}" for value in (Frame.of(picture, 2, 2).high, Frame.of(picture, 2, 2).low)
    ]
    edge = max(map(len, [*labels, "there" if picture.there else ""]))
    frame = Frame.of(picture, max(10, width - edge - 3), max(3, height))
    rows = grid(picture, frame, frame.last if until is None else until)
    beside = [labels[0]] + [""] * (len(rows) - 2) + [labels[1]]
    for level in picture.levels.values():
        row = frame.row(level)
        if row is not None and not beside[row]:
            beside[row] = f"{level:.4g}"
    drawn = [
        _text(picture.title),
        *(_text(f"{beside[k]:>{edge}} |") + row for k, row in enumerate(rows)),
    ]
    drawn.append(_text(" " * edge + " +" + "-" * frame.width))
    if picture.there:
        drawn.append(_text(f"{'there':>{edge}}  " + "".join(_there(picture.there, frame))))
    drawn.append(
        _text(
            f"{' ' * edge} "
            f" 0{picture.xlabel:^{frame.width - 2 - len(f'{frame.last:g}')}}{frame.last:g}"
        )
    )
    entries = [[(curve.mark, curve.colour), *_text(f" {curve.name}")] for curve in picture.curves]
    legend = [_text(" " * edge)]
    for entry in [*entries, *(_text(f"- - {name}") for name in picture.levels)]:
        if len(legend[-1]) + 2 + len(entry) > width:
            legend.append(_text(" " * edge))
        legend[-1] = [*legend[-1], *_text("  "), *entry]
    return [*drawn, *legend]


def _there(there: str, frame: Frame) -> list[str]:
    """Who is available, in the middle of each round's columns; blank if rounds are narrower than
    columns."""
    shown = [" "] * frame.width
    if len(there) <= frame.width:
        for round_, who in enumerate(there):
            shown[frame.column(round_ + 0.5)] = who
    return shown


def _text(text: str) -> list[Cell]:
    return [(character, "") for character in text]


def plain(drawn: Sequence[Sequence[Cell]]) -> str:
    """Lines of cells as text without colours."""
    return "\n".join("".join(character for character, _ in line).rstrip() for line in drawn)
