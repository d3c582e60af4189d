"""Random delays and random numbers of local steps, as in AFL's experiments: functions from a trace
to a trace."""

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.randomness import Purpose, below
from fltheory.core.types import IntArray
from fltheory.traces.availability.base import whole
from fltheory.traces.trace import Trace


def random_delays(trace: Trace, max_delay: int, *, seed: int) -> Trace:
    """Each delivery starts from one of the newest max_delay + 1 models, chosen uniformly: delay in
    {0, ..., min(t, max_delay)}.

    AFL, App. E.1: "one of the last five models" is max_delay = 4. The paper does not give the
    distribution; we read it as uniform.

    >>> random_delays(Trace.fresh([[1], [1], [1]]), 0, seed=1) == Trace.fresh([[1], [1], [1]])
    True
    """
    choices = np.minimum(trace.round_indices, whole(max_delay, "maximal delay", least=0)) + 1
    return Trace.with_delays(
        trace.delivers, _draw(trace, choices, seed, Purpose.DELAY), local_steps=trace.local_steps
    )


def random_local_steps(trace: Trace, mean_steps: int, *, seed: int) -> Trace:
    """Each delivery takes U{1, ..., 2c} local steps with c = mean_steps (AFL, App. E.1: dynamic
    local steps; their mean is c + 1/2).

    >>> steps = random_local_steps(Trace.fresh([[1, 1], [1, 0]]), 5, seed=2).local_steps
    >>> int(steps[1, 1]), bool((steps[0] >= 1).all() and (steps <= 10).all())
    (0, True)
    """
    choices = 2 * whole(mean_steps, "mean local steps")
    return trace.with_local_steps(1 + _draw(trace, choices, seed, Purpose.LOCAL_STEPS))


def _draw(trace: Trace, choices: IntArray | int, seed: int, purpose: Purpose) -> IntArray:
    """Uniform integers below `choices`, keyed by round and client; a batch is refused, because its
    traces would share their draws."""
    if trace.batch_shape:
        raise InvalidInput(
            "trace", "be a single one for random draws", f"a batch of shape {trace.batch_shape}"
        )
    return below(choices, seed, purpose, trace.round_indices, np.arange(trace.num_clients)[None, :])
