"""Forgeries: mutations of meaning over what is recorded, each of a statement that is false."""

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction as F
from typing import Any

from tests.campaigns.forging.oracle import instances, least_true_bound

Json = dict[str, Any]
WORDS = ("1", "0", "-1", "1/7", "1000000", "999999999999", "2", "1/1000")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every entry inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, entry in inner:
        yield (*path, key)
        if isinstance(entry, dict | list):
            yield from places(entry, (*path, key))


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def other(value: Any, chance: random.Random) -> Any:
    """A value of the same type that means something else."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((-1, 1, 2, -value))
    if isinstance(value, str):
        try:
            number = F(value)
        except (ValueError, ZeroDivisionError):
            return chance.choice(("fedavg", "mifa", "LOSS", "interpolation", "", value + "x"))
        return str(chance.choice((-number, number * 2, number / 2, number + 1, F(0), number - 1)))
    if isinstance(value, list):
        kind = chance.randrange(4)
        if kind == 0 and value:
            return [*value, deepcopy(chance.choice(value))]
        if kind == 1 and value:
            return value[::-1]
        return value[1:] if kind == 2 else []
    if isinstance(value, dict):
        kept = list(value.items())
        return dict(kept[1:]) if chance.random() < 0.5 else {**value, "also": "1"}
    return chance.choice(("1", 0, [], {}, False))


def twisted(data: Json, chance: random.Random, skip: frozenset[str] = frozenset()) -> Json:
    """One to three entries changed, moved or exchanged."""
    bad = deepcopy(data)
    for _ in range(chance.choice((1, 1, 2, 3))):
        every = [path for path in places(bad) if path[0] not in skip]
        if not every:
            return bad
        path = chance.choice(every)
        inner, last = at(bad, path[:-1]), path[-1]
        kind = chance.random()
        if kind < 0.75:
            inner[last] = other(inner[last], chance)
        elif kind < 0.9:
            source = chance.choice(every)
            try:
                inner[last] = deepcopy(at(bad, source))
            except (KeyError, IndexError, TypeError):
                continue
        else:
            del inner[last]
    return bad


LISTS = {"interpolation": 3, "gradient": 2, "dissimilarity": 2, "mean_dissimilarity": 1}
KINDS = (*LISTS, "floor", "minimum", "gap", "distance", "heterogeneity", "curvature")


def loose(data: Json, chance: random.Random) -> list[Any]:
    """A multiplier of a relaxed grammar: any kind, any arity, any numbers."""
    kind = chance.choice(KINDS)
    count = chance.choice((LISTS.get(kind, 0), 0, 1, 2, 3))
    about = [chance.choice((0, 0, 1, 2, -1, len(data["points"]))) for _ in range(count)]
    return [kind, about, chance.choice(("1", "1/2", "-1", "2", data["bound"], "0"))]


def bounds(data: Json, seed: int) -> Iterator[Json]:
    """False worst-case bounds with twisted meaning, relaxed multipliers, or scaled proofs."""
    chance = random.Random(f"forge bound {seed} {data.get('says', '')}")
    true = least_true_bound(data, 0)
    if not true:
        return
    while True:
        way, bad = chance.random(), deepcopy(data)
        share = F(chance.randint(1, 999), 1000)
        bad["bound"] = str(true * share)
        if way < 0.25:  # a proof that is scaled down
            factor = true * share / F(data["bound"])
            for one in bad["multipliers"]:
                if chance.random() < 0.7:
                    one[2] = str(F(one[2]) * factor)
        elif way < 0.6:  # multipliers of a relaxed grammar, beside or in place of others
            kept = [m for m in bad["multipliers"] if chance.random() < 0.8]
            bad["multipliers"] = kept + [loose(bad, chance) for _ in range(chance.randint(1, 3))]
            chance.shuffle(bad["multipliers"])
        else:
            bad = twisted(
                bad, chance, frozenset({"case"}) if chance.random() < 0.5 else frozenset()
            )
        if way > 0.9:
            bad["says"] = "f(x) - f* is at most what is proved, for every method"
        if false_bound(bad, true):
            yield bad


def false_bound(bad: Json, known: F) -> bool:
    """Does the oracle say that the mutated statement is false? Where the problem itself is as it
    was, the bound that is known decides."""
    try:
        return least_true_bound(bad, 1, tries=6) > F(bad["bound"])
    except (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError, AttributeError):
        return False


def inequalities(data: Json, seed: int) -> Iterator[Json]:
    """False inequalities: a factor that explicit losses contradict, with twisted meaning."""
    chance = random.Random(f"forge inequality {seed} {data.get('says', '')}")
    sides = list(instances(data, 0))
    ratios = [left / right for left, right in sides if left > 0 and right > 0]
    if not ratios:
        return
    highest = max(ratios)
    while True:
        bad = deepcopy(data)
        bad["factor"] = str(highest * F(chance.randint(0, 999), 1000))
        if chance.random() < 0.4:
            for one in bad["multipliers"]:
                one[2] = str(F(one[2]) * F(bad["factor"]) / F(data["factor"]))
            yield bad  # the problem is as it was: the ratio that is known decides
            continue
        bad = twisted(bad, chance)
        try:
            if any(left > F(bad["factor"]) * right for left, right in instances(bad, 0, 6)):
                yield bad
        except (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError, AttributeError):
            continue


def counterexamples(
    donors: list[Json], proved: list[Json], seed: int
) -> Iterator[tuple[str, Json]]:
    """Files that contradict a claim which is proved, and files with values that their run or their
    origin does not give; with the way in which each is made."""
    chance = random.Random(f"forge counterexample {seed}")
    measured = [d for d in donors if d["run"] or d["origin"]["kind"] not in ("check", "draw")]
    while True:
        donor = chance.choice(measured if chance.random() < 0.9 else donors)
        if chance.random() < 0.5:  # a claim that is proved, with somebody else's run and values
            target, bad = chance.choice(proved), deepcopy(donor)
            names = target["names"]
            pool = list(donor["values"].values()) + list(WORDS)
            bad["values"] = {
                n: donor["values"].get(n, chance.choice(pool))
                if chance.random() < 0.5
                else chance.choice(pool)
                for n in names
            }
            bad |= {"claim": target["claim"], "statement": target["statement"]}
            bad["measures"] = {
                n: chance.choice([n, *donor["measures"].values(), "model:0", "limit"])
                for n in names
                if chance.random() < 0.5
            }
            if bad["run"] and chance.random() < 0.7:
                given = {n: v for n, v in bad["values"].items() if isinstance(v, str)}
                bad["run"]["parameters"] = {**bad["run"]["parameters"], **given}
                bad["run"]["algorithm"] = chance.choice(
                    (bad["run"]["algorithm"], "fedavg", "mifa", "fedlaavg", "afa-cd", "async")
                )
            if bad["origin"] is not None and bad["origin"]["kind"] in ("check", "draw"):
                bad["origin"] = chance.choice(
                    (None, {"kind": "formulas", "at": {}, "formulas": bad["values"]})
                )
            if chance.random() < 0.3:
                bad["run"] = bad["origin"] = None
            if chance.random() < 0.3:
                bad = twisted(bad, chance, frozenset({"claim", "statement"}))
            if bad.get("claim") == target["claim"]:
                yield "a claim that is proved", bad
            continue
        if donor not in measured:
            continue
        bad = deepcopy(donor)
        free = set(bad["run"]["parameters"]) if bad["run"] else set()
        names = sorted(n for n, v in bad["values"].items() if n not in free and isinstance(v, str))
        if not names:
            continue
        name = chance.choice(names)
        was = F(bad["values"][name])
        bad["values"][name] = str(
            chance.choice((was + 1, was * 2 + F(1, 3), -was - 1, was + F(1, 7), F(10**9) + was))
        )
        if chance.random() < 0.5 and bad["run"]:
            bad["run"]["parameters"][name] = bad["values"][name]
        placed = any(":" in how for how in bad["measures"].values())
        if chance.random() < 0.4 and not placed:  # else it may be an instance at another place
            bad["measures"].pop(name, None)
        if chance.random() < 0.2:
            bad["says"], bad["left"] = "nothing", bad["values"][name]
        yield "values that are not measured", bad


def written(data: Json) -> str:
    """A forgery as a file has it, for the record of one that was accepted."""
    return json.dumps(data)[:4000]
