"""Exact statistics of a trace that theorems use: staleness, windows, gaps, usage, balance."""

from collections.abc import Sequence
from fractions import Fraction
from typing import cast

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, exacts
from fltheory.core.types import Array, ExactLike, IntArray, Whole
from fltheory.traces.trace import Trace, boolean_matrix, last_true, rounds_since_received

NEVER = -1
"""Marks a client that has not delivered yet and so has no staleness."""


def rounds_since(available: Whole) -> IntArray:
    """tau(t, i) = t - max{t' <= t : i available in t'} (MIFA Def. 5.1); NEVER before the first
    time.

    >>> rounds_since([[1], [0], [0], [1]])[:, 0].tolist()
    [0, 1, 2, 0]
    """
    matrix = boolean_matrix(available, "available")
    last = last_true(matrix)
    return np.where(last < 0, NEVER, np.arange(matrix.shape[-2])[:, None] - last)


def staleness(trace: Trace) -> IntArray:
    """Age of the model behind each client's latest delivery, in rounds; NEVER before the first
    delivery.

    If clients start from the newest model, this is MIFA's tau(t, i) and FedLaAvg's t - T_i^t; in
    general it is the age of the entries in AFA-CS's memory.

    >>> staleness(Trace.fresh([[1, 0], [0, 1]])).tolist()
    [[0, -1], [1, 0]]
    """
    last = last_true(trace.delivers)
    started = np.take_along_axis(trace.started_from, np.maximum(last, 0), axis=-2)
    return np.where(last < 0, NEVER, trace.round_indices - started)


def known_staleness(trace: Trace) -> IntArray:
    """Staleness of a trace in which every client delivers in round 0; otherwise an error names a
    client that does not."""
    ages = staleness(trace)
    if (ages == NEVER).any():
        client = int(np.argwhere(ages == NEVER)[0][-1])
        raise InvalidInput(
            f"client {client}", "deliver in round 0 for its staleness to be defined", "no delivery"
        )
    return ages


def max_staleness(trace: Trace) -> int:
    """tau_max,T = max over rounds and clients (MIFA Sec. 5.1; its T-1 rounds are all rounds of the
    trace). A batch of traces gives an array here and below.

    >>> max_staleness(Trace.fresh([[1, 1], [1, 0], [1, 0]]))
    2
    """
    return _plain(known_staleness(trace).max(axis=(-2, -1)))


def mean_staleness(trace: Trace) -> Fraction:
    """taubar_T = (1/(N (T-1))) sum_t sum_i tau(t, i) (MIFA Sec. 5.1).

    >>> everyone_then_first = [[1, 1], [1, 0], [1, 0], [1, 1], [1, 0], [1, 0]]
    >>> mean_staleness(Trace.fresh(everyone_then_first))
    Fraction(1, 2)
    """
    return _ratio(known_staleness(trace).sum(axis=(-2, -1)), trace.num_clients * trace.num_rounds)


def client_max_staleness(trace: Trace) -> IntArray:
    """nu_i = max_t tau(t, i), the smallest constants of MIFA's Assumption 8."""
    return np.asarray(known_staleness(trace).max(axis=-2))


def mean_client_max_staleness(trace: Trace) -> Fraction:
    """nubar = (1/N) sum_i nu_i, the mean over clients of their largest staleness."""
    return _ratio(client_max_staleness(trace).sum(axis=-1), trace.num_clients)


def availability_window(available: Whole) -> int:
    """Smallest E such that every client is available in each stretch of E rounds (FedLaAvg
    Assumption 4): 1 + the longest absence.

    >>> availability_window([[1, 0], [0, 1], [0, 1], [1, 0]])
    3
    """
    matrix = boolean_matrix(available, "available")
    last = last_true(matrix)
    absence = np.arange(matrix.shape[-2])[:, None] - last
    return _plain(1 + absence.max(axis=(-2, -1)))


def initial_gap(trace: Trace, slope: ExactLike) -> Fraction:
    """Smallest t0 >= 0 with tau(t, i) <= t0 + slope t for t = 1, 2, ... (MIFA Assumption 4, slope
    1/b).

    >>> initial_gap(Trace.fresh([[1], [0], [0]]), "1/3")
    Fraction(1, 1)
    """
    rate = exact(slope, "slope")
    ages = known_staleness(trace) * rate.denominator - (trace.round_indices + 1) * rate.numerator
    return _ratio(np.maximum(ages.max(axis=(-2, -1)), 0), rate.denominator)


def usages(trace: Trace) -> IntArray:
    """g[t, i]: number of rounds in which the delivery of round t is the latest one of client i (0
    where nothing is delivered).

    >>> usages(Trace.fresh([[1], [0], [1]]))[:, 0].tolist()
    [2, 0, 1]
    """
    matrix = trace.delivers
    rounds = trace.num_rounds
    following = np.full(matrix.shape, rounds, np.int64)
    upcoming = np.where(matrix, trace.round_indices, rounds)[..., ::-1, :]
    following[..., :-1, :] = np.minimum.accumulate(upcoming, axis=-2)[..., ::-1, :][..., 1:, :]
    return np.where(matrix, following - trace.round_indices, 0)


def pull_delays(trace: Trace) -> IntArray:
    """n - rho_i(n) for every client, including those still at work (Fraboni et al., Sec. 2.2)."""
    return rounds_since_received(trace.delivers)


def max_delay(trace: Trace) -> int:
    """tau = max_{i, n} (n - rho_i(n)), the largest delay of a client that always works."""
    return _plain(pull_delays(trace).max(axis=(-2, -1)))


def model_reuses(trace: Trace) -> IntArray:
    """For each model, the number of rounds that use work started from it (AFL: at most tau + 1).

    >>> model_reuses(Trace.with_delays([[1], [1], [1]], [[0], [1], [0]])).tolist()
    [2, 0, 1]
    """
    started, delivers = _unbatched(trace).started_from, trace.delivers
    pairs = {(int(started[t, i]), int(t)) for t, i in np.argwhere(delivers)}
    return np.bincount([model for model, _ in pairs], minlength=trace.num_rounds)


def participation(trace: Trace) -> tuple[Fraction, ...]:
    """Share of the rounds in which each client delivers.

    >>> participation(Trace.fresh([[1, 0], [1, 1]]))
    (Fraction(1, 1), Fraction(1, 2))
    """
    return tuple(Fraction(int(n), trace.num_rounds) for n in _unbatched(trace).delivers.sum(axis=0))


def mean_weights(trace: Trace, weights: Sequence[ExactLike]) -> tuple[Fraction, ...]:
    """q_i = (1/N) sum_n d_i 1[i delivers in n] (Fraboni et al., eq. 6), the mean weight of each
    client over the N rounds."""
    if len(weights) != trace.num_clients:
        raise InvalidInput(
            "weights",
            f"have one entry for each of {trace.num_clients} clients",
            f"{len(weights)} entries",
        )
    return tuple(
        weight * share
        for weight, share in zip(exacts(weights, "weight"), participation(trace), strict=True)
    )


def balance_period(trace: Trace) -> int:
    """Smallest W that divides the number of rounds such that each client delivers equally often in
    all aligned windows of W rounds (Fraboni et al., Assumption 6).

    >>> balance_period(Trace.fresh([[1, 0], [0, 1], [1, 0], [0, 1]]))
    2
    """
    delivers = _unbatched(trace).delivers
    for window in (w for w in range(1, trace.num_rounds + 1) if trace.num_rounds % w == 0):
        counts = delivers.reshape(-1, window, trace.num_clients).sum(axis=1)
        if (counts == counts[0]).all():
            return window
    raise AssertionError("the whole trace is one window")


def repeats(trace: Trace) -> tuple[int, int] | None:
    """(warm-up, period) of a trace whose rows repeat up to its end, at least three times and over
    half of it or more; None if there is no such pair.

    Among all such pairs the one with the smallest sum is chosen, so that a constant tail is not
    mistaken for the whole pattern.

    >>> repeats(Trace.fresh([[1, 0], [0, 1], [0, 1]] * 3))
    (0, 3)
    """
    rows = np.concatenate([_unbatched(trace).delivers, trace.delays, trace.local_steps], axis=-1)
    shared = _shared_beginnings([row.tobytes() for row in rows[::-1]])
    rounds = trace.num_rounds
    long_enough = (
        p for p in range(1, rounds) if shared[p] >= 2 * p and 2 * (shared[p] + p) >= rounds
    )
    fitting = ((rounds - period - shared[period], period) for period in long_enough)
    return min(fitting, key=sum, default=None)


def _shared_beginnings(items: list[bytes]) -> list[int]:
    """The Z-function in linear time: for each index, how many items from there on equal those from
    the start."""
    shared = [len(items)] + [0] * (len(items) - 1)
    left = right = 0
    for i in range(1, len(items)):
        known = min(right - i, shared[i - left]) if i < right else 0
        while i + known < len(items) and items[known] == items[i + known]:
            known += 1
        shared[i] = known
        if i + known > right:
            left, right = i, i + known
    return shared


def _unbatched(trace: Trace) -> Trace:
    if trace.batch_shape:
        raise InvalidInput("trace", "be a single one here", f"a batch of shape {trace.batch_shape}")
    return trace


def _plain(values: Array) -> int:
    """An integer; an array over the batch axes of a batch."""
    return int(values) if np.ndim(values) == 0 else cast(int, values)


def _ratio(numerators: Array, denominator: int) -> Fraction:
    """A fraction; an object array of them over the batch axes of a batch."""
    if np.ndim(numerators) == 0:
        return Fraction(int(numerators), denominator)
    ratio = np.frompyfunc(lambda n: Fraction(int(n), denominator), 1, 1)
    return cast(Fraction, ratio(numerators))
