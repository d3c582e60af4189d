"""Soundness: python -m tests.campaigns.soundness [--count N] [--first K] [--attempts A] [--record].

Known theorems with random constants, methods and additional conditions, in all kinds of claims, are
attacked; none of them may be refuted, nor called vacuous unless its conditions exclude each other.
Parts of a campaign add up: --record adds to the page the claims that it does not have yet.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from fltheory.attacks.search import attack
from fltheory.claims.evidence import Verdict
from fltheory.papers.claim_files import read_claims
from tests.campaigns import record
from tests.campaigns.sound import formulas, theorems
from tests.campaigns.sound.theorems import Fields, Theorem

PAGE = Path(__file__).with_suffix(".md")
ATTEMPTS = 8
HEADER = ("theorem", "claims", "instances", "refuted", "vacuous", "undecided", "CPU seconds")
INTRO = """# Soundness

What `python -m tests.campaigns.soundness --record` wrote: true claims made at random from known
theorems (`sound/`), {attempts} attempts each, with the seed of the claim's number. None may be
refuted. `undecided` are claims to which no admissible instance was found, or whose sides could not
be told apart; orders of runs are never more than that. `vacuous` are claims whose additional
conditions exclude each other, such as two clients at least and one client.

**{claims} true claims, {instances} admissible instances, {refuted} refuted.**
"""
THEOREMS: dict[str, Theorem] = {
    one.__name__.replace("_", " "): one
    for one in (
        theorems.descent,
        theorems.noisy_descent,
        theorems.contraction,
        theorems.pl_rate,
        theorems.convex_last,
        theorems.convex_average,
        theorems.sampled,
        theorems.delayed,
        theorems.growing_noise,
        theorems.falling_steps,
        theorems.fixed_points,
        theorems.statistics,
        theorems.constants,
        theorems.outcomes,
        theorems.order_of_runs,
        formulas.inequalities,
        formulas.identities,
        formulas.orders,
        formulas.sums_of_orders,
    )
}


def fields_of(number: int) -> tuple[str, Fields]:
    """The theorem and the fields of the claim with a number; theorems take turns.

    >>> fields_of(0)[0], fields_of(len(THEOREMS))[0]
    ('descent', 'descent')
    """
    name = list(THEOREMS)[number % len(THEOREMS)]
    return name, THEOREMS[name](random.Random(f"{name} {number}"))


def as_toml(number: int, fields: Fields) -> str:
    """A file with this claim."""
    lines = ["[paper]", 'key = "sound"', "", "[[claim]]", f'id = "sound.{number}"']
    lines += ['says = "A known theorem."']
    for key, value in fields.items():
        if isinstance(value, dict):
            inner = ", ".join(
                f"{name} = {json.dumps(text)}" for name, text in sorted(value.items())
            )
            lines.append(f"{key} = {{ {inner} }}")
        else:
            lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def tried(number: int, attempts: int) -> tuple[str, Verdict, int, float]:
    """One claim attacked: its theorem, the verdict, the admissible instances and the seconds."""
    name, fields = fields_of(number)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sound.toml"
        path.write_text(as_toml(number, fields), encoding="utf-8")
        (claim,) = read_claims(path)
    found = attack(claim, seed=number, attempts=attempts)
    return name, found.evidence.verdict, found.state.instances, found.seconds


def campaign(
    numbers: Sequence[int], attempts: int, tell: Callable[[str], None] = print
) -> tuple[Counter[tuple[str, str]], int]:
    """The counts by theorem, and how many claims were refuted."""
    counts, wrong = Counter[tuple[str, str]](), 0
    for done, number in enumerate(numbers, start=1):
        started = time.process_time()
        name, verdict, instances, _ = tried(number, attempts)
        counts[name, "claims"] += 1
        counts[name, "instances"] += instances
        counts[name, verdict.name] += 1
        counts[name, "milliseconds"] += round(1000 * (time.process_time() - started))
        if verdict is Verdict.REFUTED:
            wrong += 1
            tell(f"REFUTED {number}: {as_toml(number, fields_of(number)[1])}")
        if done % 100 == 0:
            tell(f"{done} of {len(numbers)} claims, {wrong} refuted")
    return counts, wrong


def rows_of(counts: Counter[tuple[str, str]]) -> dict[str, Sequence[str]]:
    """One row for each theorem; what the page has is added."""
    rows: dict[str, Sequence[str]] = {}
    old = record.read(PAGE)
    for name in THEOREMS:
        own = [counts[name, key] for key in ("claims", "instances", "REFUTED", "VACUOUS")]
        own += [counts[name, "UNDECIDED"], round(counts[name, "milliseconds"] / 1000)]
        before = [int(cell) for cell in old.get(name, ("0",) * len(own))]
        rows[name] = [str(a + b) for a, b in zip(own, before, strict=True)]
    return rows


def write_page(counts: Counter[tuple[str, str]], attempts: int) -> None:
    """Add the counts to the page."""
    rows = rows_of(counts)
    sums = [sum(int(row[k]) for row in rows.values()) for k in range(3)]
    intro = INTRO.format(attempts=attempts, claims=sums[0], instances=sums[1], refuted=sums[2])
    record.write(PAGE, intro, HEADER, rows)


def main(arguments: Sequence[str]) -> int:
    """Attack true claims; the exit code is 1 if one is refuted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first claim")
    parser.add_argument("--attempts", type=int, default=ATTEMPTS)
    parser.add_argument("--record", action="store_true", help="add to soundness.md")
    given = parser.parse_args(arguments)
    numbers = range(given.first, given.first + given.count)
    counts, wrong = campaign(numbers, given.attempts, lambda line: print(line, flush=True))
    if given.record:
        write_page(counts, given.attempts)
    print(f"{given.count} true claims from {given.first} on, {wrong} refuted")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
