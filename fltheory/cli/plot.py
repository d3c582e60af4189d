"""Drawing trajectories and demos; the only place that needs matplotlib."""

from pathlib import Path
from typing import Any

from fltheory.errors import InvalidInput

FORMATS = (".png", ".pdf", ".svg")


def _figure(file: Path, option: str, size: tuple[float, float]) -> Any:
    """An empty figure, once the file's name is known to be one that can be drawn."""
    if file.suffix.lower() not in FORMATS:
        raise InvalidInput(option, f"name a file that ends in {', '.join(FORMATS)}", repr(str(file)))
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(f"{option} needs matplotlib: pip install 'fltheory[plot]'") from None
    return Figure(figsize=size, layout="constrained")


def draw_trajectory(file: Path, models: list[list[float]], optimum: list[float] | None, title: str) -> None:
    """Each coordinate of the model before each round, with the optimum as a dashed line."""
    figure = _figure(file, "--plot", (7, 4))
    axes: Any = figure.subplots()
    for j, values in enumerate(zip(*models, strict=True)):
        name = "model" if len(models[0]) == 1 else f"coordinate {j}"
        line = axes.plot(range(len(values)), values, marker="." if len(values) <= 60 else "", label=name)[0]
        if optimum is not None:
            axes.axhline(optimum[j], color=line.get_color(), linestyle="--", linewidth=1, label="optimum")
    axes.set(xlabel="round", ylabel="model", title=title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(file)


def draw_curves(file: Path, picture: Any) -> None:
    """A demo's curves in its colours, each with its own mark, and its levels as dashed lines."""
    figure = _figure(file, "--png", (9, 5))
    axes: Any = figure.subplots()
    for order, curve in enumerate(picture.curves):
        few = len(curve.x) <= 60
        axes.plot(curve.x, curve.y, color=curve.colour, linewidth=2.4, linestyle=("-", "--", "-.", ":")[order % 4], label=curve.name,
                  marker="osD^v"[order % 5] if few else "", markersize=5)
    for name, height in picture.levels.items():
        axes.axhline(height, color="#222222", linestyle=(0, (5, 3)), linewidth=1.2, label=name)
    kept = [*picture.levels.values(), *(curve.y[0] for curve in picture.curves)]
    slack = 2 * max(max(kept) - min(kept), 0.5)
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, min(kept) - slack), min(high, max(kept) + slack))
    axes.set(xlabel=picture.xlabel, ylabel="model")
    axes.set_title(picture.title, loc="left", fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(file, dpi=160)
