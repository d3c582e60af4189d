"""How a model answers to its start, to distance between optima and to noise: for many step sizes
along one trace.

All clients have curvature 1 and all deliveries equally many local steps, so a delivery is g (x - c)
+ e with one gain g, where x is the model at the start of its work. The model is a + b spread +
noise, with a and b linear in the models in use; the covariances of these models, of which there are
hardly more than clients, give the variance. Who uses which model is listed once for all step sizes.
"""

from typing import NamedTuple

import numpy as np

from fltheory.core.types import BoolArray, FloatArray, IntArray
from fltheory.engine.compiled.numba_ import compiled


class Uses(NamedTuple):
    """Which models are used in each round.

    Entries firsts[t]..firsts[t+1]-1 are those of round t; each is about the model `origins` and the
    deliveries that came in the round of that number. Without memory, `amounts` are the weights of
    the deliveries that began at the model. With memory, `amounts` and `losses` are the changes in
    the numbers of kept deliveries that began there, and that came then. `places[t]` is where both
    are kept. `pulls` are sums of weighted optima, `squares` of squared weights, `counts` the
    numbers of deliveries.
    """

    firsts: IntArray
    origins: IntArray
    amounts: FloatArray
    losses: FloatArray
    places: IntArray
    pulls: FloatArray
    squares: FloatArray
    counts: IntArray


def uses_of(
    delivers: BoolArray, started: IntArray, weights: FloatArray, optima: FloatArray, keeps: bool
) -> Uses:
    """The models in use along a trace of rounds by clients."""
    rounds, most = len(delivers), int(delivers.sum()) * (3 if keeps else 1)
    found = Uses(
        np.zeros(rounds + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(most),
        np.empty(most),
        np.zeros(rounds + 1, np.int64),
        np.zeros(rounds),
        np.zeros(rounds),
        np.zeros(rounds, np.int64),
    )
    _fill_uses(delivers, started, weights, optima, keeps, found)
    return found


@compiled
def _fill_uses(
    delivers: BoolArray,
    started: IntArray,
    weights: FloatArray,
    optima: FloatArray,
    keeps: bool,
    uses: Uses,
) -> None:
    """Fill the lists in one pass over the deliveries; then give every model a place until its last
    use."""
    rounds, clients = delivers.shape
    last, entry = np.arange(rounds + 1), np.full(rounds + 1, -1)
    held, came = np.full(clients, -1), np.full(clients, -1)
    count, pull = 0, 0.0
    for t in range(rounds):
        begin = count
        if not keeps:
            pull = 0.0
        for i in range(clients):
            if not delivers[t, i]:
                continue
            uses.counts[t] += 1
            uses.squares[t] += weights[i] * weights[i]
            if held[i] < 0 or not keeps:
                pull += weights[i] * optima[i]
            count = _add(uses, entry, last, begin, count, t, started[t, i], weights[i], 0.0)
            if keeps:
                if held[i] >= 0:
                    count = _add(uses, entry, last, begin, count, t, held[i], -1.0, 0.0)
                    count = _add(uses, entry, last, begin, count, t, came[i], 0.0, 1.0)
                held[i], came[i] = started[t, i], t
        uses.firsts[t + 1], uses.pulls[t] = count, pull
    for i in range(clients):
        if keeps and held[i] >= 0:
            last[held[i]] = last[came[i]] = rounds
    free, number, known = np.zeros(rounds + 2, np.int64), 0, 1
    order = np.argsort(last, kind="mergesort")  # by last use
    freed = 0
    for t in range(rounds):
        if number:
            number -= 1
            uses.places[t + 1] = free[number]
        else:
            uses.places[t + 1] = known
            known += 1
        while last[order[freed]] <= t:  # models of later rounds have later last uses
            free[number] = uses.places[order[freed]]
            number, freed = number + 1, freed + 1


@compiled
def _add(
    uses: Uses,
    entry: IntArray,
    last: IntArray,
    begin: int,
    count: int,
    t: int,
    origin: int,
    amount: float,
    loss: float,
) -> int:
    """Add to the entry of a model in round t, which is a new one if it has none yet; returns the
    number of entries."""
    if entry[origin] < begin:
        entry[origin], uses.origins[count] = count, origin
        uses.amounts[count], uses.losses[count] = 0.0, 0.0
        last[origin] = t
        count += 1
    uses.amounts[entry[origin]] += amount
    uses.losses[entry[origin]] += loss
    return count


@compiled
def answer(
    uses: Uses, gain: float, spread: float, factor: float, shared: bool, found: FloatArray
) -> None:
    """Write a, b and the variance of every model (rows of `found`), without memory.

    `spread` is the variance of a delivery's noise, `factor` that of the server's sum, which is
    divided by the number of deliveries unless weights are `shared` out.
    """
    places = uses.places
    size = places.max() + 1
    table, row = np.zeros((size, size)), np.zeros(size)
    start, apart = np.zeros(size), np.zeros(size)
    start[places[0]] = 1.0
    found[0, 0], found[1, 0], found[2, 0] = 1.0, 0.0, 0.0
    for t in range(uses.counts.shape[0]):
        now, following = places[t], places[t + 1]
        moved = factor if shared else factor / max(uses.counts[t], 1)
        a, b = start[now], apart[now] + moved * gain * uses.pulls[t]
        row[:] = table[now]
        for q in range(uses.firsts[t], uses.firsts[t + 1]):
            used, pull = places[uses.origins[q]], moved * gain * uses.amounts[q]
            a, b = a - pull * start[used], b - pull * apart[used]
            for k in range(size):
                row[k] -= pull * table[used, k]
        variance = row[now] + moved * moved * spread * uses.squares[t]
        for q in range(uses.firsts[t], uses.firsts[t + 1]):
            used, pull = places[uses.origins[q]], moved * gain * uses.amounts[q]
            variance -= pull * row[used]
        for k in range(size):
            table[following, k] = row[k]
            table[k, following] = row[k]
        table[following, following] = variance
        start[following], apart[following] = a, b
        found[0, t + 1], found[1, t + 1], found[2, t + 1] = a, b, variance


@compiled
def answer_with_memory(
    uses: Uses, gain: float, spread: float, factor: float, found: FloatArray
) -> None:
    """The same for a server that keeps the latest deliveries; `factor` multiplies their sum.

    `models` holds the covariances of the models in use, `noises` those of a model (row) and the
    noise of one delivery that came in some round (column), and `pulled` and `stirred` those of
    models and of noises with the sum. They are updated for the deliveries that change, and `pulled`
    and `stirred` are summed anew now and then, which limits rounding errors.
    """
    places = uses.places
    size = places.max() + 1
    models, noises = np.zeros((size, size)), np.zeros((size, size))
    pulled, stirred = np.zeros(size), np.zeros(size)
    begun, came = np.zeros(size), np.zeros(size)
    start, apart = np.zeros(size), np.zeros(size)
    start[places[0]] = 1.0
    found[0, 0], found[1, 0], found[2, 0] = 1.0, 0.0, 0.0
    for t in range(uses.counts.shape[0]):
        now, following = places[t], places[t + 1]
        noises[:, now], stirred[now], came[now] = 0.0, spread, uses.counts[t]
        for q in range(uses.firsts[t], uses.firsts[t + 1]):
            used, change, lost = places[uses.origins[q]], uses.amounts[q], uses.losses[q]
            begun[used] += change
            came[used] -= lost
            for k in range(size):
                pulled[k] += change * gain * models[used, k] - lost * noises[k, used]
                stirred[k] += change * gain * noises[used, k]
        if t % size == 0:
            for k in range(size):
                pulled[k], stirred[k] = 0.0, spread
                for j in range(size):
                    pulled[k] += begun[j] * gain * models[j, k] + came[j] * noises[k, j]
                    stirred[k] += begun[j] * gain * noises[j, k]
        a, b, both = 0.0, -uses.pulls[t], 0.0
        for k in range(size):
            a, b = a + begun[k] * start[k], b + begun[k] * apart[k]
            both += begun[k] * gain * pulled[k] + came[k] * stirred[k]
        start[following] = start[now] - factor * gain * a
        apart[following] = apart[now] - factor * gain * b
        variance = models[now, now] - 2.0 * factor * pulled[now] + factor * factor * both
        pulled_now = pulled[now]
        for k in range(size):
            models[following, k] = models[now, k] - factor * pulled[k]
            models[k, following] = models[following, k]
            noises[following, k] = noises[now, k] - factor * stirred[k]
        models[following, following] = variance
        pulled[following] = pulled_now - factor * both
        found[0, t + 1], found[1, t + 1] = start[following], apart[following]
        found[2, t + 1] = variance
