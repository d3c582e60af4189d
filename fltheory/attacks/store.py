"""Attacks on disk: one file of JSON lines per claim, written whole and renamed, so that a killed
attack goes on where it was."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fltheory.attacks.moves import Scored, State
from fltheory.claims.claim import Claim
from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import bounded_text, parse_json

FORMAT = "fltheory attack 3"
MAX_BYTES = 5_000_000


def header(claim: Claim, seed: int) -> dict[str, Any]:
    """What a stored state belongs to: a claim as it is stated now, and a seed."""
    return {
        "format": FORMAT,
        "claim": claim.id,
        "seed": seed,
        "statement": f"{claim.statement.left} {claim.statement.sign} {claim.statement.right}",
    }


def store_file(folder: Path, claim: Claim, seed: int) -> Path:
    """Where the state of an attack is kept."""
    return folder / f"{claim.id}.{seed}.jsonl"


def save(folder: Path, claim: Claim, seed: int, state: State) -> None:
    """Write the state; a reader sees the old file or the new one, never a part."""
    folder.mkdir(parents=True, exist_ok=True)
    path = store_file(folder, claim, seed)
    best = [{"space": space, **_scored(one)} for space, pool in state.pools.items() for one in pool]
    lines = [header(claim, seed), *best, _counts(state)]
    fresh = path.with_suffix(f".{os.getpid()}.tmp")
    fresh.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    os.replace(fresh, path)


def load(folder: Path, claim: Claim, seed: int) -> State | None:
    """The stored state; None where there is none for this statement and seed."""
    path = store_file(folder, claim, seed)
    if not path.exists():
        return None
    text = bounded_text(path, MAX_BYTES)
    try:
        first, *rest = [parse_json(line, f"line of {path.name}") for line in text.splitlines()]
        return _state(rest) if first == header(claim, seed) else None
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as problem:
        raise InvalidInput(
            f"file {path.name}",
            "be what an attack wrote (remove it to start anew)",
            repr(problem)[:80],
        ) from None


def _scored(one: Scored) -> dict[str, Any]:
    return {
        "score": one.score,
        "choices": list(one.taken),
        "sizes": list(one.sizes),
        "says": one.says,
        "niche": one.niche,
    }


def _counts(state: State) -> dict[str, Any]:
    broken = None if state.broken is None else [state.broken[0], list(state.broken[1])]
    return {
        "attempts": state.attempts,
        "instances": state.instances,
        "untold": state.untold,
        "close": state.close,
        "undecided": state.undecided,
        "rejected": dict(state.rejected),
        "broken": broken,
        "shrunk": state.shrunk,
        "steered": state.steered,
        "climbed": {space: list(choices) for space, choices in state.climbed.items()},
    }


def _state(lines: list[Mapping[str, Any]]) -> State:
    *scored, counts = lines
    pools: dict[str, tuple[Scored, ...]] = {}
    for line in scored:
        one = Scored(
            float(line["score"]),
            tuple(map(int, line["choices"])),
            tuple(map(int, line["sizes"])),
            str(line["says"]),
            str(line["niche"]),
        )
        pools[line["space"]] = (*pools.get(line["space"], ()), one)
    broken, shrunk = counts["broken"], counts["shrunk"]
    attempts, instances, untold, close, undecided = (
        int(counts[n]) for n in ("attempts", "instances", "untold", "close", "undecided")
    )
    return State(
        attempts,
        instances,
        untold,
        close,
        undecided,
        dict(counts["rejected"]),
        pools,
        None if broken is None else (str(broken[0]), tuple(map(int, broken[1]))),
        int(counts["steered"]),
        {str(space): tuple(map(int, choices)) for space, choices in counts["climbed"].items()},
        None if shrunk is None else (str(shrunk[0]), tuple(map(int, shrunk[1])), int(shrunk[2])),
    )
