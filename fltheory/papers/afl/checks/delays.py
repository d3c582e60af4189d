"""Delays: how often a model is used, and how many windows cover an increment, over all delays."""

from collections.abc import Iterator, Sequence

import numpy as np

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.enumeration import delay_sequences
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import model_reuses


def delayed(rows: Sequence[Sequence[int]], delay: int, *, local_steps: int = 1) -> Trace:
    """Who arrives in each round, with work that is `delay` rounds old once that many rounds have
    passed."""
    late = [[min(t, delay)] for t in range(len(rows))]
    return Trace.with_delays(rows, late, local_steps=local_steps)


@by_instances(
    Method.ENUMERATION, covers="all delay sequences of 1, 4 and 7 rounds with delays up to 3"
)
def reuse() -> Iterator[Instance]:
    """A model is used in at most tau + 1 rounds by one worker with delays up to tau."""
    for rounds, most in [(r, d) for d in range(4) for r in (1, 4, 7)]:
        always = np.ones((rounds, 1), bool)
        worst = max(
            int(model_reuses(Trace.with_delays(always, delays)).max())
            for delays in delay_sequences(rounds, most)
        )
        yield Instance({"uses_of_a_model": worst, "max_delay": most}, f"{rounds} rounds")


@by_instances(Method.ENUMERATION, covers="all delay sequences of 7 rounds with delays 1 to 3")
def windows() -> Iterator[Instance]:
    """The increment x_{k+1} - x_k lies in at most tau of the windows [t - tau_t, t)."""
    for most in range(1, 4):
        worst = max(
            sum(t - delay <= k < t for t, delay in enumerate(delays[:, 0].tolist()))
            for delays in delay_sequences(7, most)
            for k in range(7)
        )
        yield Instance(
            {"windows_over_an_increment": worst, "max_delay": most}, f"delays up to {most}"
        )


CHECKS = (
    Check("afl.delay-stats", reuse),
    Check("afl.delay-stats.windows", windows),
)
