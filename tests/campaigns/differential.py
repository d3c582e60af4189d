"""Differential tests: python -m tests.campaigns.differential [--count N] [--seed S] [--record].

Random cases are answered twice: by the library, and by independent programs that share no code with
it: those of verification/, in plain fractions from the papers' definitions, a simulation of waiting
policies, closed forms and explicit functions for worst cases, and PEPit where `make bench` has
installed it. Odd corners are drawn on purpose (tests/campaigns/differing/draws.py).
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.campaigns import record
from tests.campaigns.differing import questions, worst

RECORD = Path(__file__).with_suffix(".md")
INTRO = """# Differential tests

What `make differential DIFFERENTIAL=--record` wrote: random cases answered by the library and by
independent programs (exact fractions; rounding where floats are asked for). `not defined` counts
draws to which one of the two has no answer, such as a constant that a class of losses does not
have; `limit` counts draws to which neither has one.
"""
HEADER = ("question", "cases", "differences", "not defined", "CPU seconds", "with Python")
SHARES = {
    "simulate": 0.25,
    "trace stats": 0.2,
    "quantities": 0.2,
    "limit": 0.08,
    "gap": 0.1,
    "weights": 0.12,
    "worst-case": 0.05,
}
QUESTIONS: dict[str, Callable[[random.Random], bool]] = {
    "simulate": questions.models_agree,
    "trace stats": questions.statistics_agree,
    "quantities": questions.quantities_agree,
    "limit": questions.limits_agree,
    "gap": questions.gaps_agree,
    "weights": questions.weights_agree,
    "worst-case": worst.bounds_agree,
}


def campaign(
    count: int, seed: int, tell: Callable[[str], None] = lambda line: None
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How many cases agreed or were not defined, and a way to repeat each difference."""
    counts, bad = Counter[tuple[str, str]](), list[str]()
    for question, share in SHARES.items():
        wanted, number, begun = round(count * share), 0, time.process_time()
        while counts[question, "cases"] < wanted and number < 20 * wanted:
            number += 1
            try:
                same = QUESTIONS[question](random.Random(f"{question} {seed} {number}"))
            except questions.Refused:
                counts[question, "undefined"] += 1
                continue
            counts[question, "cases"] += 1
            if not same:
                bad.append(f"{question} {seed} {number}")
        counts[question, "seconds"] = round(time.process_time() - begun)
        tell(f"{question}: {counts[question, 'cases']} cases, {len(bad)} differences so far")
    return counts, bad


def main() -> int:
    """Run the campaign; exit 1 on a difference."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=16_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    counts, bad = campaign(asked.count, asked.seed, lambda line: print(line, flush=True))
    for line in bad[:20]:
        print("differs:", line)
    rows = {
        question: (
            str(counts[question, "cases"]),
            str(sum(line.startswith(f"{question} ") for line in bad)),
            str(counts[question, "undefined"]),
            str(counts[question, "seconds"]),
            sys.version.split()[0],
        )
        for question in SHARES
    }
    pepit = worst.against_pepit() if worst.PEPIT.exists() else None
    if pepit is not None:
        cases, differing, seconds = pepit
        bad += differing
        told = (str(cases), str(len(differing)), "0", str(seconds), sys.version.split()[0])
        rows["worst-case, PEPit"] = told
    if asked.record:
        record.write(RECORD, INTRO, HEADER, rows)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
