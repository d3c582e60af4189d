"""Client selection: functions from an availability matrix to a participation matrix of the same
shape."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import comb, prod

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exacts, shares
from fltheory.core.randomness import Purpose, random_integers, uniforms
from fltheory.core.types import Array, BoolArray, ExactLike, FloatArray, IntArray, Whole
from fltheory.traces.availability.base import chances, whole
from fltheory.traces.trace import boolean_matrix

MAX_STATES = 1 << 16
"""Largest number of states in an exact distribution."""


def everyone(available: Whole) -> BoolArray:
    """All available clients take part (MIFA's A(t)).

    >>> everyone([[1, 0]]).tolist()
    [[True, False]]
    """
    return _table(available).copy()


def longest_absent(
    available: Whole, clients_per_round: int, *, tie_seed: int | None = None
) -> BoolArray:
    """The available clients with the smallest last participation T_i^{t-1}, which is 0 before the
    first; all if fewer are available (FedLaAvg Alg. 1, line 6).

    Ties go to the smaller index, or are broken at random if `tie_seed` is given.

    >>> longest_absent([[1, 1, 1], [1, 1, 0], [1, 1, 1]], 1).astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    matrix = _table(available)
    limit = _at_most(matrix.shape[1], clients_per_round, "clients per round")
    ties = (
        np.zeros(matrix.shape, np.int64)
        if tie_seed is None
        else _keys(tie_seed, Purpose.TIES, matrix)
    )
    chosen = np.zeros(matrix.shape, np.bool_)
    last = np.zeros(matrix.shape[1], np.int64)
    for t, row in enumerate(matrix):
        here = np.flatnonzero(row)
        picked = here[np.lexsort((ties[t, here], last[here]))[:limit]]
        chosen[t, picked] = True
        last[picked] = t + 1
    return chosen


def uniform(available: Whole, clients_per_round: int, *, seed: int) -> BoolArray:
    """A uniform subset of the available clients, without replacement; all if fewer are available.

    >>> uniform([[1, 1, 0], [1, 1, 1]], 2, seed=0).sum(axis=1).tolist()
    [2, 2]
    """
    matrix = _table(available)
    limit = _at_most(matrix.shape[1], clients_per_round, "clients per round")
    return _smallest(_keys(seed, Purpose.SELECTION, matrix), matrix, limit)


def successive(
    available: Whole, probabilities: Iterable[ExactLike], clients_per_round: int, *, seed: int
) -> BoolArray:
    """Draw one client after the other without replacement, each with probability proportional to
    its share among the clients left.

    AFL's biased arrivals (.19, .19, .1 x 6, .01, .01). Implemented as a race, which has the same
    distribution: client i arrives after an exponential time of rate p_i, and the first arrivals are
    taken.
    """
    matrix, rates = _rated(available, probabilities)
    limit = _at_most(matrix.shape[1], clients_per_round, "clients per round")
    return _smallest(_race(seed, matrix, rates), matrix & (rates > 0), limit)


def multinomial(
    available: Whole, probabilities: Iterable[ExactLike], clients_per_round: int, *, seed: int
) -> IntArray:
    """How often each client is drawn in `clients_per_round` independent draws with replacement
    among the available clients.

    Returns counts, one row per round. A client drawn c times out of m delivers once, with
    aggregation weight c/m: the trace delivers where counts > 0, and the weights are the table
    counts/m, with rows of zeros where nobody is available.

    >>> multinomial([[1, 1, 0]], ["1/2", "1/4", "1/4"], 4, seed=1).sum(axis=1).tolist()
    [4]
    """
    matrix, rates = _rated(available, probabilities)
    possible = matrix & (rates > 0)
    counts = np.zeros(matrix.shape, np.int64)
    for draw in range(whole(clients_per_round, "clients per round")):
        counts += _smallest(_race(seed, matrix, rates, draw), possible, 1)
    return counts


def inclusion_probabilities(
    probabilities: Iterable[ExactLike], clients_per_round: int
) -> tuple[Fraction, ...]:
    """Exact probability that successive sampling takes each client, when all are available.

    Clients with equal shares are interchangeable, so a state is the number of clients of each kind
    that are already drawn: P(state + j) += P(state) (left of kind j) p_j / (1 - share drawn).

    >>> inclusion_probabilities(["1/2", "1/4", "1/4"], 2)
    (Fraction(5, 6), Fraction(7, 12), Fraction(7, 12))
    """
    given = exacts(probabilities, "probability")
    known = shares(given, len(given), "probability")
    kinds = Counter(p for p in known if p > 0)
    draws = _at_most(kinds.total(), clients_per_round, "clients per round")
    _refuse_states(prod(n + 1 for n in kinds.values()))
    values, sizes = list(kinds), list(kinds.values())
    law = {(0,) * len(values): Fraction(1)}
    for _ in range(draws):
        following: dict[tuple[int, ...], Fraction] = {}
        for state, chance in law.items():
            left = 1 - sum((p * n for p, n in zip(values, state, strict=True)), Fraction(0))
            for j, (p, size) in enumerate(zip(values, sizes, strict=True)):
                if state[j] < size:
                    after = (*state[:j], state[j] + 1, *state[j + 1 :])
                    following[after] = (
                        following.get(after, Fraction(0)) + chance * (size - state[j]) * p / left
                    )
        law = following
    taken = {
        p: sum((chance * state[j] for state, chance in law.items()), Fraction(0))
        for j, p in enumerate(values)
    }
    return tuple(taken[p] / kinds[p] if p else Fraction(0) for p in known)


def wait_for_sample(available: Whole, sample_size: int, *, seed: int) -> BoolArray:
    """Draw a uniform sample of clients, wait until each has been available at least once, then let
    all of them deliver; repeat.

    MIFA's FedAvg baseline. The round of the draw counts. All sampled clients work in the last round
    of the wait and from its model, including those that are absent by then; step sizes are indexed
    by updates (`fltheory.engine.rounds.by_updates`).

    >>> wait_for_sample([[1, 1], [1, 0], [0, 1]], 2, seed=0).astype(int).tolist()
    [[1, 1], [0, 0], [1, 1]]
    """
    matrix = _table(available)
    picks = uniform(
        np.ones_like(matrix), _at_most(matrix.shape[1], sample_size, "sample size"), seed=seed
    )
    chosen = np.zeros(matrix.shape, np.bool_)
    sample, awaited = picks[0], picks[0].copy()
    for t, row in enumerate(matrix):
        if not awaited.any():
            sample, awaited = picks[t], picks[t].copy()
        awaited &= ~row
        if not awaited.any():
            chosen[t] = sample
    return chosen


def expected_wait(
    probabilities: Iterable[ExactLike], *, sample_size: int | None = None
) -> Fraction:
    """Exact mean number of rounds until each client of a uniform sample has been available, under
    independent coin flips: E_S T(S) (MIFA Sec. 5.1).

    T(S) = E max of geometrics = sum over non-empty A in S of (-1)^(|A|+1) / (1 - prod_A (1 - p_i));
    A is in a uniform S with probability C(N-|A|, S-|A|) / C(N, S). Without `sample_size` the server
    waits for all clients.

    >>> expected_wait(["1/2", "1/2"]), expected_wait(["1/10", "1/2", "9/10"], sample_size=1)
    (Fraction(8, 3), Fraction(118, 27))
    """
    known = chances(probabilities)
    clients = len(known)
    size = clients if sample_size is None else _at_most(clients, sample_size, "sample size")
    subsets = Counter({(0, Fraction(1)): 1})
    for chance in known:
        for (n, absent), count in list(subsets.items()):
            if n < size:
                subsets[n + 1, absent * (1 - chance)] += count
        _refuse_states(len(subsets))
    signed = (
        (-1) ** (n + 1) * count * comb(clients - n, size - n) / (1 - absent)
        for (n, absent), count in subsets.items()
        if n
    )
    return sum(signed, Fraction(0)) / comb(clients, size)


def _table(available: Whole) -> BoolArray:
    matrix = boolean_matrix(available, "available")
    if matrix.ndim != 2:
        raise InvalidInput(
            "available", "be a single table of rounds and clients", f"shape {matrix.shape}"
        )
    return matrix


def _rated(available: Whole, probabilities: Iterable[ExactLike]) -> tuple[BoolArray, FloatArray]:
    matrix = _table(available)
    return matrix, np.array(
        [float(p) for p in shares(probabilities, matrix.shape[1], "probability")]
    )


def _at_most(most: int, value: int, owner: str) -> int:
    number = whole(value, owner)
    if number > most:
        raise InvalidInput(owner, f"be at most the {most} clients to choose from", value)
    return number


def _places(matrix: BoolArray) -> tuple[IntArray, IntArray]:
    return np.arange(matrix.shape[0])[:, None], np.arange(matrix.shape[1])[None, :]


def _keys(seed: int, purpose: Purpose, matrix: BoolArray) -> IntArray:
    return random_integers(seed, purpose, *_places(matrix))


def _race(seed: int, matrix: BoolArray, rates: FloatArray, draw: int = 0) -> FloatArray:
    """Exponential arrival times; a client of rate 0 never arrives."""
    waits = -np.log1p(-uniforms(seed, Purpose.SELECTION, *_places(matrix), index=draw))
    return np.divide(waits, rates, out=np.full(matrix.shape, np.inf), where=rates > 0)


def _smallest(keys: Array, allowed: BoolArray, limit: int) -> BoolArray:
    """The `limit` allowed clients with the smallest keys in each round, or all if there are fewer;
    ties go to the smaller index."""
    order = np.argsort(np.where(allowed, keys, np.inf), axis=1, kind="stable")[:, :limit]
    chosen = np.zeros(allowed.shape, np.bool_)
    np.put_along_axis(chosen, order, True, axis=1)
    return chosen & allowed


def _refuse_states(count: int) -> None:
    if count > MAX_STATES:
        raise InvalidInput(
            "number of different clients",
            f"give at most {MAX_STATES} states for an exact distribution",
            f"{count} or more",
        )
