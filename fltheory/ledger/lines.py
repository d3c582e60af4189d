"""Lines of the ledger: one per (claim, check), recorded as sorted JSON lines and compared on every
run."""

import json
import math
import platform
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict, cast

from fltheory.claims.checks.check import Check
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict, overall
from fltheory.claims.scope import Scope, ScopeEntry
from fltheory.core.durable import locked, replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import bounded_text, parse_json
from fltheory.core.version import __version__

MAX_BYTES = 1 << 26
TEXTS = (
    "id",
    "method",
    "verdict",
    "scenario",
    "left",
    "right",
    "looseness",
    "trivial",
    "note",
    "versions",
)

Key = tuple[str, str, str]
"""(claim, method, scenario), which identifies a line in every recording."""


class LedgerEntry(TypedDict):
    """A line as JSON, as `fltheory verify --json` prints it and the ledger holds it."""

    id: str
    verdict: str
    method: str
    left: str
    right: str
    looseness: str
    trivial: str
    note: str
    scenario: str
    scope: ScopeEntry
    seconds: float
    versions: str


@dataclass(frozen=True)
class LedgerLine:
    """Evidence, the processor time that it took, and the versions that produced it."""

    evidence: Evidence
    seconds: float
    versions: str

    @property
    def key(self) -> Key:
        return (self.evidence.claim, self.evidence.method.name, self.evidence.scenario)

    def to_json(self) -> LedgerEntry:
        """The line as plain data, without its counterexample."""
        e = self.evidence
        return {
            "id": e.claim,
            "verdict": e.verdict.name,
            "method": e.method.name,
            "left": e.left,
            "right": e.right,
            "looseness": e.looseness,
            "trivial": e.trivial,
            "note": e.note,
            "scenario": e.scenario,
            "scope": e.scope.to_json(),
            "seconds": self.seconds,
            "versions": self.versions,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> "LedgerLine":
        """Read a line of the ledger; its counterexample is in a file of its own."""
        try:
            if wrong := [name for name in TEXTS if not isinstance(data[name], str)]:
                raise TypeError(f"{wrong[0]}, which is no text")
            if unknown := sorted(set(data) - LedgerEntry.__annotations__.keys()):
                raise TypeError(f"{unknown[0]!r}, which is no field")
            seconds = data["seconds"]
            if not isinstance(seconds, int | float) or isinstance(seconds, bool):
                raise TypeError("seconds, which are no time")
            if not 0 <= seconds < math.inf:
                raise TypeError("seconds, which are no time")
            entry = cast(LedgerEntry, data)
            evidence = Evidence(
                entry["id"],
                Method[entry["method"]],
                Verdict[entry["verdict"]],
                entry["scenario"],
                entry["left"],
                entry["right"],
                entry["looseness"],
                entry["note"],
                scope=Scope.from_json(entry["scope"]),
                trivial=entry["trivial"],
            )
            return cls(evidence, entry["seconds"], entry["versions"])
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise InvalidInput(
                "line of the ledger", "have all fields of a ledger line", f"trouble with {problem}"
            ) from None


def versions_now() -> str:
    """The versions that a verdict may depend on."""
    return (
        f"fltheory {__version__}, Python {platform.python_version()}, sympy {version('sympy')},"
        f" numpy {version('numpy')}"
    )


def decide(check: Check, claim: Claim) -> LedgerLine:
    """Run one check, and count its processor time."""
    started = time.process_time()
    evidence = check.decide(claim)
    if evidence.claim != check.claim:
        raise InvalidInput(f"check of {check.claim}", "speak of its own claim", evidence.claim)
    if check.everything and evidence.verdict in (Verdict.PROVED, Verdict.CERTIFIED):
        evidence = replace(evidence, scope=replace(evidence.scope, everything=check.everything))
    return LedgerLine(evidence, round(time.process_time() - started, 2), versions_now())


def verdicts(lines: Iterable[LedgerLine]) -> dict[str, Verdict]:
    """The overall verdict on each claim."""
    by_claim: dict[str, list[Evidence]] = {}
    for line in lines:
        by_claim.setdefault(line.evidence.claim, []).append(line.evidence)
    return {claim: overall(evidence) for claim, evidence in sorted(by_claim.items())}


def read(path: Path, about: str = "") -> list[LedgerLine]:
    """The recorded lines in whose text `about` occurs; an absent file is an empty ledger."""
    if not path.exists():
        return []
    lines = []
    # not splitlines: a note may hold other characters that end lines
    texts = bounded_text(path, MAX_BYTES).split("\n")
    for number, text in enumerate(texts[:-1] if texts[-1] == "" else texts, start=1):
        if about not in text:
            continue
        data = parse_json(text, f"line {number} of {path.name}")
        if not isinstance(data, dict):
            raise InvalidInput(f"line {number} of {path.name}", "be a JSON object", text[:60])
        lines.append(LedgerLine.from_json(data))
    return lines


def record(path: Path, fresh: Iterable[LedgerLine], known_claims: Iterable[str]) -> None:
    """Replace the lines of the claims that were decided; a line with the same finding stays as it
    was recorded.

    Lines of claims that no longer exist are dropped. Two writers at once wait for each other, and a
    writer that is killed leaves the file as it was.
    """
    decided = list(fresh)
    redone, known = {line.evidence.claim for line in decided}, set(known_claims)
    with locked(path):
        recorded = {line.key: line for line in read(path)}
        kept = [
            line
            for line in recorded.values()
            if line.evidence.claim not in redone and line.evidence.claim in known
        ]
        new = [_unchanged(recorded.get(line.key), line) for line in decided]
        texts = sorted(json.dumps(line.to_json(), ensure_ascii=False) for line in kept + new)
        replace_text(path, "".join(text + "\n" for text in texts), make_folder=True)


def _unchanged(old: LedgerLine | None, new: LedgerLine) -> LedgerLine:
    return old if old is not None and finding(old) == finding(new) else new


def finding(line: LedgerLine) -> dict[str, object]:
    """All that a line says, without how long it took and on which machine."""
    return {k: v for k, v in line.to_json().items() if k not in ("seconds", "versions")}


def differences(
    recorded: Iterable[LedgerLine], fresh: Iterable[LedgerLine], *, complete: bool
) -> list[str]:
    """One sentence for each line that differs from the record in its verdict or in any other field
    that a reader is shown.

    `complete` says that all checks of these claims were run, so that a recorded line that none of
    them gives is a difference too.
    """
    before = {line.key: line for line in recorded}
    told, lines = [], list(fresh)
    keys, claims = {line.key for line in lines}, {line.evidence.claim for line in lines}
    if complete:
        told = [
            f"{key[0]}: recorded {old.evidence.verdict.name} ({key[2]}) is not found any more"
            for key, old in before.items()
            if key[0] in claims and key not in keys
        ]
    for line in lines:
        now, old = line.evidence.verdict, before.get(line.key)
        if old is None:
            told.append(
                f"{line.evidence.claim}: {now.name} by {line.evidence.method.value} is not in the"
                " ledger"
            )
        elif old.evidence.verdict is not now:
            told.append(
                f"{line.evidence.claim}: recorded {old.evidence.verdict.name}, now {now.name} by"
                f" {line.evidence.method.value}"
            )
        else:
            found, kept = finding(line), finding(old)
            told += [
                f"{line.evidence.claim}: {name} by {line.evidence.method.value} is"
                f" {str(found[name])[:80]!r}, recorded {str(kept[name])[:80]!r}"
                for name in found
                if found[name] != kept[name]
            ]
    return told
