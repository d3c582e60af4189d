"""Offer forgeries of false statements to every checker: python -m tests.campaigns.forge [--count N]
[--seed S] [--kinds ...] [--record].

Certificates, proofs of inequalities and counterexamples of the record are mutated in meaning, and a
solver looks for proofs of false bounds in a relaxed grammar. Random runs, odd ones included, are
offered with their own values against claims that are proved. An oracle of explicit functions and
the proved claims say which of them are false. No checker, neither that of the library nor the
standalone one, may accept a single one, and none may fail with an error of its own.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from fltheory.analysis.inequalities.checker import check as check_lemma
from fltheory.analysis.worst_case.proof import verify
from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.ledger import runner
from fltheory.ledger.counterexamples import statement_of
from fltheory.ledger.lines import verdicts
from fltheory.ledger.replays import replay
from fltheory.papers import find_claim
from tests.campaigns import record
from tests.campaigns.forging import forgeries, optimised, runs
from verification import check_certificate, check_inequality
from verification import replay as alone

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_suffix(".md")
INTRO = """# Forgeries of false statements

What `make forge FORGE=--record` wrote: forgeries of false statements that were offered to the
library's checker and to the standalone one, and how many of them were accepted or ended in an error
of the checker.
"""
HEADER = ("kind", "seed", "offered to both", "accepted", "CPU seconds", "with Python")
Json = dict[str, Any]
SHARES = {
    "bounds": 0.55,
    "inequalities": 0.3,
    "counterexamples": 0.15,
    "runs": 0.05,
    "optimised": 0.001,
}
"""Of the forgeries asked for; a solver needs most of a second for each of the optimised ones."""
REPLAYED = ("counterexamples", "runs")
"""Kinds that are offered to the replayers, the others to the checkers of certificates."""


def files(folder: str) -> list[Json]:
    """Recorded files, the small ones first."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / folder).glob("*.json"))
    return [json.loads(text) for text in sorted(texts, key=lambda text: (len(text), text))]


def library(kind: str, data: Json) -> bool:
    """Does the library accept it?"""
    try:
        if kind in REPLAYED:
            return replay(data, find_claim(data["claim"])).confirmed  # type: ignore[arg-type]
        (check_lemma if kind == "inequalities" else verify)(data)
        return True
    except (InvalidInput, NotExact):
        return False


def standalone(kind: str, data: Json, known: Json) -> bool:
    """Does the standalone program accept it?"""
    try:
        if kind in REPLAYED:
            return bool(alone.replay(data, known)[1])
        (check_inequality if kind == "inequalities" else check_certificate).check(data)
        return True
    except check_certificate.NotCheckable:
        return False
    except alone.NotCheckable:
        return False
    except alone.UNUSABLE:
        return False


def in_turn(makers: list[Iterator[Any]]) -> Iterator[Any]:
    """One of each, again and again; a maker that makes nothing is left out."""
    living = list(makers)
    while living:
        for maker in list(living):
            try:
                yield next(maker)
            except StopIteration:
                living.remove(maker)


def offered(seed: int) -> dict[str, Iterator[Json]]:
    """Forgeries of each kind, without end."""
    folder = "verification/certificates"
    donors = files("verification/counterexamples") + files("verification/counterexamples/attack")
    true = [
        {
            "claim": name,
            "statement": statement_of(find_claim(name)),
            "names": sorted(s.name for s in find_claim(name).symbols),
        }
        for name, found in verdicts(runner.recorded()).items()
        if found is Verdict.PROVED
    ]
    return {
        "bounds": in_turn([forgeries.bounds(d, seed) for d in files(folder)[:20]]),
        "optimised": in_turn([optimised.forgeries(d, seed) for d in files(folder)]),
        "inequalities": in_turn(
            [forgeries.inequalities(d, seed) for d in files(f"{folder}/inequalities")[:40]]
        ),
        "counterexamples": (d for _, d in forgeries.counterexamples(donors, true, seed)),
        "runs": runs.forgeries([str(one["claim"]) for one in true], seed),
    }


def campaign(
    count: int,
    seed: int,
    tell: Callable[[str], None] = lambda line: None,
    kinds: Collection[str] = tuple(SHARES),
) -> tuple[Counter[str], list[str]]:
    """How many forgeries of each kind were offered, and those that were accepted or failed."""
    offers, known = offered(seed), alone.claims()
    counts: Counter[str] = Counter()
    bad: list[str] = []
    for kind, share in ((kind, SHARES[kind]) for kind in kinds):
        for data in islice(offers[kind], round(count * share)):
            counts[kind] += 1
            text = json.dumps(data)
            for name, accepts in (
                ("library", lambda d, k=kind: library(k, d)),
                ("standalone", lambda d, k=kind: standalone(k, d, known)),
            ):
                try:
                    if accepts(json.loads(text)):
                        bad.append(f"{name} accepts {kind}: {text[:3000]}")
                except Exception as problem:  # an error of the checker itself is a finding too
                    bad.append(
                        f"{name} {type(problem).__name__} {problem}"[:300]
                        + f" {kind}: {text[:3000]}"
                    )
            if counts[kind] % 1000 == 0:
                tell(f"{kind} {counts[kind]}, {len(bad)} bad")
    return counts, bad


def main() -> int:
    """Run the campaign; exit 1 if a forgery is accepted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", choices=tuple(SHARES), default=tuple(SHARES))
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    failed = 0
    for kind in asked.kinds:
        begun = time.process_time()
        counts, bad = campaign(
            asked.count, asked.seed, lambda line: print(line, flush=True), (kind,)
        )
        for line in bad[:20]:
            print(line)
        failed += len(bad)
        spent = f"{time.process_time() - begun:.0f}"
        row = [kind, str(asked.seed), str(counts[kind]), str(len(bad)), spent]
        print(*row, flush=True)
        if asked.record:
            rows = record.read(RECORD) | {kind: [*row[1:], sys.version.split()[0]]}
            record.write(RECORD, INTRO, HEADER, rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
