"""Hypotheses that are no formulas: the law of participation, the class of the losses, step sizes
and averages that are given round by round."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import sympy

from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.measures import Measurements
from fltheory.claims.measures_of_losses import curvatures, quasi_convex
from fltheory.claims.participation import LAWS
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison, compare
from fltheory.core.errors import InvalidInput, NotExact

ROUND = sympy.Symbol("t", integer=True, nonnegative=True)
"""The number of a round, from 0, in formulas that give a number for each round."""

CLASSES: Mapping[str, str] = {
    "convex": "every client's loss is convex",
    "strongly-convex": "every client's loss is strongly convex",
    "quasi-convex": "the global loss is quasi-convex",
    "quadratic": "every client's loss is quadratic",
    "nonconvex": "some client's loss is not convex",
}
"""Classes of losses that a claim may name; every loss is smooth in any case."""


@dataclass(frozen=True)
class ParticipationIs:
    """Who delivers is drawn by a law of this kind.

    >>> ParticipationIs("uniform").says[:28]
    'each round uses clients_per_'
    """

    kind: str

    def __post_init__(self) -> None:
        if self.kind not in LAWS:
            raise InvalidInput(
                "participation", f"be one of {', '.join(LAWS)}", repr(self.kind)[:40]
            )

    @property
    def says(self) -> str:
        """The hypothesis in words."""
        return LAWS[self.kind]

    def __call__(self, scenario: Scenario) -> bool:
        law = scenario.participation
        return law is not None and law.kind == self.kind


@dataclass(frozen=True)
class LossesAre:
    """The losses are of one of CLASSES."""

    kind: str

    def __post_init__(self) -> None:
        if self.kind not in CLASSES:
            raise InvalidInput("losses", f"be one of {', '.join(CLASSES)}", repr(self.kind)[:40])

    @property
    def says(self) -> str:
        """The hypothesis in words."""
        return CLASSES[self.kind]

    def __call__(self, scenario: Scenario) -> bool | None:
        problem = scenario.problem
        if self.kind == "quadratic":
            return bool(problem.affine)
        try:
            if self.kind == "quasi-convex":
                return quasi_convex(problem)
            least = min(low for low, _ in curvatures(problem))
        except InvalidInput:
            return None
        if self.kind == "nonconvex":
            return least < 0
        return least >= 0 if self.kind == "convex" else least > 0


@dataclass(frozen=True)
class StepSizeIs:
    """The clients' step size in round t is a formula in t and in quantities of the run."""

    formula: sympy.Expr

    @property
    def says(self) -> str:
        """The hypothesis in words."""
        return f"the local step size in round t is {self.formula}"

    def sizes(self, scenario: Scenario) -> tuple[sympy.Expr, ...]:
        """The step size of every round."""
        return by_round(self.formula, scenario)

    def __call__(self, scenario: Scenario) -> bool | None:
        own, formulas = scenario.local_step_size, self.sizes(scenario)
        return _alike(formulas, own if isinstance(own, tuple) else (own,) * len(formulas))


@dataclass(frozen=True)
class AveragingIs:
    """The weight of the model before round t in weighted averages is a formula in t."""

    formula: sympy.Expr

    @property
    def says(self) -> str:
        """The hypothesis in words."""
        return f"the model before round t has the weight {self.formula} in weighted averages"

    def weights(self, scenario: Scenario) -> tuple[sympy.Expr, ...]:
        """The weight of every model before a round."""
        return by_round(self.formula, scenario)

    def __call__(self, scenario: Scenario) -> bool | None:
        return _alike(self.weights(scenario), scenario.averaging)


Hypothesis = TypeVar("Hypothesis", ParticipationIs, LossesAre, StepSizeIs, AveragingIs)


def hypotheses(claim: Claim, kind: type[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses of one kind that a claim states."""
    return [a.holds for a in claim.assumes if a.stated and isinstance(a.holds, kind)]


def by_round(formula: sympy.Expr, scenario: Scenario) -> tuple[sympy.Expr, ...]:
    """The formula at every round; quantities in it are measured on the scenario."""
    known = Measurements(scenario)
    names = {s.name: known[s.name] for s in formula.free_symbols if s != ROUND}
    rest = evaluate(formula, {**names, ROUND.name: ROUND}) if names else formula
    found = tuple(
        rest.xreplace({ROUND: sympy.Integer(t)}) for t in range(scenario.trace.num_rounds)
    )
    if any(x.has(sympy.zoo, sympy.nan, sympy.oo) or not x.is_real for x in found):
        raise NotExact("a formula by rounds has no value in some round")
    return found


def _alike(formulas: tuple[sympy.Expr, ...], numbers: tuple[object, ...]) -> bool | None:
    if len(formulas) != len(numbers):
        return False
    found = [compare(a, b) for a, b in zip(formulas, numbers, strict=True)]
    if Comparison.UNKNOWN in found:
        return None
    return all(one is Comparison.EQUAL for one in found)
