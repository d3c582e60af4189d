"""Scenario: a problem, a trace, an algorithm and its parameters; all that a run depends on, exact,
and as JSON."""

from collections.abc import Mapping
from dataclasses import field, is_dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import fltheory.algorithms
import fltheory.problems
from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.fields import built, init_fields
from fltheory.core.registry import Settings, find_member, is_own, members, registered_name
from fltheory.core.types import ExactLike, Json, JsonValue, Vector
from fltheory.core.words import counted
from fltheory.engine.roles import Algorithm
from fltheory.traces.trace import Trace


@frozen
class Scenario:
    """One exact run: a method on a problem along a trace.

    `algorithm` is the name of a registered method, with what it needs (weights, ...) in `settings`;
    or the method itself, which gets a name (`fltheory.core.registry.registered_name`).
    `local_step_size` is one number or one per round. `parameters` holds further symbols of a claim
    by name.

    >>> from fltheory import FedAvg, Quadratic, Trace
    >>> problem, trace = Quadratic((2, 2), (0, 1)), Trace.fresh([[1, 0], [0, 1]])
    >>> scenario = Scenario("fedavg", problem, trace, start=0, local_step_size="1/4")
    >>> Scenario.from_json(scenario.to_json()) == scenario
    True
    >>> Scenario(FedAvg(), problem, trace, start=0, local_step_size="1/4") == scenario
    True
    """

    algorithm: Checked[object, str]
    problem: Any
    trace: Trace
    start: Checked[ExactLike | Vector, tuple[Fraction, ...]]
    local_step_size: Checked[ExactLike | Vector, Any]  # a Fraction, or a tuple of them
    server_step_size: Checked[ExactLike, Fraction] = default(1)
    settings: Mapping[str, Any] = field(default_factory=dict)
    parameters: Checked[Mapping[str, object], Mapping[str, Fraction]] = default(
        field(default_factory=dict)
    )

    def __post_init__(self) -> None:
        if not isinstance(self.algorithm, str):
            name, fields = registered_name(fltheory.algorithms, self.algorithm)
            object.__setattr__(self, "algorithm", name)
            object.__setattr__(self, "settings", {**fields, **self.settings})
        many = isinstance(self.local_step_size, tuple | list)
        sizes = tuple(
            exact(x, "local step size")
            for x in (self.local_step_size if many else [self.local_step_size])
        )
        if many and len(sizes) != self.trace.num_rounds:
            raise InvalidInput(
                "local step sizes", f"be one for each of {self.trace.num_rounds} rounds", len(sizes)
            )
        start = (
            self.start
            if isinstance(self.start, tuple | list)
            else [self.start] * self.problem.dimension
        )
        if len(start) != self.problem.dimension:
            raise InvalidInput(
                "start",
                f"have one number for each of {self.problem.dimension} coordinates",
                f"{len(start)} numbers",
            )
        checked = {
            "local_step_size": sizes if many else sizes[0],
            "server_step_size": exact(self.server_step_size, "server step size"),
            "start": tuple(exact(x, "start") for x in start),
            "parameters": {name: exact(x, name) for name, x in self.parameters.items()},
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @cached_property
    def method(self) -> Algorithm:
        """The algorithm itself."""
        built: Algorithm = find_member(fltheory.algorithms, self.algorithm).build(
            Settings(self.settings)
        )
        return built

    def local_schedule(self, index: int) -> Fraction:
        return (
            self.local_step_size[index]
            if isinstance(self.local_step_size, tuple)
            else self.local_step_size
        )

    @property
    def says(self) -> str:
        """The run in one line.

        >>> from fltheory import Quadratic, Trace
        >>> problem, trace = Quadratic((2, 2), (0, 1)), Trace.fresh([[1, 0], [0, 1]])
        >>> Scenario("fedavg", problem, trace, start=0, local_step_size="1/4").says
        'fedavg on Quadratic, 2 clients, 2 rounds, 1 local step, step sizes 1/4 and 1, start 0'
        """
        trace, sizes = self.trace, self.local_step_size
        steps = sorted(set(trace.local_steps[trace.delivers].tolist()))
        several = f"{steps[0]} to {steps[-1]} local steps" if steps else "nobody delivers"
        told = counted(steps[0], "local step") if len(steps) == 1 else several
        delays = f", delays up to {trace.delays.max()}" if trace.delays.any() else ""
        local = f"{sizes[0]} to {sizes[-1]}" if isinstance(sizes, tuple) else sizes
        return (
            f"{self.algorithm} on {type(self.problem).__name__},"
            f" {counted(trace.num_clients, 'client')}, {counted(trace.num_rounds, 'round')},"
            f" {told}{delays}, step sizes {local} and {self.server_step_size}, start"
            f" {self.start[0]}"
        )

    def to_json(self) -> Json:
        """Plain text and lists; exact numbers are strings."""
        kind, fields = problem_fields(self.problem)
        return {
            "algorithm": self.algorithm,
            "settings": _as_text(dict(self.settings)),
            "problem": {
                "kind": kind,
                **{name: _as_text(getattr(self.problem, name)) for name in fields},
            },
            "trace": {
                "delivers": [
                    "".join("1" if x else "0" for x in row) for row in self.trace.delivers
                ],
                "started_from": self.trace.started_from.tolist(),
                "local_steps": self.trace.local_steps.tolist(),
            },
            "start": _as_text(self.start),
            "local_step_size": _as_text(self.local_step_size),
            "server_step_size": _as_text(self.server_step_size),
            "parameters": _as_text(dict(self.parameters)),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> "Scenario":
        """Read what to_json wrote; anything else is refused by name."""

        def part(name: str, kind: type) -> Any:
            if not isinstance(data, Mapping):
                raise InvalidInput("scenario", "be an object", repr(data)[:60])
            if not isinstance(data.get(name), kind):
                raise InvalidInput(
                    f"scenario field {name!r}", f"be a {kind.__name__}", repr(data.get(name))[:60]
                )
            return data[name]

        trace = part("trace", dict)
        problem = dict(part("problem", dict))
        kind = problem.pop("kind", None)
        rows = trace.get("delivers")
        if not isinstance(rows, list) or not all(
            isinstance(row, str) and set(row) <= {"0", "1"} for row in rows
        ):
            raise InvalidInput(
                "scenario field 'delivers'", "be a list of rows of 0 and 1", repr(rows)[:60]
            )
        delivers = [[cell == "1" for cell in row] for row in rows]
        sizes, server = (
            cast(ExactLike, data.get(name)) for name in ("local_step_size", "server_step_size")
        )  # checked by the constructor
        return cls(
            algorithm=part("algorithm", str),
            problem=make_problem(kind, problem),
            trace=Trace(delivers, trace.get("started_from"), trace.get("local_steps")),
            start=tuple(part("start", list)),
            local_step_size=tuple(sizes) if isinstance(sizes, list) else sizes,
            server_step_size=server,
            settings=_as_tuples(part("settings", dict)),
            parameters=part("parameters", dict),
        )


def problem_fields(problem: object) -> tuple[str, tuple[str, ...]]:
    """The name of a problem's kind and of its fields; a kind that is not registered becomes so."""
    make = type(problem)
    kinds = {known: kind for kind, known in reversed(_problem_kinds().items())}
    if make not in kinds and is_dataclass(make):
        kinds[make] = registered_name(fltheory.problems, make)[0]
    if make not in kinds:
        raise InvalidInput(
            "problem of a scenario", "be one that can be written down", make.__name__
        )
    return kinds[make], tuple(entry.name for entry in init_fields(make))


def make_problem(kind: object, fields: Mapping[str, object]) -> Any:
    """A problem from the name of its kind and its fields."""
    kinds = _problem_kinds()
    if isinstance(kind, str) and kind not in kinds and ":" in kind:
        find_member(fltheory.problems, kind)  # says how to register it
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidInput("problem kind", f"be one of {', '.join(sorted(kinds))}", repr(kind)[:60])
    make = kinds[kind]
    unknown = set(fields) - set(make.__dataclass_fields__)
    if unknown:
        raise InvalidInput(
            f"fields of a {kind} problem",
            f"be among {', '.join(make.__dataclass_fields__)}",
            sorted(unknown)[:3],
        )
    if not is_own(fltheory.problems, kind):  # the package's own read numbers as text themselves
        return built(make, dict(fields).get)
    try:
        return make(**_as_tuples(dict(fields)))
    except TypeError as problem:
        raise InvalidInput(f"fields of a {kind} problem", "be complete", problem) from None


def _problem_kinds() -> dict[str, Any]:
    """Problems that a scenario file may name: the registered ones that are plain frozen data."""
    return {
        name: member.makes
        for name, member in members(fltheory.problems).items()
        if member.makes is not None
    }


def _as_text(value: object) -> JsonValue:
    if isinstance(value, dict):
        return {str(k): _as_text(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [_as_text(v) for v in value]
    return value if isinstance(value, bool | None) else str(value)


def _as_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _as_tuples(v) for k, v in value.items()}
    return tuple(_as_tuples(v) for v in value) if isinstance(value, list) else value
