"""The scenes of the teaching page as results, and the page itself."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Literal

from fltheory.core.durable import replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.results import Table, as_dict
from fltheory.core.types import Json
from fltheory.teaching.page import page
from fltheory.teaching.pictures import (
    DemoPicture,
    anarchic_picture,
    async_picture,
    drift_picture,
    stragglers_picture,
)
from fltheory.teaching.terminal import lines, plain

WIDTH, HEIGHT = 78, 13
"""Of the plot; with its text below it fits a screen of 80 by 24."""

Scene = Literal["drift", "async", "stragglers", "anarchic"]

SCENES: dict[str, Callable[..., DemoPicture]] = {
    "drift": drift_picture,
    "async": lambda update_times=(1, 2), **settings: async_picture(update_times, **settings),
    "stragglers": stragglers_picture,
    "anarchic": anarchic_picture,
}
"""What draws each scene."""


@dataclass(frozen=True, repr=False)
class Demo:
    """One scene with its settings: curves, levels and all numbers."""

    scene: str
    picture: DemoPicture

    @property
    def says(self) -> str:
        """The lines below the plot, wrapped."""
        return "\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in self.picture.says)

    def to_dict(self) -> Json:
        return as_dict(self.picture.data)

    def tables(self) -> list[Table]:
        return [Table(self.picture.title, (), [(line,) for line in self.picture.says])]

    def __repr__(self) -> str:
        """The plot in characters, and what it shows."""
        return f"{plain(lines(self.picture, WIDTH, HEIGHT))}\n{self.says}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def demo(scene: Scene = "drift", **settings: object) -> Demo:
    """A scene of the teaching page: "drift" (FedLaAvg, Example 1), "async" (Fraboni et al.),
    "stragglers" (MIFA) or "anarchic" (AFL).

    `settings` are those of the command `fltheory demo SCENE`, such as blocks=(1, 3).

    >>> demo("drift", rounds=8).picture.says[0]
    'FedAvg          14/15 (0.93333) at the end of each period, mean 3/4 (0.75)'
    """
    if scene not in SCENES:
        raise InvalidInput("scene", f"be one of {', '.join(SCENES)}", repr(scene))
    return Demo(scene, SCENES[scene](**settings))


def write_page(file: str | Path) -> Path:
    """Write the teaching page into a file; it works offline, in any browser.

    >>> write_page("page.txt")
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: --export must name a file that ends in .html, got 'page.txt'
    """
    path = Path(file)
    if path.suffix != ".html":
        raise InvalidInput("--export", "name a file that ends in .html", repr(str(file)))
    replace_text(path, page())
    return path
