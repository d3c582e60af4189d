"""Waiting policies simulated in plain fractions, until what is under way repeats itself."""

from fractions import Fraction as F
from math import lcm
from typing import Any

Pattern = list[tuple[int, ...]]
MOST = 3000


def rounds_of(times: list[F], policy: str, size: F) -> tuple[Pattern, int]:
    """Who delivers in each round, and the round from which on the pattern repeats until its end."""
    done, now = list(times), F(0)
    seen: dict[tuple[F, ...], int] = {tuple(done): 0}
    found: Pattern = []
    while len(found) < MOST:
        order = sorted(range(len(times)), key=lambda i: (done[i], i))
        if policy == "sync":
            group, now = order, max(done)
        elif policy == "async":
            group, now = order[:1], min(done)
        elif policy == "window":
            now += size
            group = [i for i in order if done[i] <= now]
        else:
            group = order[: int(size)]
            now = done[group[-1]]
        for i in group:
            done[i] = now + times[i]
        found.append(tuple(sorted(group)))
        state = tuple(x - now for x in done)
        if state in seen:
            return found, seen[state]
        seen[state] = len(found)
    raise ValueError("a pattern that does not repeat soon")


def facts_of(times: list[F], policy: str, size: F, weights: list[F]) -> dict[str, Any]:
    """What `fltheory weights` tells of a policy."""
    found, begin = rounds_of(times, policy, size)
    period = len(found) - begin
    endless = found + found[begin:] * 2
    clients = range(len(times))
    part = [F(sum(i in g for g in found[begin:]), period) for i in clients]
    delay, held = 0, [0] * len(times)
    for n, group in enumerate(endless):
        delay = max(delay, *(n - m for m in held))
        for i in group:
            held[i] = n + 1
    return {
        "participation": tuple(part),
        "expected_weights": tuple(w * p for w, p in zip(weights, part, strict=True)),
        "max_staleness": delay,
        "largest_total_weight": max(F(1), *(sum((weights[i] for i in g), F(0)) for g in endless)),
        "balance_period": balance_period(found[begin:], len(times)),
    }


def balance_period(cycle: Pattern, clients: int) -> int:
    """The least W such that all deliver equally often in all aligned windows of W rounds."""
    for window in range(1, len(cycle) + 1):
        whole = cycle * (lcm(window, len(cycle)) // len(cycle))
        counts = {
            tuple(sum(i in g for g in whole[t : t + window]) for i in range(clients))
            for t in range(0, len(whole), window)
        }
        if len(counts) == 1:
            return window
    raise AssertionError("the whole cycle is one window")
