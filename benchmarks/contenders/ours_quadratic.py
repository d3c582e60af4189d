"""fltheory's MIFA on quadratics: compiled, or batched tensors in closed form."""

import sys

import numpy as np
import torch
from protocol import serve

from fltheory import Mifa, Quadratic, Trace, named_arithmetic
from fltheory.engine.compiled.simulate import simulate_quadratic
from fltheory.engine.simulate import simulate
from fltheory.problems.closed_form import ClosedForm

torch.set_num_threads(1)
draw = np.random.default_rng(0)


def line() -> tuple[Quadratic, Trace]:
    """10 clients, one coordinate, exact gradients, 5 local steps."""
    return Quadratic(list(range(1, 11)), list(range(10))), Trace.fresh(
        draw.random((1_000_000, 10)) < 0.5, local_steps=5
    )


def space(rounds: int) -> tuple[Quadratic, Trace]:
    """64 seeds, 100 clients, 10 coordinates, noise of variance 1 in each, 10 local steps."""
    problem = Quadratic(
        [[1 + i % 3] * 10 for i in range(100)], [[i % 7] * 10 for i in range(100)], noise_squared=10
    )
    return problem, Trace.fresh(draw.random((64, rounds, 100)) < 0.5, local_steps=10)


if sys.argv[2] == "line":
    problem, trace = line()

    def measure() -> int:
        simulate_quadratic(Mifa(), problem, trace, start=0, local_step_size="1/100")
        return trace.num_rounds

elif sys.argv[2] == "space":
    problem, trace = space(300)

    def measure() -> int:
        simulate_quadratic(
            Mifa(), problem, trace, start=0, local_step_size="1/100", seed=tuple(range(64))
        )
        return int(trace.delivers.sum())

else:
    problem, trace = space(50)
    tensors = named_arithmetic("tensor")

    def measure() -> int:
        simulate(
            Mifa(),
            ClosedForm(problem, tuple(range(64))),
            trace,
            start=0,
            local_step_size="1/100",
            arithmetic=tensors,
        )
        return int(trace.delivers.sum())


serve(measure)
