"""Replay a counterexample: derive what its values mean from the claim, compute them again, compare.

The file gives an instance: a run, the data of an origin, or values of free symbols. It gives no
meaning. Which quantity of a run each symbol is, the printed assumptions and which symbols are free
follow from the claim; an instance whose values cannot be derived in this way is *not checkable*,
which is neither a yes nor a no.
"""

from dataclasses import dataclass, replace

from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.instances import violated
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.condition import Condition
from fltheory.claims.meaning import ALL, Meaning, places, unmet_kinds
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison, as_expression, compare
from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import from_lists
from fltheory.core.results import Table, as_html, as_text
from fltheory.core.types import Formula, Json, Values
from fltheory.ledger.counterexamples import (
    CounterexampleFile,
    NotCheckable,
    NotConfirmed,
    checked_file,
    short,
    statement_of,
)
from fltheory.ledger.customs import unusual
from fltheory.ledger.meanings import meaning_of
from fltheory.ledger.origins import BY_THE_PAPER, recompute, refutation
from fltheory.ledger.replay_paths import along_path


@dataclass(frozen=True, repr=False)
class Replay:
    """The outcome of a replay: whether the file contradicts the claim, whether that could be
    checked at all, and the steps taken."""

    claim: str
    confirmed: bool
    steps: tuple[str, ...]
    checkable: bool = True

    def to_dict(self) -> Json:
        return {
            "claim": self.claim,
            "confirmed": self.confirmed,
            "checkable": self.checkable,
            "steps": list(self.steps),
        }

    def tables(self) -> list[Table]:
        outcome = (
            "confirmed: the claim is contradicted"
            if self.confirmed
            else "not confirmed"
            if self.checkable
            else "not checkable"
        )
        return [Table(f"{self.claim}: {outcome}", (), [(step,) for step in self.steps])]

    __repr__ = as_text
    _repr_html_ = as_html


def replay(data: CounterexampleFile, claim: Claim, *, values_are_known: bool = False) -> Replay:
    """Check a counterexample against its claim: the statement is the same, the values are derived
    again, the hypotheses are met, and both sides are compared exactly.

    `values_are_known` is for a caller that has just computed the values itself, as an attack does;
    values from a file never are.
    """
    checked_file(data)
    steps: list[str] = []
    if data["statement"] != statement_of(claim):
        return Replay(claim.id, False, ("the statement in the file is not the claim's",))
    values: dict[str, Formula] = {}
    try:
        if isinstance(claim.statement, Order):
            steps.extend(along_path(data, claim))
            return Replay(claim.id, True, tuple(steps))
        values = _values(data, claim)
        _derive(data, claim, values, steps)
    except NotConfirmed as reason:
        return Replay(claim.id, False, (*steps, str(reason)))
    except NotCheckable as reason:
        if not values_are_known:
            return Replay(claim.id, False, (*steps, f"not checkable: {reason}"), checkable=False)
        if failing := _failing_conditions(claim, values):
            return Replay(claim.id, False, (f"printed assumptions not met: {', '.join(failing)}",))
    left, right = evaluate(claim.statement.left, values), evaluate(claim.statement.right, values)
    comparison = compare(left, right)
    steps.append(
        f"left = {short(left)}, right = {short(right)}: {comparison.value}; the claim says left"
        f" {claim.statement.sign} right"
    )
    return Replay(claim.id, violated(claim, comparison), tuple(steps))


def _values(data: CounterexampleFile, claim: Claim) -> dict[str, Formula]:
    """The numbers of the file: one for each symbol of the claim, and no other."""
    names = {symbol.name for symbol in claim.symbols}
    if set(data["values"]) != names:
        raise InvalidInput(
            f"values of a counterexample to {claim.id}",
            f"be those of {', '.join(sorted(names))}",
            ", ".join(sorted(map(str, data["values"])))[:80] or "nothing",
        )
    return {name: from_lists(value) for name, value in data["values"].items()}


def _derive(
    data: CounterexampleFile, claim: Claim, values: dict[str, Formula], steps: list[str]
) -> None:
    """Compute every value again and compare it with the file's."""
    run, origin, meaning = data.get("run"), data.get("origin"), meaning_of(claim)
    if run is not None:
        _on_run(data, run, claim, meaning, values, steps)
    elif origin is not None:
        kind = str(origin.get("kind"))
        again = recompute(origin, claim)
        if kind not in BY_THE_PAPER and kind not in meaning.origins:
            raise NotCheckable(f"an origin of kind {kind!r} does not give the claim's symbols")
        steps.append(f"origin of kind {kind}")
        if kind not in BY_THE_PAPER and (failing := _not_kept(claim, meaning, again)):
            raise NotConfirmed(f"printed assumptions not met: {', '.join(failing)}")
        if missing := sorted(set(values) - set(again)):
            raise NotCheckable(f"nothing computes {', '.join(missing)} again")
        _same(again, values, steps)
        if kind not in BY_THE_PAPER and (failing := _of_wrong_kind(claim, values)):
            raise NotConfirmed(f"symbols beyond the claim: {', '.join(failing)}")
        if failing := _failing_conditions(claim, again):
            raise NotConfirmed(f"printed assumptions not met: {', '.join(failing)}")
    elif meaning.free == ALL:
        if failing := unmet_kinds(claim, values):
            raise NotConfirmed(f"printed assumptions not met: {', '.join(failing)}")
        steps.append(f"free symbols: {', '.join(sorted(values))}")
    else:
        raise NotCheckable(
            "the symbols of the claim have to be measured, and the file has values only"
        )


def _not_kept(claim: Claim, meaning: Meaning, again: Values) -> list[str]:
    """Printed assumptions that an instance of an origin with data does not meet."""
    return [
        a.says
        for a in claim.assumes
        if a.stated
        and not isinstance(a.holds, Condition)
        and not (a.id in meaning.keeps and meaning.keeps[a.id](again))
    ]


def _failing_conditions(claim: Claim, values: Values) -> list[str]:
    """Printed assumptions that are formulas and do not hold at these values, which may name more
    than the symbols of the claim."""
    conditions = [a for a in claim.assumes if isinstance(a.holds, Condition) and a.stated]
    return [
        a.says
        for a in conditions
        if isinstance(a.holds, Condition)
        and not ({s.name for s in a.holds.symbols} <= set(values) and a.holds(values) is True)
    ]


def _same(again: Values, values: dict[str, Formula], steps: list[str]) -> None:
    """Refuse values that are not those computed again."""
    for name, value in values.items():
        if compare(as_expression(again[name]), value) is not Comparison.EQUAL:
            raise NotConfirmed(
                f"computed again, {name} = {short(again[name])}; the file has {short(value)}"
            )
    steps.append(f"computed again, as in the file: {', '.join(sorted(values))}")


def _on_run(
    data: CounterexampleFile,
    run: Json,
    claim: Claim,
    meaning: Meaning,
    values: dict[str, Formula],
    steps: list[str],
) -> None:
    """Measure the claim's symbols on the run; the file says only where in the run."""
    told = Scenario.from_json(run)
    if not meaning.methods:
        _as_checked(data, claim, values, steps)
        return
    given = told.parameters
    scenario = replace(told, parameters={n: x for n, x in given.items() if n in meaning.free})
    if scenario.algorithm not in meaning.methods:
        raise NotConfirmed(f"the claim is about {', '.join(meaning.methods)}")
    if failing := [name for name, holds in meaning.requires.items() if not holds(scenario)]:
        raise NotConfirmed(f"the claim speaks of other runs: {', '.join(failing)}")
    if broken := unusual(claim, scenario):
        raise NotConfirmed(broken)
    if failing := unmet(claim, scenario, stated_only=True):
        raise NotConfirmed(f"printed assumptions not met: {', '.join(failing)}")
    here = _place(data, claim, meaning, scenario)
    if not here:
        _as_checked(data, claim, values, steps)
        return
    found = measure(scenario, set(here.values()), parameters_first=False)
    steps.append(f"ran {scenario.says}")
    stated = [assumption.says for assumption in claim.assumes if assumption.stated]
    steps += [f"the printed assumptions hold on it: {'; '.join(stated)}"] if stated else []
    if overridden := sorted(
        name for name in here if name in given and given[name] != found[here[name]]
    ):
        raise NotConfirmed(f"parameters that the claim leaves to the run: {', '.join(overridden)}")
    free = {name: given[name] for name in values if name in meaning.free and name in given}
    again = free | {name: found[how] for name, how in here.items()}
    if missing := sorted(set(values) - set(again)):
        raise NotCheckable(f"the run does not give {', '.join(missing)}")
    _same(again, values, steps)
    if failing := _of_wrong_kind(claim, values):
        raise NotConfirmed(f"symbols beyond the claim: {', '.join(failing)}")


def _of_wrong_kind(claim: Claim, values: Values) -> list[str]:
    """Symbols with values that are not of their kind, measured or free."""
    told = []
    for symbol in claim.symbols:
        value = as_expression(values[symbol.name])
        wrong = (
            (symbol.is_positive and value.is_positive is not True)
            or (symbol.is_nonnegative and value.is_negative is not False)
            or (symbol.is_integer and value.is_integer is not True)
        )
        told += [symbol.name] if wrong else []
    return sorted(told)


def _place(
    data: CounterexampleFile, claim: Claim, meaning: Meaning, scenario: Scenario
) -> dict[str, str]:
    """The place of the run that the file means: what it measures must agree with one of those that
    the claim speaks of. Empty if some symbol of the claim is no quantity of a run."""
    possible = places(meaning, claim, scenario)
    if not possible:
        return {}
    told = {str(k): str(v) for k, v in data["measures"].items()}
    fitting = [
        here
        for here in possible
        if all(here.get(name, meaning.quantity(name) or how) == how for name, how in told.items())
    ]
    if not fitting:
        raise NotConfirmed("the file measures other quantities than the claim speaks of")
    return fitting[0]


def _as_checked(
    data: CounterexampleFile, claim: Claim, values: dict[str, Formula], steps: list[str]
) -> None:
    """A run of a claim whose runs have no general description: it must be the very run on which a
    check of the claim finds the contradiction."""
    try:
        found = refutation(claim)
    except InvalidInput:
        raise NotCheckable("nothing says which runs the claim speaks of") from None
    origin = found.scenario or {}
    if (origin.get("run"), origin.get("measures")) != (data.get("run"), data["measures"]):
        raise NotCheckable("the run is not the one on which a check of the claim refutes it")
    steps.append("the run on which a check of the claim refutes it")
    _same(found.values, values, steps)
