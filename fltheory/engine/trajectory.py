"""How the models of a run are shown."""

from fltheory.core.results import Table, as_points, told
from fltheory.core.types import Array

SHOWN_ROUNDS = 20
"""About how many models a reader sees; the data has all."""


def shown_rounds(last: int) -> list[int]:
    """Some rounds, evenly spread, the first and the last among them.

    >>> shown_rounds(3), len(shown_rounds(1000))
    ([0, 1, 2, 3], 21)
    """
    return sorted({round(k * last / SHOWN_ROUNDS) for k in range(SHOWN_ROUNDS + 1)})


def trajectory_tables(models: Array, *, title: str = "model before each round") -> list[Table]:
    """The models of some rounds; of a batch of runs, the last model of each."""
    if models.ndim != 2:
        last = as_points(models[..., -1, :].reshape(-1, models.shape[-1])) or []
        rows = [(str(run), told(model)) for run, model in enumerate(last)]
        return [Table("last model of each run", ("run", "model"), rows)]
    points = as_points(models) or []
    rows = [(str(t), told(points[t])) for t in shown_rounds(len(points) - 1)]
    return [Table(title, ("round", "model"), rows)]
