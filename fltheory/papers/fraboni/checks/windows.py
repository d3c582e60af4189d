"""Section 3.4: windows, bounded gradients and Corollary 2."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, product

import sympy

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.core.enclosure import as_expression
from fltheory.papers.fraboni.checks.path_run import Row, Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import common_values, turns
from fltheory.papers.fraboni.checks.theorem3 import windowed
from fltheory.papers.fraboni.paper import LOCAL, STALENESS, N, W
from fltheory.papers.fraboni.statements.bounds import CORRECTED, WINDOW_TERM
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import balance_period, max_delay

F = Fraction
TINY_STEP = Setting(
    "two clients in turn, step 1/1000", (1, 1), (0, 1), (1, 1), turns(2), F(1, 1000), start=1
)


def _client_loss(q: Quantities, client: int, row: Row) -> Fraction:
    """E L_i at a random point."""
    return q.loss([int(i == client) for i in range(q.setting.num_clients)], row)


@by_instances(Method.EXACT_RUN, "rounds of exact runs in windows")
def rises() -> Iterator[Instance]:
    """Rises of each client's loss in one round of runs in windows (eq. 9)."""
    return (instance for q, _ in windowed() for instance in rises_of(q))


def rises_of(q: Quantities) -> Iterator[Instance]:
    """Rises of each client's loss from one model to the next; the bound on gradients is read off
    the run."""
    models = q.runs[0][1].models
    for n, client in product(q.filled, range(q.setting.num_clients)):
        yield Instance(
            common_values(q)
            | {
                "client_loss_rise": (
                    _client_loss(q, client, models[n + 1]) - _client_loss(q, client, models[n])
                ),
                "total_weight": q.totals[n],
                "gradient_bound": q.gradient_bound,
            },
            f"{q.setting.says}, round {n}, client {client}",
        )


def windows(corrected: bool) -> Iterator[Instance]:
    """Both sides of eq. (10) in every window of exact runs, a tiny step first."""
    runs = chain([(Quantities(TINY_STEP), 2)], windowed())
    return (instance for q, window in runs for instance in windows_of(q, window, corrected))


@by_instances(Method.EXACT_RUN, "windows of exact runs")
def printed_windows() -> Iterator[Instance]:
    """One client against the mean objective (eq. 10)."""
    return windows(corrected=False)


@by_instances(Method.EXACT_RUN, "windows of exact runs")
def corrected_windows() -> Iterator[Instance]:
    """All clients against their own losses (eq. 10, corrected)."""
    return windows(corrected=True)


def windows_of(q: Quantities, window: int, corrected: bool) -> Iterator[Instance]:
    """Both sides of eq. (10) in every window: one client against the mean objective, or all clients
    against their own losses."""
    s, virtual = q.setting, q.runs[0][1].virtual
    for first in range(0, s.num_rounds, window):
        rounds = range(first, first + window)
        cells = [(n, model) for n in rounds for model in virtual[n][:-1]]
        rows = []
        for i in range(s.num_clients):
            mean = q.mean_weights[i]
            losses = [_client_loss(q, i, model) for _, model in cells]
            right = losses if corrected else [q.loss(q.mean_weights, model) for _, model in cells]
            weights = [q.expected_weights[n][i] for n, _ in cells]
            rows.append(
                (
                    sum((mean * own for own in losses), F(0)),
                    sum((w * other for w, other in zip(weights, right, strict=True)), F(0)),
                    sum(weights, F(0)),
                )
            )
        if corrected:
            own, other, arrived = (sum(column, F(0)) for column in zip(*rows, strict=True))
            rows = [(own, other, arrived)]
        for own, other, arrived in rows:
            yield Instance(
                common_values(q)
                | {
                    "window_client_loss": own,
                    "window_other_loss": other,
                    "window_weight": arrived,
                    "balance_period": window,
                    "gradient_bound": q.gradient_bound,
                    "mean_total_weight": sum(q.mean_weights, F(0)),
                },
                f"{s.says}, window from round {first}",
            )


_EXPANDED = sympy.expand(CORRECTED + WINDOW_TERM)
"""Theorem 3's bound as a sum of products."""


def largest_exponent(window: Fraction, delay: Fraction, step: Fraction) -> Fraction:
    """The largest exponent of N in Theorem 3's bound with W = N^window, tau = N^delay and eta_l =
    N^-step (Corollary 2)."""
    powers = {
        LOCAL: N ** as_expression(-step),
        W: N ** as_expression(window),
        STALENESS: N ** as_expression(delay),
    }
    terms = sympy.Add.make_args(sympy.expand(_EXPANDED.xreplace(powers)))
    return max(F(str(term.as_coeff_exponent(N)[1])) for term in terms)


@by_instances(Method.SYMBOLIC, "powers substituted into Theorem 3's bound, a grid of exponents")
def exponents() -> Iterator[Instance]:
    """The largest exponent of N in Theorem 3's bound, over a grid with its edges (Corollary 2)."""
    for a, b, c in product(
        (F(0), F(1, 2), F(1)), (F(0), F(1, 4), F(3, 4)), (F(1, 4), F(3, 4), F(1))
    ):
        yield Instance(
            {
                "largest_exponent": largest_exponent(a, b, c),
                "window_exponent": a,
                "delay_exponent": b,
                "step_exponent": c,
            },
            f"a={a}, b={b}, c={c}",
        )


@by_instances(Method.EXACT_RUN, "an exact limit")
def identical_clients() -> Iterator[Instance]:
    """Two clients with the same loss: every window, the whole run too, is balanced after scaling,
    and the run converges (after Corollary 2)."""
    trace = Trace.continuous([[1, 0], [0, 1]] * 5)
    limit = limit_cycle(
        WeightedAggregation((1, 1)), Quadratic((1, 1), (2, 2)), trace, local_step_size=F(1, 10)
    )
    fails = 0 if limit.stable and limit.cycle is not None and limit.cycle[0] == (F(2),) else 1
    yield Instance(
        {"window_is_the_run": 1, "fails_to_converge": fails},
        "two clients with the same loss in turn",
    )


def patterns() -> Iterator[tuple[int, Trace]]:
    """All ways in which one client can deliver once in each of three aligned windows, beside a
    client that always delivers."""
    for window in range(1, 6):
        for places in product(range(window), repeat=3):
            late = [int(n % window == places[n // window]) for n in range(3 * window)]
            yield window, Trace.continuous([[1, x] for x in late])


@by_instances(Method.EXACT_RUN, "one delivery in each of three windows of up to five rounds")
def staleness_in_windows() -> Iterator[Instance]:
    """W and tau of those patterns whose least window is W (after Assumption 6)."""
    for window, trace in patterns():
        if balance_period(trace) == window:
            yield Instance(
                {"balance_period": window, "max_staleness": max_delay(trace)},
                f"window {window}, deliveries {trace.delivers[:, 1].tolist()}",
            )


@by_instances(Method.EXACT_RUN, "all participations in up to six rounds")
def whole_windows() -> Iterator[Instance]:
    """Every participation of one client in up to six rounds, with weight 1, and W = N
    (Assumption 6)."""
    for rounds in range(1, 7):
        for pattern in product((0, 1), repeat=rounds):
            yield Instance(
                {
                    "mean_weight_over_windows": sum(F(x) for x in pattern) / rounds,
                    "expected_weight": F(pattern.count(1), rounds),
                },
                f"participation {pattern}",
            )


CHECKS = (
    Check("fraboni.eq9", rises),
    Check("fraboni.eq10", printed_windows),
    Check("fraboni.eq10.corrected", corrected_windows),
    Check("fraboni.cor2", exponents),
    Check("fraboni.cor2.window", identical_clients),
    Check("fraboni.W.tau", staleness_in_windows),
    Check("fraboni.W.tau.corrected", staleness_in_windows),
    Check("fraboni.ass6", whole_windows),
)
