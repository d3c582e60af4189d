"""What in the files beside the ledger differs from what the claims and their checks give: files of
counterexamples, attacks, claims.jsonl and statements.jsonl."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import sympy

from fltheory.claims.checks.arithmetic import certificate_file
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.core.enclosure import shown
from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import from_lists
from fltheory.core.untrusted_io import bounded_text
from fltheory.ledger import arithmetic, meanings
from fltheory.ledger.attack_record import counterexample_folder, recorded_attacks
from fltheory.ledger.counterexamples import CounterexampleFile, read_file, statement_of, to_file
from fltheory.ledger.lines import LedgerLine
from fltheory.ledger.meanings import MAX_BYTES
from fltheory.ledger.runner import counterexample_file
from fltheory.papers import all_claims, find_claim, papers


def refuting(lines: Iterable[LedgerLine]) -> dict[str, Evidence]:
    """The evidence whose counterexample is recorded, by claim: the first one."""
    found: dict[str, Evidence] = {}
    for line in lines:
        if line.evidence.counterexample is not None:
            found.setdefault(line.evidence.claim, line.evidence)
    return found


def recorded_text(claim: Claim, evidence: Evidence) -> str:
    """The content of the file of a counterexample that a check has found."""
    return json.dumps(to_file(claim, evidence, by_check=True), indent=1) + "\n"


def files_amiss(lines: Iterable[LedgerLine], verdict_of: Mapping[str, Verdict]) -> Iterator[str]:
    """One sentence for each claim whose file of a counterexample is not what its check gives, or,
    if that check did not run, is about another statement; and for each file of no claim."""
    fresh = refuting(lines)
    for name in sorted(verdict_of):
        claim, path = find_claim(name), counterexample_file(name)
        if name in fresh:
            there = path.exists() and bounded_text(path, MAX_BYTES) == recorded_text(
                claim, fresh[name]
            )
            if not there:
                yield f"{name}: {path.name} is not the counterexample that the check gives"
        elif path.exists():
            yield from _other_statement(claim, path)
    for path in _example_files():
        if path.stem not in all_claims():
            yield f"{path.stem}: a counterexample file, and no paper states it"


def _example_files() -> list[Path]:
    folders = {counterexample_folder(paper) for paper in papers().values()}
    return sorted(
        file for one in folders for where in (one, one.parent) for file in where.glob("*.json")
    )


def _other_statement(claim: Claim, path: Path) -> Iterator[str]:
    try:
        data = read_file(path)
    except InvalidInput as problem:
        yield f"{claim.id}: {problem}"
        return
    if data["claim"] != claim.id or data["statement"] != statement_of(claim):
        yield f"{claim.id}: {path.name} is about another statement"


def attack_files_amiss(claims: Collection[str]) -> Iterator[str]:
    """One sentence for each recorded attack on these claims that does not say what its file says,
    and for each file without a recorded attack."""
    lines = {line.evidence.claim: line.evidence for line in recorded_attacks()}
    for name in sorted(claims):
        path = counterexample_folder(find_claim(name).source.paper) / f"{name}.json"
        if not path.exists():
            continue
        if name not in lines:
            yield f"{name}: {path.name} of an attack that is not recorded"
        elif lines[name].verdict is Verdict.REFUTED:
            try:
                told = of_attack(find_claim(name), read_file(path))
            except (InvalidInput, ValueError, TypeError, ArithmeticError) as problem:
                yield f"{name}: {problem}"
                continue
            for field, value in told.items():
                if (recorded := getattr(lines[name], field)) != value:
                    yield (
                        f"{name}: {field} of the recorded attack is {recorded[:80]!r}, its file"
                        f" says {value[:80]!r}"
                    )


def of_attack(claim: Claim, data: CounterexampleFile) -> dict[str, str]:
    """What the line of an attack must say if this is its file; a claim of order has no two values.

    The sides are evaluated again, at the values of the file.
    """
    told = {"scenario": data.get("found", ""), "trivial": ""}
    if isinstance(claim.statement, Order):
        return told | {"left": re.sub("^(ratio|left) ", "", data.get("left", ""))}
    values = {name: from_lists(value) for name, value in data["values"].items()}
    left, right = (evaluate(side, values) for side in (claim.statement.left, claim.statement.right))
    ratio = sympy.S.One if left == right else sympy.S.Infinity if right == 0 else left / right
    sides = {"left": shown(left), "right": shown(right)}
    return told | sides | {"looseness": shown(ratio), "note": ""}


def meanings_amiss(claims: Collection[str]) -> Iterator[str]:
    """One sentence for each line of claims.jsonl and statements.jsonl, from which the standalone
    programs read what these claims mean, that differs from the claim; and for unknown lines."""
    known = all_claims()
    house = {name: one for name, one in known.items() if one.source.paper.record is None}
    asked = [house[name] for name in sorted(claims) if name in house]
    statements = arithmetic.exported().splitlines()
    for path, fresh in (
        (meanings.claims_file(), meanings.exported(asked).splitlines()),
        (arithmetic.statements_file(), statements),
    ):
        now = {meanings.claim_of(line): line for line in fresh}
        text = bounded_text(path, MAX_BYTES) if path.exists() else ""
        there = [(meanings.claim_of(line), line) for line in text.split("\n") if line]
        recorded = dict(there)
        if len(recorded) < len(there):
            yield f"{path.name}: two lines are about one claim"
        wrong = {n for n in (*now, *recorded) if n in claims and now.get(n) != recorded.get(n)}
        for name in sorted(wrong):
            yield f"{name}: its line of {path.name} is not what the claim says"
        for name in sorted(set(recorded) - set(house)):
            yield f"{name}: {path.name} speaks of it, and no paper states it"


def certificates_amiss() -> Iterator[str]:
    """One sentence for each arithmetic certificate that belongs to no claim with a sketch."""
    sketched = set(arithmetic.all_sketches())
    folders = {certificate_file("any", paper).parent for paper in papers().values()}
    for file in sorted(file for folder in folders for file in folder.glob("*.json")):
        if file.stem not in sketched:
            yield f"{file.stem}: an arithmetic certificate that no check reads"
