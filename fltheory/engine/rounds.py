"""One round as an algorithm sees it: the row of the trace and the step sizes, in the arithmetic of
the run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
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
    if step_size is None or isinstance(step_size, list | tuple | dict | bytes):
        rule = "be a number such as 1/4, or a function of the round"
        raise InvalidInput("step size", rule, repr(step_size)[:60])
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

    `local_step_size` belongs to this round, `started_step_size` to the round in which the work of a
    client began. A block holds several rounds from `index` on, along a first axis; `block` is their
    number, 0 for a single round.
    """

    index: int
    block: int
    arithmetic: Arithmetic
    local_steps: IntArray
    late: tuple[tuple[int, Rows], ...]
    local_step_size: Rows
    started_step_size: Rows
    server_step_size: Rows
    most_steps: int
    """The largest number of local steps, or more."""

    masks: dict[int, Rows] = field(default_factory=dict, repr=False, compare=False)

    @property
    def delivers(self) -> Rows:
        """The clients that deliver: those with at least one local step."""
        return self.busy(0)

    @cached_property
    def share(self) -> Rows:
        """1/(number of clients that deliver) for each of these clients, 0 for the others."""
        delivers = self.local_steps > 0
        if isinstance(delivers, np.ndarray) and delivers.ndim == 2:
            return self.arithmetic.ratio(delivers, np.array([[np.count_nonzero(delivers)]]))
        return self.arithmetic.ratio(delivers, delivers.sum(axis=-2, keepdims=True))

    @cached_property
    def per_step(self) -> Rows:
        """1/local_steps for the clients that deliver, 0 for the others."""
        return self.arithmetic.ratio(self.local_steps > 0, self.local_steps)

    def busy(self, step: int) -> Rows:
        """The clients that take a local step of this number, counted from 0."""
        if step not in self.masks:
            self.masks[step] = self.arithmetic.mask(self.local_steps > step)
        return self.masks[step]

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
        if table and not isinstance(self.index, int):  # the round is a number on a device
            rows = self.arithmetic.rows(values)
            return rows.index_select(0, self.index.reshape(1))[0][..., None]
        chosen = cast(
            Sequence[Sequence[Nested]],
            values[self.index : self.index + count] if table else (values,) * count,
        )
        if len(chosen) < count:
            raise InvalidInput(
                "weights", f"have a row for round {self.index + len(chosen)}", f"{len(values)} rows"
            )
        for row in chosen:
            if len(row) != self.local_steps.shape[-2]:
                raise InvalidInput(
                    "weights",
                    f"have one entry for each of {self.local_steps.shape[-2]} clients",
                    f"{len(row)} entries",
                )
        per_round = [[[value] for value in row] for row in chosen]
        return self.arithmetic.rows([[rows] for rows in per_round] if self.block else per_round[0])

    def with_local_steps(self, local_steps: IntArray, most_steps: int) -> "Round":
        """The round in which exactly the clients with at least one of these steps deliver."""
        return replace(self, local_steps=local_steps, most_steps=most_steps, masks={})

    def again(self, index: int) -> "Round":
        """A later round in which the same happens."""
        return Round.made(**{**self.__dict__, "index": index})

    @classmethod
    def made(cls, **fields: object) -> "Round":
        """A round from all its fields, without the cost of a constructor that checks nothing."""
        found = object.__new__(cls)
        found.__dict__.update(fields)
        return found

    def on_time(self) -> "Round":
        """The round in which all work begins at the newest model."""
        return replace(self, late=(), started_step_size=self.local_step_size)


def rounds(
    trace: Trace, arithmetic: Arithmetic, local: Schedule, server: Schedule
) -> Iterator[Round]:
    """The rounds of a trace, one after the other."""
    make = _Rounds(trace, arithmetic, local, server)
    for t in range(trace.num_rounds):
        yield make(t, t)


def round_block(
    trace: Trace, arithmetic: Arithmetic, local: Schedule, server: Schedule, first: int, last: int
) -> Round:
    """Rounds first..last-1 of a single trace as one block along a new first axis, each for a batch
    of states (second axis)."""
    return _Rounds(trace, arithmetic, local, server)(first, np.arange(first, last))


class _Rounds:
    """The rounds of a trace; a step size that stays the same becomes a row once."""

    def __init__(
        self, trace: Trace, arithmetic: Arithmetic, local: Schedule, server: Schedule
    ) -> None:
        self.trace, self.arithmetic, self.local, self.server = trace, arithmetic, local, server
        self.delays = trace.delays
        self.on_time = not self.delays.any()
        steps = trace.local_steps
        self.most = steps.max(axis=(*range(steps.ndim - 2), -1)).tolist()
        self.known: dict[object, Rows] = {}
        self.latest: list[tuple[object, Rows]] = []
        self.alike: dict[bytes, Round] = {}

    def __call__(self, first: int, at: int | IntArray) -> Round:
        """The round `at`, or a block of rounds if `at` is an array of indices."""
        local_now = started = self._size(self.local, at)
        server = self._size(self.server, at)
        steps = _row(self.trace.local_steps, at)
        delays = None if self.on_time else _row(self.delays, at)
        own = b""
        if isinstance(at, int) and steps.size <= FEW:
            own = steps.tobytes() + (b"" if delays is None else delays.tobytes())
            other = self.alike.get(own)
            if (
                other is not None
                and other.server_step_size is server
                and other.started_step_size is local_now
                and all(self._size(self.local, at, delay) is local_now for delay, _ in other.late)
            ):
                return other.again(first)
        late: tuple[tuple[int, Rows], ...] = ()
        if delays is not None:
            late = tuple(
                (int(delay), self.arithmetic.mask(delays == delay))
                for delay in np.unique(delays)
                if delay > 0
            )
        for delay, who in late:
            older = self._size(self.local, at, delay)
            if older is not started:
                started = self.arithmetic.where(who, older, started)
        found = Round.made(
            index=first,
            block=0 if isinstance(at, int) else len(at),
            arithmetic=self.arithmetic,
            local_steps=steps,
            most_steps=self.most[at] if isinstance(at, int) else int(steps.max()),
            late=late,
            local_step_size=local_now,
            started_step_size=started,
            server_step_size=server,
            masks={},
        )
        if own and len(self.alike) < KNOWN_ROUNDS:
            self.alike[own] = found
        return found

    def _size(self, step_size: Schedule, at: int | IntArray, delay: int = 0) -> Rows:
        if not isinstance(at, int):
            values = [[[[step_size(max(int(t) - delay, 0))]]] for t in at]
            return self.arithmetic.rows(values)
        value = step_size(at - delay)
        for same, rows in self.latest:  # the same object, as constants are
            if value is same:
                return rows
        if not isinstance(value, str | int | Fraction):
            return self.arithmetic.rows([[value]])
        if value not in self.known:
            if len(self.known) >= KNOWN_SIZES:
                self.known.clear()
            self.known[value] = self.arithmetic.rows([[value]])
        self.latest = [(value, self.known[value]), *self.latest[:1]]
        return self.known[value]


KNOWN_ROUNDS, FEW = 256, 64
"""How many rounds are kept for those in which the same happens, and of how many clients."""

KNOWN_SIZES = 64
"""How many step sizes are kept as rows."""


def _row(table: Array, at: int | IntArray) -> Array:
    """One row of a trace for each client; rows of a block along a first axis."""
    return table[..., at, :, None] if isinstance(at, int) else table[at, None, :, None]
