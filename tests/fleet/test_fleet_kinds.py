"""Logs of other shapes: long tables, changes, sightings, JSON, and what is refused or left out."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.fleet.columns import LogKind, layout_of, parse_columns
from fltheory.fleet.log import FleetLog
from fltheory.fleet.readers import ReadingOptions, read_log
from tests.fleet.logs import write

TABLE = [[1, 0], [1, 1], [0, 0], [0, 1]]
"""Rounds by clients a and b."""


def rows(log: FleetLog) -> list[list[int]]:
    order = [log.names.index(name) for name in sorted(log.names)]
    return log.matrix(order).astype(int).tolist()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "round,client\n1,a\n2,a\n2,b\n4,b\n"),
        ("a.csv", "server_round,cid,loss\n2,b,0.1\n4,b,0.1\n1,a,0.2\n2,a,0.2\n"),
        ("a.csv", "rnd;Device ID\n1;a\n2;a\n2;b\n4;b\n"),
        ("a.csv", "round,client,active\n1,a,1\n1,b,0\n2,a,1\n2,b,yes\n3,a,\n3,b,0\n4,b,online\n"),
        (
            "a.jsonl",
            '{"round":1,"cid":"a"}\n{"round":2,"cid":"a"}\n{"round":2,"cid":"b"}\n'
            '{"round":4,"cid":"b"}\n',
        ),
        (
            "a.ndjson",
            '{"round":1,"clients":["a"]}\n{"round":2,"clients":["a","b"]}\n'
            '{"round":4,"clients":["b"]}\n',
        ),
        (
            "a.json",
            '[{"round":1,"clients":["a"]},{"round":2,"clients":["a","b"]},'
            '{"round":4,"clients":["b"]}]',
        ),
    ],
)
def test_long_tables_are_read_as_they_are_written(name: str, text: str, tmp_path: Path) -> None:
    log = read_log(write(tmp_path / name, text))
    assert rows(log) == TABLE
    assert "read as one row per round and client: client = " in log.notes[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.csv",
            "device_id,timestamp,state\na,0,online\nb,10,online\na,20,offline\nb,20,offline\n"
            "b,30,online\nb,40,off\n",
        ),
        (
            "a.json",
            '{"a":{"active":[0],"inactive":[20],"finish_time":40,"duration":20},'
            '"b":{"active":[10,30],"inactive":[20,41],"finish_time":40}}',
        ),
        (
            "a.jsonl",
            '{"client":"a","active":[0],"inactive":[20],"finish_time":40}\n'
            '{"client":"b","active":[10,30],"inactive":[20],"finish_time":40}\n',
        ),
        ("a.csv", "cid,time\na,1\na,12\nb,13\nb,39.5\n"),
    ],
)
def test_changes_records_and_sightings_become_rounds(name: str, text: str, tmp_path: Path) -> None:
    assert rows(read_log(write(tmp_path / name, text), round_seconds=10)) == TABLE


def test_names_of_columns_are_told_or_guessed_and_the_guess_is_printed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "gadget,step,round\na,1,x\na,2,x\nb,2,x\nb,4,x\n")
    how = ReadingOptions(parse_columns("client=gadget,round=step"))
    assert rows(read_log(path, how=how)) == TABLE
    shown = CliRunner().invoke(
        make_app(), ["advise", str(path), "--columns", "client=gadget,round=step", "--noise=0"]
    )
    assert shown.exit_code == 0
    assert "note: read as one row per round and client: client = 'gadget'" in shown.output
    both = "client,start,end,received,returned,round\n"
    assert layout_of(both.strip().split(",")).kind is LogKind.DELIVERIES
    told = {"client": "client", "round": "round"}
    assert layout_of(both.strip().split(","), told).kind is LogKind.LONG


@pytest.mark.parametrize(
    ("header", "columns", "says"),
    [
        ("cid,device,round", None, "say which is the client: --columns client=cid"),
        ("a,b", "client=c", "--columns client must be one column of a,b"),
        ("a,b", "client=a", "--columns must give all of client,received,returned or"),
        ("a,b", "who=a", "ROLE=COLUMN"),
        ("a,b", "client", "ROLE=COLUMN"),
        ("a,b", "client=a,client=b", "each role once"),
    ],
)
def test_columns_that_are_unclear_are_refused(header: str, columns: str | None, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        layout_of(header.split(","), None if columns is None else parse_columns(columns))


def test_bad_rows_are_counted_and_named_or_refused(tmp_path: Path) -> None:
    good = "".join(f"{t},a\n{t},b\n" for t in range(5))
    path = write(tmp_path / "a.csv", f"round,client\n{good}x,a\n6\n7,\n8,a,b\n")
    log = read_log(path)
    assert log.num_rounds == 5
    assert log.notes[1].startswith("4 of 14 rows are left out: round in line 12 of a.csv must be a")
    assert log.notes[1].endswith("and 1 more")
    for text, says in (
        (f"client,start,end\n{'a,0,9' + chr(10)}{'b,1,8' + chr(10)}b,9,1\n", "line 4 of b.csv"),
        ("a,b\n1,0\n0,1\n1,x\n", "client 'b' in line 4"),
        ("client,time,active\na,0,1\na,5,0\na,7,maybe\n", "active in line 4"),
    ):
        path = write(tmp_path / "b.csv", text)
        assert says in read_log(path).notes[1]
        with pytest.raises(InvalidInput, match=says):
            read_log(path, how=ReadingOptions(strict=True))
        result = CliRunner().invoke(make_app(), ["advise", str(path), "--strict"])
        assert result.exit_code == 2


def test_a_client_that_returns_nothing_has_dropped_out(tmp_path: Path) -> None:
    text = "client,received,returned\na,0,1\nb,0,\na,1,2\nb,2,3\nc,0,nan\n"
    log = read_log(write(tmp_path / "a.csv", text))
    assert log.names == ("a", "b")
    assert log.num_rounds == 3
    assert log.dropouts is not None
    assert log.dropouts.tolist() == [0, 1]
    assert log.notes[-1] == (
        "2 models were received and never returned (drop-outs); 1 client never returned any and is"
        " left out"
    )


def test_local_times_are_read_in_their_zone_and_numbers_in_their_unit(tmp_path: Path) -> None:
    text = "client,start,end\na,2026-03-28 23:00:00,2026-03-29 04:00:00\n"
    more = "b,2026-03-29T00:00:00Z,2026-03-29T01:00:00Z\nc,2026-10-24 12:00,2026-10-25 02:30\n"
    berlin = ReadingOptions(timezone="Europe/Berlin")
    log = read_log(write(tmp_path / "a.csv", text + more), round_seconds=3600, how=berlin)
    assert log.matrix([0, 1]).T.astype(int).tolist() == [[1] * 4, [0, 0, 1, 0]]
    assert "clocks change at this hour in Europe/Berlin" in log.notes[1]
    path = write(tmp_path / "b.csv", "client,start,end\na,1764000000000,1764000360000\n")
    log = read_log(path, round_seconds=60, how=ReadingOptions(time_unit="ms"))
    assert log.num_rounds == 6
    for wrong in (ReadingOptions(timezone="Nowhere"), ReadingOptions(time_unit="h")):
        with pytest.raises(InvalidInput, match=r"time (zone|unit) must be"):
            read_log(path, how=wrong)


def test_importance_comes_from_the_log_or_from_a_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "round,client,num_examples\n1,a,30\n1,b,10\n2,a,30\n")
    log = read_log(path)
    assert log.wanted.tolist() == [0.75, 0.25]
    file = write(tmp_path / "n.csv", "cid,num_examples\nb,9\na,1\nz,5\n")
    assert read_log(path, how=ReadingOptions(importance=file)).wanted.tolist() == [0.1, 0.9]
    assert read_log(write(tmp_path / "b.csv", "a,b\n1,0\n")).wanted.tolist() == [0.5, 0.5]
    for text, says in (
        ("cid,num_examples\na,1\n", "no 'b'"),
        ("cid,size\na,1\n", "have client and num_examples"),
        ("cid,num_examples\na,-1\nb,1\n", "at least 0"),
        ("cid,num_examples\na,0\nb,0\n", "above 0"),
    ):
        with pytest.raises(InvalidInput, match=says):
            read_log(path, how=ReadingOptions(importance=write(tmp_path / "w.csv", text)))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.pkl", "x", "a pickle can run code"),
        ("a.jsonl", "[1]\n", "be an object such as"),
        ("a.jsonl", '{"round": 1, "client": "a"}\nno\n', "line 2 of a.jsonl must be JSON"),
        ("a.json", '{"a":{"active":["x"],"inactive":[1]}}', "be a list of numbers"),
        ("a.jsonl", "\n", "begin with a header"),
        ("a.csv", "client,time\na,1\n", "--round-seconds"),
        ("a.csv", "round,client\n1764000000,a\n5,a\n", "--columns time=round"),
        ("a.csv", "name,address\nx,y\nz,w\n", "--columns client=YOURS"),
        ("a.csv", "PK\x03\x04\n\x00\x01\n", "have|be|name"),
    ],
)
def test_what_is_no_log_is_refused_with_a_way_out(
    name: str, text: str, says: str, tmp_path: Path
) -> None:
    path = write(tmp_path / name, text)
    with pytest.raises(InvalidInput, match=says):
        read_log(path)
    assert CliRunner().invoke(make_app(), ["advise", str(path)]).exit_code == 2


def test_a_long_table_and_the_same_wide_table_are_the_same_log(tmp_path: Path) -> None:
    wide = read_log(write(tmp_path / "w.csv", "round,a,b\n1,1,0\n2,1,1\n3,0,0\n4,0,1\n"))
    long = read_log(write(tmp_path / "l.csv", "round,client\n1,a\n2,a\n2,b\n4,b\n"))
    for name in ("begins", "ends", "first"):
        assert getattr(wide, name).tolist() == getattr(long, name).tolist()
    assert json.dumps(rows(wide)) == json.dumps(TABLE)
