"""Problems and traces for tests of runs."""

from fltheory import Quadratic, Trace

LINE = Quadratic(curvatures=(1, 2), optima=(0, 3))
LATE = Trace.with_delays(
    [[1, 1], [0, 1], [1, 1], [1, 0]],
    [[0, 0], [0, 1], [2, 0], [1, 0]],
    local_steps=[[1, 2], [1, 3], [2, 1], [3, 1]],
)
