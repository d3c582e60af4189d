"""Recognise traces in which all work is on time with equal numbers of local steps."""

from fltheory.core.types import BoolArray, IntArray
from fltheory.engine.compiled.numba_ import compiled


@compiled
def is_even(delivers: BoolArray, started: IntArray, steps: IntArray) -> bool:
    """Whether all work began in its own round and took equally many steps, for tables of shape
    (runs, rounds, clients)."""
    most, odd = steps.max(), 0
    for run in range(delivers.shape[0]):
        for t in range(delivers.shape[1]):
            for i in range(delivers.shape[2]):  # no early exit: it would be slower than memory
                odd |= (started[run, t, i] != t) | (steps[run, t, i] != most * delivers[run, t, i])
        if odd:
            return False
    return True
