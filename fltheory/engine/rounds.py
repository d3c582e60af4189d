"""One round as an algorithm sees it: the row of the trace and the step sizes, in the arithmetic of
the run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array, ExactLike, IntArray, Nested, Scalar, Schedule, StepSize
from fltheory.engine.arithmetic.base import Arithmetic, Rows
from fltheory.traces.trace import Trace


def schedule(step_size: StepSize) -> Schedule:
    """A constant as a schedule; a schedule unchanged.

    >>> schedule("1/4")(7)
    '1/4'
    """
    return step_size if callable(step_size) else lambda _: step_size


def by_updates(step_size: Schedule, trace: Trace) -> Schedule:
    """A schedule indexed by the number of updates so far instead of by rounds (MIFA's FedAvg
    baseline, which waits).

    >>> sizes = by_updates(lambda k: k, Trace.fresh([[1], [0], [1]]))
    >>> [sizes(t) for t in range(3)]
    [0, 1, 1]
    """
    if trace.batch_shape:
        raise InvalidInput(
            "trace",
            "be a single one for step sizes by updates",
            f"a batch of shape {trace.batch_shape}",
        )
    updates = np.concatenate([[0], np.cumsum(trace.delivers.any(axis=-1))])
    return lambda index: step_size(int(updates[index]))


@dataclass(frozen=True)
class Round:
    """What happens in one round. Rows have shape (..., clients, 1) and step sizes (1, 1), so that
    all of them broadcast.

    `share` is 1/(number of clients that deliver) for each of these clients and 0 for the others;
    `per_step` is 1/local_steps in the same way. `local_step_size` belongs to this round,
    `started_step_size` to the round in which the work of a client began. A block holds several
    rounds from `index` on, along a first axis; `block` is their number, 0 for a single round.
    """

    index: int
    block: int
    arithmetic: Arithmetic
    delivers: Rows
    share: Rows
    per_step: Rows
    local_steps: IntArray
    late: tuple[tuple[int, Rows], ...]
    local_step_size: Rows
    started_step_size: Rows
    server_step_size: Rows

    def choose(self, new: Rows, old: Rows) -> Rows:
        """`new` for the clients that deliver in this round, `old` for the others."""
        return self.arithmetic.where(self.delivers, new, old)

    def number(self, value: ExactLike | Scalar) -> Rows:
        """One exact number, to multiply rows with."""
        return self.arithmetic.rows([[value]])

    def per_client(self, values: Sequence[Nested]) -> Rows:
        """One exact number per client, or a table of them with one row per round."""
        count = max(self.block, 1)
        table = isinstance(values[0], tuple)
        chosen = cast(
            Sequence[Sequence[Nested]],
            values[self.index : self.index + count] if table else (values,) * count,
        )
        if len(chosen) < count:
            raise InvalidInput(
                "weights", f"have a row for round {self.index + len(chosen)}", f"{len(values)} rows"
            )
        for row in chosen:
            if len(row) != self.delivers.shape[-2]:
                raise InvalidInput(
                    "weights",
                    f"have one entry for each of {self.delivers.shape[-2]} clients",
                    f"{len(row)} entries",
                )
        per_round = [[[value] for value in row] for row in chosen]
        return self.arithmetic.rows([[rows] for rows in per_round] if self.block else per_round[0])

    def with_local_steps(self, local_steps: IntArray) -> "Round":
        """The round in which exactly the clients with at least one of these steps deliver."""
        delivers = local_steps > 0
        return replace(
            self,
            delivers=self.arithmetic.mask(delivers),
            share=self.arithmetic.ratio(delivers, delivers.sum(axis=-2, keepdims=True)),
            per_step=self.arithmetic.ratio(delivers, local_steps),
            local_steps=local_steps,
        )

    def on_time(self) -> "Round":
        """The round in which all work begins at the newest model."""
        return replace(self, late=(), started_step_size=self.local_step_size)


def rounds(
    trace: Trace, arithmetic: Arithmetic, local: Schedule, server: Schedule
) -> Iterator[Round]:
    """The rounds of a trace, one after the other."""
    for t in range(trace.num_rounds):
        yield _round(trace, arithmetic, local, server, t, t)


def round_block(
    trace: Trace, arithmetic: Arithmetic, local: Schedule, server: Schedule, first: int, last: int
) -> Round:
    """Rounds first..last-1 of a single trace as one block along a new first axis, each for a batch
    of states (second axis)."""
    return _round(trace, arithmetic, local, server, first, np.arange(first, last))


def _round(
    trace: Trace,
    arithmetic: Arithmetic,
    local: Schedule,
    server: Schedule,
    first: int,
    at: int | IntArray,
) -> Round:
    """The round `at`, or a block of rounds if `at` is an array of indices."""

    def row(table: Array) -> Array:
        return table[..., at, :, None] if isinstance(at, int) else table[at, None, :, None]

    def size(step_size: Schedule, delay: int = 0) -> Rows:
        if isinstance(at, int):
            return arithmetic.rows([[step_size(at - delay)]])
        return arithmetic.rows([[[[step_size(max(int(t) - delay, 0))]]] for t in at])

    delivers, local_steps, delays = row(trace.delivers), row(trace.local_steps), row(trace.delays)
    late = tuple(
        (int(delay), arithmetic.mask(delays == delay)) for delay in np.unique(delays) if delay > 0
    )
    local_now = started = size(local)
    for delay, who in late:
        started = arithmetic.where(who, size(local, delay), started)
    return Round(
        index=first,
        block=0 if isinstance(at, int) else len(at),
        arithmetic=arithmetic,
        delivers=arithmetic.mask(delivers),
        share=arithmetic.ratio(delivers, delivers.sum(axis=-2, keepdims=True)),
        per_step=arithmetic.ratio(delivers, local_steps),
        local_steps=local_steps,
        late=late,
        local_step_size=local_now,
        started_step_size=started,
        server_step_size=size(server),
    )
