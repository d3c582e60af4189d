"""Where FedLaAvg's lemmas on availability and selection may fail: any availability within a window,
any ties."""

from typing import NamedTuple

import numpy as np

from fltheory.claims.checks.enumeration import worst_staleness
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.core.types import BoolArray
from fltheory.papers.fedlaavg.checks.algorithms import fewest_selections, latest_of
from fltheory.papers.fedlaavg.checks.definitions import window_and_absence
from fltheory.papers.fedlaavg.checks.experiments import DEFAULTS, diurnal_window, settled_values
from fltheory.papers.fedlaavg.checks.lemmas import counts, sparse_staleness
from fltheory.papers.fedlaavg.checks.literal import Line
from fltheory.papers.fedlaavg.checks.steps import age_at_round_end
from fltheory.problems.clipped import Clipped
from fltheory.traces.trace_statistics import availability_window


def _window(choices: Choices, claim: Claim) -> Drawn:
    """Any table; with C iterations per round, a client is there in a round if it is in each
    iteration."""
    clients = choices.whole(1, 3)
    rounds = choices.whole(1, 6)
    steps = choices.whole(1, 3) if claim.id == "fedlaavg.asm5" else 1
    table = np.zeros((rounds, clients), np.bool_)
    for t in range(rounds):
        iterations = [[not choices.flag() for _ in range(clients)] for _ in range(steps)]
        table[t] = [all(column) for column in zip(*iterations, strict=True)]
    choices.require(bool(table.any(axis=0).all()), "each client is available at some time")
    return window_and_absence(table)


class DrawnSelection(NamedTuple):
    """N, K, E, and who is available and chosen in each round."""

    clients: int
    used: int
    window: int
    available: BoolArray
    chosen: BoolArray

    @property
    def counts(self) -> Drawn:
        """N, K and E by symbol."""
        return counts(self.clients, self.used, self.window)

    @property
    def bound(self) -> int:
        """I = ceil(N/K) E - 1, as in Lemma 1."""
        return -(-self.clients // self.used) * self.window - 1


def draw_selection(choices: Choices) -> DrawnSelection:
    """Any availability with a window, and Algorithm 1's choice of the longest absent with any
    ties."""
    clients = choices.whole(1, 4)
    used, gap = choices.whole(1, clients), choices.whole(1, 3)
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
    return DrawnSelection(clients, used, gap, available, chosen)


def _stale(choices: Choices, claim: Claim) -> Drawn:
    """The worst staleness of one sequence of rounds."""
    drawn = draw_selection(choices)
    return {**drawn.counts, "worst_staleness": availability_window(drawn.chosen) - 1}


def _tight(choices: Choices, claim: Claim) -> Drawn:
    """Everybody available exactly every E rounds."""
    clients, window = choices.whole(1, 8), choices.whole(1, 4)
    used = choices.whole(1, clients)
    return {
        **counts(clients, used, window),
        "worst_staleness": sparse_staleness(clients, used, window),
    }


def _period(choices: Choices, claim: Claim) -> Drawn:
    """Selections of each client in every period of I, or I + 1, successive rounds."""
    drawn = draw_selection(choices)
    length = drawn.bound + claim.id.endswith(".corrected")
    choices.require(1 <= length <= len(drawn.chosen), "a whole period")
    return {**drawn.counts, "fewest_selections": fewest_selections(drawn.chosen, length)}


def _reached(choices: Choices, claim: Claim) -> Drawn:
    """The largest staleness over all availability and ties."""
    clients, window = choices.whole(1, 3), choices.whole(1, 2)
    used = choices.whole(1, clients)
    stale = worst_staleness(clients, used, window, stop_at=60)
    return {**counts(clients, used, window), "reached_staleness": stale}


def _counts(choices: Choices, claim: Claim) -> Drawn:
    """N, K and E alone."""
    clients = choices.whole(1, 40)
    return counts(clients, choices.whole(1, clients), choices.whole(1, 50))


def _latest(choices: Choices, claim: Claim) -> Drawn:
    """One client at the end of the drawn rounds."""
    drawn = draw_selection(choices)
    i = choices.whole(0, drawn.clients - 1)
    choices.require(bool(drawn.available[:, i].any()), "the client has been available")
    return latest_of(drawn.available[:, i], drawn.chosen[:, i])


def _age(choices: Choices, claim: Claim) -> Drawn:
    """The age at the end of a round of the oldest gradient that Algorithm 3 uses."""
    drawn = draw_selection(choices)
    steps = choices.whole(1, 3)
    line = Line(Clipped([0] * drawn.clients, 1))
    return {
        "age_at_round_end": age_at_round_end(line, drawn.chosen, steps),
        "local_steps": steps,
        "staleness_bound": drawn.bound,
        **drawn.counts,
    }


def _day_and_night(choices: Choices, claim: Claim) -> Drawn:
    """The window of ten groups by day and night."""
    return diurnal_window(choices.whole(1, 12), choices.whole(1, 9))


def _settled(choices: Choices, claim: Claim) -> Drawn:
    """For half periods of at least ceil(largest group / K) rounds, as the claim says."""
    day, used = choices.whole(1, 9), choices.whole(1, 9)
    group = max(day, 10 - day)
    half = -(-group // used) + choices.whole(0, 4)
    return settled_values(10, half, day, used)


def _defaults(choices: Choices, claim: Claim) -> Drawn:
    """The printed defaults of Section 6.1.3, and about 2000 rounds."""
    return dict(DEFAULTS)


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
