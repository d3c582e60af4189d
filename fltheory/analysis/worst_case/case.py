"""Case: a method, a trace and a question, exact and as JSON; what a worst case and its certificate
are about."""

from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import fltheory.algorithms
from fltheory.analysis.worst_case.client_symmetry import Members, alike, compact, singletons
from fltheory.analysis.worst_case.encode import encode
from fltheory.analysis.worst_case.encoding import Encoding
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, shares
from fltheory.core.registry import Settings, find_member, is_own, registered_name
from fltheory.core.types import ExactLike, Json, JsonValue, Vector
from fltheory.engine.arithmetic import RATIONAL, Arithmetic
from fltheory.engine.roles import Algorithm
from fltheory.traces.trace import Trace

SHARES = ("weights", "importance")
"""Settings with one share of a whole per client."""


@frozen
class Case:
    """The worst case of a method on a trace.

    `algorithm` is the name of a registered method, with what it needs in `settings`; or the method
    itself, which gets a name (`fltheory.core.registry.registered_name`).
    `local_step_size` is one number or one per round; `importance` are the clients' weights in the
    global loss, equal ones by default. With `by_class`, clients that act alike are treated
    together, which does not change the value.

    >>> question = Question(FunctionClass(1), Conditions(distance_squared=1))
    >>> case = Case("fedavg", Trace.fresh([[1], [1]]), question, local_step_size=1)
    >>> Case.from_json(case.to_json()) == case
    True
    """

    algorithm: Checked[object, str]
    trace: Trace
    question: Question
    local_step_size: Checked[ExactLike | Vector, Fraction | tuple[Fraction, ...]]
    server_step_size: Checked[ExactLike, Fraction] = default(1)
    settings: Mapping[str, Any] = field(default_factory=dict)
    importance: Checked[Vector | None, tuple[Fraction, ...] | None] = default(None)
    by_class: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.algorithm, str):
            name, fields = registered_name(fltheory.algorithms, self.algorithm)
            object.__setattr__(self, "algorithm", name)
            object.__setattr__(self, "settings", {**fields, **self.settings})
        if self.trace.batch_shape:
            raise InvalidInput(
                "trace",
                "be a single one for a worst case",
                f"a batch of shape {self.trace.batch_shape}",
            )
        given = self.local_step_size
        many = isinstance(given, tuple | list)
        listed = given if isinstance(given, tuple | list) else [given]
        sizes = tuple(exact(size, "local step size") for size in listed)
        if many and len(sizes) != self.trace.num_rounds:
            raise InvalidInput(
                "local step sizes", f"be one for each of {self.trace.num_rounds} rounds", len(sizes)
            )
        object.__setattr__(self, "local_step_size", sizes if many else sizes[0])
        object.__setattr__(
            self, "server_step_size", exact(self.server_step_size, "server step size")
        )
        object.__setattr__(
            self, "settings", {name: _exactly(value) for name, value in self.settings.items()}
        )
        if self.importance is not None:
            object.__setattr__(self, "importance", shares(self.importance, self.trace.num_clients))

    def members(self) -> Members:
        """The classes of clients that act alike, or every client for itself."""
        if not self.by_class:
            return singletons(self.trace.num_clients)
        lists = [*self.settings.values(), self.importance, *self._own_fields()]
        return alike(
            self.trace,
            *(
                list(zip(*x, strict=True)) if isinstance(x[0], tuple) else x
                for x in lists
                if self._is_per_client(x)
            ),
        )

    def _is_per_client(self, value: object) -> bool:
        """One entry for each client, or a table with such rows."""
        if not isinstance(value, tuple) or not value:
            return False
        return len(value[0] if isinstance(value[0], tuple) else value) == self.trace.num_clients

    @cached_property
    def method(self) -> Algorithm:
        """The algorithm itself."""
        built: Algorithm = find_member(fltheory.algorithms, self.algorithm).build(
            Settings(self.settings)
        )
        return built

    def _own_fields(self) -> list[Any]:
        """What may tell clients apart inside a method that is not one of the package's own."""
        if is_own(fltheory.algorithms, self.algorithm) or not is_dataclass(self.method):
            return []
        return [getattr(self.method, entry.name) for entry in fields(self.method)]

    def compact(self) -> "Case":
        """The same worst case with as few clients as show the shares of the classes.

        All clients stay where their number counts: with noise, and for a method that is not one of
        the package's own, which may add what the others average.
        """
        if self.question.conditions.gradient_noise_squared or not is_own(
            fltheory.algorithms, self.algorithm
        ):
            return self
        small = compact(self.trace, self.members())
        settings = dict(self.settings)
        for name, value in settings.items():
            if isinstance(value, tuple):
                kept = [
                    small.shares(row) if name in SHARES else tuple(row[i] for i in small.kept)
                    for row in (value if isinstance(value[0], tuple) else [value])
                ]
                settings[name] = tuple(kept) if isinstance(value[0], tuple) else kept[0]
        importance = None if self.importance is None else small.shares(self.importance)
        return replace(self, trace=small.trace, settings=settings, importance=importance)

    def encode(self, numbers: Arithmetic = RATIONAL) -> Encoding:
        """The worst case over points and gradients."""
        sizes = self.local_step_size
        local = (lambda t: sizes[t]) if isinstance(sizes, tuple) else sizes
        return encode(
            self.method,
            self.trace,
            self.question,
            local_step_size=local,
            server_step_size=self.server_step_size,
            importance=self.importance,
            members=self.members(),
            numbers=numbers,
        )

    def to_json(self) -> Json:
        """Plain text and lists; exact numbers are strings."""
        question = self.question
        return {
            "algorithm": self.algorithm,
            "settings": {name: _as_text(value) for name, value in self.settings.items()},
            "trace": {
                "delivers": [
                    "".join("1" if x else "0" for x in row) for row in self.trace.delivers
                ],
                "started_from": self.trace.started_from.tolist(),
                "local_steps": self.trace.local_steps.tolist(),
            },
            "local_step_size": _as_text(self.local_step_size),
            "server_step_size": str(self.server_step_size),
            "importance": _as_text(self.importance),
            "by_class": self.by_class,
            "smoothness": str(question.functions.smoothness),
            "strong_convexity": str(question.functions.strong_convexity),
            "convex": question.functions.convex,
            "conditions": question.conditions.as_text(),
            "metric": question.metric.name,
            "weights": (
                None if question.weights is None else [str(exact(w)) for w in question.weights]
            ),
            **({"virtual": True} if question.virtual else {}),
        }

    @classmethod
    def from_json(cls, data: Any) -> "Case":
        """Read what to_json wrote; anything else is refused."""
        try:
            trace = data["trace"]
            delivers = [
                [{"0": False, "1": True}[cell] for cell in row] for row in trace["delivers"]
            ]
            functions = FunctionClass(data["smoothness"], data["strong_convexity"], data["convex"])
            weights = None if data["weights"] is None else tuple(data["weights"])
            virtual = {True: True, False: False}[data.get("virtual", False)]
            question = Question(
                functions,
                Conditions(**data["conditions"]),
                Metric[data["metric"]],
                weights,
                virtual,
            )
            return cls(
                data["algorithm"],
                Trace(delivers, trace["started_from"], trace["local_steps"]),
                question,
                _exactly(data["local_step_size"]),
                data["server_step_size"],
                data["settings"],
                _exactly(data["importance"]),
                data["by_class"],
            )
        except (KeyError, TypeError, AttributeError) as problem:
            raise InvalidInput(
                "case of a certificate", "have all fields of a case", f"trouble with {problem!r}"
            ) from None


def _exactly(value: Any) -> Any:
    """Lists and tuples as tuples, numbers and their texts as fractions."""
    if isinstance(value, list | tuple):
        return tuple(_exactly(part) for part in value)
    return value if value is None else exact(value)


def _as_text(value: object) -> JsonValue:
    if isinstance(value, tuple):
        return [_as_text(part) for part in value]
    return None if value is None else str(value)
