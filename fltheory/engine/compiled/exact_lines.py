"""Methods on quadratics in one coordinate with exact gradients, all work on time with equal numbers
of local steps: the fastest loop over rounds.

All functions that the loop calls are in this file (see numba_.py).
"""

import numpy as np

from fltheory.core.types import BoolArray, FloatArray, IntArray
from fltheory.engine.compiled.numba_ import compiled


@compiled
def run_exact_lines(
    models: FloatArray,
    curvatures: FloatArray,
    optima: FloatArray,
    delivers: BoolArray,
    local: FloatArray,
    server: FloatArray,
    most: int,
    flags: tuple[bool, bool, bool],
    block: int,
) -> None:
    """Fill models (runs, rounds + 1), whose round 0 is given, one block of rounds after the other
    and within it one run after the other.

    Traces have shape (1 or runs, rounds, clients), `most` is the number of local steps. `flags`:
    the server keeps the latest delivery of every client; a delivery is weighted by the step size of
    its start; it is divided by its local steps.
    """
    runs, rounds, clients = models.shape[0], models.shape[1] - 1, curvatures.shape[0]
    memory, gains = np.zeros((runs, clients)), np.zeros((block, clients))
    slots = np.zeros(block, np.int64)
    for begin in range(0, rounds, block):
        end = min(begin + block, rounds)
        for t in range(begin, end):
            same = t > begin and local[t] == local[t - 1]
            slots[t - begin] = slots[t - begin - 1] if same else t - begin
            if not same:
                _fill_gains(gains[t - begin], curvatures, local[t], most)
        for run in range(runs):
            row = run if delivers.shape[0] > 1 else 0
            _block(
                models[run, begin : end + 1],
                gains,
                slots,
                optima,
                delivers[row, begin:end],
                memory[run],
                local[begin:end],
                server[begin:end],
                most,
                flags,
            )


@compiled
def _fill_gains(gains: FloatArray, curvatures: FloatArray, size: float, taken: int) -> None:
    """h (1 + r + ... + r^{K-1}), r = 1 - size * h, for every curvature h."""
    for i in range(curvatures.shape[0]):
        shrink = 1.0 - size * curvatures[i]
        gain = 0.0
        for _ in range(taken):
            gain = 1.0 + shrink * gain
        gains[i] = gain * curvatures[i]


@compiled
def _block(
    models: FloatArray,
    gains: FloatArray,
    slots: IntArray,
    optima: FloatArray,
    delivers: BoolArray,
    memory: FloatArray,
    local: FloatArray,
    server: FloatArray,
    most: int,
    flags: tuple[bool, bool, bool],
) -> None:
    """One block of rounds of one run, without branches."""
    keeps, own_size, per_step, clients = flags[0], flags[1], flags[2], optima.shape[0]
    kept, share = 1.0 if keeps else 0.0, 1.0 / clients
    for t in range(delivers.shape[0]):
        model, present, gain = models[t], delivers[t], gains[slots[t]]
        own, size = (local[t], server[t]) if own_size else (1.0, server[t] * local[t])
        total, other, count = 0.0, 0.0, 0
        for i in range(0, clients - 1, 2):
            memory[i] = own * gain[i] * (model - optima[i]) if present[i] else kept * memory[i]
            memory[i + 1] = (
                own * gain[i + 1] * (model - optima[i + 1])
                if present[i + 1]
                else kept * memory[i + 1]
            )
            total, other = total + memory[i], other + memory[i + 1]
        if clients % 2:
            memory[-1] = own * gain[-1] * (model - optima[-1]) if present[-1] else kept * memory[-1]
            total += memory[-1]
        if not keeps:
            for i in range(clients):
                count += present[i]
            share = 1.0 / max(count, 1)
        models[t + 1] = model - size / (most if per_step else 1) * share * (total + other)
