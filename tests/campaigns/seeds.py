"""Files from which fuzzing starts: real ones, and small ones of every kind."""

import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent


def files(*names: str) -> Callable[[], list[bytes]]:
    """Real files, the smallest ones of a folder."""

    def found() -> list[bytes]:
        paths = [
            p
            for name in names
            for p in (
                sorted((ROOT / name).glob("*.json"), key=lambda p: (p.stat().st_size, p.name))[:6]
                if (ROOT / name).is_dir()
                else [ROOT / name]
            )
        ]
        return [p.read_bytes() for p in paths]

    return found


def texts(*given: str) -> Callable[[], list[bytes]]:
    return lambda: [text.encode() for text in given]


def first_lines(name: str, count: int) -> Callable[[], list[bytes]]:
    return lambda: [b"".join((ROOT / name).read_bytes().splitlines(keepends=True)[:count])]


def attack_seed() -> list[bytes]:
    """What an attack writes."""
    from fltheory.attacks.moves import Scored, State
    from fltheory.attacks.store import save, store_file
    from fltheory.papers import find_claim

    claim = find_claim("fraboni.lr.beta")
    with tempfile.TemporaryDirectory() as folder:
        save(
            Path(folder),
            claim,
            0,
            State(
                5,
                4,
                rejected={"a": 1},
                pools={"s": (Scored(0.5, (1, 2), (3, 4), "x"),)},
                broken=("s", (1, 2)),
            ),
        )
        return [store_file(Path(folder), claim, 0).read_bytes()]


def picture() -> list[bytes]:
    """A small picture, one that says it is as large as a batch, and one that is."""
    from PIL import Image

    found = []
    for size in ((8, 8), (1024, 10_000)):
        out = io.BytesIO()
        Image.new("RGB", size).save(out, "PNG")
        found.append(out.getvalue())
    return [
        found[0],
        found[0][:16] + found[1][16:29] + found[0][29:],
        found[0].replace(b"IEND", b"tEXt"),
        found[0],
    ]


def store_seed() -> list[bytes]:
    from fltheory.sweeps.results import checksum_of
    from fltheory.sweeps.schema import SCHEMA
    from fltheory.sweeps.spec import Cell

    def row(number: int, state: str, owner: str | None, result: Any) -> list[Any]:
        cell, text = Cell("limit", (("n", number),)), None if result is None else json.dumps(result)
        checksum = None if text is None else checksum_of(cell.key, text)
        return [
            cell.key,
            cell.command,
            json.dumps(cell.options),
            state,
            owner,
            1,
            text,
            checksum,
            0.5,
            None,
        ]

    rows = [
        row(1, "done", None, {"x": 1, "y": {"z": [1, 2]}}),
        row(2, "open", None, None),
        row(3, "taken", "host/1/2", None),
        row(4, "failed", None, None),
    ]
    loose = SCHEMA.replace("TEXT NOT NULL", "TEXT").replace(
        "CHECK(state IN ('open', 'taken', 'done', 'failed'))", ""
    )
    return [
        json.dumps({"schema": schema, "cells": rows, "wanted": [["host/1/2", rows[0][0]]]}).encode()
        for schema in (SCHEMA, loose)
    ]


LOGS = (
    "docs/fleets/diurnal_phones.csv",
    "docs/fleets/flaky_silos.csv",
    "docs/fleets/one_straggler.csv",
)
SHORT_LOGS = (
    "round,a,b\n1,1,0\n2,0,1\n3,1,1\n",
    "client,start,end\na,0,5\nb,2,9\na,7,8\n",
    "client,received,returned\na,0,1\nb,0,3\na,1,2\n",
    "client,start,end\na,2026-03-29T01:30:00+01:00,2026-03-29T03:00:00+02:00\n",
)
SPECS = (
    'command = "gap"\n[fixed]\nalgorithm = "mifa"\noptima = "0,1"\n[grid]\nrounds = [1, 2]\n',
    'command = "explain"\n[grid]\nargument = ["fraboni.ex2"]\n',
)
CLAIMS = (
    (
        '[paper]\nkey = "my"\n[[claim]]\nid = "my.thm1"\nsays = "s."\nleft ='
        ' "mean_squared_gradient"\nsign = "<="\nright ='
        ' "2*initial_loss_gap/(local_step_size*num_rounds)"\nassumes = ["local_step_size*smoothness'
        ' <= 1"]\nabout = ["fedavg"]\n'
    ),
    (
        '[paper]\nkey = "my"\n[[claim]]\nid = "my.x"\nsays = "s."\nleft = "x^2 + sqrt(a)/max(1,'
        ' x)"\nsign = "O"\nright = "exp(x)"\nwhere = {x = "a number", a = "another"}\nkinds = {x ='
        ' "positive"}\n'
    ),
)
TRAIN = "client,label,f1,f2\na,0,1.5,2\nb,1,-1,0\na,1,0,1e3\n"
TWEETS = "".join(
    f'"{4 * k}","17","Mon Apr 06 22:19:45 PDT 2009","NO_QUERY","ann","so ""good"" @bob {k}"\n'
    for k in (0, 1, 0)
)
PARQUET = (
    '{"round": [1, 2], "a": [1, 0], "b": [0, 1]}',
    '{"client": ["a", "b"], "start": [0.0, 1.0], "end": [2.5, 3.0]}',
)


def scenarios() -> list[bytes]:
    names = ("fraboni.ex2", "afl.alg2", "fedlaavg.thm2.explicit")
    found = (
        json.loads((ROOT / f"verification/counterexamples/{name}.json").read_text()).get("run")
        for name in names
    )
    return [json.dumps(run).encode() for run in found if run is not None]
