"""Scenario: a problem, a trace, an algorithm and its parameters; all that a run depends on, exact,
and as JSON."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import fltheory.algorithms
import fltheory.problems
from fltheory.claims.participation import Participation
from fltheory.claims.written_problems import (
    as_text,
    as_tuples,
    make_problem,
    problem_fields,
)
from fltheory.core.checked import Checked, check_kind, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.registry import Settings, find_member, registered_name
from fltheory.core.types import ExactLike, Json, Vector
from fltheory.core.words import counted
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.roles import Algorithm
from fltheory.traces.trace import Trace

KINDS: dict[str, type] = {
    "trace": Trace,
    "settings": Mapping,
    "parameters": Mapping,
    "averaging": Iterable,
}
"""What a scenario's parts are."""


@frozen
class Scenario:
    """One exact run: a method on a problem along a trace.

    `algorithm` is the name of a registered method, with what it needs (weights, ...) in `settings`;
    or the method itself, which gets a name (`fltheory.core.registry.registered_name`).
    `local_step_size` is one number or one per round. `parameters` holds further symbols of a claim
    by name. With a law of `participation` who delivers is random, and the trace says only how many
    rounds there are and how many local steps a client would take. A stochastic gradient has an
    additional relative noise of variance relative_noise^2 |grad f_i|^2. `averaging` has a weight
    for each model before a round, for weighted averages.

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

    participation: Participation | None = None
    relative_noise: Checked[ExactLike, Fraction] = default(0)
    averaging: Checked[Vector, tuple[Any, ...]] = default(())

    def __post_init__(self) -> None:
        if not isinstance(self.algorithm, str):
            name, fields = registered_name(fltheory.algorithms, self.algorithm)
            object.__setattr__(self, "algorithm", name)
            object.__setattr__(self, "settings", {**fields, **self.settings})
        if not hasattr(self.problem, "dimension"):
            raise InvalidInput("problem", "have num_clients and dimension", repr(self.problem)[:60])
        for name, kind in KINDS.items():
            check_kind(name, getattr(self, name), kind)
        many = isinstance(self.local_step_size, tuple | list)
        listed = self.local_step_size if many else [self.local_step_size]
        sizes = tuple(_real(x, "local step size") for x in listed)
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
            "relative_noise": exact(self.relative_noise, "relative noise"),
            "averaging": tuple(_real(x, "averaging weight") for x in self.averaging),
        }
        if self.averaging and len(self.averaging) != self.trace.num_rounds:
            raise InvalidInput(
                "averaging weights",
                f"be one for each of {self.trace.num_rounds} rounds",
                len(self.averaging),
            )
        if self.participation is not None:
            self.participation.check(self.trace.num_clients)
            if self.trace.delays.any():
                raise InvalidInput("trace of random participation", "have no delays", "delays")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @cached_property
    def method(self) -> Algorithm:
        """The algorithm itself."""
        built: Algorithm = find_member(fltheory.algorithms, self.algorithm).build(
            Settings(self.settings)
        )
        return built

    def varied(self, **parts: object) -> "Scenario":
        """The same run of the same method with other parts, which fit as the old ones did.

        `replace` checks all of them again.
        """
        twin = object.__new__(Scenario)
        twin.__dict__.update(self.__dict__, **parts)
        return twin

    @property
    def memoryless(self) -> bool:
        """Does the model alone determine the rest of the run?"""
        zeros = RATIONAL.zeros((self.trace.num_clients, self.problem.dimension))
        method = self.method
        return len(tuple(method.start(zeros[:1], zeros))) == 1 and not method.worker.start(zeros)

    def sort_of(self, client: int) -> Hashable:
        """Equal for clients that are the same in all respects but their number."""
        _, names = problem_fields(self.problem)
        clients = self.trace.num_clients
        parts = [getattr(self.problem, name) for name in names] + list(self.settings.values())
        own = [p[client] for p in parts if isinstance(p, tuple | list) and len(p) == clients]
        return (*map(str, own), self.trace.local_steps[:, client].tobytes())

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
        law = f", {self.participation.kind} participation" if self.participation else ""
        law += f", relative noise {self.relative_noise}" if self.relative_noise else ""
        return (
            f"{self.algorithm} on {type(self.problem).__name__},"
            f" {counted(trace.num_clients, 'client')}, {counted(trace.num_rounds, 'round')},"
            f" {told}{delays}, step sizes {local} and {self.server_step_size}, start"
            f" {self.start[0]}{law}"
        )

    def to_json(self) -> Json:
        """Plain text and lists; exact numbers are strings."""
        kind, fields = problem_fields(self.problem)
        return {
            "algorithm": self.algorithm,
            "settings": as_text(dict(self.settings)),
            "problem": {
                "kind": kind,
                **{name: as_text(getattr(self.problem, name)) for name in fields},
            },
            "trace": {
                "delivers": [
                    "".join("1" if x else "0" for x in row) for row in self.trace.delivers
                ],
                "started_from": self.trace.started_from.tolist(),
                "local_steps": self.trace.local_steps.tolist(),
            },
            "start": as_text(self.start),
            "local_step_size": as_text(self.local_step_size),
            "server_step_size": as_text(self.server_step_size),
            "parameters": as_text(dict(self.parameters)),
            **self._chance_to_json(),
        }

    def _chance_to_json(self) -> Json:
        """The fields that most runs do not have."""
        found: Json = {}
        if self.participation is not None:
            found["participation"] = self.participation.to_json()
        if self.relative_noise:
            found["relative_noise"] = str(self.relative_noise)
        if self.averaging:
            found["averaging"] = as_text(self.averaging)
        return found

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
            settings=as_tuples(part("settings", dict)),
            parameters=part("parameters", dict),
            participation=(
                Participation.from_json(data["participation"]) if "participation" in data else None
            ),
            relative_noise=cast(ExactLike, data.get("relative_noise", 0)),
            averaging=tuple(part("averaging", list)) if "averaging" in data else (),
        )


def _real(value: Any, owner: str) -> Any:
    """A fraction, or a number with roots as sympy has it; text such as sqrt(2)/4 is parsed."""
    rooted = isinstance(value, str) and "sqrt" in value
    if not rooted and not hasattr(value, "free_symbols"):
        return exact(value, owner)
    from fltheory.core.formulas import read_formula

    found = read_formula(value, {}, owner) if rooted else value
    if not found.is_real:
        raise InvalidInput(owner, "be a real number", str(value)[:60])
    return Fraction(int(found.p), int(found.q)) if found.is_Rational else found
