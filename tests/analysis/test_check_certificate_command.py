"""What the command of the standalone checker says, and its exit codes."""

import json
import locale
import random

import pytest

from fltheory import check_certificate
from tests.analysis.hand_proofs import CONVEX, SMALLEST, edited, records
from verification.check_certificate import NotCheckable, bound_of_rows, main


def run(folder, capsys, content):
    file = folder / "file.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    code = main(file)
    told = capsys.readouterr().out
    assert told.startswith(f"{file}: ")
    return code, told.removeprefix(f"{file}: ")


OF_CONVEX = "proved: f - f* somewhere: at most "
NO_METHOD = "not checkable: the file names no method, so nothing says what its points are\n"


@pytest.fixture
def somewhere(monkeypatch):
    """Any rows have a sentence, so that proofs without a method can be looked at."""
    monkeypatch.setattr("verification.check_certificate.statement", lambda _: "f - f* somewhere")


def test_rows_without_a_method_are_not_checkable(tmp_path, capsys):
    """Whose points the rows are is not said: a gradient that is 0 at x_0, for instance, gives
    f(x_0) - f* <= 0, which is false of a convex function at a distance of 1."""
    assert run(tmp_path, capsys, CONVEX) == run(tmp_path, capsys, SMALLEST) == (3, NO_METHOD)
    flat = edited(
        CONVEX,
        owners=[0],
        classes=[{"share": "1", "block": 0, "records": records(({}, {}), ({"0": "1"}, {}))}],
        multipliers=[["interpolation", [0, 0, 1], "1"]],
        bound="0",
    )
    assert bound_of_rows(flat) == 0
    assert run(tmp_path, capsys, flat) == (3, NO_METHOD)
    file = tmp_path / "flat.json"
    for content in (CONVEX, flat):
        file.write_text(json.dumps(content), encoding="utf-8")
        found = check_certificate(file)
        assert (found.proved, found.checkable) == (False, False)


@pytest.mark.usefixtures("somewhere")
def test_the_command_says_what_is_proved_or_why_not(tmp_path, capsys):
    assert run(tmp_path, capsys, CONVEX) == (0, f"{OF_CONVEX}3, exactly 3\n")
    assert run(tmp_path, capsys, SMALLEST) == (0, f"{OF_CONVEX}3, exactly 3\n")
    third = edited(
        CONVEX,
        bound="20000000/6",
        multipliers=[["distance", [], "10000000/6"], ["interpolation", [0, 0, 1], "1"]],
    )
    assert run(tmp_path, capsys, third) == (
        0,
        f"{OF_CONVEX}3333333.33, exactly 10000000/3\n",
    )
    assert run(tmp_path, capsys, edited(CONVEX, bound="2")) == (
        1,
        "rejected: the multipliers do not prove the stated bound\n",
    )
    huge = edited(
        CONVEX,
        multipliers=[["distance", [], "1" + "0" * 400], ["interpolation", [0, 0, 1], "1"]],
        bound="2" + "0" * 400,
    )
    assert run(tmp_path, capsys, huge) == (
        1,
        "rejected: integer division result too large for a float\n",
    )
    wrong = "unusable: not a certificate of this format\n"
    assert run(tmp_path, capsys, edited(CONVEX, format="another")) == (2, wrong)
    assert run(tmp_path, capsys, "[]") == (2, wrong)
    assert run(tmp_path, capsys, "{}") == (2, wrong)
    for text in ("{", "[" * 100_000):
        code, told = run(tmp_path, capsys, text)
        assert code == 2
        assert told.startswith("unusable: ")
    full = json.dumps(CONVEX)
    assert run(tmp_path, capsys, " " * (2**24 - len(full)) + full)[0] == 0
    assert run(tmp_path, capsys, " " * 2**24 + full)[0] == 2
    assert main(tmp_path / "absent.json") == 2
    assert "unusable: [Errno 2]" in capsys.readouterr().out


def test_what_the_command_cannot_derive_has_an_exit_code_of_its_own(tmp_path, capsys, monkeypatch):
    def underivable(data):
        raise NotCheckable("the method is not known here")

    monkeypatch.setattr("verification.check_certificate.statement", underivable)
    assert run(tmp_path, capsys, CONVEX) == (3, "not checkable: the method is not known here\n")


@pytest.mark.usefixtures("somewhere")
def test_the_command_reads_the_same_everywhere(tmp_path, capsys):
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        told = run(
            tmp_path, capsys, json.dumps(edited(CONVEX, says="staleness τ"), ensure_ascii=False)
        )
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    assert told == (0, f"{OF_CONVEX}3, exactly 3\n")


@pytest.mark.slow
def test_a_small_file_that_takes_long_is_not_checkable(tmp_path, capsys):
    """A dense matrix of 400 columns: the elimination alone would take minutes."""
    numbers = random.Random(1)
    size = 400
    records_of = [{"point": {}, "gradient": {}}] + [
        {
            "point": {str(i): "1"},
            "gradient": {str(j): str(numbers.randrange(10**9)) for j in range(i % 7, size, 7)},
        }
        for i in range(size)
    ]
    slow = edited(
        CONVEX,
        owners=[0] * size,
        classes=[{"share": "1", "block": 0, "records": records_of}],
        conditions=CONVEX["conditions"] | {"gradient_bound_squared": "1"},
        points=[[0]],
        multipliers=[["gradient", [0, i + 1], "1"] for i in range(size)],
        bound=str(size),
    )
    assert len(json.dumps(slow)) < 1_000_000
    assert run(tmp_path, capsys, slow) == (3, "not checkable: it takes more than 1.5 s\n")
