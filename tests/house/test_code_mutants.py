"""The campaign that mutates the core's code can fail: tests without teeth get a low score, and no
survivor goes unexplained."""

from pathlib import Path

import pytest

from tests.campaigns import code_mutants
from tests.campaigns.code_mutants import open_properties, run_modules, with_one_name
from tests.campaigns.code_mutants_areas import AREAS, NOT_YET, ROOT, record_of
from tests.campaigns.code_mutants_report import (
    UNEXPLAINED,
    Change,
    Result,
    faults,
    least,
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
    (found,) = run_modules(["toy.py"], ("tests/test_toy.py",), root=tmp_path)
    assert (tmp_path / "toy.py").read_text() == TOY
    assert found.total == found.killed + len(found.survivors) + len(found.late)
    assert found.code == fingerprint(["toy.py"], root=tmp_path)
    if sharp:
        assert (found.score, found.survivors) == (1, ())
        assert faults(found, "core") == []
    else:
        assert (
            Change(
                "Pair._body_of_width", "return self.high - self.low", "return self.high + self.low"
            )
            in found.survivors
        )
        low = f"toy.py: {found.score:.1%} is below"
        assert faults(found, "core")[0].startswith(f"{low} 85%")
        assert faults(found, "ledger")[0].startswith(f"{low} 95%")


def test_a_low_score_or_an_unexplained_survivor_is_a_fault_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    explained = Change(*SURVIVOR.key, "The edge is never asked for.")
    low, bare, good = (
        outcome(killed=5, survivors=(explained,)),
        outcome(),
        outcome(survivors=(explained,)),
    )
    assert low.score < least("core") < good.score == bare.score < least("ledger")
    areas = {"core": {"toy.py": ("tests/test_toy.py",)}}
    monkeypatch.setattr(code_mutants, "AREAS", areas)
    monkeypatch.setattr(code_mutants, "record_of", lambda area: tmp_path / "report.md")
    monkeypatch.setattr("sys.argv", ["code_mutants"])
    write(tmp_path / "report.md", "core", {"toy.py": good})
    for survivors, killed, code in (
        ((SURVIVOR,), 9, 0),
        ((SURVIVOR,), 5, 1),
        ((Change("holds", "a", "b"),), 9, 1),
    ):
        monkeypatch.setattr(
            code_mutants,
            "run_modules",
            lambda *_, s=survivors, k=killed, **__: [outcome(killed=k, survivors=s)],
        )
        assert code_mutants.main() == code
    assert faults(bare.explained({}), "core") == [f"toy.py: {SURVIVOR.line()} {UNEXPLAINED}"]


def test_a_report_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    late = Change("f", "while x > 0:", "while x >= 0:", "Goes on for ever.")
    results = {
        "toy.py": outcome(survivors=(Change(*SURVIVOR.key, "No `client` is there."),), late=(late,))
    }
    write(tmp_path / "report.md", "core", results)
    assert read(tmp_path / "report.md") == results
    assert read(tmp_path / "absent.md") == {}


@pytest.mark.parametrize("area", AREAS)
def test_the_recorded_campaign_holds_every_module_and_explains_every_survivor(area: str) -> None:
    recorded, modules = read(record_of(area)), AREAS[area]
    assert list(recorded) == [name for name in modules if name not in NOT_YET]
    assert [fault for result in recorded.values() for fault in faults(result, area)] == []
    assert all(result.tests == modules[name] for name, result in recorded.items())
    named = [name for module, tests in modules.items() for name in (module, *tests)]
    assert all((ROOT / name).exists() for name in named)


def test_a_standalone_program_keeps_one_name_for_its_mutants() -> None:
    source = '"""A."""\nimport sys\nif __name__ == "__main__":\n    sys.exit()\n'
    assert with_one_name(source, "verification/a.py") == (
        '"""A."""\n__name__, _known_as = "verification.a", __name__\nimport sys\n'
        'if _known_as == "__main__":\n    sys.exit()\n'
    )


def test_properties_of_protocols_stay_as_they_are() -> None:
    source = "class A(Protocol):\n    @property\n    def a(self) -> int: ...\n"
    assert open_properties(source) == source
