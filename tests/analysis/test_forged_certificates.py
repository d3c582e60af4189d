"""Forged certificates: false bounds, other labels and open grammar are refused, and nothing that a
file says of itself is printed as proved."""

import json
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fltheory
from fltheory import Trace
from fltheory.analysis.inequalities.checker import check as check_lemma
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.proof import FORMAT, document, verify
from fltheory.analysis.worst_case.question import Conditions, Question
from verification import check_certificate, check_inequality

STORED = Path(__file__).parents[2] / "verification" / "certificates"
Json = dict[str, Any]


def one_round(multipliers: list, bound: str, **known: object) -> Json:
    """A certificate about one round of FedAvg with one client and the step size 4."""
    conditions = Conditions(**known)  # type: ignore[arg-type]
    case = Case("fedavg", Trace.fresh([[1]]), Question(FunctionClass(1), conditions), 4)
    return {
        "format": FORMAT,
        "case": case.to_json(),
        **document(case.encode()),
        "multipliers": multipliers,
        "bound": bound,
    }


def told(folder: Path, capsys: pytest.CaptureFixture[str], content: object) -> tuple[int, str]:
    file = folder / "file.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return check_certificate.main(file), capsys.readouterr().out


def stored(name: str) -> Json:
    found: Json = json.loads((STORED / f"{name}.json").read_text())
    return found


def test_a_multiplier_on_a_point_is_none_on_a_gradient() -> None:
    """f(x_1) - f* <= |x_1 - x*|^2 / 2 is "proved" to be at most G^2/2 = 1.67e-5; a Huber loss with
    slope G gives 0.00985 at |x_0 - x*|^2 = 3."""
    steep = Fraction(1, 30000)
    huber = Fraction(1, 100) - 4 * steep - steep / 2  # G |x_0 - x*| - 4 G^2 - G^2 / 2
    assert huber == Fraction("0.00985")
    known = {"distance_squared": 3, "gradient_bound_squared": steep}
    for about in ([0, 2, 0], [0, 2, 1], [0, 2, 2], [0, 2, -1], [0], [], [0, 9], [0, -1], [True, 2]):
        forged = one_round(
            [["gradient", about, "1/2"], ["interpolation", [0, 0, 2], "1"]], "1/60000", **known
        )
        with pytest.raises(ValueError, match=r"what a multiplier|of a multiplier"):
            check_certificate.check(forged)


def test_a_proof_of_one_round_is_none_of_a_thousand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = stored("afl-simple-delay0-rounds1")
    label = "MIFA, 1000 rounds, converges for every participation pattern"
    code, printed = told(tmp_path, capsys, good | {"says": label})
    assert code == 0
    assert "MIFA" not in printed
    assert "afa-cd, 1 round, 1 client" in printed
    trace = {
        "delivers": ["1"] * 1000,
        "started_from": [[t] for t in range(1000)],
        "local_steps": [[1]] * 1000,
    }
    forged = good | {"says": label, "case": good["case"] | {"algorithm": "mifa", "trace": trace}}
    code, printed = told(tmp_path, capsys, forged)
    assert (code, "proved" in printed) == (1, False)


@pytest.mark.parametrize(
    "changes",
    [
        {"local_step_size": "1/50"},
        {"server_step_size": "50"},
        {"smoothness": "2"},
        {"convex": True},
        {"convex": 0},
        {"metric": "MIN_SQUARED_GRADIENT"},
        {"weights": ["1", "0", "0", "0"]},
        {"importance": ["1/2", "1/2"]},
        {"settings": {"weights": ["2"]}, "algorithm": "fedfix"},
        {"unknown": 1},
        {"virtual": 0},
    ],
)
def test_a_case_whose_run_gives_other_rows_is_rejected(changes: Json) -> None:
    good = stored("afl-simple-delay0-rounds3")
    with pytest.raises(ValueError, match=r"."):
        check_certificate.check(good | {"case": good["case"] | changes})


def test_an_unknown_method_is_not_checkable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = stored("afl-simple-delay0-rounds1")
    forged = good | {"case": good["case"] | {"algorithm": "a method of mine"}}
    code, printed = told(tmp_path, capsys, forged)
    assert (code, ": not checkable: " in printed) == (3, True)


def test_gradients_that_depend_on_each_other_prove_nothing_of_a_method() -> None:
    """The rows of a smaller family of functions: every gradient is the first one."""
    bad = deepcopy(stored("afl-simple-delay0-rounds3"))
    for record in bad["classes"][0]["records"]:
        record["gradient"] = {"0": "1"}
    with pytest.raises(ValueError, match=r"."):
        check_certificate.check(bad)


@pytest.mark.parametrize("where", ["top", "class", "record", "conditions", "case", "trace"])
def test_unknown_fields_are_rejected(where: str) -> None:
    bad = stored("afl-simple-delay0-rounds3")
    inner = {
        "top": bad,
        "class": bad["classes"][0],
        "record": bad["classes"][0]["records"][0],
        "conditions": bad["conditions"],
        "case": bad["case"],
        "trace": bad["case"]["trace"],
    }[where]
    inner["also"] = "1"
    with pytest.raises(ValueError, match="unknown field 'also'"):
        check_certificate.check(bad)
    with pytest.raises(ValueError, match=r"."):
        verify(bad)


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("fedavg", {"weights": ["2"]}),
        ("fedavg", {"proximal_strength": "1"}),
        ("fedprox", {}),
        ("async", {}),
    ],
)
def test_a_method_has_its_settings_and_no_others(method: str, settings: Json) -> None:
    """FedProx without its strength would be FedAvg under another name."""
    good = stored("afl-simple-delay0-rounds1")
    good["case"] |= {"algorithm": "fedavg", "settings": {}}
    assert check_certificate.check(good) == verify(good)
    good["case"] |= {"algorithm": method, "settings": settings}
    for checker in (check_certificate.check, verify):
        with pytest.raises(ValueError, match=r"settings|strength|weights"):
            checker(good)


def test_a_key_that_occurs_twice_makes_a_file_unusable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = json.dumps(stored("afl-simple-delay0-rounds1"))
    twice = text.replace('"bound": ', '"bound": "0", "bound": ')
    code, printed = told(tmp_path, capsys, twice)
    assert (code, "a key occurs twice" in printed) == (2, True)


@pytest.mark.parametrize(
    "row", [{"00": "1"}, {"-1": "1"}, {"0": "0"}, {"0": 1}, {"9": "1"}, {"٠": "1"}, [["0", "1"]]]
)
def test_rows_are_written_in_one_way(row: object) -> None:
    bad = stored("afl-simple-delay0-rounds1")
    bad["classes"][0]["records"][0]["gradient"] = row
    with pytest.raises(ValueError, match=r"gradient|no short fraction"):
        check_certificate.check(bad)


LEMMA = "inequalities/afl.a5-steps2"


@pytest.mark.parametrize(
    "change",
    [
        {"also": 1},
        {"says": 3},
        {"basis": True},
        {"functions": [[[{}, {"1": "1"}], [{"0": "1"}, {"2": "1"}], [{}, {"2": "1"}]]]},
        {"assumed": {}},
    ],
)
def test_the_grammar_of_inequalities_is_closed_in_both(change: Json) -> None:
    for checker in (check_inequality.check, check_lemma):
        with pytest.raises(ValueError, match=r"."):
            checker(stored(LEMMA) | change)


def test_terms_and_multipliers_of_an_inequality_occur_once() -> None:
    for name, place in (("multipliers", []), ("left", ["squares"])):
        bad = stored(LEMMA)
        inner: Any = bad[name]
        for key in place:
            inner = inner[key]
        inner.append(inner[0])
        for checker in (check_inequality.check, check_lemma):
            with pytest.raises(ValueError, match=r"."):
                checker(bad)


def test_what_an_inequality_says_of_itself_is_not_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps(stored(LEMMA) | {"says": "P = NP"}))
    assert check_inequality.main(str(file)) == 0
    told = capsys.readouterr().out
    assert "P = NP" not in told
    assert "f_0 has gradient 1 e_1 at 0, f_0 has gradient 1 e_2 at 1 e_0" in told
    says = fltheory.check_certificate(file).says or ""
    assert "P = NP" not in says
    assert "<= 1 (1/2 <e_0, e_0>)" in says
    assert says.endswith("f_0: gradient 1 e_1 at 0; f_0: gradient 1 e_2 at 1 e_0")


@pytest.mark.parametrize("label", ["MIFA, 1000 rounds, every pattern", "", None])
def test_the_package_says_what_the_case_gives(tmp_path: Path, label: str | None) -> None:
    good = stored("fedlaavg-turns-steps2-1over10")
    file = tmp_path / "file.json"
    file.write_text(json.dumps({k: x for k, x in good.items() if k != "says"}))
    if label is not None:
        file.write_text(json.dumps(good | {"says": label}))
    assert fltheory.check_certificate(file).says == (
        "mean of |grad f|^2 over the models but the last, fedlaavg, 4 rounds, 2 clients, local step"
        " size 1/10, server step size 1; smooth functions with curvature in [-1, 1]; f(x_0) - f* <="
        " 1/18, |grad f_i|^2 <= 1"
    )
