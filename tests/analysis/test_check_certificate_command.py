"""What the command of the standalone checker says, and its exit codes."""

import json
import locale

from tests.analysis.hand_proofs import CONVEX, SMALLEST, edited
from verification.check_certificate import NotCheckable, main


def run(folder, capsys, content):
    file = folder / "file.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    code = main(file)
    told = capsys.readouterr().out
    assert told.startswith(f"{file}: ")
    return code, told.removeprefix(f"{file}: ")


OF_CONVEX = (
    "proved: f - f* at a weighted average of the models at the 1 points of the file; convex"
    " functions with curvature in [0, 3]; |x_0 - x*|^2 <= 2: at most "
)
OF_SMALLEST = (
    "proved: the smallest |grad f|^2 over the models at the 2 points of the file; smooth functions"
    " with curvature in [-3, 3]; f(x_0) - f* <= 1/2: at most "
)


def test_the_command_says_what_is_proved_or_why_not(tmp_path, capsys):
    assert run(tmp_path, capsys, CONVEX) == (0, f"{OF_CONVEX}3, exactly 3\n")
    assert run(tmp_path, capsys, SMALLEST) == (0, f"{OF_SMALLEST}3, exactly 3\n")
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
