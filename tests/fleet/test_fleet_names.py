"""Names of columns and times as other tools and other languages write them."""

from pathlib import Path

import pytest

from fltheory.core.errors import InvalidInput
from fltheory.fleet.columns import RARE, SYNONYMS, _has_role, layout_of, plain_name
from fltheory.fleet.readers import ReadingOptions, read_log
from tests.fleet.logs import write
from tests.fleet.test_fleet_kinds import rows

GERMAN = (
    "Gerät;Beginn;Ende\na;1.3.2026 8:00;1.3.2026 10:00:00\nb;01.03.2026 09:00;01.03.2026 10:00\n"
)


def test_dates_with_points_are_local_times(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", GERMAN)
    log = read_log(path, round_seconds=3600, how=ReadingOptions(timezone="Europe/Berlin"))
    assert rows(log) == [[1, 0], [1, 1]]
    with pytest.raises(InvalidInput, match=r"have a time zone.*'1\.3\.2026 8:00'"):
        read_log(path, round_seconds=3600)
    write(path, GERMAN.replace("1.3.2026 8:00", "1.13.2026 8:00"))
    with pytest.raises(InvalidInput, match="ISO 8601"):
        read_log(path, round_seconds=3600, how=ReadingOptions(timezone="UTC", strict=True))


def test_conditions_of_a_cluster_are_changes(tmp_path: Path) -> None:
    head = "lastTransitionTime,node,type,status\n"
    cells = "2026-01-01T00:00:00Z,a,Ready,True\n2026-01-01T00:02:00Z,a,Ready,Unknown\n"
    log = read_log(write(tmp_path / "a.csv", head + cells), round_seconds=60)
    assert (log.names, log.num_rounds) == (("a",), 2)


def test_a_file_without_a_header_is_told_so(tmp_path: Path) -> None:
    text = "1772300003.4,pi/status,offline\n1772300028.1,pi/status,online\n"
    with pytest.raises(InvalidInput, match="write a header above it"):
        read_log(write(tmp_path / "a.csv", text), round_seconds=60)
    with pytest.raises(InvalidInput) as told:
        read_log(write(tmp_path / "b.csv", "price,qty\n3.5,2\n"), round_seconds=60)
    assert "header above" not in str(told.value)


def test_many_columns_are_searched_for_roles_once() -> None:
    names = [f"Phone {i}" for i in range(1000)]
    assert layout_of([*names, "serverRound", "cid"]).places == {"client": 1001, "round": 1000}
    assert layout_of(["round", *names]).places == {"round": 0}
    assert not any(map(_has_role, map(plain_name, names)))
    for role, some in (*SYNONYMS.items(), *RARE.items()):
        assert all(_has_role(name) for name in some), role
    assert _has_role("upload_time")
