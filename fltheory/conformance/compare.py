"""The first round in which an implementation and the exact reference differ."""

from dataclasses import dataclass, replace
from fractions import Fraction

from fltheory.claims.scenario import Scenario
from fltheory.conformance.protocol import Implementation, Number, Played, play
from fltheory.core.results import as_data, as_point, told
from fltheory.core.types import Json, JsonValue
from fltheory.engine.simulate import simulate


@dataclass(frozen=True)
class Trial:
    """How an implementation is run: on fractions or on floats, which may differ from the reference
    by `tolerance` times the largest model so far (at least 1). Fractions must be equal."""

    implementation: Implementation
    floats: bool = False
    tolerance: float = 1e-9

    def played(self, run: Scenario) -> Played:
        """The models of the implementation."""
        return play(self.implementation, run, floats=self.floats)


@dataclass(frozen=True)
class Difference:
    """A run, up to the first round after which the models differ: `expected` and `got` are the
    models after that round, `before` is the model before it, which is the same. `got` is None where
    the implementation raised an error."""

    run: Scenario
    before: tuple[Fraction, ...]
    expected: tuple[Fraction, ...]
    got: tuple[Number, ...] | None
    raised: str = ""

    @property
    def round(self) -> int:
        """The round, counted from 0."""
        return self.run.trace.num_rounds - 1

    @property
    def says(self) -> str:
        """The difference in one sentence."""
        values = f"the reference gives {told(as_point(self.expected))}"
        if self.got is None:
            return f"in round {self.round} the implementation raises {self.raised}; {values}"
        return (
            f"after round {self.round} the implementation has {told(as_point(self.got))}, {values}"
        )

    def to_dict(self) -> Json:
        """The run and both models, as data."""
        shown: Json = {
            "round": self.round,
            "before": _text(self.before),
            "expected": _text(self.expected),
            "got": None if self.got is None else _text(self.got),
        }
        raised: Json = {"raised": self.raised} if self.raised else {}
        return {**shown, **raised, "run": self.run.to_json()}


def _text(model: tuple[Number, ...]) -> JsonValue:
    """One coordinate as a text, several as a list."""
    return as_data(as_point([str(x) for x in model]))


def reference(run: Scenario) -> tuple[tuple[Fraction, ...], ...]:
    """The exact models of the algorithm itself."""
    models = simulate(
        run.method,
        run.problem,
        run.trace,
        start=run.start,
        local_step_size=run.local_schedule,
        server_step_size=run.server_step_size,
    ).models
    return tuple(tuple(Fraction(x) for x in model) for model in models)


def first_difference(trial: Trial, run: Scenario) -> Difference | None:
    """Where the implementation leaves the reference; None if it agrees in all rounds. An error of
    the implementation is a difference; NotImplementedError is not (`Played.declined`).

    >>> from fltheory import Quadratic, Trace
    >>> def stays(model, setup):
    ...     return lambda round: model
    >>> trace = Trace.fresh([[0], [1]])
    >>> run = Scenario("fedavg", Quadratic((1,), (2,)), trace, start=0, local_step_size="1/4")
    >>> print(first_difference(Trial(stays), run).says)
    after round 1 the implementation has 0, the reference gives 1/2
    """
    return difference_in(trial, trial.played(run), run)


def difference_in(trial: Trial, played: Played, run: Scenario) -> Difference | None:
    """The same for models that the implementation has returned already."""
    expected = reference(run)
    for t in range(1, len(played.models)):
        if not _same(trial, played.models[t], expected[: t + 1]):
            return Difference(_until(run, t), expected[t - 1], expected[t], played.models[t])
    if played.raised and not played.declined:
        t = len(played.models)
        return Difference(_until(run, t), expected[t - 1], expected[t], None, played.raised)
    return None


def _same(
    trial: Trial, got: tuple[Number, ...], expected: tuple[tuple[Fraction, ...], ...]
) -> bool:
    scale = max([Fraction(1), *(abs(x) for model in expected for x in model)])
    allowed = trial.tolerance * float(scale)
    return all(
        mine == right
        if isinstance(mine, Fraction) and not trial.floats
        else abs(float(mine) - float(right)) <= allowed
        for mine, right in zip(got, expected[-1], strict=True)
    )


def _until(run: Scenario, rounds: int) -> Scenario:
    """The first rounds of a run."""
    sizes = run.local_step_size
    return replace(
        run,
        trace=run.trace.first(rounds),
        local_step_size=sizes[:rounds] if isinstance(sizes, tuple) else sizes,
    )
