"""Checkpoints of attacks: one file of JSON lines per claim, written as a whole and renamed, so that
an interrupted attack resumes."""

import json
from pathlib import Path
from typing import TypedDict, cast

from fltheory.attacks.moves import Scored, State
from fltheory.claims.claim import Claim, named_statement
from fltheory.core.durable import replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import bounded_text, parse_json

FORMAT = "fltheory attack 4"
MAX_BYTES = 5_000_000


class Header(TypedDict):
    """The first line of a file: the claim, as it is stated, and the seed."""

    format: str
    claim: str
    seed: int
    statement: str


class StoredScore(TypedDict):
    """A line for each instance of a pool."""

    space: str
    score: float
    choices: list[int]
    sizes: list[int]
    says: str
    niche: str


class StoredCounts(TypedDict):
    """The last line: the other fields of the state."""

    attempts: int
    instances: int
    untold: int
    close: int
    undecided: int
    rejected: dict[str, int]
    broken: tuple[str, list[int]] | None
    shrunk: tuple[str, list[int], int] | None
    steered: int
    climbed: dict[str, list[int]]
    seen: dict[str, tuple[float, float]]


def header(claim: Claim, seed: int) -> Header:
    """The claim and the seed to which a stored state belongs."""
    return {
        "format": FORMAT,
        "claim": claim.id,
        "seed": seed,
        "statement": named_statement(claim),
    }


def store_file(folder: Path, claim: Claim, seed: int) -> Path:
    """The file that keeps the state of an attack."""
    return folder / f"{claim.id}.{seed}.jsonl"


def save(folder: Path, claim: Claim, seed: int, state: State) -> None:
    """Write the state; a reader sees the old file or the new one, never a part of it."""
    best = [_scored(space, one) for space, pool in state.pools.items() for one in pool]
    lines = [header(claim, seed), *best, _counts(state)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    replace_text(store_file(folder, claim, seed), text, make_folder=True)


def load(folder: Path, claim: Claim, seed: int) -> State | None:
    """The stored state; None if there is none for this statement and seed."""
    path = store_file(folder, claim, seed)
    if not path.exists():
        return None
    text = bounded_text(path, MAX_BYTES)
    try:
        first, *rest = [parse_json(line, f"line of {path.name}") for line in text.splitlines()]
        return _state(list(rest)) if first == header(claim, seed) else None
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as problem:
        raise InvalidInput(
            f"file {path.name}",
            "be what an attack wrote (remove it to start anew)",
            repr(problem)[:80],
        ) from None


def _scored(space: str, one: Scored) -> StoredScore:
    return {
        "space": space,
        "score": one.score,
        "choices": list(one.taken),
        "sizes": list(one.sizes),
        "says": one.says,
        "niche": one.niche,
    }


def _counts(state: State) -> StoredCounts:
    broken, shrunk = state.broken, state.shrunk
    return {
        "attempts": state.attempts,
        "instances": state.instances,
        "untold": state.untold,
        "close": state.close,
        "undecided": state.undecided,
        "rejected": dict(state.rejected),
        "broken": None if broken is None else (broken[0], list(broken[1])),
        "shrunk": None if shrunk is None else (shrunk[0], list(shrunk[1]), shrunk[2]),
        "steered": state.steered,
        "climbed": {space: list(choices) for space, choices in state.climbed.items()},
        "seen": dict(state.seen),
    }


def _state(lines: list[object]) -> State:
    scored = cast(list[StoredScore], lines[:-1])
    counts = cast(StoredCounts, lines[-1])
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
    state = State(
        int(counts["attempts"]),
        int(counts["instances"]),
        int(counts["untold"]),
        int(counts["close"]),
        int(counts["undecided"]),
        dict(counts["rejected"]),
        pools,
        None if broken is None else (str(broken[0]), tuple(map(int, broken[1]))),
        int(counts["steered"]),
        {str(space): tuple(map(int, choices)) for space, choices in counts["climbed"].items()},
        None if shrunk is None else (str(shrunk[0]), tuple(map(int, shrunk[1])), int(shrunk[2])),
        {str(name): (float(a), float(b)) for name, (a, b) in counts["seen"].items()},
    )
    told = (state.untold, state.close, state.undecided, *state.rejected.values(), state.steered)
    if min(told) < 0 or not sum(told[:3:2]) <= state.instances <= state.tries:
        raise ValueError("counts that no search gives")
    return state
