"""Logs as servers, notebooks and spreadsheets write them: each is read as the same fleet, or
refused with a way out."""

import json
from pathlib import Path

import pytest

from fltheory.core.errors import InvalidInput
from fltheory.fleet.columns import parse_columns
from fltheory.fleet.readers import ReadingOptions, read_log
from tests.fleet.logs import write
from tests.fleet.test_fleet_kinds import TABLE, rows

ROUNDS = [["a"], ["a", "b"], [], ["b"]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", ",a,b\n0,True,False\n1,True,True\n2,False,False\n3,False,True\n"),
        ("a.csv", "round,a,b\n0,1.0,\n1,1.0,1.0\n2,,\n3,,1.0\n"),
        ("a.csv", "Round,a,b\n0,yes,no\n1,yes,yes\n2,no,no\n3,no,yes\n"),
        ("a.csv", "server_round,a,b\n0,1,0\n1,1,1\n2,0,0\n3,0,1\n"),
        ("a.csv", "timestamp,a,b\nmon,1,0\ntue,1,1\nwed,0,0\nthu,0,1\n"),
        ("a.csv", "client,1,2,3,4\na,1,1,0,0\nb,0,1,0,1\n"),
        ("a.csv", "device_id,round_7,round_8,round_9,round_10\na,1,1,0,0\nb,0,1,,1\n"),
        ("a.csv", "round,clients\n1,a\n2,a;b\n3,\n4,b\n"),
        ("a.csv", "round,participants\n1,['a']\n2,\"['a', 'b']\"\n3,[]\n4,['b']\n"),
        ("a.csv", "# server 3\n# of May\nround|client\n1|a\n2|a\n2|b\n4|b\n"),
        ("a.txt", "round client\n1 a\n2 a\n2 b\n4 b\n"),
        ("a.csv", "client,round,start_time,end_time\na,1,5,6\na,2,7,8\nb,2,7,8\nb,4,9,9\n"),
        ("a.csv", "round,client,event\n1,a,join\n2,a,join\n2,b,join\n4,b,join\n4,a,leave\n"),
    ],
)
def test_tables_of_rounds(name: str, text: str, tmp_path: Path) -> None:
    assert rows(read_log(write(tmp_path / name, text))) == TABLE


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", {str(t): who for t, who in enumerate(ROUNDS, 1)}),
        (
            "a.json",
            {"seed": 3, "rounds": [{"round": t, "clients": w} for t, w in enumerate(ROUNDS)]},
        ),
        (
            "a.json",
            {
                "round": {"0": 1, "1": 2, "2": 2, "3": 4},
                "cid": dict(zip("0123", "aabb", strict=True)),
            },
        ),
        ("a.json", {"round": [1, 2, 2, 4], "cid": ["a", "a", "b", "b"]}),
        ("a.jsonl", [{"rnd": t, "failures": [], "participants": w} for t, w in enumerate(ROUNDS)]),
        (
            "a.log",
            [
                {"round": t, "results": [{"cid": i, "metrics": {"x": [1]}} for i in who]}
                for t, who in enumerate(ROUNDS)
            ],
        ),
        (
            "a.jsonl",
            [
                {"round": t, "cid": i, "metrics": {"loss": 1}}
                for t, w in enumerate(ROUNDS)
                for i in w
            ],
        ),
    ],
)
def test_json_of_rounds(name: str, content: object, tmp_path: Path) -> None:
    text = (
        "".join(json.dumps(row) + "\n" for row in content)
        if isinstance(content, list)
        else json.dumps(content)
    )
    assert rows(read_log(write(tmp_path / name, text))) == TABLE


def test_keys_that_come_later_and_examples_inside_a_list_count(tmp_path: Path) -> None:
    lines = [
        {"round": 1, "results": [{"cid": "a"}]},
        {
            "round": 2,
            "results": [{"cid": "a", "num_examples": 30}, {"cid": "b", "num_examples": 10}],
        },
    ]
    path = write(tmp_path / "a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert read_log(path).wanted.tolist() == [0.75, 0.25]


@pytest.mark.parametrize(
    "text",
    [
        "client,sent,received\na,0,1\na,1,2\nb,0,2.5\n",
        "cid,sent_at,received_at\na,0,1\na,1,2\nb,0,2.5\nc,1,\n",
        "worker,dispatch_time,uploadTime\na,0,1\na,1,2\nb,0,2.5\n",
        "client,sent,received,returned\na,9,0,1\na,9,1,2\nb,9,0,2.5\n",
    ],
)
def test_deliveries_from_either_side(text: str, tmp_path: Path) -> None:
    log = read_log(write(tmp_path / "a.csv", text))
    assert log.matrix().astype(int).tolist() == [[1, 0], [1, 0], [0, 1]]
    assert log.max_delay == 2


@pytest.mark.parametrize(
    "text",
    [
        "client,start,duration\na,0,20\nb,10,10\nb,30,10\n",
        "client,start,length\na,1970-01-01 00:00:00 UTC,20\nb,1970-01-01T00:00:10Z,10\nb,30,x\n"
        "b,1970-01-01 00:00:30+00:00,10\n",
        "time,client,event\n0,a,connect\n10,b,connect\n20,a,disconnect\n20,b,disconnect\n"
        "30,b,connect\n40,b,disconnect\n",
    ],
)
def test_stretches_with_lengths_and_events(text: str, tmp_path: Path) -> None:
    assert rows(read_log(write(tmp_path / "a.csv", text), round_seconds=10)) == TABLE


def test_what_was_filled_in_is_told_and_refused_if_strict(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "round,a,b\n1,1,\n2,1,1\n")
    assert read_log(path).notes[-1] == "1 cell without a value: absent"
    with pytest.raises(InvalidInput, match="client 'b' in line 2 of"):
        read_log(path, how=ReadingOptions(strict=True))
    path = write(tmp_path / "b.csv", "round,client\n5,a\n5,a\n15,b\n")
    assert read_log(path).notes[1:] == (
        "9 of 11 rounds, from 5 on, name nobody who came: nobody was there",
        "1 row repeats a client in a round, where it counts once",
    )


def test_a_column_that_is_guessed_wrongly_can_be_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "round,client,status\n1,a,gold\n2,b,silver\n")
    with pytest.raises(InvalidInput, match="--columns active=- leaves the column out"):
        read_log(path)
    assert read_log(path, how=ReadingOptions(parse_columns("active=-"))).num_rounds == 2


def test_lines_keep_their_numbers_below_remarks(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "# one\n# two\nround,client\n1,a\n2,a\nx,a\n")
    assert "round in line 6 of a.csv" in read_log(path).notes[1]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x1f\x8b\x08" + bytes(9), "got a gzip file; unpack it first"),
        (b"PK\x03\x04" + bytes(9), "save the sheet as CSV"),
        (b"\xff\xfer", "must be text"),
        (b'{"losses": [[0, 1.0]], "metrics": {}}\n', "--columns client=YOURS"),
        (b'{"round": 1, "client": {"a": 1}}\n', "client of a log must be a number, text or a list"),
    ],
)
def test_other_files_are_refused(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=says):
        read_log(path)


def test_text_of_a_spreadsheet_in_two_bytes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("round\tclient\n1\ta\n2\ta\n2\tb\n4\tb\n", encoding="utf-16")
    assert rows(read_log(path)) == TABLE


def test_lists_in_parquet_are_refused_and_unused_ones_left_out(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"round": [1], "clients": [["a"]]}), path)
    with pytest.raises(InvalidInput, match=r"frame\.explode"):
        read_log(path)
    table = {"round": [1, 2, 2, 4], "m": [[1]] * 4, "cid": ["a", "a", "b", "b"]}
    parquet.write_table(pyarrow.table(table), path)
    assert rows(read_log(path)) == TABLE


def test_samples_of_prometheus(tmp_path: Path) -> None:
    """One series per instance, or per set of labels where instances repeat."""
    values = {"e0": "1100", "e1": "0110"}
    series: list[dict[str, object]] = [
        {
            "metric": {"__name__": "up", "instance": name, "job": "fl"},
            "values": [[60 * t, x] for t, x in enumerate(told)],
        }
        for name, told in values.items()
    ]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": series}}
    log = read_log(write(tmp_path / "up.json", json.dumps(answer)), round_seconds=60)
    assert log.names == ("e0", "e1")
    assert log.matrix().astype(int).tolist() == [[1, 0], [1, 1], [0, 1]]
    for one, job in zip(series, ("a", "b"), strict=True):
        one["metric"] = {"instance": "same", "job": job}
    log = read_log(write(tmp_path / "up.json", json.dumps(answer)), round_seconds=60)
    assert log.names == ("instance=same,job=a", "instance=same,job=b")


def test_objects_inside_rows_are_columns(tmp_path: Path) -> None:
    events = [
        {"involvedObject": {"name": f"n{k % 2}"}, "reason": word, "lastTimestamp": 10 * k}
        for k, word in enumerate(["NodeReady"] * 2 + ["NodeNotReady"] * 2)
    ]
    path = write(tmp_path / "e.json", json.dumps({"kind": "EventList", "items": events}))
    told = parse_columns("client=involvedObject.name,time=lastTimestamp,active=reason")
    log = read_log(path, round_seconds=10, how=ReadingOptions(columns=told))
    assert log.names == ("n0", "n1")
    assert log.matrix().astype(int).tolist() == [[1, 0], [1, 1], [0, 1]]
    rounds = [{"round": t, "client": {"id": name}} for t, name in enumerate("aba")]
    assert read_log(write(tmp_path / "r.json", json.dumps(rounds))).names == ("a", "b")


def test_spreadsheets_of_other_languages(tmp_path: Path) -> None:
    text = "Runde;A;B\r\n0;WAHR;FALSCH\r\n1;FALSCH;WAHR\r\n2;WAHR;WAHR\r\n"
    log = read_log(write(tmp_path / "de.csv", text))
    assert log.names == ("A", "B")
    assert log.matrix().astype(int).tolist() == [[1, 0], [0, 1], [1, 1]]
    stretches = "sep=;\r\nclient;start;end\r\na;0,5;2,5\r\nb;1,5;3,5\r\n"
    log = read_log(write(tmp_path / "s.csv", stretches), round_seconds=1)
    assert log.matrix().astype(int).tolist() == [[1, 0], [1, 1], [0, 1]]
    assert "commas in numbers are decimal: 0,5 is 0.5" in log.notes


def test_rare_names_of_columns_yield_to_usual_ones(tmp_path: Path) -> None:
    text = "round_idx,edge_id\n1,a\n1,b\n2,a\n"
    assert read_log(write(tmp_path / "e.csv", text)).names == ("a", "b")
    both = "round_idx,edge_id,client_id\n1,a,x\n1,b,y\n2,a,x\n"
    assert read_log(write(tmp_path / "b.csv", both)).names == ("x", "y")


def test_long_lists_in_columns_that_are_told_are_whole(tmp_path: Path) -> None:
    names = [f"a-client-with-a-long-name-{i}" for i in range(9)]
    rows = [{"round": t, "selected": names, "reported": names[t:]} for t in range(3)]
    path = write(tmp_path / "l.json", json.dumps(rows))
    log = read_log(path, how=ReadingOptions(columns={"client": "reported", "round": "round"}))
    assert sorted(log.names) == names
    assert log.matrix().sum() == 9 + 8 + 7
    with pytest.raises(InvalidInput, match="are mapped by --columns"):
        read_log(path)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("round,clients\n1,a;b;c\n2,b;c\nx,a\n3,a\n", 4),
        ("client,1,2,3,4\na,1,1,0,0\nb,0,1,maybe,1\n", 3),
        ("client,start,duration\na,1,5\na,9,2\nb,soon,2\nb,3,2\n", 4),
    ],
)
def test_bad_rows_are_named_by_the_line_of_the_file(text: str, line: int, tmp_path: Path) -> None:
    log = read_log(write(tmp_path / "a.csv", text))
    assert any(f" line {line} of" in note for note in log.notes)


def test_bad_rows_of_json_are_named_by_their_lines(tmp_path: Path) -> None:
    lines = [{"round": t, "clients": ["a", "b"]} for t in (1, 2, "x", 4)]
    text = "\n".join(["", *map(json.dumps, lines)]) + "\n"
    log = read_log(write(tmp_path / "a.jsonl", text))
    assert any("round in line 4 of a.jsonl must be" in note for note in log.notes)
