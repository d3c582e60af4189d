"""Logs of a fleet as files: every kind, as other programs write them, and what is refused with its
place."""

from datetime import UTC, datetime
from pathlib import Path
from resource import RLIMIT_DATA, getrlimit
from typing import Any

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.fleet import parquet as fleet_parquet
from fltheory.fleet.readers import read_log

LIMIT = getrlimit(RLIMIT_DATA)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_stretches_of_time_become_rounds(tmp_path: Path) -> None:
    log = read_log(
        write(tmp_path / "a.csv", "client,start,end\na,0,35\nb,12,30\na,50,60\nb,31,39\n"),
        round_seconds=10,
    )
    assert log.matrix().T.astype(int).tolist() == [
        [1, 1, 1, 1, 0, 1],
        [0, 0, 1, 0, 0, 0],
    ], "there when the round begins"


def test_times_know_their_zones(tmp_path: Path) -> None:
    """The night when clocks go forward in Europe: 01:30+01:00 is half an hour before
    03:00+02:00."""
    text = (
        "client,start,end\na,2026-03-29T01:30:00+01:00,2026-03-29T03:00:00+02:00\n"
        "b,2026-03-29T00:30:00Z,2026-03-29T01:00:00Z\n"
    )
    log = read_log(write(tmp_path / "a.csv", text), round_seconds=600)
    assert log.matrix().astype(int).tolist() == [[1, 1]] * 3
    with pytest.raises(InvalidInput, match=r"line 2 of b\.csv must have a time zone"):
        read_log(
            write(
                tmp_path / "b.csv", "client,start,end\na,2026-03-29T01:30:00,2026-03-29T03:00:00\n"
            )
        )


def test_deliveries_are_rounds_with_delays(tmp_path: Path) -> None:
    log = read_log(write(tmp_path / "a.csv", "client,received,returned\na,0,1\na,1,2\nb,0,2.5\n"))
    assert log.matrix().astype(int).tolist() == [[1, 0], [1, 0], [0, 1]]
    assert log.max_delay == 2
    assert log.deliveries is not None
    assert log.deliveries.means.tolist() == [1, 2.5]
    assert log.latest == 2


def test_parquet_reads_like_csv(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    parquet.write_table(
        pyarrow.table({"round": [1, 2], "a": [1, 0], "b": [0, 1]}), tmp_path / "a.parquet"
    )
    assert read_log(tmp_path / "a.parquet").matrix().astype(int).tolist() == [[1, 0], [0, 1]]
    parquet.write_table(pyarrow.table({}), tmp_path / "none.parquet")
    with pytest.raises(InvalidInput, match="begin with a header"):
        read_log(tmp_path / "none.parquet")
    with pytest.raises(InvalidInput, match="be a Parquet file"):
        read_log(write(tmp_path / "b.parquet", "no such thing"))
    spoiled = (tmp_path / "a.parquet").read_bytes().replace(b"round", b"r\xffund")
    (tmp_path / "c.parquet").write_bytes(spoiled)
    with pytest.raises(InvalidInput, match=r"c\.parquet must be a Parquet file"):
        read_log(tmp_path / "c.parquet")


def test_files_as_other_programs_write_them_are_read(tmp_path: Path) -> None:
    table = [[1, 0], [0, 1]]
    for text in (
        "round;a;b\n1;1;0\n2;0;1\n",
        "round\ta\tb\n1\t1\t0\n2\t0\t1\n",
        "a,b\nTrue,False\nfalse,true\n",
        "a,b\n1.0,0.0\n0, 1\n",
        "\ufeffround,a,b\r\n1,1,0\r\n2,0,1\r\n",
    ):
        assert read_log(write(tmp_path / "a.csv", text)).matrix().astype(int).tolist() == table, (
            text
        )
    log = read_log(
        write(tmp_path / "b.csv", 'device,End,Start,Client\nx,10,0,"Müller, H."\ny,10,5,b\n'),
        round_seconds=5,
    )
    assert log.names == ("Müller, H.", "b")
    assert log.matrix().astype(int).tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+05:30"])
def test_parquet_times_of_any_unit_and_zone_are_the_same_moments(
    unit: str, zone: str, tmp_path: Path
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    hours = [datetime(2026, 3, 29, hour, 30, tzinfo=UTC) for hour in (0, 1, 2)]
    kind = pyarrow.timestamp(unit, zone)
    columns = {
        "client": ["a", "b"],
        "start": pyarrow.array(hours[:2]).cast(kind),
        "end": pyarrow.array(hours[1:]).cast(kind),
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    assert (
        read_log(tmp_path / "a.parquet", round_seconds=1800).matrix().astype(int).tolist()
        == [[1, 0]] * 2 + [[0, 1]] * 2
    )


def test_parquet_times_finer_than_microseconds_as_pandas_writes_them_are_read(
    tmp_path: Path,
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    moment = 1_774_738_800_000_000_123
    kind = pyarrow.timestamp("ns", "UTC")
    starts, ends = (
        pyarrow.array([moment + k * 10**9 for k in seconds], kind)
        for seconds in ((0, 60), (120, 90))
    )
    parquet.write_table(
        pyarrow.table({"client": ["a", "b"], "start": starts, "end": ends}), tmp_path / "a.parquet"
    )
    assert read_log(tmp_path / "a.parquet", round_seconds=30).matrix().T.astype(int).tolist() == [
        [1, 1, 1, 1],
        [0, 0, 1, 0],
    ]


@pytest.mark.parametrize(
    ("unit", "number"),
    [("timestamp[us]", 2**62), ("date32", 2**31 - 1), ("time64[ns]", 7), ("duration[ns]", 7)],
)
def test_parquet_times_that_python_cannot_hold_are_refused(
    unit: str, number: int, tmp_path: Path
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    kind = {
        "timestamp[us]": pyarrow.timestamp("us", "UTC"),
        "date32": pyarrow.date32(),
        "time64[ns]": pyarrow.time64("ns"),
        "duration[ns]": pyarrow.duration("ns"),
    }[unit]
    times = pyarrow.array([number], pyarrow.int32() if unit == "date32" else pyarrow.int64()).cast(
        kind
    )
    parquet.write_table(
        pyarrow.table({"client": ["a"], "start": times, "end": times}), tmp_path / "a.parquet"
    )
    with pytest.raises(InvalidInput, match="be a Parquet file that can be read"):
        read_log(tmp_path / "a.parquet")


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["one cell", "one cell in many rows", "a column that nobody asked for"]
)
def test_a_small_parquet_file_that_stands_for_gigabytes_is_refused_before_it_is_unpacked(
    kind: str, tmp_path: Path
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    rows, letters = (3000, 10**6) if kind == "one cell in many rows" else (1, 27 * 10**7)
    long = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0] * rows, pyarrow.int32()), pyarrow.array(["a" * letters])
    )
    columns = {"client": ["a"], "note": long} if kind.startswith("a column") else {"client": long}
    parquet.write_table(
        pyarrow.table({**columns, "start": [0] * rows, "end": [1] * rows}),
        tmp_path / "a.parquet",
        compression="zstd",
    )
    assert (tmp_path / "a.parquet").stat().st_size < 50_000
    with pytest.raises(InvalidInput, match="unpacks within about 256 MB"):
        read_log(tmp_path / "a.parquet")
    assert getrlimit(RLIMIT_DATA) == LIMIT, "the limit is lifted again"


def test_rounds_end_with_the_log_whatever_floats_make_of_its_hundredth(tmp_path: Path) -> None:
    """(end - start)/((end - start)/100) may be a little more than 100, and 2.7/0.3 is more than
    9."""
    for minutes in range(1, 400, 7):
        end = 1_774_562_400 + 60 * minutes + 0.1
        log = read_log(
            write(
                tmp_path / "a.csv",
                f"client,start,end\na,1774562400,{end}\nb,1774562400,1774562401\n",
            )
        )
        assert log.num_rounds == 100, end
    log = read_log(
        write(tmp_path / "b.csv", "client,start,end\na,0,2.7\nb,0.9,2.1\n"), round_seconds=0.3
    )
    assert log.matrix().T.astype(int).tolist() == [[1] * 9, [0] * 3 + [1] * 4 + [0] * 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "client,start,end\na,0,1\nb,2026-01-01T00:00:00Z,2026-01-01T00:00:01Z\n",
            "of the same kind",
        ),
        ("client,start,end\na,1764000000000,1764000360000\n", "divide milliseconds"),
        ("round,a\n2,1\n1,0\n", "come after round 2"),
        ("round,a\nx,1\n", "be a whole number"),
        ("a,b\n1,?\n", "be 0 or 1"),
        (
            "gadget,moment,online\na,2026-01-01T00:00:00Z,1\n",
            "header.*client,start,end or client,received,returned.*--columns client=.*got gadget",
        ),
        ("client,begun,stop\na,0,1\n", "header.*client,start,end"),
        ("device,timestamp,online\na,2026-01-01T00:00:00Z,1\n", "becomes available before"),
        ("a,b\n1,0\n1,x\n", "client 'b' in line 3 of wrong.csv must be 0 or 1, got 'x'"),
        ("", "begin with a header"),
        ("round,a\n", "at least one round"),
        ("round,a\n1,2\n", "client 'a' in line 2"),
        ("round,a,a\n1,0,1\n", "name each"),
        ("round,a\n1\n", "2 cells"),
        ("client,start,end\n", "at least one row"),
        ("client,start,end\na,2,1\n", "end after it begins"),
        ("client,start,end\na,x,1\n", "seconds or an ISO"),
        ("client,start,end\na,nan,1\n", "finite"),
        ("client,start,end\n,0,1\n", "have a name"),
        ("client,start,end\na,0\n", "3 cells"),
        ('round,a\n"1\n', "comma-separated"),
        ("round,\n1,0\n", "have a name"),
    ],
)
def test_a_log_that_is_wrong_is_refused_with_its_place(
    text: str, says: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "wrong.csv", text)
    with pytest.raises(InvalidInput, match=says):
        read_log(path)
    result = CliRunner().invoke(make_app(), ["advise", str(path)])
    assert result.exit_code == 2


@pytest.mark.slow
def test_bytes_that_are_no_text_and_rounds_without_end_are_refused(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(b"round,a\n\xff\xfe,1\n")
    with pytest.raises(InvalidInput, match="UTF-8"):
        read_log(tmp_path / "b.csv")
    with pytest.raises(InvalidInput, match="fewer than"):
        read_log(Path("/dev/zero"))
    with pytest.raises(InvalidInput, match="longer rounds"):
        read_log(write(tmp_path / "c.csv", "client,start,end\na,0,1e11\n"), round_seconds=1e-3)


def test_a_wide_parquet_table_is_read_in_small_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many clients as rounds, 100,000 of them, must not be in memory at once."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    asked: list[int] = []
    whole = parquet.ParquetFile.iter_batches

    def noting(file: Any, batch_size: int, **more: Any) -> Any:
        asked.append(batch_size)
        return whole(file, batch_size, **more)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", noting)
    monkeypatch.setattr(fleet_parquet, "CELLS_AT_ONCE", 100)
    parquet.write_table(
        pyarrow.table({f"c{i}": [1] * 30 + [0] * 30 for i in range(40)}), tmp_path / "a.parquet"
    )
    log = read_log(tmp_path / "a.parquet")
    assert asked == [2]
    assert (log.num_clients, log.num_rounds, log.ends.tolist()) == (40, 60, [30] * 40)
