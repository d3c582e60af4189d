"""Claims proved by arithmetic for all values of their symbols, from a stored certificate."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import cast

from fltheory.analysis.arithmetic.certificate import ProofSketch, Statement
from fltheory.claims.checks.check import Check
from fltheory.claims.claim import Claim, Paper
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.record import record_folder
from fltheory.claims.scope import Scope
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Json, JsonValue
from fltheory.core.untrusted_io import bounded_json

MAX_BYTES = 1_000_000
"""Largest certificate."""


def statement(claim: Claim, others: Iterable[Claim] = ()) -> Statement:
    """What the claim says, as text, and what the claims say on which its proof rests."""
    known = {
        s.name: [
            name
            for name, holds in (
                ("integer", s.is_integer),
                ("positive", s.is_positive),
                ("nonnegative", s.is_nonnegative and not s.is_positive),
            )
            if holds
        ]
        for s in sorted(claim.symbols, key=str)
    }
    left, right = str(claim.statement.left), str(claim.statement.right)
    assumed = {a.id: a.says for a in claim.assumes}
    known_elsewhere = {other.id: statement(other) for other in others}
    return Statement(claim.id, left, claim.statement.sign, right, known, assumed, known_elsewhere)


def certificate_file(claim_id: str, paper: Paper) -> Path:
    """The file of the certificate of a claim."""
    return record_folder(paper) / "certificates" / "arithmetic" / f"{claim_id}.json"


def decide(
    claim: Claim, sketch: ProofSketch, others: Callable[[], Iterable[Claim]] = tuple
) -> Evidence:
    """PROVED if the stored certificate proves the claim as it is now; else UNDECIDED."""
    from fltheory.analysis.arithmetic.checker import proved

    path = certificate_file(claim.id, claim.source.paper)
    covers = "all values of its symbols"
    try:
        count = proved(read(path), sketch, statement(claim, others()))
    except FileNotFoundError:
        why = "no certificate is stored"
    except InvalidInput as problem:
        why = str(problem)
    else:
        way = "an induction, base and step" if sketch.state else "algebra in all its symbols"
        if sketch.constant:
            way += f"; the constant of the order is {sketch.constant}"
        return Evidence(
            claim.id,
            Method.ARITHMETIC,
            Verdict.PROVED,
            covers,
            note=f"{count} facts by their coefficients; model: {sketch.model}",
            scope=Scope(everything=f"{way}; the certificate says where the formulas come from"),
        )
    return Evidence(claim.id, Method.ARITHMETIC, Verdict.UNDECIDED, covers, note=why)


def read(path: Path) -> dict[str, JsonValue]:
    """The object in a file of a certificate."""
    data = bounded_json(path, MAX_BYTES, "arithmetic certificate")
    if not isinstance(data, dict):
        raise InvalidInput("arithmetic certificate", "be an object", type(data).__name__)
    return data


def sketches(folder: Path) -> dict[str, ProofSketch]:
    """The sketches in the TOML files of a folder, by the id of the claim."""
    found: dict[str, ProofSketch] = {}
    for file in sorted(folder.glob("*.toml")):
        for claim_id, table in tomllib.loads(file.read_text("utf-8")).items():
            if claim_id in found:
                raise InvalidInput(f"sketch of {claim_id}", "stand once", file.name)
            found[claim_id] = ProofSketch.from_json({"claim": claim_id, **cast(Json, table)})
    return found


def checks_of(folder: Path, find_claim: Callable[[str], Claim]) -> Iterator[Check]:
    """One check for each sketch of a folder; claims that a sketch takes for granted are found by
    their ids."""
    for name, sketch in sketches(folder).items():
        rest = partial(_found, find_claim, sketch.rests_on)
        yield Check(name, partial(decide, sketch=sketch, others=rest), rests_on=sketch.rests_on)


def _found(find_claim: Callable[[str], Claim], names: Iterable[str]) -> list[Claim]:
    return [find_claim(name) for name in names]
