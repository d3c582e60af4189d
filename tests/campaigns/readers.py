"""Every reader of files that other people may have made: how it reads, from which files fuzzing
starts, and which calls it answers for.

`tests/core/test_readers.py` looks for calls that read files in the whole package: each belongs to a
reader here, or stands in TRUSTED with its reason.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns import edit_choices, edits
from tests.campaigns.reading import (
    read_archive,
    read_arithmetic,
    read_attack,
    read_batch,
    read_certificate,
    read_claim_file,
    read_counterexample,
    read_experiment,
    read_fleet_log,
    read_images,
    read_known,
    read_labels,
    read_ledger,
    read_scenario,
    read_store,
    read_sweep,
    read_trace,
    read_train,
    read_tweets,
    read_weights,
    standalone,
)
from tests.campaigns.seeds import (
    CLAIMS,
    LOGS,
    PARQUET,
    SHORT_LOGS,
    SPECS,
    TRAIN,
    TWEETS,
    attack_seed,
    files,
    first_lines,
    picture,
    scenarios,
    store_seed,
    texts,
)

EXAMPLES = "verification/counterexamples"
ARITHMETIC = [
    f"verification/certificates/arithmetic/{name}.json"
    for name in ("afl.alg2.proof", "afl.lem2.closed", "afl.cor1", "fraboni.eq33.corrected")
]
FORMAT_RULES = (
    "be JSON",
    "be TOML",
    "be text in UTF-8",
    "have at most",
    "be a whole gzip",
    "be a Parquet",
    "be an SQLite",
    "be a whole PNG",
    "be comma-separated",
    "begin with a header",
    "be an archive",
)
"""How refusals by the first check begin: the file is not of its kind at all."""


@dataclass(frozen=True)
class Reader:
    """`read` does with a file what its command does; `sites` are the calls (file: names) that it
    answers for."""

    suffix: str
    edit: Callable[[bytes, edit_choices.Choices], bytes]
    seeds: Callable[[], list[bytes]]
    read: Callable[[Path], object]
    sites: tuple[str, ...]


READERS: dict[str, Reader] = {
    "trace": Reader(
        ".csv",
        edits.edit_csv,
        texts("round,a,b\n1,1,0\n2,0,1\n3,1,1\n", "a,b\n1,0\n"),
        read_trace,
        ("fltheory/traces/availability/recorded.py: bounded_text",),
    ),
    "log": Reader(
        ".csv",
        edits.edit_csv,
        lambda: [*texts(*SHORT_LOGS)(), *files(*LOGS)()],
        read_fleet_log,
        ("fltheory/fleet/readers.py: open",),
    ),
    "log-parquet": Reader(
        ".parquet",
        edits.edit_parquet,
        texts(*PARQUET),
        read_fleet_log,
        ("fltheory/fleet/parquet.py: ParquetFile",),
    ),
    "log-json": Reader(
        ".json",
        edits.edit_json,
        texts(
            '[{"round": 1, "clients": ["a", "b"]}, {"round": 2, "clients": ["b"]}]',
            '{"a": {"active": [0, 5], "inactive": [3, 9], "finish_time": 9}}',
        ),
        read_fleet_log,
        ("fltheory/fleet/json_rows.py: bounded_json",),
    ),
    "log-json-lines": Reader(
        ".jsonl",
        edits.edit_lines_of_json,
        texts("".join(f'{{"round": {t}, "cid": "a"}}\n' for t in range(30))),
        read_fleet_log,
        ("fltheory/fleet/json_rows.py: parse_json",),
    ),
    "weights": Reader(
        ".csv",
        edits.edit_csv,
        texts("client,share,weight,method\na,1/2,0.5,mifa\nb,0.25,2,mifa\nc,0,,mifa\n"),
        read_weights,
        ("fltheory/flower/weights_file.py: bounded_text",),
    ),
    "spec": Reader(
        ".toml",
        edits.edit_toml,
        texts(*SPECS),
        read_sweep,
        ("fltheory/sweeps/spec.py: bounded_text", "fltheory/sweeps/spec.py: parse_toml"),
    ),
    "store": Reader(
        ".sqlite",
        edits.edit_sqlite,
        store_seed,
        read_store,
        ("fltheory/sweeps/store.py: connect", "fltheory/sweeps/store.py: parse_json"),
    ),
    "claims": Reader(
        ".toml",
        edits.edit_toml,
        texts(*CLAIMS),
        read_claim_file,
        ("fltheory/papers/claim_files.py: bounded_toml",),
    ),
    "scenario": Reader(".json", edits.edit_json, scenarios, read_scenario, ()),
    "counterexample": Reader(
        ".json",
        edits.edit_json,
        files(EXAMPLES, f"{EXAMPLES}/fraboni.ex2.json", f"{EXAMPLES}/afl.alg2.json"),
        read_counterexample,
        ("fltheory/ledger/counterexamples.py: bounded_json",),
    ),
    "certificate": Reader(
        ".json",
        edits.edit_json,
        files("verification/certificates"),
        read_certificate,
        ("fltheory/analysis/worst_case/checking.py: bounded_json",),
    ),
    "inequality": Reader(
        ".json",
        edits.edit_json,
        files("verification/certificates/inequalities"),
        read_certificate,
        (),
    ),
    "replay-alone": Reader(
        ".json",
        edits.edit_json,
        files(f"{EXAMPLES}/fraboni.ex2.json", f"{EXAMPLES}/afl.alg2.json"),
        standalone("replay"),
        ("verification/replay.py: open",),
    ),
    "certificate-alone": Reader(
        ".json",
        edits.edit_json,
        files("verification/certificates"),
        standalone("check_certificate"),
        ("verification/check_certificate.py: open",),
    ),
    "inequality-alone": Reader(
        ".json",
        edits.edit_json,
        files("verification/certificates/inequalities"),
        standalone("check_inequality"),
        ("verification/check_inequality.py: open",),
    ),
    "arithmetic": Reader(
        ".json",
        edits.edit_json,
        files(*ARITHMETIC),
        read_arithmetic,
        ("fltheory/claims/checks/arithmetic.py: bounded_json",),
    ),
    "arithmetic-alone": Reader(
        ".json",
        edits.edit_json,
        files(*ARITHMETIC),
        standalone("check_arithmetic"),
        ("verification/check_arithmetic.py: open",),
    ),
    "attack": Reader(
        ".jsonl",
        edits.edit_lines_of_json,
        attack_seed,
        read_attack,
        ("fltheory/attacks/store.py: bounded_text", "fltheory/attacks/store.py: parse_json"),
    ),
    "experiment": Reader(
        ".toml",
        edits.edit_toml,
        files("paper_reproductions/experiments/mifa-figure2-mnist.toml"),
        read_experiment,
        ("paper_reproductions/experiment.py: parse_toml",),
    ),
    "train": Reader(
        ".csv",
        edits.edit_csv,
        texts(TRAIN),
        read_train,
        ("fltheory/problems/samples.py: bounded_text",),
    ),
    "images": Reader(
        ".gz",
        edits.edit_gzip,
        lambda: [edits.gzip.compress(bytes(range(116)), mtime=0)],
        read_images,
        (
            "fltheory/problems/pools.py: bounded_bytes",
            "fltheory/problems/pools.py: frombuffer",
        ),
    ),
    "ledger": Reader(
        ".jsonl",
        edits.edit_lines_of_json,
        first_lines("verification/ledger.jsonl", 4),
        read_ledger,
        ("fltheory/ledger/lines.py: bounded_text", "fltheory/ledger/lines.py: parse_json"),
    ),
    "gzip": Reader(
        ".gz",
        edits.edit_gzip,
        lambda: [edits.gzip.compress(bytes(range(250)) * 4, mtime=0)],
        read_known,
        (
            "paper_reproductions/data/files.py: open",
            "paper_reproductions/data/datasets.py: frombuffer",
        ),
    ),
    "known": Reader(
        ".txt",
        edits.edit_bytes,
        lambda: [bytes(1000), bytes(999)],
        read_known,
        ("paper_reproductions/data/files.py: first_bytes",),
    ),
    "picture": Reader(
        ".png",
        edits.edit_png,
        picture,
        read_batch,
        (
            "paper_reproductions/data/cifar.py: open",
            "paper_reproductions/data/cifar.py: bounded_bytes",
            "paper_reproductions/data/cifar.py: first_bytes",
            "paper_reproductions/data/cifar.py: frombuffer",
        ),
    ),
    "labels": Reader(
        ".json",
        edits.edit_json,
        lambda: [json.dumps([1] * few).encode() for few in (3, 10_000)],
        read_labels,
        ("paper_reproductions/data/cifar.py: bounded_json",),
    ),
    "tweets": Reader(
        ".csv",
        edits.edit_toml,
        texts(TWEETS),
        read_tweets,
        ("paper_reproductions/data/tweets.py: open",),
    ),
    "archive": Reader(
        ".gz",
        edits.edit_tar,
        lambda: [edits.small_tar("cifar-10-batches-bin/data_batch_1.bin", b"x" * 100)],
        read_archive,
        (),
    ),
}
