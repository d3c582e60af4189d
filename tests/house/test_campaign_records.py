"""Records of campaigns: whole and without findings; changes of the code since are seen."""

from collections import Counter
from pathlib import Path

import pytest

from tests.campaigns import differential, faults, fuzz_outcomes, record, storing
from tests.campaigns.readers import READERS

SOURCE = '"""A module."""\n\n\ndef double(x):\n    """Twice."""\n    return 2 * x  # why\n'


def written(folder: Path, source: str) -> str:
    (folder / "toy.py").write_text(source)
    return record.fingerprint(["toy.py"], root=folder)


def test_a_fingerprint_changes_with_what_code_does_and_with_nothing_else(tmp_path: Path) -> None:
    code = written(tmp_path, SOURCE)
    assert (
        written(tmp_path, SOURCE.replace("Twice.", "Two times x.").replace("  # why", "")) == code
    )
    assert written(tmp_path, SOURCE.replace("2 * x", "3 * x")) != code
    assert written(tmp_path, SOURCE.replace("x)", "x, y=0)")) != code


def test_a_page_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    rows = {"b": ("1", "none"), "a": ("2", "YES")}
    record.write(tmp_path / "r.md", "# Title\n", ("part", "count", "findings"), rows)
    assert record.read(tmp_path / "r.md") == rows
    assert (tmp_path / "r.md").read_text().splitlines()[4] == "| a | 2 | YES |"
    assert record.read(tmp_path / "absent.md") == {}


@pytest.mark.parametrize("wrong", ["inputs", "finding", "code", "absent", None])
def test_a_reader_whose_record_is_not_good_is_stale(
    wrong: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz_outcomes, "RECORD", tmp_path / "fuzz.md")
    monkeypatch.setattr(record, "versions", lambda *_: "Python")
    inputs, finding = 9 if wrong == "inputs" else 10, "too slow" if wrong == "finding" else ""
    row = fuzz_outcomes.Outcome(inputs, 50, 1.0, Counter(accepted=inputs), finding).row("trace")
    rows = (
        {}
        if wrong == "absent"
        else {"trace": (*row[:-1], "0" * 12 if wrong == "code" else row[-1])}
    )
    record.write(fuzz_outcomes.RECORD, "", fuzz_outcomes.HEADER, rows)
    assert fuzz_outcomes.stale(["trace"], 10) == ([] if wrong is None else ["trace"])


PENDING = {"log-json", "log-json-lines"}
"""Readers whose campaign of 100,000 inputs has not been run to its end yet."""


def test_every_reader_has_met_its_inputs_and_nothing_was_found() -> None:
    rows = record.read(fuzz_outcomes.RECORD)
    assert set(rows) | PENDING == set(READERS)
    assert {
        name for name, row in rows.items() if int(row[0]) < 100_000 or row[5] != "none"
    } == set()


def test_every_phase_of_faults_lost_nothing() -> None:
    rows = record.read(faults.RECORD)
    assert set(rows) == set(faults.PHASES)
    for kills, _, _, found, *_ in rows.values():
        assert int(kills) >= 50
        assert "no duplicates, data base whole" in found


def test_no_writer_that_was_disturbed_lost_anything() -> None:
    rows = record.read(storing.RECORD)
    assert set(rows) == {f"{kind}, {way}" for kind in storing.KINDS for way in storing.WAYS}
    for name, (times, parts, lost, _) in rows.items():
        assert int(times) >= (100 if name.endswith("two writers") else 200)
        assert int(parts) > 0
        assert lost == "0"


def test_no_case_of_the_differential_campaign_differs() -> None:
    rows = record.read(differential.RECORD)
    assert set(rows) >= set(differential.SHARES)
    assert sum(int(row[0]) for row in rows.values()) >= 15_000
    assert {row[1] for row in rows.values()} == {"0"}
