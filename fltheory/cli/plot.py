"""Drawing a trajectory; the only place that needs matplotlib."""

from pathlib import Path
from typing import Any

from fltheory.errors import InvalidInput

FORMATS = (".png", ".pdf", ".svg")


def draw_trajectory(file: Path, models: list[list[float]], optimum: list[float] | None, title: str) -> None:
    """Each coordinate of the model before each round, with the optimum as a dashed line."""
    if file.suffix.lower() not in FORMATS:
        raise InvalidInput("--plot", f"name a file that ends in {', '.join(FORMATS)}", repr(str(file)))
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("--plot needs matplotlib: pip install 'fltheory[plot]'") from None
    figure = Figure(figsize=(7, 4), layout="constrained")
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
