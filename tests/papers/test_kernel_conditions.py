"""The conditions that Coq's theorems have are those that the claims' assumptions ask of a run."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
import sympy

from fltheory import Quadratic, Trace
from fltheory.claims.checks.kernel import FormalTheorem
from fltheory.claims.claim import Identity, evaluate, letter
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.papers import find_claim
from fltheory.papers.afl.checks.kernel import FORMAL
from fltheory.papers.afl.paper import NOISE, M

IN_EVERY_ROUND = {"seven": "afl.thm4.7"}
"""Conditions on every round of a run, which no scenario decides, and their assumptions."""

WITH_CONDITIONS = [formal for formal in FORMAL if formal.conditions]


def runs(*, memory: bool) -> Iterator[Scenario]:
    """Runs of AFA-CD or AFA-CS at, below and above the conditions; everybody arrives."""
    problem = Quadratic(curvatures=(1, 1, 1, 1), optima=(0, 0, 0, 0), noise_squared=4)
    for rounds in (4, 16, 144, 400):
        for steps in (1, 2):
            for late in (0, 1):
                delivers = np.ones((rounds, 4), dtype=bool)
                started = np.maximum(np.arange(rounds)[:, None] - late, 0) + 0 * delivers
                trace = Trace(delivers, started, steps * delivers)
                root = Fraction(int(rounds**0.5))
                for local in (Fraction(2), Fraction(1, 2), 1 / root, Fraction(1, 100)):
                    for move in (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8 * (1 + late))):
                        for server in (2, move / local, move / local / 3):
                            yield Scenario(
                                "afa-cs" if memory else "afa-cd",
                                problem,
                                trace,
                                start=1,
                                local_step_size=local,
                                server_step_size=server,
                            )


def conditions_hold(formal: FormalTheorem, run: Scenario) -> bool:
    conditions = [c for key, c in formal.conditions.items() if key not in IN_EVERY_ROUND]
    values = measure(run, sorted({str(s) for c in conditions for s in c.free_symbols}))
    return all(bool(evaluate(c, values)) for c in conditions)


@pytest.mark.slow
@pytest.mark.parametrize("formal", WITH_CONDITIONS, ids=lambda formal: formal.claim)
def test_conditions_are_the_assumptions(formal: FormalTheorem) -> None:
    claim = find_claim(formal.claim)
    memory = any(assumption.id == "afl.thm4.memory" for assumption in claim.assumes)
    assumptions = [one for one in claim.assumes if one.id not in IN_EVERY_ROUND.values()]
    seen = set()
    for run in runs(memory=memory):
        asked = all(assumption.holds(run) is True for assumption in assumptions)
        assert conditions_hold(formal, run) == asked, (formal.claim, run)
        seen.add(asked)
    assert seen == {True, False}


def test_condition_7_of_theorem_4_has_the_smallest_series() -> None:
    formal = next(one for one in WITH_CONDITIONS if one.claim == "afl.thm4")
    series = find_claim("afl.thm4.betas").statement
    assert isinstance(series, Identity)
    left, right = formal.conditions["seven"].args
    assert sympy.simplify(left - 3 * NOISE**2 / (2 * M)) == 0
    half = (1 - series.right) / 2
    assert sympy.simplify(right - half * letter("squared_update")) == 0
    assert len(formal.conditions) == 3


def test_another_condition_is_noticed() -> None:
    formal = next(one for one in WITH_CONDITIONS if one.claim == "afl.thm2star")
    run = next(runs(memory=False))
    wrong = FormalTheorem(formal.claim, formal.hypotheses, {"a": sympy.Integer(0) <= run.start[0]})
    found = {conditions_hold(one, run) for one in (formal, wrong)}
    assert found == {True, False}
