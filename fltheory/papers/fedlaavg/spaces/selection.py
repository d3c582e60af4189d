"""Where FedLaAvg's lemmas on availability and selection may fail: any availability within a window,
any ties."""

from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.claims.checks.enumeration import worst_staleness
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.papers.fedlaavg.checks.definitions import least_window, longest_absence
from fltheory.papers.fedlaavg.checks.literal import Line, algorithm_3
from fltheory.papers.fedlaavg.spaces.setting import Values, given
from fltheory.problems.clipped import Clipped
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.within_window import WithinWindow
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace_statistics import availability_window

Table = np.ndarray[Any, Any]


def _window(choices: Choices, claim: Claim) -> Values:
    """Any table; with C iterations per round, a client is there in a round if it is in each
    iteration."""
    clients = choices.whole(1, 3)
    rounds = choices.whole(1, 6)
    steps = choices.whole(1, 3) if claim.id == "fedlaavg.asm5" else 1
    table = np.array(
        [
            [[not choices.flag() for _ in range(clients)] for _ in range(steps)]
            for _ in range(rounds)
        ]
    ).all(axis=1)
    choices.require(bool(table.any(axis=0).all()), "each client is available at some time")
    return {"availability_window": least_window(table), "longest_absence": longest_absence(table)}


def draw_selection(choices: Choices, window: int | None = None) -> tuple[Values, Table, Table]:
    """Any availability with a window, and Algorithm 1's choice of the longest absent with any
    ties."""
    clients = choices.whole(1, 4)
    used, gap = choices.whole(1, clients), choices.whole(1, 3) if window is None else window
    rounds = choices.whole(1, 3 * -(-clients // used) * gap + 2)
    available = np.zeros((rounds, clients), bool)
    chosen = np.zeros((rounds, clients), bool)
    absent, last = [0] * clients, [0] * clients
    for t in range(rounds):
        for i in range(clients):
            here = absent[i] >= gap - 1 or not choices.flag()
            available[t, i] = here
            absent[i] = 0 if here else absent[i] + 1
        waiting = sorted(
            (i for i in range(clients) if available[t, i]),
            key=lambda i: (last[i], choices.whole(0, 1)),
        )
        for i in waiting[:used]:
            chosen[t, i], last[i] = True, t + 1
    return (
        {"num_clients": clients, "clients_per_round": used, "availability_window": gap},
        available,
        chosen,
    )


def _stale(choices: Choices, claim: Claim) -> Values:
    known, _, chosen = draw_selection(choices)
    return known | {"worst_staleness": availability_window(chosen) - 1}


def _tight(choices: Choices, claim: Claim) -> Values:
    """Everybody available exactly every E rounds."""
    clients, window = choices.whole(1, 8), choices.whole(1, 4)
    used = choices.whole(1, clients)
    chosen = longest_absent(
        WithinWindow(clients, window).matrix(3 * -(-clients // used) * window), used
    )
    return {
        "num_clients": clients,
        "clients_per_round": used,
        "availability_window": window,
        "worst_staleness": availability_window(chosen) - 1,
    }


def _period(choices: Choices, claim: Claim) -> Values:
    """Selections of each client in every period of I, or I + 1, successive rounds."""
    known, _, chosen = draw_selection(choices)
    length = (
        -(-known["num_clients"] // known["clients_per_round"]) * known["availability_window"]
        - 1
        + claim.id.endswith(".corrected")
    )
    choices.require(1 <= length <= len(chosen), "a whole period")
    counts = [chosen[t : t + length].sum(axis=0).min() for t in range(len(chosen) - length + 1)]
    return known | {"fewest_selections": int(min(counts))}


def _reached(choices: Choices, claim: Claim) -> Values:
    clients, window = choices.whole(1, 3), choices.whole(1, 2)
    used = choices.whole(1, clients)
    return {
        "num_clients": clients,
        "clients_per_round": used,
        "availability_window": window,
        "reached_staleness": worst_staleness(clients, used, window, stop_at=60),
    }


def _counts(choices: Choices, claim: Claim) -> Values:
    clients = choices.whole(1, 40)
    return {
        "num_clients": clients,
        "clients_per_round": choices.whole(1, clients),
        "availability_window": choices.whole(1, 50),
    }


def _latest(choices: Choices, claim: Claim) -> Values:
    _, available, chosen = draw_selection(choices)
    i = choices.whole(0, available.shape[1] - 1)
    there, used = np.flatnonzero(available[:, i]), np.flatnonzero(chosen[:, i])
    choices.require(bool(there.size), "the client has been available")
    return {
        "round_of_update": int(used[-1]) + 1 if used.size else 0,
        "latest_available_round": int(there[-1]) + 1,
    }


def _age(choices: Choices, claim: Claim) -> Values:
    known, _, chosen = draw_selection(choices)
    steps = choices.whole(1, 3)
    line = Line(Clipped([0] * known["num_clients"], 1))
    latest = algorithm_3(
        line, chosen.astype(int).tolist(), steps, Fraction(1, 4), Fraction(1), {}
    ).latest
    bound = (
        -(-known["num_clients"] // known["clients_per_round"]) * known["availability_window"] - 1
    )
    worst_age = max(((t - 1) // steps + 1) * steps - min(used) for t, used in latest.items())
    return {"age_at_round_end": worst_age, "local_steps": steps, "staleness_bound": bound} | known


def _day_and_night(choices: Choices, claim: Claim) -> Values:
    half, day = choices.whole(1, 12), choices.whole(1, 9)
    return {
        "half_period": half,
        "availability_window": availability_window(
            Diurnal(10, half_period=half, day_groups=day).matrix(4 * half)
        ),
    }


def _settled(choices: Choices, claim: Claim) -> Values:
    """For half periods of at least ceil(largest group / K) rounds, as the claim says."""
    day, used = choices.whole(1, 9), choices.whole(1, 9)
    group = max(day, 10 - day)
    half = -(-group // used) + choices.whole(0, 4)
    chosen = longest_absent(Diurnal(10, half_period=half, day_groups=day).matrix(6 * half), used)
    rounds = np.arange(len(chosen))[:, None]
    ages = rounds - np.maximum.accumulate(np.where(chosen, rounds, -1), axis=0)
    return {
        "half_period": half,
        "largest_group": group,
        "clients_per_round": used,
        "worst_staleness": int(ages[2 * half :].max()),
    }


def _defaults(choices: Choices, claim: Claim) -> Values:
    """The printed defaults of Section 6.1.3, and about 2000 rounds."""
    return {
        "num_clients": 1000,
        "clients_per_round": 100,
        "availability_window": 101,
        "num_rounds": 2000,
    }


COUNTS = "num_clients clients_per_round availability_window"

SPACES = (
    given(
        "Any availability of up to three clients over up to six rounds.",
        "availability_window longest_absence",
        ("fedlaavg.asm4", "fedlaavg.asm5"),
        _window,
    ),
    given(
        "Any availability within a window and any ties, up to four clients.",
        f"{COUNTS} worst_staleness",
        ("fedlaavg.lem1", "fedlaavg.lem5"),
        _stale,
    ),
    given(
        "Everybody available exactly every E rounds, up to eight clients.",
        f"{COUNTS} worst_staleness",
        ("fedlaavg.lem1.tight",),
        _tight,
    ),
    given(
        "Selections within every period of the printed length.",
        f"{COUNTS} fewest_selections",
        ("fedlaavg.sec32.period*",),
        _period,
    ),
    given(
        "All availability and ties of up to three clients.",
        f"{COUNTS} reached_staleness",
        ("fedlaavg.cor1.staleness",),
        _reached,
    ),
    given(
        "Any numbers of clients with K <= N, and any window.",
        COUNTS,
        ("fedlaavg.cor1.order",),
        _counts,
    ),
    given(
        "Any availability and ties: the update in use, and the latest availability.",
        "round_of_update latest_available_round",
        ("fedlaavg.sec5.latest",),
        _latest,
    ),
    given(
        "Any availability and ties, up to three local steps.",
        f"{COUNTS} age_at_round_end local_steps staleness_bound",
        ("fedlaavg.eq51.age",),
        _age,
    ),
    given(
        "Ten groups, any half period and number of day groups.",
        "half_period availability_window",
        ("fedlaavg.sec613.window*",),
        _day_and_night,
    ),
    given(
        "Ten clients by day and night, any half period that is long enough.",
        "half_period largest_group clients_per_round worst_staleness",
        ("fedlaavg.exp.mnist.staleness",),
        _settled,
    ),
    given(
        "The printed defaults of the MNIST experiments.",
        f"{COUNTS} num_rounds",
        ("fedlaavg.sec62.theory",),
        _defaults,
    ),
)
