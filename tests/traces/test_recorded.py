"""Recorded availability: what is read is what was written, and every kind of broken file is named
as what it is."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.core.errors import InvalidInput
from fltheory.traces.availability.recorded import (
    Recorded,
    parse_recorded,
    read_recorded,
    recorded_text,
    write_recorded,
)

BROKEN = {
    "ragged row, too short": (
        "a,b\n1,0\n1\n",
        "line 3 of CSV must have 2 cells, like the header, got 1 cells",
    ),
    "ragged row, too long": (
        "a,b\n1,0,1\n",
        "line 2 of CSV must have 2 cells, like the header, got 3 cells",
    ),
    "ragged row, blank line": (
        "a,b\n1,0\n\n1,1\n",
        "line 3 of CSV must have 2 cells, like the header, got 0 cells",
    ),
    "ragged row, round missing": ("round,a,b\n1,0\n", "line 2 of CSV must have 3 cells"),
    "number that is not binary": (
        "a,b\n1,2\n",
        "client 'b' in line 2 of CSV must be 0 or 1, got '2'",
    ),
    "decimal": ("a,b\n1,0\n1.0,0\n", "client 'a' in line 3 of CSV must be 0 or 1, got '1.0'"),
    "word": ("a\nyes\n", "client 'a' in line 2 of CSV must be 0 or 1, got 'yes'"),
    "NaN": ("a,b\n1,nan\n", "client 'b' in line 2 of CSV must be 0 or 1, got 'nan'"),
    "empty cell": ("a,b\n1,\n", "client 'b' in line 2 of CSV must be 0 or 1, got ''"),
    "long cell is cut": (
        "a\n" + "9" * 5000 + "\n",
        "got '9999999999999999999999999999999999999...'",
    ),
    "nothing at all": ("", "header of CSV must have at least one client, got none"),
    "blanks only": (" \n\n \n", "header of CSV must have at least one client, got none"),
    "header only": ("a,b\n", "CSV must have at least one round below its header, got none"),
    "rounds but no client": ("round\n1\n", "header of CSV must have at least one client, got none"),
    "no header": ("1,0\n0,1\n", "header of CSV must name the clients, got only 0 and 1"),
    "name missing": ("a,,c\n1,1,1\n", "header of CSV, column 2 must have a name, got nothing"),
    "duplicate names": ("a,b,a\n1,1,1\n", "header of CSV must be all different, got 'a' twice"),
    "duplicate names but for blanks": (
        "a, a\n1,1\n",
        "header of CSV must be all different, got 'a' twice",
    ),
    "round in the middle": (
        "a,round\n1,1\n",
        "header of CSV must keep the name 'round' for the first column, got it in column 2",
    ),
    "rounds out of order": (
        "round,a\n1,1\n3,0\n2,1\n",
        "round in line 4 of CSV must come after round 3, got 2",
    ),
    "round twice": ("round,a\n1,1\n1,0\n", "round in line 3 of CSV must come after round 1, got 1"),
    "round that is no number": (
        "round,a\nfirst,1\n",
        "round in line 2 of CSV must be a whole number, got 'first'",
    ),
    "round that is NaN": (
        "round,a\nnan,1\n",
        "round in line 2 of CSV must be a whole number, got 'nan'",
    ),
    "quote never closed": ('a,b\n1,"0\n', "must be comma-separated values"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_table_is_refused(kind: str) -> None:
    text, sentence = BROKEN[kind]
    with pytest.raises(InvalidInput) as caught:
        parse_recorded(text)
    assert sentence in str(caught.value)


def test_the_error_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "phones.csv"
    file.write_text("a\n3\n")
    with pytest.raises(InvalidInput, match=r"client 'a' in line 2 of phones\.csv must be 0 or 1"):
        read_recorded(file)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    file.write_text("a,b\n" + "1,0\n" * 10)
    assert read_recorded(file, max_bytes=44).num_rounds == 10
    with pytest.raises(InvalidInput, match=r"large\.csv must have at most 43 bytes"):
        read_recorded(file, max_bytes=43)


def test_other_bytes_than_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "bytes.csv"
    file.write_bytes(b"a,b\n\xff\xfe,1\n")
    with pytest.raises(InvalidInput, match=r"bytes\.csv must be text in UTF-8"):
        read_recorded(file)


@pytest.mark.parametrize("path", ["missing.csv", ".", "/dev/null", "x" * 5000])
def test_what_is_no_file_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        read_recorded(tmp_path / path)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,0\n0,1\n",
        "a,b\r\n1,0\r\n0,1",
        " a , b \n 1 , 0 \n0,1\n\n\n",
        '"a","b"\n"1","0"\n0,1\n',
        "round,a,b\n0,1,0\n1,0,1\n",
        "Round,a,b\n7,1,0\n19,0,1\n",
        "\ufeffa,b\n1,0\n0,1\n",
    ],
)
def test_forms_that_mean_the_same(text: str, tmp_path: Path) -> None:
    (tmp_path / "form.csv").write_text(text, encoding="utf-8", newline="")
    recorded = read_recorded(tmp_path / "form.csv")
    assert recorded.names == ("a", "b")
    assert recorded.available.astype(int).tolist() == [[1, 0], [0, 1]]


tables = st.tuples(st.integers(1, 8), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.booleans(), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(tables)
def test_reading_gives_back_what_was_written(table: list[list[bool]]) -> None:
    recorded = parse_recorded(recorded_text(table))
    assert np.array_equal(recorded.available, table)
    assert recorded.names == tuple(f"client_{i}" for i in range(len(table[0])))


@pytest.mark.slow
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1),
        min_size=1,
        max_size=5,
        unique=True,
    ).filter(
        lambda names: (
            "round" not in [name.lower() for name in names] and not set(names) <= {"0", "1"}
        )
    )
)
def test_any_printable_names_survive(names: list[str]) -> None:
    assert parse_recorded(recorded_text([[True] * len(names)], names)).names == tuple(names)


@pytest.mark.parametrize("names", [["round"], ["0"], ["a", "Round"], [" "]])
def test_names_that_would_not_read_back_are_not_written(names: list[str]) -> None:
    with pytest.raises(InvalidInput):
        recorded_text([[True] * len(names)], names)


def test_a_written_file_reads_back(tmp_path: Path) -> None:
    write_recorded(tmp_path / "out.csv", [[1, 0], [0, 1]], ["phone, old", "tablet"])
    recorded = read_recorded(tmp_path / "out.csv")
    assert recorded.names == ("phone, old", "tablet")
    assert recorded.matrix(2).astype(int).tolist() == [[1, 0], [0, 1]]


def test_more_rounds_than_recorded_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at most the 2 recorded ones"):
        Recorded([[1], [0]], ("a",)).matrix(3)


@pytest.mark.parametrize(
    ("table", "names"),
    [([[1, 0]], ("a",)), ([[[1]]], ("a",)), ([[2]], ("a",)), ([[1, 0]], ("a", "a")), ([[1]], ())],
)
def test_a_record_checks_itself(table: Any, names: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput):
        Recorded(table, names)


def test_a_record_cannot_be_changed() -> None:
    recorded = Recorded([[1]], ("a",))
    with pytest.raises(ValueError, match="read-only"):
        recorded.available[0, 0] = False
