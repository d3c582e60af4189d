"""The limit of a method on quadratics with a periodic trace: the affine map of one period, its
stability and its exact limit cycle."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from fltheory.analysis.affine import StateSpace
from fltheory.core.errors import InvalidInput
from fltheory.core.linear import is_schur_stable, reachable_map, spectral_radius
from fltheory.core.results import (
    Table,
    as_dict,
    as_html,
    as_point,
    as_points,
    as_text,
    named_values,
)
from fltheory.core.types import Array, Formula, Json, Start, StepSize
from fltheory.engine.arithmetic import RATIONAL, Arithmetic, Rows
from fltheory.engine.roles import Algorithm, Problem, check_roles
from fltheory.engine.rounds import Round, rounds, schedule
from fltheory.engine.run import Run, RunState, make_run, start_row
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import repeats

MAX_ORBIT_PERIODS = 24
"""How many periods an unstable run is followed in search of an exact return."""

Number = Fraction | Formula
"""An exact number, or a formula if the step size is a symbol."""

Point = tuple[Number, ...]
"""A model, one number per coordinate."""


@dataclass(frozen=True, repr=False)
class LimitCycle:
    """The limit of a method on a periodic trace.

    `cycle[j]` is the model before each round j (mod period) of the unique cycle; `cycle` is None if
    there is none. `stable` means that the run from every start tends to the cycle; it is None if
    the step size is a symbol. `characteristic` holds the coefficients of det(z - A) of the period
    map on the reachable states, highest power first. `orbit` is the exact periodic run from the
    given start, if one was found and it is not the cycle.
    """

    period: int
    cycle: tuple[Point, ...] | None
    characteristic: tuple[Number, ...]
    spectral_radius: float | None
    spectral_radius_exact: Formula | None
    stable: bool | None
    orbit: tuple[Point, ...] | None = None

    @property
    def at_period_end(self) -> Point | None:
        """The cycle's model at the end of each period."""
        return None if self.cycle is None else self.cycle[0]

    @property
    def mean(self) -> Point | None:
        """The average of the cycle's models."""
        if self.cycle is None:
            return None
        columns: Iterable[Iterable[Number]] = zip(*self.cycle, strict=True)
        return tuple(_as_one_fraction(sum(column) / self.period) for column in columns)

    @property
    def note(self) -> str:
        """A warning where runs do not tend to the cycle; empty otherwise."""
        if self.stable is not False:
            return ""
        return (
            "the step size is not stable: runs do not tend to this cycle, and its mean is not a"
            " limit"
        )

    def values(self) -> dict[str, object]:
        """What is shown, by name; a single coordinate is a number."""
        return {
            "period": self.period,
            "cycle": as_points(self.cycle),
            "at_period_end": as_point(self.at_period_end),
            "mean": None if self.stable is False else as_point(self.mean),
            "spectral_radius": self.spectral_radius,
            "spectral_radius_exact": self.spectral_radius_exact,
            "stable": self.stable,
            **({"note": self.note} if self.note else {}),
        }

    def to_dict(self) -> Json:
        return as_dict({**self.values(), "orbit": as_points(self.orbit)})

    def tables(self) -> list[Table]:
        return [named_values("limit cycle", self.values())]

    __repr__ = as_text
    _repr_html_ = as_html


def limit_cycle(
    algorithm: Algorithm,
    problem: Problem,
    trace: Trace,
    *,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    start: Start | None = None,
    arithmetic: Arithmetic = RATIONAL,
) -> LimitCycle:
    """The exact limit of a method on a problem with affine gradients and a trace that repeats at
    least three times.

    One period is an affine map z -> A z + b of the whole state (model, memory, models still in
    use), obtained by running the period once on the zero state and all unit states, as a batch. The
    limit solves z = A z + b among the states that a run can reach.

    >>> from fltheory import FedAvg, Quadratic, Trace
    >>> drift = Trace.fresh([[1, 0], [0, 1], [0, 1], [0, 1]] * 3)
    >>> problem = Quadratic(curvatures=(2, 2), optima=(0, 1))
    >>> limit = limit_cycle(FedAvg(), problem, drift, local_step_size="1/4")
    >>> limit.at_period_end, limit.stable, limit.spectral_radius_exact
    ((Fraction(14, 15),), True, 1/16)
    """
    check_roles(algorithm, problem, trace)
    if callable(local_step_size) or callable(server_step_size):
        raise InvalidInput("step size", "be constant for a limit cycle", "a schedule")
    if not problem.affine:
        raise InvalidInput(
            "problem", "have affine gradients for a limit cycle", type(problem).__name__
        )
    repeating = repeats(trace)
    if repeating is None:
        raise InvalidInput(
            "trace",
            "repeat itself at least three times for a limit cycle",
            f"{trace.num_rounds} rounds without a period",
        )
    warm_up, period = repeating
    run = make_run(algorithm, problem, trace, arithmetic=arithmetic)
    # at least a period before the end, for the trace has repeated twice since
    settled = -(-max(warm_up, run.max_delay) // period) * period

    def all_rounds(first: int, last: int | None) -> Iterator[Round]:
        return islice(
            rounds(trace, arithmetic, schedule(local_step_size), schedule(server_step_size)),
            first,
            last,
        )

    space = StateSpace(run)
    matrix, offset = _period_map(space, all_rounds(settled, settled + period))
    reachable = reachable_map(matrix, offset, _settled_states(space, all_rounds(0, settled)))
    polynomial, limit = reachable.characteristic(), reachable.fixed_point()
    cycle = orbit = radius = radius_exact = stable = None
    if all(isinstance(c, Fraction) for c in polynomial):
        (radius, radius_exact), stable = spectral_radius(polynomial), is_schur_stable(polynomial)
    if limit is not None:
        cycle = _models(run, space.state(limit), all_rounds(settled, settled + period))[:-1]
    if start is not None and stable is False:
        model = start_row(start, problem.dimension, arithmetic)
        orbit = _orbit(
            space, model, settled, period, all_rounds(0, settled + MAX_ORBIT_PERIODS * period)
        )
    return LimitCycle(period, cycle, tuple(polynomial), radius, radius_exact, stable, orbit)


def _as_one_fraction(value: Number) -> Number:
    """A formula in lowest terms and factored, a number as it is."""
    if isinstance(value, Fraction):
        return value
    from sympy import factor

    simple: Formula = factor(value)
    return simple


def _period_map(space: StateSpace, steady: Iterator[Round]) -> tuple[Array, Array]:
    """A and b of one period: column j of A is the image of unit state j minus the image of zero."""
    state = space.state(space.zero_and_units(space.size))
    for round in steady:
        state = space.run.advance(state, round)
    images = space.vector(state, (space.size + 1,))
    return (images[1:] - images[0]).T, images[0]


def _settled_states(space: StateSpace, warm_up: Iterator[Round]) -> Rows:
    """States when the trace has become periodic, from the zero model and from every unit model."""
    dimension = space.run.zeros.shape[-1]
    state = space.run.start(space.zero_and_units(dimension)[:, None, :])
    for round in warm_up:
        state = space.run.advance(state, round)
    return space.vector(state, (dimension + 1,))


def _models(run: Run, state: RunState, steady: Iterator[Round]) -> tuple[Point, ...]:
    models = [tuple(state.server.model[0])]
    for round in steady:
        state = run.advance(state, round)
        models.append(tuple(state.server.model[0]))
    return tuple(models)


def _orbit(
    space: StateSpace, model: Rows, settled: int, period: int, every: Iterator[Round]
) -> tuple[Point, ...] | None:
    """The models between two exact returns of the whole state, if any.

    Only returns after the trace has become periodic count.
    """
    run = space.run
    state, models = run.start(model), [tuple(model[0])]
    seen: dict[Point, int] = {}
    for round in every:
        if round.index >= settled and round.index % period == 0:
            key = tuple(space.vector(state))
            if key in seen:
                return tuple(models[seen[key] : round.index])
            seen[key] = round.index
        state = run.advance(state, round)
        models.append(tuple(state.server.model[0]))
    return None
