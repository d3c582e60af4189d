"""`make fuzz`: coverage-guided fuzzing (atheris) of every reader of users' files.

Each reader of `readers.py` gets 100,000 inputs: bytes that are the file, or bytes that choose edits
of a real one (`edits.py`). It may refuse by name and nothing else. Another exception, more than two
seconds of processor time for one input (confirmed by a run of its own, since instrumented code is
slow and a machine may pause) or more than a gigabyte of memory is a finding, printed with its
input. The summary says how many inputs got past the check of the format, and how many were
accepted: where nearly none do, fuzzing has no teeth. `--record` writes the outcome into fuzz.md;
`--stale` runs only the readers whose code has changed since they were recorded.
"""

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path

from tests.campaigns import record
from tests.campaigns.edit_choices import RAW, made
from tests.campaigns.fuzz_outcomes import (
    HEADER,
    INTRODUCTION,
    LEAST_PAST_FORMAT,
    LENGTH,
    MEGABYTES,
    MEMORY,
    RECORD,
    ROOT,
    RUNS,
    SECONDS,
    Outcome,
    past_format,
    stale,
)
from tests.campaigns.readers import FORMAT_RULES, READERS, Reader

WALL_SECONDS = 400
"""libFuzzer's own clock, which also runs while the process is paused: only for inputs that never
end."""


def outcome(reader: Reader, file: Path, data: bytes) -> str:
    """What becomes of a file: accepted, of another format, or the rule by which it is refused;
    anything else is raised."""
    from fltheory.core.errors import Diverged, InvalidInput, NotExact

    file.unlink(missing_ok=True)  # a new file each time: a lock on the last one would be waited for
    file.write_bytes(data)
    try:
        reader.read(file)
    except InvalidInput as refusal:
        return (
            "format" if refusal.rule.startswith(FORMAT_RULES) else f"refused: {refusal.rule[:40]}"
        )
    except (NotExact, Diverged) as refusal:
        return f"refused: {type(refusal).__name__}"
    return "accepted"


def try_readers(
    names: list[str], count: int, seed: int
) -> tuple[dict[str, Counter[str]], dict[tuple[str, str], bytes]]:
    """Random choices without a guide: what became of the inputs, and one input for each place where
    an exception escaped."""

    def too_slow(*_: object) -> None:
        raise TimeoutError(f"more than {2 * SECONDS} s")

    told, findings = {}, {}
    before = signal.signal(signal.SIGPROF, too_slow)
    for name in names:
        reader, chance, tally = READERS[name], random.Random(f"{name} {seed}"), Counter[str]()
        seeds = reader.seeds()
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            with suppress(Exception):  # imports what the reader needs, outside the clock
                outcome(
                    reader,
                    Path(folder) / f"x{reader.suffix}",
                    made(bytes([RAW]), seeds, reader.edit),
                )
            for _ in range(count):
                choices = chance.randbytes(chance.choice((1, 2, 4, 8, 16, 40)))
                data = made(
                    bytes([RAW + chance.randrange(256 - RAW)]) + choices, seeds, reader.edit
                )
                began = time.process_time()
                signal.setitimer(signal.ITIMER_PROF, 2 * SECONDS)
                try:
                    tally[outcome(reader, Path(folder) / f"x{reader.suffix}", data)] += 1
                except Exception as escaped:  # whatever it is, it is what we look for
                    findings[name, _place(escaped)] = data
                signal.setitimer(signal.ITIMER_PROF, 0)
                if time.process_time() - began > SECONDS:
                    findings[name, f"{time.process_time() - began:.1f} s"] = data
        told[name] = tally
    signal.signal(signal.SIGPROF, before)
    return told, findings


def _place(escaped: Exception) -> str:
    """What escaped from which line of ours."""
    frames = [
        f
        for f in traceback.extract_tb(escaped.__traceback__)
        if f.filename.startswith(str(ROOT)) and ".venv" not in f.filename
    ]
    return (
        f"{type(escaped).__name__} at"
        f" {frames[-1].filename.removeprefix(str(ROOT))}:{frames[-1].lineno}: {str(escaped)[:80]}"
    )


def fuzz(name: str, runs: int, folder: Path) -> None:
    """Runs in a process of its own: libFuzzer ends it."""
    import atheris

    reader = READERS[name]
    with atheris.instrument_imports(include=["fltheory", "verification", "paper_reproductions"]):
        seeds = reader.seeds()
        for seed in seeds:  # imports what the reader needs
            outcome(reader, folder / f"x{reader.suffix}", made(bytes([RAW]), [seed], reader.edit))
    tally, inputs = Counter[str](), 0

    def one(data: bytes) -> None:
        nonlocal inputs
        began, file = time.process_time(), made(data, seeds, reader.edit)
        try:
            tally[outcome(reader, folder / f"x{reader.suffix}", file)] += 1
        except Exception:
            (folder / "escaped").write_bytes(file)
            raise
        if time.process_time() - began > SECONDS:
            (folder / f"slow-{inputs}").write_bytes(file)
        inputs += 1
        if inputs % 250 == 0:
            (folder / "tally.json").write_text(json.dumps(tally))

    limits = [
        f"-runs={runs}",
        f"-timeout={WALL_SECONDS}",
        f"-rss_limit_mb={MEGABYTES}",
        f"-max_len={LENGTH}",
        "-print_final_stats=1",
        "-seed=1",
    ]
    atheris.Setup(
        [sys.argv[0], *limits, f"-artifact_prefix={folder}/", str(folder / "corpus")], one
    )
    atheris.Fuzz()


def again(name: str, file: Path) -> int:
    """One file alone, without instruments: 1 if it takes too long or an exception escapes; runs in
    a process of its own."""
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    reader = READERS[name]
    with tempfile.TemporaryDirectory() as folder:
        outcome(reader, Path(folder) / f"x{reader.suffix}", reader.seeds()[0])  # imports
        began = time.process_time()
        outcome(reader, Path(folder) / f"x{reader.suffix}", file.read_bytes())
        return int(time.process_time() - began > SECONDS)


def campaign(name: str, runs: int, folder: Path) -> Outcome:
    """One reader against so many inputs, with what was found if anything was."""
    reader, corpus, began = READERS[name], folder / "corpus", time.monotonic()
    corpus.mkdir()
    for number, seed in enumerate(reader.seeds()):
        (corpus / f"raw{number}").write_bytes(b"\x00" + seed[: LENGTH - 1])
        for k in range(4):
            (corpus / f"edit{number}-{k}").write_bytes(
                bytes([RAW + number]) + random.Random(k).randbytes(4 * k)
            )
    program = [sys.executable, "-m", "tests.campaigns.fuzz", "--reader", name]
    done = subprocess.run(
        [*program, "--runs", str(runs), "--inside", str(folder)],
        capture_output=True,
        text=True,
        errors="replace",
        cwd=ROOT,
        check=False,
    )
    stats = dict(
        line.removeprefix("stat::").split(":")
        for line in done.stderr.splitlines()
        if line.startswith("stat::")
    )
    tally = (
        Counter(json.loads((folder / "tally.json").read_text()))
        if (folder / "tally.json").exists()
        else Counter()
    )
    finding = ""
    if done.returncode and not list(folder.glob("timeout-*")):
        shown = (folder / "escaped").read_bytes()[:LENGTH] if (folder / "escaped").exists() else b""
        finding = f"{done.stdout[-1500:]}\n{done.stderr[-1500:]}\n{shown!r}"
    for slow in [*folder.glob("slow-*"), *folder.glob("timeout-*")]:
        if slow.name.startswith("timeout"):
            slow.write_bytes(made(slow.read_bytes(), reader.seeds(), reader.edit))
        if subprocess.run(
            [*program, "--again", str(slow)], capture_output=True, cwd=ROOT, check=False
        ).returncode:
            finding = f"too slow: {slow.read_bytes()[:LENGTH]!r}"
    inputs, megabytes = (
        int(stats.get(name, "0")) for name in ("number_of_executed_units", "peak_rss_mb")
    )
    if not finding and past_format(tally) < LEAST_PAST_FORMAT:
        finding = f"no teeth: {tally}"
    if not finding and inputs < runs:
        finding = f"ended after {inputs} of {runs} inputs"
    return Outcome(inputs, megabytes, time.monotonic() - began, tally, finding)


def campaigns(names: list[str], runs: int, jobs: int, *, recorded: bool) -> int:
    """Several readers at a time, each in a process of its own; a line for each, the row in the
    record; returns how many had findings."""

    def one(name: str) -> tuple[str, Outcome]:
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            return name, campaign(name, runs, Path(folder))

    findings = inputs = 0
    with ThreadPoolExecutor(jobs) as pool:
        for ended in as_completed([pool.submit(one, name) for name in names]):
            name, found = ended.result()
            findings, inputs = findings + bool(found.finding), inputs + found.inputs
            print(f"fuzz {name}: {found}\n{found.finding}".rstrip(), flush=True)
            if recorded:
                record.write(
                    RECORD, INTRODUCTION, HEADER, {**record.read(RECORD), name: found.row(name)}
                )
    print(f"fuzz: {len(names)} readers, {inputs} inputs, {findings} with findings")
    return findings


def unguided(names: list[str], runs: int) -> int:
    """Random choices without atheris, all findings at once; returns how many there were."""
    count = 0
    for name in names:
        began = time.process_time()
        told, escaped = try_readers([name], runs, 1)
        print(
            f"{name}: {Outcome(runs, 0, time.process_time() - began, told[name], '')}", flush=True
        )
        for (_, what), data in escaped.items():
            print(f"  {what}\n    {data[:300]!r}", flush=True)
        count += len(escaped)
    return count


def main() -> None:
    """Every reader, a summary line for each; exit code 1 if there was a finding."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=RUNS)
    options.add_argument("--reader", choices=sorted(READERS), action="append")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="readers at a time")
    options.add_argument(
        "--record", action="store_true", help=f"write the outcome into {RECORD.name}"
    )
    options.add_argument(
        "--stale",
        action="store_true",
        help="only readers whose code has changed since they were recorded",
    )
    options.add_argument(
        "--unguided",
        action="store_true",
        help="random choices without atheris, all findings at once",
    )
    options.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--again", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    names = given.reader or sorted(READERS)
    if given.inside:
        return fuzz(names[0], given.runs, given.inside)
    if given.again:
        sys.exit(again(names[0], given.again))
    names = stale(names, given.runs) if given.stale else names
    found = (
        unguided(names, given.runs)
        if given.unguided
        else campaigns(names, given.runs, given.jobs, recorded=given.record)
    )
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
