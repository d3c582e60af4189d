"""Trace: who delivers in each round, from which model, after how many local steps."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from fltheory.core.checked import Checked, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, IntArray, Whole


@frozen(eq=False)
class Trace:
    """What the clients did: one row per round, one column per client; leading axes are a batch.

    - `delivers[t, i]`: whether the work of client i is used in round t
    - `started_from[t, i]`: index of the model that this work started from, at most t (models[t] is
      the model before round t)
    - `local_steps[t, i]`: number of gradient steps in this work, at least 1

    Where a client does not deliver, `started_from` is t and `local_steps` is 0, so that equal
    traces are equal arrays.

    >>> trace = Trace.fresh([[True, True], [False, True]], local_steps=2)
    >>> trace.local_steps.tolist(), trace.num_rounds
    ([[2, 2], [0, 2]], 2)
    """

    delivers: Checked[Whole, BoolArray]
    started_from: Checked[Whole, IntArray]
    local_steps: Checked[Whole, IntArray]

    def __post_init__(self) -> None:
        delivers = boolean_matrix(self.delivers, "delivers")
        fields: dict[str, BoolArray | IntArray] = {"delivers": delivers}
        for name in ("started_from", "local_steps"):
            try:
                array = np.asarray(getattr(self, name))
            except (ValueError, OverflowError):
                raise InvalidInput(
                    name,
                    f"have the shape {delivers.shape} of delivers",
                    "ragged rows or huge numbers",
                ) from None
            if not np.issubdtype(array.dtype, np.integer):
                raise InvalidInput(name, "hold whole numbers", array.dtype)
            if array.shape != delivers.shape:
                raise InvalidInput(
                    name, f"have the shape {delivers.shape} of delivers", array.shape
                )
            fields[name] = array
        for name, array in fields.items():
            array = array.astype(np.bool_ if name == "delivers" else np.int64)  # a copy
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        self._check()

    def _check(self) -> None:
        started, steps, idle = self.started_from, self.local_steps, ~self.delivers
        rounds = self.round_indices
        late = rounds - started
        at_work = (late >= 0) & (started >= 0) & (steps >= 1)
        if np.where(idle, (late == 0) & (steps == 0), at_work).all():
            return
        refuse = self._refuse
        refuse(
            self.started_from,
            self.delivers & (self.started_from < 0),
            "started_from",
            "be at least 0",
        )
        refuse(
            self.started_from,
            self.delivers & (self.started_from > rounds),
            "started_from",
            "not lie after its round",
        )
        refuse(
            self.local_steps,
            self.delivers & (self.local_steps < 1),
            "local_steps",
            "be at least 1 where the client delivers",
        )
        refuse(
            self.started_from,
            idle & (self.started_from != rounds),
            "started_from",
            "equal the round where nothing is delivered",
        )
        refuse(
            self.local_steps,
            idle & (self.local_steps != 0),
            "local_steps",
            "be 0 where nothing is delivered",
        )

    def _refuse(self, values: IntArray, wrong: BoolArray, name: str, rule: str) -> None:
        if wrong.any():
            place = tuple(int(k) for k in np.argwhere(wrong)[0])
            raise InvalidInput(
                f"{name} of client {place[-1]} in round {place[-2]}", rule, int(values[place])
            )

    @classmethod
    def fresh(cls, delivers: Whole, *, local_steps: Whole = 1) -> "Trace":
        """Clients that deliver start from the newest model (MIFA, FedLaAvg, FedAvg):
        started_from[t] = t."""
        matrix = boolean_matrix(delivers, "delivers")
        return cls.with_delays(matrix, np.zeros(matrix.shape, np.int64), local_steps=local_steps)

    @classmethod
    def continuous(cls, delivers: Whole, *, local_steps: Whole = 1) -> "Trace":
        """Every client always works on the model it last received (Fraboni et al., Sec. 2.2).

        rho_i(0) = 0; rho_i(n+1) = n+1 if client i delivers in round n, else rho_i(n).

        >>> Trace.continuous([[True, False], [False, True], [True, False]]).started_from.tolist()
        [[0, 0], [1, 0], [1, 2]]
        """
        matrix = boolean_matrix(delivers, "delivers")
        return cls.with_delays(matrix, rounds_since_received(matrix), local_steps=local_steps)

    @classmethod
    def with_delays(cls, delivers: Whole, delays: Whole, *, local_steps: Whole = 1) -> "Trace":
        """Deliveries whose work started `delays` rounds before the round that uses them.

        >>> Trace.with_delays([[True], [True], [True]], [[0], [1], [2]]).started_from.tolist()
        [[0], [0], [0]]
        """
        matrix = boolean_matrix(delivers, "delivers")
        rounds = np.arange(matrix.shape[-2])[:, None]
        started = np.where(matrix, rounds - _spread(delays, matrix, "delays"), rounds)
        return cls(
            matrix, started, np.where(matrix, _spread(local_steps, matrix, "local_steps"), 0)
        )

    def with_local_steps(self, local_steps: Whole) -> "Trace":
        """The same deliveries with other numbers of local steps."""
        return replace(
            self,
            local_steps=np.where(
                self.delivers, _spread(local_steps, self.delivers, "local_steps"), 0
            ),
        )

    def first(self, num_rounds: int) -> "Trace":
        """The first `num_rounds` rounds of this trace."""
        if not 1 <= num_rounds <= self.num_rounds:
            raise InvalidInput("number of rounds", f"lie in [1, {self.num_rounds}]", num_rounds)
        return Trace(
            self.delivers[..., :num_rounds, :],
            self.started_from[..., :num_rounds, :],
            self.local_steps[..., :num_rounds, :],
        )

    @property
    def num_rounds(self) -> int:
        return self.delivers.shape[-2]

    @property
    def num_clients(self) -> int:
        return self.delivers.shape[-1]

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.delivers.shape[:-2]

    @property
    def round_indices(self) -> IntArray:
        """0..num_rounds-1 as a column, to compare with `started_from`."""
        return np.arange(self.num_rounds)[:, None]

    @cached_property
    def delays(self) -> IntArray:
        """Rounds between the model that a delivery started from and the model that it updates (0
        where nothing is delivered)."""
        found: IntArray = self.round_indices - self.started_from
        found.flags.writeable = False
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("delivers", "started_from", "local_steps")
        )

    def __hash__(self) -> int:
        return hash(
            (
                self.delivers.shape,
                self.delivers.tobytes(),
                self.started_from.tobytes(),
                self.local_steps.tobytes(),
            )
        )


def boolean_matrix(values: Whole, owner: str) -> BoolArray:
    """A (..., rounds, clients) array of booleans with at least one round and one client.

    >>> boolean_matrix([[1, 0]], "available").tolist()
    [[True, False]]
    """
    try:
        matrix = np.asarray(values)
    except ValueError:
        raise InvalidInput(owner, "have rows of equal length", "ragged rows") from None
    if matrix.ndim < 2 or 0 in matrix.shape:
        raise InvalidInput(owner, "have at least one round and one client", f"shape {matrix.shape}")
    if matrix.dtype != np.bool_:
        if not (np.issubdtype(matrix.dtype, np.integer) and np.isin(matrix, (0, 1)).all()):
            raise InvalidInput(
                owner, "hold only true and false (or 1 and 0)", f"{matrix.dtype} values"
            )
        matrix = matrix.astype(np.bool_)
    return matrix


def _spread(values: Whole, matrix: BoolArray, owner: str) -> IntArray:
    """One value for all, one per client, or one per round and client, which broadcasts to the shape
    of the matrix."""
    try:
        given = np.asarray(values)
        if given.ndim and given.shape != matrix.shape:
            given = np.broadcast_to(given, matrix.shape)
    except ValueError:
        raise InvalidInput(
            owner, f"fit the shape {matrix.shape} of delivers", "another shape"
        ) from None
    if given.dtype.kind in "US":
        raise InvalidInput(owner, "hold whole numbers", "text")
    return given


def last_true(matrix: BoolArray) -> IntArray:
    """For each entry, the index of the last true row in its column up to and including its own row;
    -1 where there is none."""
    rounds = np.arange(matrix.shape[-2])[:, None]
    return np.maximum.accumulate(np.where(matrix, rounds, -1), axis=-2)


def rounds_since_received(delivers: BoolArray) -> IntArray:
    """n - rho_i(n): age of the model that each client works on, if each client that delivers
    receives the next model."""
    received = np.zeros(delivers.shape, np.int64)
    received[..., 1:, :] = last_true(delivers)[..., :-1, :] + 1
    return np.arange(delivers.shape[-2])[:, None] - received
