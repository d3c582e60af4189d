"""verify compares the files beside the ledger with what claims and checks give; each forgery of one
of them is told."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fltheory.claims import record
from fltheory.claims.record import house_folder
from fltheory.core.errors import InvalidInput
from fltheory.ledger.files_amiss import attack_files_amiss, certificates_amiss, meanings_amiss
from fltheory.ledger.lines import LedgerLine
from fltheory.ledger.runner import recorded
from fltheory.ledger.verify import verify

BROKEN, OF_ORDER, PROVED = "fraboni.ex2.iff", "afl.cor3", "afl.cor1.any-horizon"
EXAMPLE = f"counterexamples/{BROKEN}.json"
PARTS = ("counterexamples", "certificates/arithmetic", "kernel")
FILES = ("ledger.jsonl", "attacks.jsonl", "claims.jsonl", "statements.jsonl")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the record, which the package takes for its own."""
    copy = tmp_path / "package" / "record"
    for part in PARTS:
        shutil.copytree(house_folder() / part, copy / part)
    for name in FILES:
        shutil.copy(house_folder() / name, copy)
    monkeypatch.setattr(record, "PACKAGE", copy.parent)
    return copy


def changed(path: Path, claim: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the entry of one claim in a file of JSON lines."""
    found, lines = 0, []
    for line in path.read_text("utf-8").splitlines():
        data = json.loads(line)
        if claim in (data.get("id"), data.get("claim")):
            found += 1
            change(data)
        lines.append(json.dumps(data, ensure_ascii=False))
    assert found == 1
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.mark.slow
def test_a_forged_counterexample_of_a_check_is_told(folder: Path) -> None:
    assert verify(BROKEN).agrees
    file = folder / EXAMPLE
    text = file.read_text("utf-8")
    data = json.loads(text)
    name = next(iter(data["values"]))
    for forged in (
        "{",
        json.dumps(data | {"values": data["values"] | {name: "12345"}}, indent=1) + "\n",
        json.dumps(data | {"left": "12345"}, indent=1) + "\n",
        json.dumps(data | {"found": "elsewhere"}, indent=1) + "\n",
        None,
    ):
        if forged is None:
            file.unlink()
        else:
            file.write_text(forged, "utf-8")
        told = verify(BROKEN).differences
        assert told == (f"{BROKEN}: {file.name} is not the counterexample that the check gives",)
    file.write_text(text, "utf-8")
    for where in ("counterexamples", "counterexamples/attack"):
        shutil.copy(file, folder / where / "no.claim.json")
        told = verify(BROKEN).differences
        assert told == ("no.claim: a counterexample file, and no paper states it",)
        (folder / where / "no.claim.json").unlink()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "field"),
    [
        *(("afl.a4", name) for name in ("left", "right", "looseness", "scenario", "note")),
        *((OF_ORDER, name) for name in ("left", "scenario", "trivial")),
    ],
)
def test_a_forged_line_of_an_attack_is_told(folder: Path, claim: str, field: str) -> None:
    assert list(attack_files_amiss({claim})) == []
    changed(folder / "attacks.jsonl", claim, lambda data: data.update({field: "9"}))
    (told,) = attack_files_amiss({claim})
    assert told.startswith(f"{claim}: {field} of the recorded attack is '9'")
    assert claim == OF_ORDER or told in verify(claim).differences


@pytest.mark.slow
def test_a_file_of_an_attack_that_is_not_recorded_is_told(folder: Path) -> None:
    changed(folder / "attacks.jsonl", "afl.a4", lambda data: data.update(id="afl.a5"))
    assert "afl.a4: afl.a4.json of an attack that is not recorded" in verify("afl.a4").differences


@pytest.mark.slow
def test_what_the_standalone_programs_read_is_compared_with_the_claims(folder: Path) -> None:
    assert list(meanings_amiss({PROVED, "afl.alg2.proof"})) == []
    changed(folder / "claims.jsonl", PROVED, lambda data: data.update(methods=["mifa"]))
    changed(folder / "statements.jsonl", "afl.alg2.proof", lambda data: data.update(right="0"))
    told = [
        f"{PROVED}: its line of claims.jsonl is not what the claim says",
        "afl.alg2.proof: its line of statements.jsonl is not what the claim says",
    ]
    assert list(meanings_amiss({PROVED, "afl.alg2.proof"})) == told
    assert told[0] in verify(PROVED).differences
    assert list(meanings_amiss({BROKEN})) == []
    changed(folder / "claims.jsonl", PROVED, lambda data: data.update(claim="no.claim"))
    assert list(meanings_amiss({PROVED, "afl.a4"})) == [
        told[0],
        "no.claim: claims.jsonl speaks of it, and no paper states it",
    ]
    first = (folder / "claims.jsonl").read_text("utf-8").splitlines()[0]
    with (folder / "claims.jsonl").open("a", encoding="utf-8") as file:
        file.write(first + "\n")
    assert "claims.jsonl: two lines are about one claim" in list(meanings_amiss({BROKEN}))


def test_a_certificate_of_no_claim_is_told(folder: Path) -> None:
    assert list(certificates_amiss()) == []
    (folder / "certificates" / "arithmetic" / "no.claim.json").write_text("{}")
    assert list(certificates_amiss()) == ["no.claim: an arithmetic certificate that no check reads"]


@pytest.mark.parametrize("seconds", [-1, "1", True, None, float("nan"), float("inf")])
def test_seconds_of_a_line_are_a_time(seconds: object) -> None:
    line: dict[str, object] = {**recorded()[0].to_json()}
    assert LedgerLine.from_json(line)
    with pytest.raises(InvalidInput, match="which are no time"):
        LedgerLine.from_json(line | {"seconds": seconds})
