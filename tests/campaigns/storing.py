"""Kill -9 and full disks while records are written: python -m tests.campaigns.storing [--times N]
[--twice N] [--kinds ...] [--record].

Each try forks a process that does what `verify --record`, `attack --store`, `reproduce` or `sweep`
does when it writes, again and again, and tells a pipe what it has written. A disturbed process is
killed at a random moment, or its files may not grow beyond a random number of bytes (a full disk;
then it goes on, and is killed later). Afterwards everything that was told is there, every file is
whole, and nothing else is missing. Two writers at once write different parts of the same record and
end by themselves: all parts are there.
"""

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fltheory.attacks.search import attack
from fltheory.papers import find_claim
from tests.campaigns import record
from tests.campaigns.storing_writers import (
    CLAIMS,
    KINDS,
    LIMIT,
    MEANINGS,
    STATES,
    TOLD,
    short_ledger,
)

RECORD = Path(__file__).with_suffix(".md")
INTRO = """# Kills, full disks and two writers

What `make storing STORING=--record` wrote: processes that wrote a record as the command does, were
killed by -9 at a random moment, or had a disk that was full after a random number of bytes; or two
of them at the same time. Lost: what a process had told as written and was not there afterwards, a
line of before that was gone, a file that its reader refuses.
"""
HEADER = ("what was written, disturbed by", "times", "parts written", "lost", "with Python")
WAYS = ("kill -9", "full disk", "two writers")
PARTS = 6
"""How often each of two writers writes."""


def prepared(kind: str, folder: Path) -> None:
    """What stands in the folder before the writer starts."""
    if kind == "verify --record":
        inside = folder / "verification"
        (inside / "counterexamples").mkdir(parents=True)
        (inside / "ledger.jsonl").write_text("".join(short_ledger()), encoding="utf-8")
        (inside / "claims.jsonl").write_text("".join(MEANINGS), encoding="utf-8")
    elif kind == "attack --store" and not STATES:
        STATES.extend(attack(find_claim(claim), attempts=3).state for claim in CLAIMS)


def started(kind: str, folder: Path, who: int, limit: int, parts: int) -> tuple[int, int]:
    """Fork a writer: its number and the pipe on which it tells what it has written."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        os.close(reading)
        LIMIT[0] = parts
        if limit:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        KINDS[kind][0](folder, who, lambda number: _tell(writing, number))
        os._exit(0)
    finally:
        os._exit(1)


def _tell(pipe: int, number: int) -> None:
    os.write(pipe, f"{number}\n".encode())


def told(pipe: int) -> list[int]:
    """What a writer that has ended told; a last line that was cut by the kill does not count."""
    text = b""
    while piece := os.read(pipe, 1 << 16):
        text += piece
    os.close(pipe)
    return [int(line) for line in text.split(b"\n")[:-1]]


def attempt(kind: str, way: str, chance: random.Random) -> tuple[int, list[str]]:
    """One try: start, disturb, look. How many parts were written, and what was lost."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared(kind, folder)
        seconds, size = KINDS[kind][2:]
        size = size or max(f.stat().st_size for f in folder.rglob("*.jsonl"))
        limit = chance.randint(1, 2 * size) if way == "full disk" else 0
        two = way == "two writers"
        parts = PARTS if two else 10**9
        running = [started(kind, folder, who, limit, parts) for who in range(1 + two)]
        if not two:
            time.sleep(chance.uniform(0.0, seconds))
            os.kill(running[0][0], signal.SIGKILL)
        lost, count = [], 0
        for who, (child, pipe) in enumerate(running):
            numbers = told(pipe)
            count += len(numbers)
            ended = os.waitpid(child, 0)[1]
            if two and (ended or numbers != list(range(1, PARTS + 1))):
                lost.append(f"writer {who} ended with {ended} after {len(numbers)} parts")
            try:
                there = KINDS[kind][1](folder, who)
            except Exception as problem:  # whatever a reader says of what it finds
                lost.append(f"{type(problem).__name__}: {problem}"[:200])
                continue
            if there < max(numbers, default=0):
                lost.append(f"writer {who} told {max(numbers)}, there is {there}")
            if kind == "sweep" and (gone := set(numbers) - TOLD.get(who, set())):
                lost.append(f"cells {sorted(gone)[:5]} are gone")
        return count, lost


def campaign(kind: str, way: str, times: int, seed: int = 0) -> tuple[int, list[str]]:
    """Parts written in all tries of a kind and a way, and what was lost."""
    chance, count, lost = random.Random(f"{kind} {way} {seed}"), Counter[str](), list[str]()
    for _ in range(times):
        parts, found = attempt(kind, way, chance)
        count["parts"] += parts
        lost += found
    return count["parts"], lost


def main() -> int:
    """Run the campaign; exit 1 if anything was lost or half-written."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--twice", type=int, default=100, help="tries of two writers")
    parser.add_argument("--kinds", nargs="*", choices=tuple(KINDS), default=tuple(KINDS))
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    bad = 0
    for kind in asked.kinds:
        for way in WAYS:
            times = asked.twice if way == "two writers" else asked.times
            parts, lost = campaign(kind, way, times)
            bad += len(lost)
            print(f"{kind}, {way}: {times} times, {parts} parts, {len(lost)} lost", flush=True)
            for line in lost[:5]:
                print(f"  {line}", flush=True)
            if asked.record:
                version = sys.version.split()[0]
                row = (str(times), str(parts), str(len(lost)), version)
                rows = record.read(RECORD) | {f"{kind}, {way}": row}
                record.write(RECORD, INTRO, HEADER, rows)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
