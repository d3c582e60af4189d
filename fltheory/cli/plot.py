"""Drawing trajectories and demos; the only place that needs matplotlib."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

from fltheory.core.durable import replace_bytes
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fltheory.analysis.worst_case.public import WorstCaseFound
    from fltheory.teaching.pictures import DemoPicture

FORMATS = (".png", ".pdf", ".svg")


def check_picture(file: Path, option: str) -> None:
    """Refuse a file that cannot be drawn, before the work for it starts."""
    if file.suffix.lower() not in FORMATS:
        raise InvalidInput(
            option, f"name a file that ends in {', '.join(FORMATS)}", repr(str(file))
        )
    require("plot", option)


def _figure(size: tuple[float, float]) -> "Figure":
    """An empty figure."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def draw_trajectory(
    file: Path, models: list[list[float]], optimum: list[float] | None, title: str
) -> None:
    """Each coordinate of the model before each round, with the optimum as a dashed line."""
    figure = _figure((7, 4))
    axes = figure.subplots()
    for j, values in enumerate(zip(*models, strict=True)):
        name = "model" if len(models[0]) == 1 else f"coordinate {j}"
        line = axes.plot(
            range(len(values)), values, marker="." if len(values) <= 60 else "", label=name
        )[0]
        if optimum is not None:
            axes.axhline(
                optimum[j], color=line.get_color(), linestyle="--", linewidth=1, label="optimum"
            )
    axes.set(xlabel="round", ylabel="model", title=title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    _save(figure, file)


def _save(figure: "Figure", file: Path, dpi: float | str = "figure") -> None:
    """Write a figure in the format of the file's name, in one step."""
    data = io.BytesIO()
    figure.savefig(data, format=file.suffix.lower().removeprefix(".") or "png", dpi=dpi)
    replace_bytes(file, data.getvalue())


def draw_curves(file: Path, picture: "DemoPicture") -> None:
    """A demo's curves in its colours, each with its own mark, and its levels as dashed lines."""
    figure = _figure((9, 5))
    axes = figure.subplots()
    for order, curve in enumerate(picture.curves):
        few = len(curve.x) <= 60
        axes.plot(
            curve.x,
            curve.y,
            color=curve.colour,
            linewidth=2.4,
            linestyle=("-", "--", "-.", ":")[order % 4],
            label=curve.name,
            marker="osD^v"[order % 5] if few else "",
            markersize=5,
        )
    for name, height in picture.levels.items():
        axes.axhline(height, color="#222222", linestyle=(0, (5, 3)), linewidth=1.2)
        axes.annotate(
            name,
            (1, height),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
        )
    kept = [*picture.levels.values(), *(curve.y[0] for curve in picture.curves)]
    slack = 2 * max(max(kept) - min(kept), 0.5)
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, min(kept) - slack), min(high, max(kept) + slack))
    axes.set(xlabel=picture.xlabel, ylabel="model")
    axes.set_title(picture.title, loc="left", fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    _save(figure, file, dpi=160)


def draw_worst_case(file: Path, found: "WorstCaseFound", title: str) -> None:
    """Clients' losses with their slopes along the path of the models, and the norms of their
    gradients in the order of evaluation; nothing where no function was found."""
    picture = found.picture()
    if picture is None:
        return
    figure = _figure((11, 4.6))
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    colours = [f"C{k}" for k in range(10)]
    reach = 0.06 * (
        max((max(curve.places) - min(curve.places) for curve in picture.curves), default=1.0) or 1.0
    )
    for number, curve in enumerate(picture.curves):
        colour = colours[number % 10]
        order = sorted(range(len(curve.places)), key=lambda k: curve.places[k])
        left.plot(
            [curve.places[k] for k in order],
            [curve.losses[k] for k in order],
            color=colour,
            linewidth=0.8,
            alpha=0.5,
        )
        left.plot(curve.places, curve.losses, "o", color=colour, markersize=4, label=curve.name)
        for x, y, slope in zip(curve.places, curve.losses, curve.slopes, strict=True):
            left.plot(
                [x - reach, x + reach],
                [y - slope * reach, y + slope * reach],
                color=colour,
                linewidth=1.6,
            )
        right.plot(
            range(len(curve.sizes)),
            curve.sizes,
            "o-",
            color=colour,
            markersize=4,
            linewidth=1,
            label=curve.name,
        )
    left.plot(
        picture.models,
        [min(left.get_ylim()[0], 0.0)] * len(picture.models),
        "|",
        color="#222222",
        markersize=12,
        label="models",
    )
    left.set(
        xlabel=f"position along the path of the models ({picture.share:.1%} of their spread)",
        ylabel="loss, from that at the optimum",
    )
    right.set(xlabel="point, in the order of evaluation", ylabel="norm of the gradient")
    left.set_title(title, loc="left", fontsize=10)
    right.set_title("gradients of the clients", loc="left", fontsize=10)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
    _save(figure, file, dpi=160)
