"""A run over coefficients: the unchanged algorithm, on a problem that records where its gradients
are evaluated."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory.analysis.worst_case.client_symmetry import Members
from fltheory.analysis.worst_case.memory import refuse_if_too_large
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import shares
from fltheory.core.types import Array, ExactLike, IntArray, StepSize
from fltheory.engine.arithmetic import RATIONAL, Arithmetic, Rows
from fltheory.engine.arithmetic.gram import MEANS, Gram, NoiseVectors, Record, Tape
from fltheory.engine.roles import Algorithm
from fltheory.engine.rounds import rounds, schedule
from fltheory.engine.simulate import simulate, simulate_virtual
from fltheory.engine.workers import LocalWork, Oracle
from fltheory.traces.trace import Trace

ROUNDING = 1e-9
"""Largest float that counts as zero where coefficients cancel; fractions cancel exactly."""


@dataclass(frozen=True)
class UnknownLosses:
    """A problem of which only the class is known: its gradients are new basis vectors."""

    tape: Tape
    local_steps: tuple[IntArray, ...]

    @property
    def num_clients(self) -> int:
        return self.tape.num_clients

    @property
    def dimension(self) -> int:
        return self.tape.capacity

    @property
    def affine(self) -> bool:
        return False

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return ()

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> gradient of client i at row i, for all clients."""
        return lambda rows: self.tape.gradients(rows, np.ones(self.num_clients, bool))

    def oracle(self, arithmetic: Arithmetic) -> Oracle:
        """The same for the clients that still work in a local step of a round."""
        return lambda rows, index, step: self.tape.gradients(
            rows, self.local_steps[index][:, 0] > step
        )

    def local_work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> LocalWork | None:
        return None


@dataclass(frozen=True)
class Recording:
    """`models[t]` is the model before round t, as coefficients; `records[c]` are the points and
    gradients of class c, starting with the optimum if there is one.

    `owners` gives the block of each basis vector: 0 for means, `blocks[c]` for the deviations of
    class c.
    """

    models: Array
    records: tuple[tuple[Record, ...], ...]
    owners: tuple[int, ...]
    blocks: dict[int, int]
    shares: tuple[Fraction, ...]
    has_optimum: bool
    points: tuple[tuple[int, ...], ...]
    """For each point of the metric or of a condition, the index of its record in every class."""
    noises: tuple[NoiseVectors, ...] = ()
    uncorrelated: tuple[tuple[int, int], ...] = ()
    """Pairs of a noise vector and a vector that it does not influence; their expected product is
    0."""


def record(
    algorithm: Algorithm,
    trace: Trace,
    members: Members,
    *,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    importance: Sequence[ExactLike] | None = None,
    has_optimum: bool = True,
    common_optimum: bool = False,
    wanted: Sequence[Sequence[Fraction]] = (),
    virtual: bool = False,
    noisy: bool = False,
    numbers: Arithmetic = RATIONAL,
) -> Recording:
    """Run a method over coefficients and record the gradient of every class at the wanted points.

    Each row of `wanted` holds weights over the models 0..num_rounds, or over the virtual ones, of
    one point. With `common_optimum`, every client's gradient at x* is zero. With `noisy`, working
    clients get gradients with noise.
    """
    arithmetic = Gram(numbers)
    steps = tuple(
        algorithm.worker.reads(row).local_steps
        for row in rounds(trace, arithmetic, schedule(local_step_size), schedule(server_step_size))
    )
    asked = [sum(int(row[group[0], 0]) for row in steps) for group in members]
    per_class = [(2 if noisy else 1) * count + len(wanted) + 1 for count in asked]
    capacity = 1 + sum(
        count * (2 if len(group) > 1 else 1)
        for count, group in zip(per_class, members, strict=True)
    )
    refuse_if_too_large(trace.num_clients, capacity, per_class, exact=numbers is RATIONAL)
    tape = Tape(members, capacity, arithmetic, noisy=noisy)
    weights = class_shares(members, importance)
    start = tape.mint() if has_optimum else tape.zero()
    if has_optimum:
        _optimum(tape, weights, common_optimum)
    run = simulate(
        algorithm,
        UnknownLosses(tape, steps),
        trace,
        start=list(start),
        arithmetic=arithmetic,
        local_step_size=local_step_size,
        server_step_size=server_step_size,
    )
    models = run.models
    if virtual and trace.local_steps.max() > 1:
        # the same gradients are requested again, and the tape returns the recorded ones
        cut = simulate_virtual(
            algorithm,
            UnknownLosses(tape, steps),
            trace,
            start=list(start),
            arithmetic=arithmetic,
            local_step_size=local_step_size,
            server_step_size=server_step_size,
        )
        models = np.concatenate([cut[:, :-1].reshape(-1, capacity), run.models[-1:]])
    deviations = [k for k, owner in enumerate(tape.owners) if owner != MEANS]
    if (abs(models[:, deviations]) > ROUNDING).any():
        raise InvalidInput(
            "members of a class",
            "count alike, so that their deviations cancel in the models",
            [list(g) for g in members],
        )
    places = []
    for row in wanted:
        point = (arithmetic.rows(list(row))[:, None] * models).sum(axis=0)
        places.append(tuple(tape.place(which, point) for which in range(len(members))))
    used = len(tape.owners)
    records = tuple(
        tuple(Record(r.point[:used], r.gradient[:used]) for r in found) for found in tape.records
    )
    return Recording(
        run.models[:, :used],
        records,
        tuple(tape.owners),
        tape.blocks,
        weights,
        has_optimum,
        tuple(places),
        tuple(tape.noises),
        tuple(_uncorrelated(tape)),
    )


def _uncorrelated(tape: Tape) -> Iterator[tuple[int, int]]:
    """A draw of noise has mean zero given everything before it, so it is uncorrelated with the
    vectors that it does not influence and with other draws.

    The vectors in a point influence the gradient there. They also influence the distribution of a
    later draw, but not its mean.
    """
    draws = {k: number for number, noise in enumerate(tape.noises) for k in noise.vectors}
    influences: list[set[int]] = []
    for k, point in enumerate(tape.born_at):
        known = (
            set()
            if point is None
            else set().union(*(influences[j] for j in range(k) if abs(point[j]) > ROUNDING))
        )
        influences.append(known | {draws[k]} if k in draws else known)
    for k, number in draws.items():
        for j, owner in enumerate(tape.owners):
            if owner == tape.owners[k] and (number not in influences[j] or (j in draws and j < k)):
                yield k, j


def class_shares(
    members: Members, importance: Iterable[ExactLike] | None = None
) -> tuple[Fraction, ...]:
    """Weight of each class in the global loss, above zero; members of a class must have equal
    weights."""
    each = shares(importance, sum(len(group) for group in members))
    for i, share in enumerate(each):
        if share == 0:
            raise InvalidInput(f"importance of client {i}", "be above 0 for a worst case", share)
    for group in members:
        if len({each[i] for i in group}) > 1:
            raise InvalidInput(
                f"importance of clients {list(group)}",
                "be equal in a class",
                [str(each[i]) for i in group],
            )
    return tuple(sum((each[i] for i in group), Fraction(0)) for group in members)


def _optimum(tape: Tape, weights: tuple[Fraction, ...], common: bool) -> None:
    """Record the gradients at x* = 0. Their weighted sum is zero, which determines the last
    class's mean."""
    last = len(weights) - 1
    rest = tape.zero()
    gradients = {}
    for which in range(len(tape.members)):
        row = tape.zero()
        if not common and which != last:
            row = tape.mint()
            rest = rest - row * (weights[which] / weights[last])
        gradients[which] = row
    gradients[last] = rest
    for which, row in gradients.items():
        deviation = (
            tape.mint(tape.blocks[which]) if which in tape.blocks and not common else tape.zero()
        )
        tape.add(which, tape.zero(), row + deviation)
