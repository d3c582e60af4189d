"""Section 3.4: windows, bounded gradients, Corollary 2; and the learning-rate conditions of A.5."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import chain, product
from typing import Any

import sympy

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fraboni.checks.quantities import Quantities, Setting
from fltheory.papers.fraboni.checks.runs import common_values, turns
from fltheory.papers.fraboni.checks.sampling import uniform
from fltheory.papers.fraboni.checks.theorems import windowed
from fltheory.papers.fraboni.paper import ALPHA, LOCAL, STALENESS, L, N, W
from fltheory.papers.fraboni.statements.bounds import CORRECTED, WINDOW_TERM
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import balance_period, max_delay
from fltheory.traces.weights import asynchronous_weights

F = Fraction
TINY_STEP = Setting(
    "two clients in turn, step 1/1000", (1, 1), (0, 1), (1, 1), turns(2), F(1, 1000), start=1
)


def _client_loss(q: Quantities, client: int, row: Any) -> Fraction:
    return q.loss([int(i == client) for i in range(q.setting.num_clients)], row)


def rises() -> Iterator[Instance]:
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
    runs = chain([(Quantities(TINY_STEP), 2)], windowed())
    return (instance for q, window in runs for instance in windows_of(q, window, corrected))


def windows_of(q: Quantities, window: int, corrected: bool) -> Iterator[Instance]:
    """Both sides of eq. (10) in every window: one client against the mean objective, or all clients
    against their own losses."""
    s, virtual = q.setting, q.runs[0][1].virtual
    for first in range(0, s.num_rounds, window):
        cells = [(n, k) for n in range(first, first + window) for k in range(s.local_steps)]
        mean_objective = {cell: q.loss(q.mean_weights, virtual[cell[0]][cell[1]]) for cell in cells}
        rows = []
        for i in range(s.num_clients):
            own = sum(
                (q.mean_weights[i] * _client_loss(q, i, virtual[n][k]) for n, k in cells), F(0)
            )
            arrived = sum((q.expected_weights[n][i] for n, _ in cells), F(0))
            other = sum(
                (
                    q.expected_weights[n][i]
                    * (_client_loss(q, i, virtual[n][k]) if corrected else mean_objective[n, k])
                    for n, k in cells
                ),
                F(0),
            )
            rows.append((own, other, arrived))
        totals = (
            [tuple(sum(column, F(0)) for column in zip(*rows, strict=True))] if corrected else rows
        )
        for own, other, arrived in totals:
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


def on_runs(instances: Any, covers: str, claim: Claim) -> Evidence:
    return check_instances(claim, instances(), method=Method.EXACT_RUN, covers=covers)


def exponents(claim: Claim) -> Evidence:
    """Substitute the powers of N into Theorem 3's bound and read off the largest exponent, over a
    grid with its edges."""
    bound = sympy.expand(CORRECTED + WINDOW_TERM)

    def instances() -> Iterator[Instance]:
        for a, b, c in product(
            (F(0), F(1, 2), F(1)), (F(0), F(1, 4), F(3, 4)), (F(1, 4), F(3, 4), F(1))
        ):
            powers = {
                LOCAL: N ** sympy.Rational(-c.numerator, c.denominator),
                W: N ** sympy.Rational(a.numerator, a.denominator),
                STALENESS: N ** sympy.Rational(b.numerator, b.denominator),
            }
            terms = sympy.Add.make_args(sympy.expand(bound.xreplace(powers)))
            largest = max(F(str(term.as_coeff_exponent(N)[1])) for term in terms)
            yield Instance(
                {
                    "largest_exponent": largest,
                    "window_exponent": a,
                    "delay_exponent": b,
                    "step_exponent": c,
                },
                f"a={a}, b={b}, c={c}",
            )

    return check_instances(
        claim,
        instances(),
        method=Method.SYMBOLIC,
        covers="powers substituted into Theorem 3's bound, a grid of exponents",
    )


def identical_clients(claim: Claim) -> Evidence:
    """Two clients with the same loss: every window, the whole run too, is balanced after scaling,
    and the run converges."""
    trace = Trace.continuous([[1, 0], [0, 1]] * 5)
    limit = limit_cycle(
        WeightedAggregation((1, 1)), Quadratic((1, 1), (2, 2)), trace, local_step_size=F(1, 10)
    )
    fails = 0 if limit.stable and limit.cycle is not None and limit.cycle[0] == (F(2),) else 1
    return check_instances(
        claim,
        [
            Instance(
                {"window_is_the_run": 1, "fails_to_converge": fails},
                "two clients with the same loss in turn",
            )
        ],
        method=Method.EXACT_RUN,
        covers="an exact limit",
    )


def patterns() -> Iterator[tuple[int, Trace]]:
    """All ways in which one client can deliver once in each of three aligned windows, beside a
    client that always delivers."""
    for window in range(1, 6):
        for places in product(range(window), repeat=3):
            late = [int(n % window == places[n // window]) for n in range(3 * window)]
            yield window, Trace.continuous([[1, x] for x in late])


def staleness_in_windows() -> Iterator[Instance]:
    for window, trace in patterns():
        period = balance_period(trace)
        if period == window:
            yield Instance(
                {"balance_period": window, "max_staleness": max_delay(trace)},
                f"window {window}, deliveries {trace.delivers[:, 1].tolist()}",
            )


def whole_windows() -> Iterator[Instance]:
    """Every participation of one client in up to six rounds, with weight 1."""
    for rounds in range(1, 7):
        for pattern in product((0, 1), repeat=rounds):
            weights = [F(x) for x in pattern]
            window_means = [sum(weights[i : i + rounds]) / rounds for i in range(0, rounds, rounds)]
            for mean in window_means:
                yield Instance(
                    {
                        "mean_weight_over_windows": mean,
                        "expected_weight": F(pattern.count(1), rounds),
                    },
                    f"participation {pattern}",
                )


def condition(claim: Claim) -> Evidence:
    """At the largest step sizes of Theorem 1, with K = 1 + k and rho = 1 + r; alpha and beta only
    enlarge the left side, so both are 1."""
    k, r = sympy.Symbol("k", nonnegative=True), sympy.Symbol("r", nonnegative=True)
    worst = {"covariance_factor": sympy.S.One, "variance_excess": sympy.S.One}
    return _at_limit(
        claim,
        worst | {"local_steps": 1 + k, "largest_total_weight": 1 + r},
        "all K, tau and rho >= 1 with alpha = beta = 1, the worst case, at the largest step sizes"
        " of Theorem 1",
    )


def wide_condition(claim: Claim) -> Evidence:
    """The same for 2 alpha + beta = 12 rho, the largest value allowed; smaller ones only help."""
    k, r = sympy.Symbol("k", nonnegative=True), sympy.Symbol("r", nonnegative=True)
    beta = 12 * (1 + r) - 2 * ALPHA
    return _at_limit(
        claim,
        {"local_steps": 1 + k, "largest_total_weight": 1 + r, "variance_excess": beta},
        "all K, tau and rho >= 1 with 2 alpha + beta = 12 rho, at the largest step sizes of"
        " Theorem 1",
    )


def _at_limit(claim: Claim, more: dict[str, Any], covers: str) -> Evidence:
    steps, total = more["local_steps"], more["largest_total_weight"]
    step = 1 / (144 * steps * L * total**2 * (STALENESS + 1))
    return check_symbolic(
        claim,
        derived=more | {"local_step_size": 1 / (48 * steps * L), "effective_step_size": step},
        covers=covers,
    )


def one_of_twenty(claim: Claim) -> Evidence:
    """Uniform sampling of one of twenty clients, one of them with importance 0.99, at the largest
    step size."""
    scheme = uniform(20, 1, (F(99, 100), *(F(1, 1900),) * 19))
    total = max(F(1), sum(scheme.moment(i) for i in scheme.clients))
    step = F(1) / (144 * total**2)
    values = {
        "local_steps": 1,
        "smoothness": 1,
        "max_staleness": 0,
        "largest_total_weight": total,
        "covariance_factor": scheme.covariance_factor,
        "variance_excess": scheme.variance_excess,
        "local_step_size": step,
        "effective_step_size": step,
    }
    return check_instances(
        claim,
        [Instance(values, scheme.says)],
        method=Method.ENUMERATION,
        covers="an unbiased sampling scheme",
    )


def excesses(claim: Claim) -> Evidence:
    """beta = max d_i of asynchronous FedAvg with time-based weights."""
    clocks = ((1, 1), (1, 5), (1, 2))
    instances = (
        Instance({"variance_excess": max(asynchronous_weights(times))}, f"update times {times}")
        for times in clocks
    )
    return check_instances(
        claim,
        instances,
        method=Method.EXACT_RUN,
        covers="asynchronous FedAvg with the weights of eq. (12)",
    )


CHECKS = (
    Check("fraboni.eq9", partial(on_runs, rises, "rounds of exact runs in windows")),
    Check("fraboni.eq10", partial(on_runs, partial(windows, False), "windows of exact runs")),
    Check(
        "fraboni.eq10.corrected", partial(on_runs, partial(windows, True), "windows of exact runs")
    ),
    Check("fraboni.cor2", exponents),
    Check("fraboni.cor2.window", identical_clients),
    Check(
        "fraboni.W.tau",
        partial(
            on_runs,
            staleness_in_windows,
            "one delivery in each of three windows of up to five rounds",
        ),
    ),
    Check(
        "fraboni.W.tau.corrected",
        partial(
            on_runs,
            staleness_in_windows,
            "one delivery in each of three windows of up to five rounds",
        ),
    ),
    Check(
        "fraboni.ass6", partial(on_runs, whole_windows, "all participations in up to six rounds")
    ),
    *(Check(f"fraboni.lr.c{i}", condition) for i in range(1, 7)),
    Check("fraboni.lr", one_of_twenty),
    Check("fraboni.lr.corrected", wide_condition),
    Check("fraboni.lr.beta", excesses),
)
