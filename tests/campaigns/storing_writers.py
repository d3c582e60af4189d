"""What writes records again and again, and how what was written is found."""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from fltheory.attacks import store as attack_store
from fltheory.claims import record as places
from fltheory.ledger import lines as ledger
from fltheory.ledger import meanings, runner, verify
from fltheory.papers import all_claims, find_claim
from fltheory.sweeps.spec import Cell as SweepCell
from fltheory.sweeps.store import Store
from paper_reproductions import runner as reproductions
from paper_reproductions.cells import Cell

CLAIMS = ("fraboni.ex2", "afl.alg2")
"""Claims that the two writers record; both are refuted, so that a counterexample is written too."""
Tell = Callable[[int], None]
Writer = Callable[[Path, int, Tell], None]


def _write_ledger(folder: Path, who: int, tell: Tell) -> None:
    """The writing of `verify --record`: ledger, meanings, counterexample."""
    places.PACKAGE = folder / "package"
    lines = [x for x in runner.recorded() if x.evidence.claim == CLAIMS[who]]
    for number in _numbers():
        # what the claims mean takes seconds to say again, and is not at stake; its file changes
        meanings.exported = lambda *_, n=number: "".join(MEANINGS[n % 2 :])
        with suppress(OSError):
            fresh = [replace(x, evidence=replace(x.evidence, note=str(number))) for x in lines]
            verify.record_outcome(fresh)
            tell(number)


def _written_ledger(folder: Path, who: int) -> int:
    """The last number in the ledger; an error if a line or a file is not whole."""
    found = ledger.read(folder / "verification" / "ledger.jsonl")
    if {x.key for x in found} != _keys() or len(found) != len(_keys()):
        raise AssertionError(f"{len(found)} lines of {len(_keys())}")
    for file in (folder / "verification" / "counterexamples").glob("*.json"):
        json.loads(file.read_text())
    for line in (folder / "verification" / "claims.jsonl").read_text().splitlines():
        json.loads(line)
    return max(
        int(x.evidence.note) if x.evidence.note.isdigit() else 0
        for x in found
        if x.evidence.claim == CLAIMS[who]
    )


def short_ledger() -> list[str]:
    """The recorded lines of the writers' claims and a few more."""
    if not LINES:
        text = runner.ledger_file().read_text(encoding="utf-8")
        every = text.splitlines(keepends=True)
        LINES.extend(x for k, x in enumerate(every) if k < 60 or json.loads(x)["id"] in CLAIMS)
        MEANINGS.extend(meanings.claims_file().read_text(encoding="utf-8").splitlines(True))
        all_claims()
    return LINES


def _keys() -> set[Any]:
    if not KEYS:
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "ledger.jsonl"
            file.write_text("".join(short_ledger()), encoding="utf-8")
            KEYS.extend(x.key for x in ledger.read(file))
    return set(KEYS)


LINES: list[str] = []
MEANINGS: list[str] = []
KEYS: list[Any] = []


def _write_attack(folder: Path, who: int, tell: Tell) -> None:
    """The checkpoints of `attack --store`."""
    claim = find_claim(CLAIMS[who])
    state = STATES[who]
    for number in _numbers():
        with suppress(OSError):
            attack_store.save(folder, claim, 0, replace(state, attempts=number))
            tell(number)


def _written_attack(folder: Path, who: int) -> int:
    state = attack_store.load(folder, find_claim(CLAIMS[who]), 0)
    return 0 if state is None else state.attempts


STATES: list[Any] = []


def _cell(who: int, number: int = 0) -> Any:
    cell = object.__new__(Cell)
    cell.__dict__.update(key=f"cell{who}", number=number)
    return cell


def _write_reproduction(folder: Path, who: int, tell: Tell) -> None:
    """The cells of `reproduce`; what a cell computes is not at stake."""
    Cell.key = property(lambda cell: cell.__dict__["key"])  # type: ignore[assignment, method-assign]
    reproductions.run_cell = lambda cell, *_: {
        "timing": 1,
        "number": cell.__dict__["number"],
        "losses": list(range(20_000)),
    }
    for number in _numbers():
        with suppress(OSError):
            reproductions.run_and_store(_cell(who, number), folder, None, "cpu")
            tell(number)


def _written_reproduction(folder: Path, who: int) -> int:
    file = folder / "cells" / f"cell{who}.json"
    return int(json.loads(file.read_text())["number"]) if file.exists() else 0


def _write_sweep(folder: Path, who: int, tell: Tell) -> None:
    """The cells of a sweep: added, taken, done."""
    for number in _numbers():
        with suppress(Exception):  # a full disk is told by name
            store = Store(folder / "s.sqlite")
            try:
                cell = SweepCell("limit", (("who", who), ("number", number)))
                store.add([cell])
                taken = store.take(frozenset({cell.key}))
                if taken is not None:
                    store.finish(taken, {"number": number}, 0.1)
                    tell(number)
            finally:
                store.close()


def _written_sweep(folder: Path, who: int) -> int:
    """The last number up to which all cells are there, but those that a full disk left out."""
    if not (folder / "s.sqlite").exists():
        return 0
    store = Store(folder / "s.sqlite")
    try:
        every = store.ended(frozenset(store.keys()))
        done = {dict(x.cell.options)["number"]: x.result for x in every
                if dict(x.cell.options)["who"] == who}  # fmt: skip
    finally:
        store.close()
    assert all(result == {"number": n} for n, result in done.items())
    TOLD[who] = {int(str(n)) for n in done}
    return max(TOLD[who], default=0)


TOLD: dict[int, set[int]] = {}
"""Cells of a sweep that are there: all that were told must be."""

KINDS: dict[str, tuple[Writer, Callable[[Path, int], int], float, int]] = {
    "verify --record": (_write_ledger, _written_ledger, 1.5, 0),
    "attack --store": (_write_attack, _written_attack, 0.3, 3_000),
    "reproduce": (_write_reproduction, _written_reproduction, 0.3, 140_000),
    "sweep": (_write_sweep, _written_sweep, 0.4, 60_000),
}
"""How each writes, how it is read, the seconds within which it is killed, and the size of its
largest file (0: that of the ledger)."""


def _numbers() -> Iterator[int]:
    """1, 2, 3, ... until the process is killed, or up to PARTS for one of two writers."""
    number = 0
    while number < LIMIT[0]:
        number += 1
        yield number


LIMIT = [10**9]
