"""Results of the analysis show themselves as text, as HTML and as data."""

import json
from fractions import Fraction
from typing import Any, cast

from fltheory import Trace
from fltheory.analysis.rates import measure_rate
from fltheory.analysis.regimes import RateMetric, Regime
from fltheory.analysis.worst_case.answer import WorstCase, worst_case
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Question
from fltheory.analysis.worst_case.status import Status


def test_a_worst_case() -> None:
    question = Question(FunctionClass(1), Conditions(distance_squared=1))
    case = Case("fedavg", Trace.fresh([[1], [1]]), question, 1)
    found = worst_case(case, certified=True, enclosed=True)
    data = json.loads(json.dumps(found.to_dict()))
    assert (data["status"], Fraction(data["bound"])) == ("CERTIFIED", found.bound)
    assert Fraction(data["attained"]) == found.attained
    assert Fraction(data["certificate"]["bound"]) == found.bound
    for shown in (repr(found), found._repr_html_()):
        assert "proved upper bound" in shown
        assert found.witness is not None
        assert found.witness.how in shown


def test_a_worst_case_without_a_number() -> None:
    failed = WorstCase(Status.FAILED, why="a < b")
    assert "a < b" in repr(failed)
    assert "a &lt; b" in failed._repr_html_()
    assert failed.to_dict()["bound"] is None


def test_a_rate() -> None:
    claimed, plan = {"T": Fraction(-1, 2)}, cast(Any, None)  # the quantity is given
    regime = Regime("x.rate", "fedavg", RateMetric.MEAN_GAP, claimed, plan, lambda size: 4)
    found = measure_rate(regime, "T", quantity=lambda size: size.num_rounds**-0.5)
    data = json.loads(json.dumps(found.to_dict()))
    assert (data["claimed"], data["exponent"], data["rounds"]) == ("-1/2", -0.5, [4, 8, 16, 32])
    assert "at most -1/2" in repr(found)
    assert found._repr_html_().count("<table>") == 2
    slow = measure_rate(regime, "T", quantity=lambda size: 1 + 1 / size.num_rounds, budget=64)
    assert (slow.exponent, slow.to_dict()["exponent"]) == (None, None)
    assert "not yet asymptotic" in repr(slow)
