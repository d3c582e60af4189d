"""`make fuzz`: coverage-guided fuzzing (atheris) of every reader of users' files.

Each reader gets 100,000 inputs grown from real files. It may refuse with InvalidInput and nothing else: another exception, more than
two seconds for one input or more than a gigabyte of memory is a finding, printed with the input that shows it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SECONDS, MEGABYTES, LENGTH = 2, 1024, 4096

SEEDS: dict[str, list[str]] = {
    "trace": ["docs/notebooks/fleet.csv"],
    "log": ["docs/fleets/diurnal_phones.csv", "docs/fleets/flaky_silos.csv", "docs/fleets/one_straggler.csv"],
    "spec": [], "claims": [], "scenario": [],
    "counterexample": ["verification/counterexamples/fraboni.ex2.json", "verification/counterexamples/afl.alg2.json"],
    "certificate": ["verification/certificates"],
    "gzip": [],
}
WRITTEN = {
    "spec": ['command = "gap"\n[fixed]\nalgorithm = "mifa"\n[grid]\nrounds = [1, 2]\n'],
    "claims": ['[paper]\nkey = "my"\ntitle = "t"\nauthors = "a"\nyear = 2026\nvenue = "v"\n[[claim]]\nid = "my.thm1"\nsays = "s."\n'],
    "scenario": [],
    "gzip": [],
}


def parsed(data: bytes) -> dict[str, object]:
    """A JSON object; what is none is read as an empty one."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def reader(name: str, folder: Path) -> Callable[[bytes], object]:
    """What reads the bytes of a file of that kind, as the commands do."""
    path = folder / {"log": "x.csv", "spec": "x.toml", "claims": "x.toml", "gzip": "x.gz"}.get(name, "x.json")

    def written(data: bytes) -> Path:
        path.write_bytes(data)
        return path

    if name == "trace":
        from fltheory.availability.recorded import read_recorded

        return lambda data: read_recorded(written(data))
    if name == "log":
        from fltheory.fleet.readers import read_log

        return lambda data: read_log(written(data))
    if name == "spec":
        from fltheory.sweep.spec import read_spec

        return lambda data: sum(1 for _, _ in zip(read_spec(written(data)).cells(), range(100), strict=False))
    if name == "claims":
        from fltheory.claim_files import read_claims

        return lambda data: read_claims(written(data))
    if name == "scenario":
        from fltheory.scenario import Scenario

        return lambda data: Scenario.from_json(parsed(data))
    if name == "counterexample":
        from fltheory.counterexamples import read_file, replay
        from fltheory.papers import find_claim

        def read_and_replay(data: bytes) -> object:
            found = read_file(written(data))
            return replay(found, find_claim(found["claim"]))

        return read_and_replay
    if name == "certificate":
        from fltheory.worst_case.proof import verify

        return lambda data: verify(parsed(data))
    from fltheory.data.files import KnownFile, content

    known = KnownFile("", "x.gz", 1000, "0" * 64)
    return lambda data: content(written(data), known)


def fuzz(name: str, runs: int, folder: Path) -> None:
    """Runs in a process of its own: libFuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=["fltheory", "verification"]):
        from fltheory.errors import InvalidInput, NotExact

        read = reader(name, folder)

    def one(data: bytes) -> None:
        try:
            read(data)
        except (InvalidInput, NotExact):
            return

    limits = [f"-runs={runs}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", f"-max_len={LENGTH}", "-print_final_stats=1", "-seed=1"]
    atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={folder}/", str(folder / "corpus")], one)
    atheris.Fuzz()


def seeds(name: str, corpus: Path) -> None:
    """Beginnings: real files, cut to the length that is fuzzed."""
    corpus.mkdir()
    found = [p for entry in SEEDS[name] for p in (sorted((ROOT / entry).glob("*"))[:8] if (ROOT / entry).is_dir() else [ROOT / entry])]
    for number, path in enumerate(found):
        (corpus / f"file{number}").write_bytes(path.read_bytes()[:LENGTH])
    for number, text in enumerate(WRITTEN.get(name, [])):
        (corpus / f"text{number}").write_text(text)
    if name == "scenario":
        example = json.loads((ROOT / "verification/counterexamples/fraboni.ex2.json").read_text())
        (corpus / "run").write_text(json.dumps(example["run"]))


def main() -> None:
    """Every reader, each in its own process; a summary line for each, exit code 1 if there was a finding."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=100_000)
    options.add_argument("--reader", choices=sorted(SEEDS), action="append")
    options.add_argument("--inside", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.inside:
        fuzz(given.reader[0], given.runs, Path(given.inside))
        return
    findings = 0
    for name in given.reader or sorted(SEEDS):
        with tempfile.TemporaryDirectory() as folder:
            seeds(name, Path(folder) / "corpus")
            began = time.monotonic()
            command = [sys.executable, "-m", "tests.campaigns.fuzz", "--reader", name, "--runs", str(given.runs), "--inside", folder]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=ROOT, check=False)
            executed = [line.split()[-1] for line in done.stderr.splitlines() if line.startswith("stat::number_of_executed_units")]
            bad = done.returncode != 0
            findings += bad
            told = f"{executed[0] if executed else '?'} inputs, {time.monotonic() - began:.0f} s"
            print(f"fuzz {name}: {told}, {'FINDING' if bad else 'nothing found'}", flush=True)
            if bad:
                print(done.stderr[-3000:])
                for artifact in Path(folder).glob("*-*"):
                    print(artifact.name, artifact.read_bytes()[:LENGTH])
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
