"""A demo that grows from left to right in a terminal."""

import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from fltheory.teaching.pictures import DemoPicture

SECONDS, FRAMES = 3.0, 60
"""Length of the animation, and its pictures."""


def animate(picture: "DemoPicture", *, still: bool) -> None:
    """The plot in colours, growing from left to right; it stays when it is complete."""
    from fltheory.teaching.public import HEIGHT, WIDTH
    from fltheory.teaching.terminal import lines

    console = Console(highlight=False)
    last = max(curve.x[-1] for curve in picture.curves)

    def frame(share: float) -> Text:
        drawn = lines(picture, min(WIDTH, console.width - 1), HEIGHT, until=share * last)
        rows = [
            Text.assemble(*((character, colour) for character, colour in line)) for line in drawn
        ]
        return Text("\n").join(rows)

    if still:
        console.print(frame(1))
        return
    with Live(frame(0), console=console, auto_refresh=False) as live:
        for k in range(1, FRAMES + 1):
            time.sleep(SECONDS / FRAMES)
            live.update(frame(k / FRAMES), refresh=True)
