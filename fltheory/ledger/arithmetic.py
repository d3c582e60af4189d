"""Make arithmetic certificates from sketches: python -m fltheory.ledger.arithmetic [PATTERN...].

Checks only read the certificates. statements.jsonl, for the standalone checker, is made from the
claims at the same time.
"""

import json
import sys
from fnmatch import fnmatch
from pathlib import Path

from fltheory.analysis.arithmetic.certificate import ProofSketch
from fltheory.analysis.arithmetic.search import completed
from fltheory.claims.checks.arithmetic import certificate_file, sketches, statement
from fltheory.claims.record import house_folder
from fltheory.core.durable import replace_text
from fltheory.papers import all_claims
from fltheory.papers.folders import packages


def main(wanted: list[str]) -> int:
    """Complete and write; the exit code is the number of sketches that fail, at most 100."""
    missing, claims = 0, all_claims()
    for name, sketch in all_sketches().items():
        if wanted and not any(fnmatch(name, pattern) for pattern in wanted):
            continue
        claim = claims[name]
        try:
            found = completed(sketch, statement(claim, (claims[n] for n in sketch.rests_on)))
        except (ValueError, KeyError, IndexError, TypeError) as problem:
            missing += 1
            sys.stdout.write(f"{name}: {type(problem).__name__} {problem}\n")
            continue
        path = certificate_file(name, claim.source.paper)
        replace_text(path, json.dumps(found) + "\n", make_folder=True)
    replace_text(statements_file(), exported())
    return min(missing, 100)


def all_sketches() -> dict[str, ProofSketch]:
    """The sketches of all papers, by claim."""
    folders = [Path(p) / "checks" / "sketches" for one in packages() for p in one.__path__]
    return {name: s for folder in folders for name, s in sketches(folder).items()}


def statements_file() -> Path:
    """What the claims with a certificate say and mean, for the standalone checker."""
    return house_folder() / "statements.jsonl"


def exported() -> str:
    """The content of statements.jsonl."""
    claims, known = all_claims(), all_sketches()
    needed = {n for name, sketch in known.items() for n in (name, *sketch.rests_on)}
    models = {name: {"model": sketch.meaning()} for name, sketch in known.items()}
    tables = [{**statement(claims[n]).to_json(), **models.get(n, {})} for n in needed]
    return "".join(
        f"{line}\n" for line in sorted(json.dumps(t, ensure_ascii=False) for t in tables)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
