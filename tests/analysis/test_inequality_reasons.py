"""The standalone checker of inequalities on proofs written by hand: what it says, and each of its
refusals by its reason."""

import json
import locale
from pathlib import Path
from typing import Any

import pytest

from fltheory.analysis.inequalities.checker import check as check_in_package
from fltheory.analysis.inequalities.inequality import Inequality
from tests.analysis.hand_inequalities import (
    CURVED,
    GOOD,
    HEIGHT,
    REASONS,
    Json,
    expression,
)
from tests.analysis.hand_proofs import edited
from verification import strict_json
from verification.check_inequality import Sum, check, main, statement, vector, written


@pytest.mark.parametrize("good", GOOD.values(), ids=GOOD)
def test_a_proof_by_hand_is_accepted_and_is_tight(good: Json) -> None:
    assert check(good) == check_in_package(good) == 1
    for less in ("999999999/1000000000", "0"):
        assert refused(edited(good, factor=less))
    assert check(edited(good, left_over="0/7")) == 1
    assert refused(edited(good, left_over="-1/10000000000"))


def test_the_sum_of_two_interpolations_is_the_form_of_the_textbook() -> None:
    """The two values cancel, and (1 - m/L) times what is left is |g|^2/L + m |x|^2 - (1 + m/L)
    <g, x>."""
    for low, more in (("1", 1), ("-3", 1), ("-1", 2), ("0", 3)):
        total = Sum(edited(CURVED, lowest_curvature=low))
        for i, j in ((0, 1), (1, 0)):
            total.interpolation(0, i, j, total.high * more)
        assert not any(total.values.values())
        m = [[x * (1 - total.low / total.high) for x in line] for line in total.matrix()]
        scale = m[1][1] / 2
        assert scale > 0
        assert m[0][0] == 2 * total.high * total.low * scale
        assert m[0][1] == m[1][0] == -(total.high + total.low) * scale


def test_a_pair_of_records_gives_the_inequality_of_the_package() -> None:
    """Both points differ from 0, and every factor of the form counts."""
    rows = [[{"0": "1"}, {"1": "2"}], [{"1": "-1/3", "2": "1"}, {"0": "5", "3": "1/7"}]]
    data = edited(CURVED, basis=4, functions=[rows], left=expression(), right=expression())
    for low in ("1", "0", "-3"):
        given = edited(data, lowest_curvature=low)
        wanted = Inequality.from_json(given).constraint("interpolation", (0, 1, 0))
        total = Sum(given)
        total.interpolation(0, 1, 0, strict_json.number("3/7"))
        assert dict(total.values) == {k: x * 3 / 7 for k, x in wanted.values.items()}
        matrix = total.matrix()
        found = {(a, b): matrix[a][b] * (1 + (a != b)) for b in range(4) for a in range(b + 1)}
        scale = found[0, 0] / wanted.squares[0, 0]
        assert {k: x for k, x in found.items() if x} == {
            k: scale * x for k, x in wanted.squares.items() if x
        }
        assert all(
            type(x) is int and x == matrix[b][a]
            for a, row in enumerate(matrix)
            for b, x in enumerate(row)
        )


def test_values_on_both_sides_are_added_and_multipliers_may_be_small_or_zero() -> None:
    both = edited(
        HEIGHT,
        left=expression(values=[[0, 0, "-3"], [0, 1, "3"]]),
        right=expression(values=[[0, 0, "-4"], [0, 1, "4"]], constant="6"),
        factor="1/2",
    )
    assert check(both) == check_in_package(both)
    half = edited(
        HEIGHT,
        left=expression(values=[[0, 0, "-1/2"], [0, 1, "1/2"]]),
        right=expression(constant="3/2"),
        multipliers=[["interpolation", [0, 0, 1], "1/2"], ["assumed", [0], "3/4"]],
    )
    assert check(half) == check_in_package(half) == 1
    unused = edited(CURVED, assumed=HEIGHT["assumed"])
    unused["multipliers"].append(["assumed", [0], "0"])
    assert check(unused) == check_in_package(unused) == 1


def refused(bad: Json) -> str:
    """The reason of a refusal; the package refuses it too."""
    with pytest.raises(ValueError, match=" ") as reason:
        check(bad)
    with pytest.raises(ValueError, match=" "):
        check_in_package(bad)
    return str(reason.value)


@pytest.mark.parametrize(("bad", "reason"), REASONS)
def test_a_proof_with_a_fault_is_refused_with_its_reason(bad: Json, reason: str) -> None:
    with pytest.raises(ValueError, match=r" ") as found:
        check(bad)
    assert str(found.value) == reason
    with pytest.raises(ValueError, match=" "):
        check_in_package(bad)


def test_long_denominators_are_refused() -> None:
    def rows(digits: int) -> Json:
        point = {str(k): f"1/{10**digits + k}" for k in range(1, 21)}
        given = edited(CURVED, basis=21, functions=[[[{}, {}], [point, {"0": "1"}]]])
        return edited(given, left=expression(), right=expression(), factor="0")

    assert refused(rows(2900)) == "the denominators are too long"
    assert refused(rows(100)) == "what is left is not positive semidefinite"


def run(folder: Path, capsys: pytest.CaptureFixture[str], content: Any) -> tuple[int, str]:
    file = folder / "file.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    code = main(str(file))
    return code, capsys.readouterr().out.removeprefix(f"{file}: ")


PROVED = (
    "proved: -1 f_0(0) + 1 f_0(1) <= 1 (3) for 1 function with curvature in [0, 3] at the points of"
    " the file, if 1 <e_0, e_0> + -2 <= 0; where f_0 has gradient 0 at 0, f_0 has gradient 1 e_1 at"
    " 1 e_0\n"
)


def test_the_command_says_what_is_proved_or_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(tmp_path, capsys, HEIGHT) == (0, PROVED)
    assert run(tmp_path, capsys, edited(HEIGHT, says="f(x) - f* <= 0")) == (0, PROVED)
    told = "rejected: the constant that is left is not the stated one\n"
    assert run(tmp_path, capsys, edited(HEIGHT, left_over="1")) == (1, told)
    other = "unusable: not a certificate of this format\n"
    assert run(tmp_path, capsys, edited(HEIGHT, format="another")) == (2, other)
    assert run(tmp_path, capsys, "[]") == (2, other)
    assert run(tmp_path, capsys, '{"a": 1, "a": 1}') == (
        2,
        "unusable: a key occurs twice in an object\n",
    )
    assert run(tmp_path, capsys, "NaN") == (2, "unusable: NaN is no number\n")
    assert run(tmp_path, capsys, "[" * 100_000)[0] == 2
    assert main(str(tmp_path / "absent.json")) == 2
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'absent.json'}: unusable: [Errno 2]")

    def late(_: Any) -> None:
        raise strict_json.NotCheckable("it takes more than 1.5 s")

    monkeypatch.setattr("verification.check_inequality.check", late)
    monkeypatch.setattr("verification.check_inequality.NotCheckable", strict_json.NotCheckable)
    assert run(tmp_path, capsys, HEIGHT) == (3, "not checkable: it takes more than 1.5 s\n")


def test_the_command_reads_the_same_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file.json"
    text = json.dumps(edited(HEIGHT, says="staleness τ"), ensure_ascii=False)
    file.write_text(text, encoding="utf-8")
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        assert main(str(file)) == 0
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    capsys.readouterr()


def test_a_file_is_read_up_to_its_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file.json"
    for more, code in ((0, 0), (1, 2)):
        text = json.dumps(HEIGHT)
        file.write_text(" " * ((1 << 24) - len(text) + more) + text)
        assert main(str(file)) == code
    capsys.readouterr()


def test_sentences_are_cut_after_a_few_terms_and_say_so() -> None:
    terms = [f"1 <e_0, e_{k}>" for k in range(7)]
    long = expression(squares=[[0, k, "1"] for k in range(7)])
    assert written(long) == f"{' + '.join(terms[:6])} + ... (7 terms)"
    assert written(edited(long, squares=long["squares"][:6])) == " + ".join(terms[:6])
    both = expression(squares=[[0, 1, "2"]], values=[[3, 4, "5"]], constant="-6/4")
    assert written(both) == "2 <e_0, e_1> + 5 f_3(4) + -3/2"
    assert (written(expression()), vector({})) == ("0", "0")
    row = {str(k): f"{k}/2" for k in range(7)}
    assert vector(row).endswith("2 e_4 + 5/2 e_5 + ... (7 terms)")
    assert "..." not in vector({str(k): "1" for k in range(6)})
    assert vector({"3": "1", "9": "-2/6"}) == "1 e_3 + -1/3 e_9"
    many = [[[{str(k): "1"}, {}] for k in range(4)], [[{str(k): "1"}, {}] for k in range(3)]]
    assumed = [expression(constant=f"-{k}") for k in range(1, 5)]
    says = statement(edited(HEIGHT, functions=many, assumed=assumed), strict_json.number("3/5"))
    assert says == (
        "-1 f_0(0) + 1 f_0(1) <= 3/5 (3) for 2 functions with curvature in [0, 3] at the points of"
        " the file, if -1 <= 0; -2 <= 0; -3 <= 0; and 1 more; where f_0 has gradient 0 at 1 e_0,"
        " f_0 has gradient 0 at 1 e_1, f_0 has gradient 0 at 1 e_2, f_0 has gradient 0 at 1 e_3,"
        " f_1 has gradient 0 at 1 e_0, f_1 has gradient 0 at 1 e_1 and 1 more records of the file"
        " are given"
    )
    few = edited(HEIGHT, functions=[[*many[0][:3]], many[1]], assumed=assumed[:3])
    assert statement(few, strict_json.number("1")).endswith(
        "if -1 <= 0; -2 <= 0; -3 <= 0; where f_0 has gradient 0 at 1 e_0, f_0 has gradient 0 at 1"
        " e_1, f_0 has gradient 0 at 1 e_2, f_1 has gradient 0 at 1 e_0, f_1 has gradient 0 at 1"
        " e_1, f_1 has gradient 0 at 1 e_2"
    )
    none = edited(HEIGHT, functions=[], assumed=[])
    assert statement(none, strict_json.number("1")).endswith(
        "for 0 functions with curvature in [0, 3] at the points of the file; where nothing"
    )


def test_files_of_up_to_one_megabyte_are_decided_within_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[float] = []
    monkeypatch.setattr(strict_json.signal, "setitimer", lambda _, seconds: limits.append(seconds))
    for size in (0, 1_000_000, 1_000_001):
        assert strict_json.timed(str, 3, size) == "3"
    assert limits == [1.5, 0, 1.5, 0, 0, 0]


def test_work_that_takes_longer_is_not_checkable() -> None:
    """The signal that ends it is sent by the work itself, so that no clock decides."""
    import signal

    with pytest.raises(strict_json.NotCheckable, match=r"^it takes more than 7 s$"):
        strict_json.timed(lambda _: signal.raise_signal(signal.SIGVTALRM), 0, 9, 7)


def test_a_limit_ends_with_the_work() -> None:
    import signal

    def other(*_: object) -> None:
        raise AssertionError

    before = signal.signal(signal.SIGVTALRM, other)
    try:
        assert strict_json.timed(lambda x: signal.getitimer(signal.ITIMER_VIRTUAL)[0], 0, 9) > 1
        assert signal.getsignal(signal.SIGVTALRM) is other
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)


def test_what_is_malformed_is_no_crash() -> None:
    for wrong in (KeyError(3), TypeError("a"), IndexError(), AttributeError(), ZeroDivisionError()):

        def read(data: Any, wrong: Exception = wrong) -> None:
            raise wrong

        with pytest.raises(ValueError, match=r"^a field is missing or malformed: ") as found:
            strict_json.well_formed(read, {})
        assert str(found.value).endswith(repr(wrong))
    assert strict_json.well_formed(lambda data: data + 1, 2) == 3
    assert strict_json.items([1], "owner", 1) == [1]
    assert strict_json.number("0" * 2999 + "7") == 7
    for text in ("0" * 3001, "x" * 50):
        with pytest.raises(ValueError, match=f"^'{text[:40]}' is no short fraction$"):
            strict_json.number(text)
    with pytest.raises(ValueError, match=r"^owner is no object$"):
        strict_json.fields([], "owner", [])
    assert strict_json.index(2, 3, "owner") == 2
    assert strict_json.fields({"a": 1}, "owner", ["a"], ["b"]) == {"a": 1}
    with pytest.raises(ValueError, match=f"^owner: {'3' * 40} is no number below 3$"):
        strict_json.index(int("3" * 60), 3, "owner")
