"""Propositions 5.1 and 6.1: blocks of rounds on and off refute them; periodic availability has an
exact minimax risk."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, product

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Formula, Scalar
from fltheory.papers.mifa.checks.asymptotes import asymptotes
from fltheory.papers.mifa.checks.large_scale import chains
from fltheory.papers.mifa.checks.runs import periodic
from fltheory.papers.mifa.checks.staleness import patterns
from fltheory.papers.mifa.statements.lower_bounds import FIRST_MOMENT
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import max_staleness, mean_staleness

BLOCK = letter("B", integer=True, positive=True)
ONE = sympy.Integer(1)


def blocks() -> dict[str, Formula]:
    """B rounds on, then B rounds off, as formulas in B: the staleness is 0 and then 1, 2, ..., B.
    Five traces confirm them."""
    step = letter("j", integer=True, positive=True)
    found = {
        "mean_staleness": sympy.summation(step, (step, 1, BLOCK)) / (2 * BLOCK),
        "mean_client_max_staleness": BLOCK,
        "num_rounds": 2 * BLOCK,
        "gradients": BLOCK,
    }
    read: dict[str, Callable[[Trace], Fraction | int]] = {
        "mean_staleness": mean_staleness,
        "mean_client_max_staleness": max_staleness,
        "num_rounds": lambda trace: trace.num_rounds,
        "gradients": lambda trace: int(trace.delivers.sum()),
    }
    for length, (name, function) in product(range(1, 6), read.items()):
        if found[name].subs(BLOCK, length) != sympy.Rational(
            str(function(Trace.fresh([[1]] * length + [[0]] * length)))
        ):
            raise AssertionError(
                f"the formula for {name} is not that of the trace with B = {length}"
            )
    return {name: sympy.simplify(formula) for name, formula in found.items()}


def averaging_risk(gradients: Formula, noise: Formula = ONE, convexity: Formula = ONE) -> Formula:
    """Risk of w_1 minus the mean gradient over mu, for losses mu/2 |w - theta|^2: (mu/2)
    sigma^2/(mu^2 M)."""
    return convexity / 2 * noise**2 / (convexity**2 * gradients)


def blocks_beat_the_bound(claim: Claim) -> Evidence:
    """The risk of averaging all gradients at w_1, on blocks of B rounds on and B rounds off,
    against the lower bound (Proposition 5.1)."""
    shape = blocks()
    derived = {
        "mean_staleness": shape["mean_staleness"],
        "num_rounds": shape["num_rounds"],
        "minimax_risk": averaging_risk(shape["gradients"]),
        **dict.fromkeys(("gradient_noise", "strong_convexity", "num_clients", "local_steps"), ONE),
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=BLOCK,
        covers=(
            "one device, L = mu = sigma = K = 1, B rounds on and B rounds off; "
            "the algorithm averages all stochastic gradients at w_1"
        ),
    )


def blocks_beat_the_nonconvex_bound(claim: Claim) -> Evidence:
    """SGD with step eta over M gradients: min E |grad f|^2 <= 2 (f_0 - f*)/(eta M) + L eta sigma^2,
    by the descent lemma for eta <= 1/L."""
    shape, size = blocks(), letter("eta", positive=True)
    bound = 2 / (size * shape["gradients"]) + size
    (best,) = (root for root in sympy.solve(sympy.diff(bound, size), size) if root.is_positive)
    derived = {
        "mean_client_max_staleness": shape["mean_client_max_staleness"],
        "num_rounds": shape["num_rounds"],
        "minimax_squared_gradient": sympy.simplify(bound.subs(size, best)),
        **dict.fromkeys(
            ("gradient_noise", "smoothness", "num_clients", "local_steps", "initial_loss_gap"), ONE
        ),
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=BLOCK,
        covers=(
            "one device, L = sigma = K = f_0 - f* = 1, B rounds on and B rounds "
            "off; SGD in the active rounds with the step size sqrt(2/B), by the descent lemma"
        ),
    )


def nearly_always_active(claim: Claim) -> Evidence:
    """All constants 1 and a staleness of 1/x: upper and lower bound drift apart."""
    growing = letter("x", positive=True)
    derived = {s.name: ONE for s in claim.symbols} | {
        "mean_staleness": 1 / growing,
        "mean_client_max_staleness": 1 / growing,
    }
    return check_order_limit(
        claim, derived=derived, variable=growing, covers="all constants 1, average staleness 1/x"
    )


def minimax_risk(gradients: int) -> Formula:
    """Limit of the Bayes risks of a Gaussian mean as the prior widens; the sample mean attains it
    everywhere."""
    width = letter("prior_variance", positive=True)
    bayes = sympy.Rational(1, 2) / (1 / width + gradients)
    risk = sympy.limit(bayes, width, sympy.oo)
    if risk != averaging_risk(sympy.Integer(gradients)):
        raise AssertionError("the sample mean does not attain the limit of the Bayes risks")
    return risk


def risk_of(trace: Trace, local_steps: int) -> dict[str, Scalar]:
    """The exact minimax risk on a trace for sigma = mu = 1, with the quantities of Proposition
    5.1."""
    gradients = local_steps * int(trace.delivers.sum())
    return {
        "minimax_risk": minimax_risk(gradients),
        "mean_staleness": mean_staleness(trace),
        "gradient_noise": 1,
        "strong_convexity": 1,
        "num_clients": trace.num_clients,
        "local_steps": local_steps,
        "num_rounds": trace.num_rounds,
    }


@by_instances(
    Method.EXACT_RUN,
    "periods 1, 2, 5, 11, one and two devices, one and three local "
    "steps; the minimax risk as a limit of Bayes risks",
)
def periodic_risk() -> Iterator[Instance]:
    """The minimax risk for periodic availability (Proposition 5.1)."""
    for length, periods, clients, steps in product((1, 2, 5, 11), (1, 3), (1, 2), (1, 3)):
        trace = Trace.fresh(periodic(periods * length, [length] * clients))
        yield Instance(risk_of(trace, steps), f"period {length}")


@by_instances(
    Method.ENUMERATION,
    "every availability of 1, 2, 3 devices over 6, 4, 3 rounds with everybody in the first",
)
def general_risk() -> Iterator[Instance]:
    """The minimax risk for every availability of a small size (Proposition 5.1)."""
    for pattern in chain(patterns(1, 1), patterns(1, 6), patterns(2, 4), patterns(3, 3)):
        yield Instance(risk_of(Trace.fresh(pattern), 1), str(pattern))


@by_instances(
    Method.SYMBOLIC,
    "one device with periods 1 and 2; the leading constant as in "
    "mifa.thm5.1.asymptote, the minimax risk as a limit of Bayes risks",
)
def optimality() -> Iterator[Instance]:
    """The limit of T times MIFA's gap, and T times the minimax risk (after Proposition 5.1)."""
    for instance in asymptotes():
        if instance.values["curvature"] == 1:
            length = int(2 * Fraction(instance.values["mean_staleness"]) + 1)
            trace = Trace.fresh(periodic(4 * length, [length]))
            risk = minimax_risk(int(trace.delivers.sum()))
            yield Instance(
                {
                    "leading_constant": instance.values["scaled_gap"],
                    "minimax_constant": trace.num_rounds * risk,
                },
                instance.says,
            )


def square_of_mean(claim: Claim) -> Evidence:
    """(E X)^2 <= E X^2 for the norm of a gradient (Proposition 6.1, middle inequality)."""
    variance = letter("variance", nonnegative=True)
    return check_symbolic(
        claim,
        derived={"mean_squared_norm": FIRST_MOMENT**2 + variance},
        covers="every law: E X^2 = (E X)^2 + variance",
    )


@by_instances(
    Method.DATA,
    "the chain of mifa.prop6.1.corrected with the gradients of periodic availability, on a grid",
)
def periodic_chain() -> Iterator[Instance]:
    """m = N K R/(nubar + 1) calls when every device comes once in nubar + 1 rounds (Proposition
    6.1)."""
    for instance in chains():
        calls = int(Fraction(str(instance.values["gradient_calls"])))
        for length in (1, 2, 5, 10):
            if calls % length == 0:
                yield Instance(
                    {
                        "minimax_squared_gradient": instance.values["hard_squared_gradient"],
                        "mean_client_max_staleness": length - 1,
                        "num_clients": 1,
                        "local_steps": 1,
                        "num_rounds": calls * length,
                        **{
                            name: instance.values[name]
                            for name in ("smoothness", "initial_loss_gap", "gradient_noise")
                        },
                    },
                    f"{instance.says}, period {length}",
                )


CHECKS = (
    Check("mifa.prop5.1", periodic_risk),
    Check("mifa.prop5.1.every", blocks_beat_the_bound),
    Check("mifa.prop5.1.matching", nearly_always_active),
    Check("mifa.prop5.1.corrected", periodic_risk),
    Check("mifa.prop5.1.general", general_risk),
    Check("mifa.prop5.1.optimality", optimality),
    Check("mifa.prop6.1", periodic_chain),
    Check("mifa.prop6.1.every", blocks_beat_the_nonconvex_bound),
    Check("mifa.prop6.1.matching", nearly_always_active),
    Check(
        "mifa.prop6.1.middle", square_of_mean, everything="the variance of any law is at least 0"
    ),
)
