"""Claims of a user's own, from the file to the report: what a stranger met and could not
understand, rebuild or trust."""

from fractions import Fraction

import pytest
import sympy

from fltheory import Quadratic, Trace
from fltheory.attacks import moves, suggest
from fltheory.attacks.bounds import reach
from fltheory.attacks.conditions import draw_symbol
from fltheory.attacks.describe import told_run
from fltheory.attacks.report import as_text
from fltheory.attacks.search import Attack, attack
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order
from fltheory.claims.evidence import Verdict
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.runs import draw_trace
from fltheory.claims.spaces.scoring import ratio_of
from fltheory.claims.spaces.space import Space
from fltheory.core.enclosure import Comparison
from fltheory.papers.known_quantities import KINDS
from tests.attacks.own_files import flat, own


def numbers(found: Attack) -> str:
    return " ".join(found.suggestions)


def test_suggestions_cover_the_instance_that_broke_the_claim_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(suggest, "TEST_DRAWS", 0)
    found = attack(own("x", "<=", "1", where={"x": "x"}, kinds={"x": "positive"}), attempts=30)
    assert found.state.best is not None
    assert found.instance is not None
    first = ratio_of(found.state.best[1].score)
    assert first > Fraction(found.instance.values["x"])
    assert f"multiply the right side by {first:.4g} or more" in numbers(found)


def test_a_suggested_factor_is_never_too_small() -> None:
    found = attack(
        own(
            "(x + y + z)^2",
            "<=",
            "297/100*(x^2 + y^2 + z^2)",
            where=dict.fromkeys("xyz", "side"),
            kinds=dict.fromkeys("xyz", "positive"),
        ),
        attempts=30,
    )
    assert "multiply the right side by 1.011 or more" in numbers(found)  # 100/99 = 1.0101...
    tiny = attack(
        own("exp(-x)", "<=", "1 - x + 49/100*x^2", where={"x": "x"}, kinds={"x": "positive"}),
        attempts=30,
    )
    factor = next(one for one in tiny.suggestions if one.startswith("multiply")).split()[5]
    assert float(factor) > 1
    assert "by a factor of 1." in flat(as_text(tiny))


def test_numbers_that_have_to_be_alike_are_shrunk_together() -> None:
    claim = own(
        "(u + v + w + x + y + z)^2",
        "<=",
        "59/10*(u^2 + v^2 + w^2 + x^2 + y^2 + z^2)",
        where=dict.fromkeys("uvwxyz", "side"),
        kinds=dict.fromkeys("uvwxyz", "real"),
    )
    found = attack(claim, attempts=30)
    assert found.size is not None
    assert found.size.denominator == 1


def test_no_factor_is_suggested_that_is_not_a_number() -> None:
    found = attack(own("2^2^num_rounds", "<=", "10^num_rounds"), attempts=30)
    assert "restrict it to num rounds <= 3" in numbers(found)
    assert "inf" not in numbers(found)


@pytest.mark.slow
def test_a_condition_on_a_quantity_of_the_run_that_is_not_in_the_claim_can_be_suggested() -> None:
    claim = own(
        "dissimilarity_at_optimum",
        ">=",
        "dissimilarity^2/2",
        "strong_convexity = smoothness",
        about=["fedavg"],
    )
    found = attack(claim, attempts=400)
    assert "optima" in as_text(found) or "tilts" in as_text(found)
    assert "restrict it to num clients <= 3" in numbers(found)


@pytest.mark.slow
def test_a_claim_about_runs_that_names_no_algorithm_is_told_so() -> None:
    found = attack(own("mean_squared_gradient", "<=", "initial_loss_gap", about=[]))
    assert found.evidence.verdict is Verdict.UNDECIDED
    assert (
        found.evidence.note
        == "only a run gives a value to mean_squared_gradient: name the algorithms of the claim in"
        " its `about`"
    )
    assert attack(
        own("mean_squared_gradient", "<=", "initial_loss_gap", about=["fedavg"]), attempts=20
    ).spaces


def test_instances_without_a_value_are_told() -> None:
    found = attack(
        own(
            "sqrt(x - y - 3000)",
            "<=",
            "x",
            where={"x": "x", "y": "y"},
            kinds={"x": "positive", "y": "positive"},
        ),
        attempts=60,
    )
    told = f"in {found.state.untold} of them a side had no value or both were 0"
    assert 0 < found.state.untold < found.state.instances
    assert told in found.evidence.note
    assert told in flat(as_text(found).partition("What was found")[0])


def test_a_right_side_that_is_0_is_not_told_as_growth() -> None:
    found = attack(own("num_rounds", "O", "0*num_clients"), attempts=30)
    assert found.refuted
    assert "and right = 0, so no constant C satisfies |left| <= C |right|." in flat(as_text(found))
    assert "has no upper bound" not in as_text(found)


def test_a_claim_without_symbols_has_one_instance() -> None:
    assert "The claim has no free symbols, so there is only one instance." in flat(
        as_text(attack(own("1", "<=", "0"), attempts=5))
    )


def test_a_long_run_in_which_all_rounds_are_alike_is_told_in_full() -> None:
    told = told_run(
        Scenario(
            "fedavg", Quadratic((2,), (0,)), Trace.fresh([[1]] * 40), start=0, local_step_size="1/4"
        )
    )
    assert told[-1] == "All clients deliver in every round."


def planted(choices: Choices, claim: Claim) -> Instance:
    return Instance(
        {"x": SCALE, "y": sympy.S.One}
        if isinstance(claim.statement, Order)
        else {"x": sympy.sqrt(2), "y": sympy.sqrt(2)}
    )


@pytest.mark.parametrize("sign", ["<=", "O"])
def test_what_nobody_could_decide_does_not_support_a_claim(
    sign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = own(
        "x", sign, "y", where={"x": "x", "y": "y"}, kinds={"x": "positive", "y": "positive"}
    )
    spaces = [Space("planted", "One pair, or one path.", frozenset({"x", "y"}), planted)]
    score = 1.0 if sign == "O" else 0.0
    monkeypatch.setattr(
        moves, "assess", lambda claim, instance, close=0: (score, Comparison.UNKNOWN)
    )
    found = attack(claim, attempts=5, spaces=spaces, kinds=())
    assert found.evidence.verdict is Verdict.UNDECIDED
    assert (
        "the limit along 5 of them is not known"
        if sign == "O"
        else "5 comparisons too close to decide"
    ) in flat(as_text(found))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_bounds_of_free_symbols_are_those_of_the_draws(kind: str) -> None:
    symbol = sympy.Symbol("z", **KINDS[kind])
    drawn = [draw_symbol(Choices.fresh(0, number), symbol) for number in range(2000)]
    assert reach(symbol) == (min(drawn), max(drawn))


@pytest.mark.slow
def test_the_bounds_of_runs_are_those_of_the_draws() -> None:
    for conditions in ([], ["num_rounds <= 9", "num_clients >= 2", "local_steps <= 2"]):
        claim = own("num_rounds", "<=", "1000", *conditions, about=["afa-cd"])
        traces = [
            draw_trace(Choices.fresh(0, number), claim, delays=True, empty_rounds=False)
            for number in range(3000)
        ]
        told = as_text(attack(claim, attempts=2))
        least, most = min(t.num_clients for t in traces), max(t.num_clients for t in traces)
        rounds, steps = (
            max(t.num_rounds for t in traces),
            max(int(t.local_steps.max()) for t in traces),
        )
        assert f"Only runs with {least} to {most} clients, 1 to {rounds} rounds" in flat(told)
        assert (
            f" 1 to {steps} local steps, delays up to {max(int(t.delays.max()) for t in traces)}"
            " are drawn" in flat(told)
        )
    assert "delays up to" not in as_text(
        attack(own("num_rounds", "<=", "1000", about=["fedavg"]), attempts=2)
    )
