"""How often each client delivers under a waiting policy with fixed update times: counts, balance
period, largest staleness."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from math import ceil, floor, lcm

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import ExactLike
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous, events, trace_of
from fltheory.traces.trace_statistics import balance_period, max_delay
from fltheory.traces.update_times import FixedTimes, UpdateTimesLike, fixed_times

MAX_ROUNDS = 20_000
"""Longest pattern that a simulation searches for."""


@dataclass(frozen=True)
class Balance:
    """The long-run pattern of a policy.

    - `period`: W, the least number such that every client delivers equally often in all aligned
      stretches of W rounds
    - `deliveries`: deliveries of each client in such a stretch
    - `max_staleness`: max_{i, n} n - rho_i(n), over all rounds
    - `groups`: the sets of clients that deliver in one round; subsets of others may be left out
    - `warm_up`: rounds before the pattern begins to repeat; stretches are counted from there
    """

    period: int
    deliveries: tuple[int, ...]
    max_staleness: int
    groups: tuple[tuple[int, ...], ...]
    warm_up: int = 0

    @property
    def participation(self) -> tuple[Fraction, ...]:
        """Share of the rounds in which each client delivers."""
        return tuple(Fraction(count, self.period) for count in self.deliveries)


def balance(update_times: UpdateTimesLike, policy: Policy) -> Balance:
    """The long-run pattern of a policy, by formula where Fraboni et al. (Table 2) give one, else by
    simulation until the policy repeats itself.

    >>> balance([2, 3, 5], Asynchronous()).period, balance([2, 3, 5], FixedWindow(2)).period
    (31, 6)
    """
    times = fixed_times(update_times)
    everyone = (tuple(range(len(times))),)
    match policy:
        case Synchronous():
            return Balance(1, (1,) * len(times), 0, everyone)
        case Asynchronous(joint_ties=False):
            return asynchronous_balance(times)
        case FixedWindow(duration=duration):
            cycles = window_cycles(times, duration)
            period = lcm(*cycles)
            return Balance(
                period, tuple(period // cycle for cycle in cycles), max(cycles) - 1, everyone
            )
        case _:
            return simulated_balance(times, policy)


def asynchronous_balance(times: tuple[Fraction, ...]) -> Balance:
    """W = sum_i nu/tau_i with nu = lcm(tau_i); tau = sum_{j != M} ceil(tau_M/tau_j), if a slowest
    client M is first or last in the list.

    Table 2 has that sum as an upper bound. It is attained: all clients finish together at time nu;
    if M is the last of them in order, its work that ends then has that staleness; if M is the
    first, its work that starts then has it. If M stands between others its staleness may be
    smaller, so the pattern is simulated.
    """
    together = common_multiple(times)
    deliveries = tuple(int(together / time) for time in times)
    slowest = max(times)
    if slowest in (times[0], times[-1]):
        staleness = sum(ceil(slowest / time) for time in times) - 1
    else:
        staleness = simulated_balance(times, Asynchronous()).max_staleness
    return Balance(sum(deliveries), deliveries, staleness, tuple((i,) for i in range(len(times))))


def window_cycles(times: tuple[Fraction, ...], duration: Fraction) -> tuple[int, ...]:
    """N_i' = ceil(tau_i / Delta t): a client delivers in every N_i'-th window (Fraboni et al., Sec.
    4.4).

    >>> window_cycles((Fraction(2), Fraction(3), Fraction(5)), Fraction(2))
    (1, 2, 3)
    """
    return tuple(ceil(time / duration) for time in times)


def simulated_balance(times: tuple[Fraction, ...], policy: Policy) -> Balance:
    """The long-run pattern by simulation: the policy repeats itself once the work under way is the
    same as at an earlier round.

    >>> from fltheory.traces.clocks import Buffer
    >>> simulated_balance((Fraction(2), Fraction(3), Fraction(5)), Buffer(2)).participation
    (Fraction(1, 1), Fraction(2, 3), Fraction(1, 3))
    """
    seen: dict[tuple[tuple[Fraction, int], ...], int] = {}
    groups: list[tuple[int, ...]] = []
    for n, event in enumerate(events(FixedTimes(times), policy)):
        if n:
            groups.append(event.clients)
        under_way = tuple((finish - event.time, client) for finish, client in event.queue)
        if under_way in seen:
            break
        if n == MAX_ROUNDS:
            raise InvalidInput(
                "update times",
                f"give a pattern that repeats within {MAX_ROUNDS} rounds",
                "a longer one",
            )
        seen[under_way] = n
    warm_up = seen[under_way]
    pattern = groups[warm_up:]
    period = balance_period(trace_of(pattern, len(times)))
    # The staleness in the first repetition may differ from later ones; the second shows them all.
    staleness = max_delay(trace_of(groups + pattern, len(times)))
    deliveries = tuple(sum(i in group for group in pattern[:period]) for i in range(len(times)))
    return Balance(
        period,
        deliveries,
        staleness,
        tuple(sorted({tuple(sorted(group)) for group in groups})),
        warm_up,
    )


def rounds_within(duration: ExactLike, update_times: UpdateTimesLike, policy: Policy) -> int:
    """Number of rounds that end within that time: floor(T/tau_M), sum_i floor(T/tau_i) or
    floor(T/Delta t), Table 2's N.

    >>> rounds_within(10, [2, 3, 5], Asynchronous())
    10
    """
    limit = exact(duration, "duration")
    times = fixed_times(update_times)
    match policy:
        case Synchronous():
            return floor(limit / max(times))
        case Asynchronous(joint_ties=False):
            return sum(floor(limit / time) for time in times)
        case FixedWindow(duration=window):
            return floor(limit / window)
        case _:
            ends = takewhile(lambda event: event.time <= limit, events(FixedTimes(times), policy))
            return sum(1 for _ in ends) - 1


def common_multiple(numbers: tuple[Fraction, ...]) -> Fraction:
    """The least number that is an integer multiple of each given number.

    >>> common_multiple((Fraction(1, 2), Fraction(2, 3)))
    Fraction(2, 1)
    """
    scale = lcm(*(number.denominator for number in numbers))
    return Fraction(lcm(*(int(number * scale) for number in numbers)), scale)
