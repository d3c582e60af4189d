"""One cell of an experiment: one method, one setting, one seed; a run of the engine and its
measures as plain numbers."""

from dataclasses import asdict, dataclass
from hashlib import sha256
from json import dumps
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import fltheory
from fltheory.core.errors import Diverged
from fltheory.engine.arithmetic.tensor import Tensor, torch
from fltheory.engine.simulate import states_of_run
from fltheory.problems.network import Network
from paper_reproductions.deliveries import Plan, plan
from paper_reproductions.learning import measuring, task
from paper_reproductions.settings import Settings

DIGITS = 6
"""Significant digits of a recorded measure."""


@dataclass(frozen=True)
class Cell:
    """Names for people, and the settings and the seed that alone decide the numbers."""

    panel: str
    series: str
    seed: int
    settings: Settings

    @property
    def key(self) -> str:
        """A name for the file of this cell: the same settings and seed, the same key."""
        facts = {
            "settings": asdict(self.settings),
            "seed": self.seed,
            "version": fltheory.__version__,
        }
        return sha256(dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


def evaluation_rounds(num_rounds: int, evaluations: int) -> list[int]:
    """About so many models, evenly spaced, the first and the last among them.

    >>> evaluation_rounds(10, 4)
    [0, 2, 5, 8, 10]
    """
    return sorted({int(x) for x in np.rint(np.linspace(0, num_rounds, evaluations + 1))})


def run_cell(cell: Cell, data_dir: Path | None = None, device: str = "cpu") -> dict[str, Any]:
    """The run's measures along its rounds; `timing` holds all that may differ from one execution to
    the next."""
    torch.set_num_threads(1)
    began = process_time()
    settings, job = cell.settings, task(cell.settings, data_dir, cell.seed)
    problem, arithmetic = job.with_seed(cell.seed), Tensor(device=device, dtype=torch.float32)
    planned = plan(settings, job.classes, problem.samples, cell.seed, hours=job.hours)
    measure = measuring(job, settings.measures, _surrogate(planned), arithmetic)
    wanted = evaluation_rounds(planned.trace.num_rounds, settings.evaluations)
    start = problem.first_model if isinstance(problem, Network) else 0
    measured: list[dict[str, float]] = []
    diverged, running, last = None, 0.0, process_time()
    states = states_of_run(
        planned.algorithm,
        problem,
        planned.trace,
        start=start,
        local_step_size=planned.local_step_size,
        server_step_size=planned.server_step_size,
        arithmetic=arithmetic,
    )
    try:
        for index, state in enumerate(states):
            if index in wanted:
                running += process_time() - last
                measured.append(
                    {
                        name: float(f"{value:.{DIGITS}g}")
                        for name, value in measure(state.server.model).items()
                    }
                )
                last = process_time()
    except Diverged as problem_found:
        diverged = str(problem_found)
    running += process_time() - last
    points = wanted[: len(measured)]
    return {
        "panel": cell.panel,
        "series": cell.series,
        "seed": cell.seed,
        "settings": asdict(settings),
        "data": job.dataset.says,
        "rounds": points,
        "times": (
            None if planned.times is None else [round(float(planned.times[t]), 6) for t in points]
        ),
        "measures": {name: [values[name] for values in measured] for name in settings.measures},
        "client_updates": int(planned.trace.delivers.sum()),
        "rounds_with_updates": int(planned.trace.delivers.any(axis=1).sum()),
        "diverged": diverged,
        "timing": {"running": running, "whole": process_time() - began, "device": device},
    }


def _surrogate(planned: Plan) -> Any:
    """Weights proportional to 1/update time: what identical weights amount to (Fraboni et al., eq.
    6)."""
    if planned.update_times is None:
        return None
    rates = np.array([1 / float(time) for time in planned.update_times])
    return rates / rates.sum()
