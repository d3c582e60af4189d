"""Claim files: what they may say, what they may not, and that nothing in them is executed."""

from pathlib import Path
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from fltheory import Quadratic, Trace
from fltheory.claims.claim import Identity, LowerBound, Order, UpperBound
from fltheory.claims.condition import Condition
from fltheory.claims.measures import MEASURES
from fltheory.claims.scenario import Scenario
from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.core.formulas import MAX_DIGITS, MAX_LENGTH, MAX_NESTING, read_formula, read_relation
from fltheory.core.vocabulary import MEASURED, WORDS, symbol
from fltheory.papers.claim_files import claims_of, read_claims
from fltheory.papers.known_quantities import quantities

X, Y = sympy.symbols("x y", positive=True)
BEYOND = {word.name for word in MEASURED}
SYMBOLS = {"x": X, "y": Y}
GOOD: dict[str, Any] = {
    "id": "mine.a",
    "says": "A claim.",
    "left": "num_clients",
    "sign": "<=",
    "right": "2*num_clients",
}


def claims(**changed: Any) -> Any:
    return claims_of({"paper": {"key": "mine"}, "claim": [GOOD | changed]})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/2*x - y", X / 2 - Y),
        ("-x^2", -(X**2)),
        ("2^-1", sympy.Rational(1, 2)),
        ("x**y", X**Y),
        ("2 * (x + 0.25)", 2 * X + sympy.Rational(1, 2)),
        ("sqrt(x) + max(x, y, 2)", sympy.sqrt(X) + sympy.Max(X, Y, 2)),
        ("ceil(x/2) + floor(y)", sympy.ceiling(X / 2) + sympy.floor(Y)),
        ("exp(1) + log(x) + abs(-3)", sympy.E + sympy.log(X) + 3),
        ("--x", X),
        ("x/y/2", X / Y / 2),
        ("2^3^2", sympy.Integer(512)),
    ],
)
def test_formulas_mean_what_they_say(text: str, value: sympy.Expr) -> None:
    assert sympy.simplify(read_formula(text, SYMBOLS) - value) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x +",
        "(x",
        "x)",
        "x x",
        "z",
        "__import__('os')",
        "x.y",
        "x; y",
        "lambda: 1",
        "sqrt()",
        "sqrt(x, y)",
        "max(x)",
        "x ^ ^ 2",
        "1/0",
        "x[0]",
        "9" * (MAX_DIGITS + 1),
        "x" * (MAX_LENGTH + 1),
        "(" * (MAX_NESTING + 5) + "x" + ")" * (MAX_NESTING + 5),
        "-" * 500 + "x",
        "9^9^9",
        "(9^99)^99",
        "2^100000",
        "x = 1",
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_formula(text, SYMBOLS)


@given(st.text("x1y+-*/^(). ,maxsqrt", max_size=30))
def test_the_reader_answers_or_refuses(text: str) -> None:
    try:
        found = read_formula(text, SYMBOLS)
    except InvalidInput:
        return
    assert isinstance(found, sympy.Expr)
    assert found.free_symbols <= {X, Y}


def test_relations_have_one_sign() -> None:
    assert read_relation("x <= 1/2", SYMBOLS) == (X, "<=", sympy.Rational(1, 2))
    for text in ("x", "x < y < 1", "x <=", 3):
        with pytest.raises(InvalidInput):
            read_relation(text, SYMBOLS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sign", "kind"), [("<=", UpperBound), (">=", LowerBound), ("=", Identity), ("O", Order)]
)
def test_each_kind_of_statement_can_be_written(sign: str, kind: type) -> None:
    (claim,) = claims(sign=sign)
    assert isinstance(claim.statement, kind)
    assert getattr(claim.statement, "left", None) == symbol("num_clients")


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"sign": "<<"}, "sign"),
        ({"left": 3}, "left"),
        ({"right": "unknown_symbol"}, "known symbols"),
        ({"id": "other.a"}, "start with its paper"),
        ({"says": "no stop"}, "full stop"),
        ({"colour": "red"}, "have the fields"),
        ({"about": ["nobody"]}, "about of claim mine.a must be one that"),
        ({"assumes": ["num_clients"]}, "signs"),
        ({"assumes": [1]}, "text"),
        ({"kinds": {"z": "positive"}}, "where"),
        ({"where": {"z": "a letter"}, "kinds": {"z": "purple"}}, "kind"),
        ({"where": {"z z": "two words"}}, "one word"),
        ({"about": ["fedavg"], "right": "clients_per_round*initial_gap"}, "run shows"),
        ({"id": "mine.a/../../b"}, "letters, digits"),
        ({"id": "mine." + "a" * 200}, "100 at most"),
        ({"right": "1e-3"}, "1/1000 or 0.001"),
    ],
)
def test_what_is_wrong_is_told_by_name(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        claims(**changed)


@pytest.mark.parametrize(
    "name", ["limit", "optimum", "max_delay", "staleness_bound", "importance", "num_clients"]
)
def test_a_letter_of_ones_own_is_never_taken_for_a_quantity_that_has_a_meaning(name: str) -> None:
    where, kinds = {"where": {name: "a constant"}}, {"kinds": {name: "positive"}}
    for declared in (where, kinds, where | kinds):
        with pytest.raises(
            InvalidInput,
            match=f"letter {name} of claim mine.a must have another name, for {name} is",
        ):
            claims(**declared)


def test_everything_that_a_run_shows_can_be_used_and_has_a_meaning() -> None:
    assert set(MEASURES) - {word.name for word in WORDS} == BEYOND
    assert set(quantities(runs=True)) == set(MEASURES)
    for name in MEASURES:
        (claim,) = claims(left=name, right="1", about=["fedavg"])
        assert name in quantities(runs=False)
        assert set(claim.where) == {name} & BEYOND


@pytest.mark.parametrize("key", ["afl", "mifa", "fedlaavg", "fraboni"])
def test_the_keys_of_stored_papers_are_taken(key: str) -> None:
    with pytest.raises(InvalidInput, match="not be that of a paper that is stored here"):
        claims_of({"paper": {"key": key}, "claim": [GOOD | {"id": f"{key}.mine"}]})


def test_files_are_checked_as_a_whole(tmp_path: Path) -> None:
    for data in (
        {},
        {"paper": {"key": "two words"}, "claim": [GOOD]},
        {"paper": {"key": "mine"}, "claim": []},
        {"paper": {"key": "mine"}, "claim": [GOOD, GOOD]},
        {"paper": {"key": "mine"}, "claim": [GOOD], "code": "x"},
        {"paper": {"key": "mine"}, "claim": [{k: v for k, v in GOOD.items() if k != "left"}]},
    ):
        with pytest.raises(InvalidInput):
            claims_of(data)
    path = tmp_path / "bad.toml"
    path.write_text("[paper\n")
    with pytest.raises(InvalidInput, match="TOML"):
        read_claims(path)
    path.write_text("#" * 300_000)
    with pytest.raises(InvalidInput, match="bytes"):
        read_claims(path)


def test_conditions_answer_on_runs_and_on_values() -> None:
    (claim,) = claims(
        left="mean_squared_gradient",
        right="initial_loss_gap",
        about=["fedavg"],
        assumes=["local_step_size*smoothness <= 1", "2 > local_steps"],
    )
    run = Scenario(
        "fedavg", Quadratic((2,), (0,)), Trace.fresh([[1]]), start=1, local_step_size="1/2"
    )
    assert [a.holds(run) for a in claim.assumes] == [True, True]
    assert claim.assumes[0].holds({"local_step_size": 1, "smoothness": 2}) is False
    undefined = Condition("1/x <= 1", 1 / X, "<=", sympy.S.One)
    assert undefined({"x": 0}) is None
    real = sympy.Symbol("x", real=True)
    for left in (sympy.Max(sympy.sqrt(real), 1), sympy.sqrt(real)):
        rooted = Condition("a root", left, "<=", sympy.Integer(2))
        assert [rooted({"x": x}) for x in (-1, 4, 9)] == [None, True, False]
        assert rooted.along({"x": -sympy.Symbol("scale", positive=True)}) is None
    with pytest.raises(InvalidInput, match="have a value"):
        rooted({})


def test_conditions_along_a_path_need_a_proof() -> None:
    scale = sympy.Symbol("scale", integer=True, positive=True)
    below = Condition("x <= y", X, "<=", Y)
    assert below.along({"x": scale, "y": scale**2}) is True
    assert below.along({"x": scale**2, "y": scale}) is None
    assert below.along({"x": scale, "y": scale + 5}) is True
    assert Condition("x = y", X, "=", Y).along({"x": 2 * scale / 2, "y": scale}) is True


@pytest.mark.parametrize(
    "arguments",
    [
        ["attack", "no.such.claim"],
        ["attack", "missing.toml"],
        ["attack", "fedlaavg.thm1.fixed", "--seed", "-1"],
        ["attack", "fedlaavg.thm1.fixed", "--attempts", "-3"],
        ["attack", "fedlaavg.thm1.fixed", "--seconds", "-1"],
        ["attack", "fedlaavg.thm1.fixed", "--jobs", "0"],
    ],
)
def test_bad_input_on_the_command_line_ends_with_code_2(arguments: list[str]) -> None:
    result = CliRunner().invoke(make_app(), arguments)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output


def test_a_counterexample_to_ones_own_claim_replays_against_it_and_no_other(tmp_path: Path) -> None:
    claim = (
        '[paper]\nkey = "mine"\n[[claim]]\nid = "mine.a"\nsays = "A."\nleft = "x"\nsign ='
        ' "<="\nright = "1"\nwhere = { x = "x" }\n'
    )
    stated, stricter = tmp_path / "stated.toml", tmp_path / "stricter.toml"
    stated.write_text(claim, encoding="utf-8")
    stricter.write_text(f'{claim}assumes = ["x <= 1"]\n', encoding="utf-8")
    assert (
        CliRunner().invoke(make_app(), ["attack", str(stated), "-o", str(tmp_path)]).exit_code == 0
    )
    file = str(tmp_path / "mine.a.json")
    assert CliRunner().invoke(make_app(), ["replay", file, "--claims", str(stated)]).exit_code == 0
    assert CliRunner().invoke(make_app(), ["replay", file]).exit_code == 2
    refused = CliRunner().invoke(make_app(), ["replay", file, "--claims", str(stricter)])
    assert refused.exit_code == 1
    assert "printed assumptions not met: x <= 1" in refused.stdout
