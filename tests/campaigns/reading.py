"""How each kind of file is read by the package."""

import contextlib
import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fltheory.analysis.arithmetic.certificate import ProofSketch


def read_trace(path: Path) -> object:
    from fltheory.traces.availability.recorded import read_recorded
    from fltheory.traces.trace import Trace
    from fltheory.traces.trace_summary import summarize_trace

    recorded = read_recorded(path)
    if recorded.available.size >= 200:
        return None
    return summarize_trace(Trace.fresh(recorded.available), names=recorded.names, gap_slope=0)


def read_weights(path: Path) -> object:
    from fltheory.flower.weights_file import client_weights, method_of

    return client_weights(path, (method_of(path),))


def read_fleet_log(path: Path) -> object:
    """All of `advise` but the predictions and what rests on them, which take seconds; they meet
    drawn logs in tests/fleet/test_fleet.py."""
    from fltheory.fleet.advice import Advice
    from fltheory.fleet.readers import read_log
    from fltheory.fleet.setting import LearningTask

    given = Advice(read_log(path), LearningTask())
    return given.readings, given.bias, given.summary.staleness_counts()


def read_sweep(path: Path) -> object:
    from fltheory.cli.sweep import check_cells
    from fltheory.sweeps.spec import read_spec

    sweep = read_spec(path)
    return check_cells(sweep) if len(sweep) <= 4 else None


def read_store(path: Path) -> object:
    """What `results` does, then what `sweep --resume` does before it starts processes."""
    from fltheory.sweeps.spec import Cell
    from fltheory.sweeps.store import Store
    from fltheory.sweeps.table import columns, flat_row

    for extra in ("-wal", "-shm"):
        path.with_name(path.name + extra).unlink(missing_ok=True)
    store = Store(path)
    try:
        keys = frozenset(store.keys())
        rows = [flat_row(stored) for stored in store.ended(keys)]
        store.add([Cell("limit", ())])
        store.repair()
        store.retry()
        store.release()
        store.want(keys)
        store.counts(keys)
        store.attempts()
        while (cell := store.take(keys)) is not None:
            store.fail(cell, "-", 0.0)
        return columns(rows)
    finally:
        store.close()


def read_claim_file(path: Path) -> object:
    from fltheory.papers.claim_files import read_claims

    return read_claims(path)


def read_scenario(path: Path) -> object:
    from fltheory.claims.scenario import Scenario
    from fltheory.core.untrusted_io import bounded_json

    data = bounded_json(path, 10**6)
    return Scenario.from_json(data).method if isinstance(data, dict) else None


def read_counterexample(path: Path) -> object:
    from fltheory.ledger.counterexamples import read_file
    from fltheory.ledger.replays import replay
    from fltheory.papers import find_claim

    found = read_file(path)
    if found.get("origin") == {"kind": "check"}:
        return None  # runs the package's own check, whatever the file says
    return replay(found, find_claim(found["claim"]))


def read_certificate(path: Path) -> object:
    from fltheory.analysis.worst_case.checking import check_certificate

    return check_certificate(path)


@cache
def known_sketches() -> "dict[str, ProofSketch]":
    """Read once: they are files of the package."""
    from fltheory.ledger.arithmetic import all_sketches

    return all_sketches()


def read_arithmetic(path: Path) -> object:
    """What the check of a claim does with its certificate."""
    from fltheory.analysis.arithmetic.checker import proved
    from fltheory.claims.checks.arithmetic import read, statement
    from fltheory.core.errors import InvalidInput
    from fltheory.papers import find_claim

    data = read(path)
    sketch = known_sketches().get(str(data.get("claim")))
    if sketch is None:
        raise InvalidInput("arithmetic certificate", "name its claim", "another one")
    return proved(
        data, sketch, statement(find_claim(sketch.claim), map(find_claim, sketch.rests_on))
    )


def standalone(module: str) -> Callable[[Path], object]:
    """A program of the standard library: it ends with 0, 1, 2 or 3, whatever it reads; 2 means
    unusable and 3 not checkable."""

    def read(path: Path) -> object:
        import importlib

        from fltheory.core.errors import InvalidInput

        main = importlib.import_module(f"verification.{module}").main
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main([str(path)]) if module == "replay" else main(str(path))
        assert code in (0, 1, 2, 3), code
        if code == 2:
            told = out.getvalue()
            raise InvalidInput(
                path.name,
                "be JSON" if "JSON" in told or "Expecting" in told else "be usable",
                told[:200],
            )
        return code

    return read


def read_attack(path: Path) -> object:
    from fltheory.attacks.store import load, store_file
    from fltheory.papers import find_claim

    claim = find_claim("fraboni.lr.beta")
    return load(path.replace(store_file(path.parent, claim, 0)).parent, claim, 0)


def read_experiment(path: Path) -> object:
    from fltheory.core.untrusted_io import bounded_text
    from paper_reproductions.experiment import parse

    return parse(bounded_text(path, 10**6), "x")


def read_train(path: Path) -> object:
    from fltheory.problems.samples import read_samples, softmax_problem

    return softmax_problem(read_samples(path))


def read_images(path: Path) -> object:
    import gzip

    from fltheory.problems.pools import LABELS, images_and_labels

    labels = path.parent / LABELS
    labels.write_bytes(gzip.compress(bytes(8) + bytes([1, 0]), mtime=0))
    return images_and_labels(path, labels)


def read_ledger(path: Path) -> object:
    from fltheory.ledger.lines import read, verdicts

    return verdicts(read(path))


def read_known(path: Path) -> object:
    from paper_reproductions.data.files import KnownFile, content

    return content(path, KnownFile("", path.name, 1000, "0" * 64))


def read_batch(path: Path) -> object:
    from paper_reproductions.data.cifar import _batch

    (path.parent / "cifar10").mkdir(exist_ok=True)
    labels = path.parent / "cifar10" / "train_labels.json"
    if not labels.exists():
        labels.write_text(json.dumps([1] * 50_000))
    return _batch(
        "data_batch_2", path.replace(path.parent / "cifar10" / "data_batch_2.png").parent.parent
    )


def read_tweets(path: Path) -> object:
    from paper_reproductions.data.tweets import busy_users, lines_of, numbered, vocabulary

    kept = [tweet.text for tweet in busy_users(lambda: lines_of(path), "x", enough=1)]
    return numbered(kept, vocabulary(kept))


def read_labels(path: Path) -> object:
    from paper_reproductions.data.cifar import _labels

    return _labels(path, 0)


def read_archive(path: Path) -> object:
    from fltheory.core.errors import InvalidInput
    from paper_reproductions.data.cifar import _check_archive, _member

    with contextlib.suppress(
        InvalidInput
    ):  # no edited archive has its checksum: what lies behind it is asked as well
        _check_archive(path)
    return _member(path, "data_batch_1")
