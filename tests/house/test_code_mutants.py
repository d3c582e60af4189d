"""The campaign that mutates the core's code can fail: tests without teeth get a low score, and no
survivor goes unexplained."""

from pathlib import Path

import pytest

from tests.campaigns import code_mutants
from tests.campaigns.code_mutants import CORE, RECORD, ROOT, open_properties, run_module
from tests.campaigns.code_mutants_report import (
    LEAST,
    UNEXPLAINED,
    Change,
    Result,
    faults,
    read,
    write,
)
from tests.campaigns.record import fingerprint

TOY = """class Pair:
    def __init__(self, low, high):
        self.low, self.high = low, high

    @property
    def width(self):
        return self.high - self.low


def holds(pair, x):
    return pair.low <= x < pair.high
"""
TOOTHLESS = """from toy import Pair, holds

def test_nothing():
    holds(Pair(0, 1), 0.5), Pair(0, 1).width
"""
SHARP = (
    TOOTHLESS
    + """
def test_edges():
    assert [holds(Pair(0, 2), x) for x in (-1, 0, 1, 2)] == [False, True, True, False]
    assert Pair(1, 3).width == 2
"""
)
SURVIVOR = Change("holds", "return pair.low <= x", "return pair.low < x")


def outcome(
    *, killed: int = 9, survivors: tuple[Change, ...] = (SURVIVOR,), late: tuple[Change, ...] = ()
) -> Result:
    return Result(
        "toy.py",
        ("tests/test_toy.py",),
        killed + len(survivors) + len(late),
        killed,
        3,
        late,
        survivors,
        "0123456789ab",
    )


@pytest.mark.slow
@pytest.mark.parametrize(("tests", "sharp"), [(TOOTHLESS, False), (SHARP, True)])
def test_a_toothless_selection_of_tests_gets_a_low_score(
    tests: str, sharp: bool, tmp_path: Path
) -> None:
    pytest.importorskip("mutmut", reason="mutmut is not installed: make mutants installs it")
    (tmp_path / "toy.py").write_text(TOY)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_toy.py").write_text(tests)
    found = run_module("toy.py", ("tests/test_toy.py",), root=tmp_path)
    assert (tmp_path / "toy.py").read_text() == TOY
    assert found.total == found.killed + len(found.survivors) + len(found.late)
    assert found.code == fingerprint(["toy.py"], root=tmp_path)
    if sharp:
        assert (found.score, found.survivors) == (1, ())
        assert faults(found) == []
    else:
        assert (
            Change(
                "Pair._body_of_width", "return self.high - self.low", "return self.high + self.low"
            )
            in found.survivors
        )
        assert faults(found)[0].startswith(f"toy.py: {found.score:.1%} is below 85%")


def test_a_low_score_or_an_unexplained_survivor_is_a_fault_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    explained = Change(*SURVIVOR.key, "The edge is never asked for.")
    low, bare, good = (
        outcome(killed=5, survivors=(explained,)),
        outcome(),
        outcome(survivors=(explained,)),
    )
    assert low.score < LEAST < good.score == bare.score
    monkeypatch.setattr(code_mutants, "CORE", {"toy.py": ("tests/test_toy.py",)})
    monkeypatch.setattr(code_mutants, "RECORD", tmp_path / "report.md")
    monkeypatch.setattr("sys.argv", ["code_mutants"])
    write(tmp_path / "report.md", {"toy.py": good})
    for survivors, killed, code in (
        ((SURVIVOR,), 9, 0),
        ((SURVIVOR,), 5, 1),
        ((Change("holds", "a", "b"),), 9, 1),
    ):
        monkeypatch.setattr(
            code_mutants,
            "run_module",
            lambda *_, s=survivors, k=killed: outcome(killed=k, survivors=s),
        )
        assert code_mutants.main() == code
    assert faults(bare.explained({})) == [f"toy.py: {SURVIVOR.line()} {UNEXPLAINED}"]


def test_a_report_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    late = Change("f", "while x > 0:", "while x >= 0:", "Goes on for ever.")
    results = {
        "toy.py": outcome(survivors=(Change(*SURVIVOR.key, "No `client` is there."),), late=(late,))
    }
    write(tmp_path / "report.md", results)
    assert read(tmp_path / "report.md") == results
    assert read(tmp_path / "absent.md") == {}


def test_the_recorded_campaign_holds_every_core_module_and_explains_every_survivor() -> None:
    recorded = read(RECORD)
    assert list(recorded) == list(CORE)
    assert [fault for result in recorded.values() for fault in faults(result)] == []
    assert all(result.tests == CORE[name] for name, result in recorded.items())
    assert all((ROOT / name).exists() for tests in CORE.items() for name in (tests[0], *tests[1]))


def test_properties_of_protocols_stay_as_they_are() -> None:
    source = "class A(Protocol):\n    @property\n    def a(self) -> int: ...\n"
    assert open_properties(source) == source
