"""Where this paper's windows, conditions and displays of arithmetic may fail: small worlds with
drawn numbers."""

from collections.abc import Sequence
from fractions import Fraction

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.papers.fraboni.checks.example2 import IN_TURN
from fltheory.papers.fraboni.checks.path_run import Number
from fltheory.papers.fraboni.checks.weights import residual
from fltheory.papers.fraboni.checks.windows import largest_exponent
from fltheory.papers.fraboni.spaces.drawing import F
from fltheory.papers.fraboni.spaces.named import space_of_values
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import balance_period, max_delay


def _windows(choices: Choices, claim: Claim) -> Drawn:
    """One client that delivers once in each window, beside one that always does; any place in each
    window."""
    length = choices.whole(1, 5)
    places = [choices.whole(0, length - 1) for _ in range(3)]
    late = [int(n % length == places[n // length]) for n in range(3 * length)]
    trace = Trace.continuous([[1, x] for x in late])
    choices.require(balance_period(trace) == length, "W is the least window")
    return {"balance_period": length, "max_staleness": max_delay(trace)}


def _whole_window(choices: Choices, claim: Claim) -> Drawn:
    """Any participation of one client, and W = N."""
    pattern = [choices.whole(0, 1) for _ in range(choices.whole(1, 6))]
    weight = choices.choice((F(1), F(1, 2), F(2)))
    return {
        "mean_weight_over_windows": sum(weight * x for x in pattern) / len(pattern),
        "expected_weight": weight * F(pattern.count(1), len(pattern)),
    }


def _same_losses(choices: Choices, claim: Claim) -> Drawn:
    """Clients by turns; W = N is always admissible, and with a short step the run tends to the
    optimum or not."""
    optima = (choices.number(-2, 2), choices.number(-2, 2))
    weights = [choices.choice((F(1), F(2))) for _ in range(2)]
    limit = limit_cycle(
        WeightedAggregation(tuple(weights)),
        Quadratic((1, 1), optima),
        Trace.continuous(IN_TURN * 5),
        local_step_size=F(1, 10),
    )
    reached = (
        limit.stable
        and limit.cycle is not None
        and all(row == (sum(optima) / 2,) for row in limit.cycle)
    )
    return {"window_is_the_run": 1, "fails_to_converge": int(not reached)}


def _residuals(choices: Choices, claim: Claim) -> Drawn:
    """Two quadratic clients with additive and multiplicative noise: is the residual at the common
    optimum zero?"""
    multiplicative, additive = choices.whole(0, 1), choices.whole(0, 1)
    h, c = choices.whole(1, 3), choices.whole(0, 2)
    return residual(h, c, additive=additive, multiplicative=multiplicative)


def _literal_types(choices: Choices, claim: Claim) -> Drawn:
    """Clients of several types: s_j over (M times s_j), as the printed denominator reads."""
    clients, kinds = choices.whole(1, 4), choices.whole(1, 3)
    choices.require(kinds <= clients, "every type has a client")
    weights = [choices.choice((F(1), F(1, 2))) for _ in range(kinds)]
    return {"sum_of_normalised_types": sum(s / sum(s for _ in range(clients)) for s in weights)}


def _two_types(choices: Choices, claim: Claim) -> Drawn:
    """chi^2 of two data types with any weights."""
    r, s = (choices.number(F(1, 10), F(9, 10), max_denominator=10) for _ in range(2))
    return {"r1": r, "s1": s, "mismatch": (r - s) ** 2 / s + ((1 - r) - (1 - s)) ** 2 / (1 - s)}


def _prefix_sums(choices: Choices, claim: Claim) -> Drawn:
    """sum_k k times the inner sum of a sequence of small numbers."""
    x = [choices.whole(0, 3) for _ in range(choices.whole(1, 5))]
    inner = [sum(x) if claim.id == "fraboni.eq23" else sum(x[:k]) for k in range(len(x))]
    return {
        "weighted_prefix_sums": sum(k * inner[k] for k in range(len(x))),
        "first_sum": sum(x[:-1]),
        "number_of_steps": len(x),
    }


def _fed_sequence(choices: Choices, claim: Claim) -> Drawn:
    """Sequences that satisfy the hypothesis with equality, tau A <= 1/2."""
    delay, inputs = choices.whole(1, 3), [choices.whole(0, 2) for _ in range(choices.whole(1, 8))]
    parts: Sequence[Number] = (1, F(1, 2), 0)
    part, values = F(1, 2 * delay) * choices.choice(parts), list[Fraction]()
    for given in inputs:
        values.append(part * sum(values[-delay:], F(0)) + given)
    return {
        "mean_sequence": sum(values, F(0)) / len(inputs),
        "mean_input": F(sum(inputs), len(inputs)),
    }


def _at_limit(choices: Choices, claim: Claim) -> Drawn:
    """The conditions of A.5 at the largest step sizes of Theorem 1: alpha and beta at most 1, or 2
    alpha + beta at most 12 rho."""
    steps = choices.whole(1, 6) * choices.choice((1, 100))
    late = choices.whole(0, 6) * choices.choice((1, 100))
    total, top = choices.number(1, 6), choices.number(F(1, 4), 4)
    alpha, beta = choices.number(0, 1), choices.number(0, 1)
    if claim.id == "fraboni.lr.corrected":
        parts: Sequence[Number] = (1, F(1, 2), 0)
        beta = (12 * total - 2 * alpha) * choices.choice(parts)
    return {
        "local_steps": steps,
        "max_staleness": late,
        "largest_total_weight": total,
        "smoothness": top,
        "covariance_factor": alpha,
        "variance_excess": beta,
        "local_step_size": F(1) / (48 * steps * top),
        "effective_step_size": F(1) / (144 * steps * top * total**2 * (late + 1)),
    }


def _exponents(choices: Choices, claim: Claim) -> Drawn:
    """Powers of N substituted into Theorem 3's bound; the largest exponent is read off its
    terms."""
    window, delay, step = (choices.number(0, 1) for _ in range(3))
    return {
        "largest_exponent": largest_exponent(window, delay, step),
        "window_exponent": window,
        "delay_exponent": delay,
        "step_exponent": step,
    }


SPACES = (
    space_of_values(
        "placed-windows",
        "One delivery at any place of each of three windows.",
        _windows,
        "W.tau W.tau.corrected",
    ),
    space_of_values(
        "whole-window",
        "Any participation of one client in up to six rounds.",
        _whole_window,
        "ass6",
    ),
    space_of_values(
        "same-losses",
        "Two clients by turns with any optima and weights.",
        _same_losses,
        "cor2.window",
    ),
    space_of_values(
        "residuals",
        "Two clients with and without noise of two kinds.",
        _residuals,
        "def.Sigma def.Sigma.corrected",
    ),
    space_of_values(
        "literal-types",
        "The printed denominator of the normalised types.",
        _literal_types,
        "def.types.normalised",
    ),
    space_of_values(
        "two-types",
        "Two data types with any weights.",
        _two_types,
        "def.chi",
    ),
    space_of_values(
        "prefix-sums",
        "Sequences of up to five small numbers.",
        _prefix_sums,
        "eq23 eq23.corrected eq23.sharp",
    ),
    space_of_values(
        "fed-sequences",
        "Sequences fed by their own last values.",
        _fed_sequence,
        "eq29",
    ),
    space_of_values(
        "largest-steps",
        "All constants at the largest step sizes of Theorem 1.",
        _at_limit,
        "lr.c1 lr.c2 lr.c3 lr.c4 lr.c5 lr.c6 lr.corrected",
    ),
    space_of_values(
        "exponents",
        "Powers of the number of rounds.",
        _exponents,
        "cor2",
    ),
)
