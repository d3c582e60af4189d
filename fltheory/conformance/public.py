"""Ask whether an implementation does what its algorithm says."""

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature

import fltheory.algorithms
from fltheory.claims.scenario import Scenario
from fltheory.claims.scope import Coverage, Scope
from fltheory.conformance.cases import CaseRules, drawn_case, small_cases
from fltheory.conformance.compare import (
    Difference,
    Trial,
    difference_in,
    first_difference,
    reference,
)
from fltheory.conformance.protocol import Implementation
from fltheory.conformance.shrink import shrunk
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.plugins import import_object
from fltheory.core.registry import find_member, import_member, registered_name
from fltheory.core.results import Table, as_data, as_html, as_point, as_text, named_values, told
from fltheory.core.types import ExactLike, Json
from fltheory.engine.roles import Algorithm
from fltheory.engine.traits import NO_SERVER_STEP, STARTS_FROM_OLD_MODELS

MOST_RUNS = 100_000
"""Maximum number of drawn runs."""

AGREES = "agrees on what was tried; other runs were not tried"
DIFFERS = "differs"
UNSTEADY = "the same run gives other models when it is repeated: state outlives a run, or chance"
DECLINED = "declined every run with NotImplementedError; nothing is known"


@dataclass(frozen=True, repr=False)
class Conformance:
    """Whether an implementation and an algorithm agree on what was tried, and where they differ if
    not.

    `runs` is the number of runs that were compared, `declined` the number of runs that the
    implementation refused by NotImplementedError, `scope` the sizes of the compared runs.
    `difference` is the simplest difference found, after `looks` runs of shrinking; `repeats` is
    False if the implementation gave other models when that run was repeated.
    """

    implementation: str
    algorithm: str
    runs: int
    declined: int
    scope: Scope
    compared: str
    difference: Difference | None = None
    looks: int = 0
    repeats: bool = True

    @property
    def agrees(self) -> bool:
        """No difference was found, and something was compared."""
        return self.difference is None and self.runs > 0

    @property
    def answer(self) -> str:
        """The answer in a few words."""
        return DIFFERS if self.difference else AGREES if self.runs else DECLINED

    def to_dict(self) -> Json:
        """Everything, as data; the run of the difference is that of a scenario file."""
        return {
            "implementation": self.implementation,
            "algorithm": self.algorithm,
            "answer": self.answer,
            "agrees": self.agrees,
            "runs": self.runs,
            "declined": self.declined,
            "compared": self.compared,
            "scope": as_data(self.scope.to_json()),
            "repeats": self.repeats,
            "difference": None if self.difference is None else self.difference.to_dict(),
        }

    def tables(self) -> list[Table]:
        """The answer; where they differ, the run and both models."""
        shown: dict[str, object] = {
            "answer": self.answer,
            "runs compared": self.runs,
            "declined": self.declined or None,
            "tried": self.scope.says,
            "compared": self.compared,
            "first difference": self.difference and self.difference.says,
            "run": self.difference and self.difference.run.says,
            "repeated": None if self.repeats else UNSTEADY,
        }
        title = f"{self.implementation} and {self.algorithm}"
        given = {name: value for name, value in shown.items() if value is not None}
        first = named_values(title, given)
        return [first, *_run_tables(self.difference)] if self.difference else [first]

    __repr__ = as_text
    _repr_html_ = as_html


def _run_tables(difference: Difference) -> list[Table]:
    """The clients of the run, and its rounds with the models before and after each."""
    run, models = difference.run, reference(difference.run)
    problem, trace = run.problem, run.trace
    clients = [
        tuple(told(as_point(part)) for part in (i, h, c, p))
        for i, (h, c, p) in enumerate(
            zip(problem.curvatures, problem.optima, problem.importance, strict=True)
        )
    ]
    rounds = []
    for t in range(trace.num_rounds):
        arrivals = ", ".join(
            f"client {i}"
            + (f" from model {trace.started_from[t, i]}" if trace.delays[t, i] else "")
            + (f", {steps} local steps" if (steps := trace.local_steps[t, i]) > 1 else "")
            for i in range(trace.num_clients)
            if trace.delivers[t, i]
        )
        same = t < difference.round
        got = models[t + 1] if same else difference.got
        rounds.append(
            (
                str(t),
                arrivals or "nobody",
                told(run.local_schedule(t)),
                told(as_point(models[t + 1])),
                difference.raised if got is None else told(as_point(got)),
            )
        )
    header = ("round", "who delivers", "step size", "reference", "implementation")
    return [
        Table("losses h/2 |x - c|^2", ("client", "h", "c", "importance"), clients),
        Table(f"models after each round, from {told(as_point(run.start))}", header, rounds),
    ]


def conform(
    implementation: str | Implementation,
    algorithm: str | Algorithm,
    *,
    runs: int = 200,
    seed: int = 0,
    floats: bool = False,
    tolerance: ExactLike = "1e-9",
    everyone_first: bool = False,
    empty_rounds: bool = True,
    delays: bool | None = None,
    server_step: bool | None = None,
    equal_importance: bool = False,
) -> Conformance:
    """Run an implementation and the exact algorithm on the same problems and traces, and report the
    first round in which they differ, on the simplest run found.

    The implementation is a function of (first model, `MethodSetup`) that returns a function of one
    `ServerRound` (`fltheory.conformance.protocol`), or `module:Name` of one. It gets fractions, and
    must return equal ones; with `floats` it gets floats and may be off by `tolerance` times the
    largest model. Tried are all small traces and `runs` drawn ones, with delays if the algorithm
    has them. With `everyone_first` every client delivers in round 0; without `empty_rounds`
    somebody delivers in every round.

    >>> class ForgetfulMifa:
    ...     def __init__(self, model, setup):
    ...         self.model, self.clients = model, setup.num_clients
    ...     def __call__(self, round):
    ...         for work in round.arrivals:
    ...             self.model = self.model - work.step_size * work.delivery() / self.clients
    ...         return self.model
    >>> found = conform(ForgetfulMifa, "mifa")
    >>> found.agrees, found.difference.says
    (False, 'after round 1 the implementation has 0, the reference gives -1')
    """
    name = implementation if isinstance(implementation, str) else _name(implementation)
    trial = Trial(_callable(implementation), floats, _tolerance(tolerance))
    rules = _rules(
        algorithm,
        delays=delays,
        server_step=server_step,
        everyone_first=everyone_first,
        empty_rounds=empty_rounds,
        equal_importance=equal_importance,
    )
    coverage, compared, declined, exactly = Coverage(), 0, 0, True
    difference, looks, repeats = None, 0, True
    for run in _runs(rules, _count(runs), seed):
        played = trial.played(run)
        if played.declined:
            declined += 1
            continue
        compared, exactly = compared + 1, exactly and played.exact
        coverage.add_run(run)
        difference = difference_in(trial, played, run)
        if difference is not None:
            difference, looks = shrunk(trial, difference, rules.admits)
            again = first_difference(trial, difference.run)
            repeats = again is not None and again.to_dict() == difference.to_dict()
            break
    within = f"floats within {trial.tolerance:g} times the largest model"
    how = "equal fractions" if exactly and not floats else within
    return Conformance(
        name, rules.name, compared, declined, coverage.scope(), how, difference, looks, repeats
    )


def _runs(rules: CaseRules, count: int, seed: int) -> Iterator[Scenario]:
    """All small runs, then the drawn ones."""
    yield from small_cases(rules)
    for number in range(count):
        yield drawn_case(rules, seed, number)


def _rules(
    algorithm: str | Algorithm,
    *,
    delays: bool | None,
    server_step: bool | None,
    everyone_first: bool,
    empty_rounds: bool,
    equal_importance: bool,
) -> CaseRules:
    """What is tried for a method: what it declares, unless told otherwise."""
    if isinstance(algorithm, str):
        method, needs = algorithm, import_member(fltheory.algorithms, algorithm).needs
    else:
        method = registered_name(fltheory.algorithms, algorithm)[0]
        needs = frozenset[str]()
    facts = find_member(fltheory.algorithms, method).facts
    return CaseRules(
        method,
        algorithm,
        needs,
        server_step=NO_SERVER_STEP not in facts if server_step is None else server_step,
        delays=STARTS_FROM_OLD_MODELS in facts if delays is None else delays,
        everyone_first=everyone_first,
        empty_rounds=empty_rounds,
        equal_importance=equal_importance,
    )


def _callable(implementation: str | Implementation) -> Implementation:
    """The implementation itself, if it can be called with a model and a setup."""
    owner = "implementation"
    found = import_object(implementation) if isinstance(implementation, str) else implementation
    if not callable(found):
        raise InvalidInput(owner, "be a function or a class", repr(found)[:60])
    try:
        signature(found).bind(None, None)
    except (TypeError, ValueError):
        rule = "take two arguments, the first model and the setup"
        raise InvalidInput(owner, rule, repr(found)[:60]) from None
    return found


def _name(implementation: Implementation) -> str:
    return getattr(implementation, "__qualname__", type(implementation).__qualname__)


def _tolerance(value: ExactLike) -> float:
    found = exact(value, "tolerance")
    if not 0 <= found < 1:
        raise InvalidInput("tolerance", "lie in [0, 1)", found)
    return float(found)


def _count(runs: int) -> int:
    if not isinstance(runs, int) or not 0 <= runs <= MOST_RUNS:
        raise InvalidInput("number of runs", f"be a whole number in [0, {MOST_RUNS}]", runs)
    return runs
