"""After shrinking: among contradictions near the shrunk one and fresh ones, the one that is easiest to read.

Shorter choices are not always simpler numbers; here fewer clients count first, then fewer rounds and local steps, then shorter numbers.
"""

import re
from collections.abc import Sequence
from typing import Any

from fltheory.attack.moves import Choices, Scored, still_contradicts, varied
from fltheory.attack.source import Rejected, Source
from fltheory.attack.space import Space
from fltheory.checks.instances import Instance
from fltheory.claims import Claim
from fltheory.errors import InvalidInput, NotExact

TRIES = 60
"""Contradictions looked for."""

Weight = tuple[int, ...]


def weight(instance: Instance) -> Weight:
    """(clients, rounds, local steps, longest denominator, digits) of an instance; what it does not have counts 0.

    >>> weight(Instance({"num_clients": 2, "x": "1/16"})) > weight(Instance({"num_clients": 2, "x": "1/3"}))
    True
    """
    run: Any = (instance.scenario or {}).get("run") or {}
    trace = run.get("trace", {"delivers": [], "local_steps": []})
    rows, steps = trace["delivers"], trace["local_steps"]
    clients = len(rows[0]) if rows else _whole(instance, "num_clients")
    rounds = len(rows) or _whole(instance, "num_rounds")
    text = " ".join(str(run.get(name, "")) for name in ("problem", "start", "local_step_size", "server_step_size"))
    text += " " + " ".join(str(value) for value in instance.values.values())
    denominators = [len(part) for part in re.findall(r"/(\d+)", text)]
    most = max((step for row in steps for step in row), default=_whole(instance, "local_steps"))
    return clients, rounds, most, max(denominators, default=0), len(re.findall(r"\d", text))


def _whole(instance: Instance, name: str) -> int:
    text = str(instance.values.get(name, 0))
    return int(text) if text.isdecimal() else 0


def simplest(claim: Claim, space: Space, choices: Choices, *, seed: int, tries: int = TRIES) -> Choices:
    """The choices of the lightest contradiction found by moving around the best ones and by drawing afresh.

    Digits alone do not count: without fewer clients, rounds or local steps or a shorter denominator the given choices stay.
    """
    before = weight(_made(claim, space, choices))
    best: Sequence[tuple[Weight, Choices]] = [(before, choices)]
    contradicts = still_contradicts(claim, space)
    for number in range(tries):
        parents = [Scored(0.0, kept, (2,) * len(kept), "") for _, kept in best]
        source = Source.fresh(seed, 2 + number) if number % 3 == 0 else varied(parents, seed, 2 + number)
        try:
            space.draw(source, claim)
        except (Rejected, InvalidInput, NotExact):
            continue
        used = contradicts(tuple(source.choices), number)
        if used is not None and all(used != kept for _, kept in best):
            best = sorted((*best, (weight(_made(claim, space, used)), used)))[:3]
    return best[0][1] if best[0][0][:-1] < before[:-1] else choices


def _made(claim: Claim, space: Space, choices: Choices) -> Instance:
    return space.draw(Source.replay(choices), claim)
