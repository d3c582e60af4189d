"""Theorem 1 and Corollary 1 on exact runs, with the counterexamples to what is printed."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import chain
from math import floor

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim, Order
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Formula, Scalar
from fltheory.papers.fraboni.checks.lemmas import KINDS, LARGEST_STEPS
from fltheory.papers.fraboni.checks.path_run import Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.rough import rough
from fltheory.papers.fraboni.checks.runs import (
    base_settings,
    certain,
    common_values,
    learning_rate,
    run_values,
    theorem_runs,
    told,
)
from fltheory.papers.fraboni.paper import RHO
from fltheory.papers.fraboni.statements.bounds import ORDER_BEFORE_32

F = Fraction
exactly = by_instances(Method.EXACT_RUN, f"{LARGEST_STEPS}: {KINDS}")
"""A check at the runs that a function yields, all at the largest step size of Theorem 1."""


def as_instance(q: Quantities) -> Instance:
    """What Theorem 1 names, on a whole run."""
    return Instance(run_values(q), told(q))


@exactly
def every_run() -> Iterator[Instance]:
    """A sampled run with many local steps first, then runs of every kind (Theorem 1)."""
    yield sampled_run()
    yield from map(as_instance, theorem_runs())


@by_instances(Method.EXACT_RUN, f"{LARGEST_STEPS}, longer: {KINDS}")
def longer_runs() -> Iterator[Instance]:
    """More rounds, more local steps, server steps from 1/3 to 3, other starts and shares of the
    step size (Theorem 1)."""
    kinds = ((F(1, 3), 0, F(1)), (F(1), 7, F(1, 3)), (F(3), -1, F(1)))
    for s in base_settings(12):
        for server, start, share in kinds:
            if len(s.paths) == 1:
                moved = replace(s, server_step_size=server, start=start)
                yield as_instance(Quantities(learning_rate(moved, share=share)))


def down(number: Fraction, digits: int = 12) -> Fraction:
    """The number rounded down, so that what exceeds a bound here exceeds it in truth."""
    return F(floor(number * 10**digits), 10**digits)


@cache
def sampled_values(local_steps: int, num_rounds: int) -> dict[str, Scalar]:
    """One of two clients (optima 1 and -1) per round, start 0, step 1/(144 K): the run's second
    moments, rounded down.

    theta' = theta + move_k (c - theta) with move_k = 1 - (1 - eta)^k and c = +-1, so E theta'^2 =
    (1 - move)^2 E theta^2 + move^2.
    """
    size = F(1, 144 * local_steps)
    moves = [down(1 - (1 - size) ** k, 30) for k in range(local_steps + 1)]
    second, total = F(0), F(0)
    for _ in range(num_rounds):
        total += sum(down((1 - m - F(1, 10**30)) ** 2 * second + m**2, 30) for m in moves[:-1])
        second = down((1 - moves[-1] - F(1, 10**30)) ** 2 * second + moves[-1] ** 2, 30)
    return {
        "num_rounds": num_rounds,
        "num_clients": 2,
        "local_steps": local_steps,
        "local_step_size": size,
        "server_step_size": 1,
        "smoothness": 1,
        "max_staleness": 0,
        "covariance_factor": 0,
        "variance_excess": 1,
        "largest_total_weight": 1,
        "objective_spread": 0,
        "initial_distance_squared": 0,
        "round_optimum_noise": 1,
        "round_optimum_noise_squared": F(1, 2),
        "virtual_factor": 2,
        "shared_steps": local_steps,
        "mean_round_gap": down(total / (2 * num_rounds * local_steps)),
        "mean_total_weight": 1,
    }


def sampled_run() -> Instance:
    """One of two clients sampled, many local steps (Theorem 1)."""
    return Instance(
        sampled_values(144, 150),
        "one of two clients sampled, 144 local steps, 150 rounds (left side rounded down)",
    )


@by_instances(Method.EXACT_RUN, "exact second moments of a sampled run, rounded down")
def many_local_steps() -> list[Instance]:
    """The sampled run alone (Theorem 1, Appendix C.2)."""
    return [sampled_run()]


@by_instances(Method.EXACT_RUN, "exact second moments of a client with rough batches")
def rough_run() -> list[Instance]:
    """One hundred rounds of the client with rough batches (Theorem 1)."""
    return [rough(100)]


def fair_setting(weight: Fraction, num_rounds: int) -> Quantities:
    """One client with a small weight, at the largest step size."""
    always = certain([(0,)] * num_rounds)
    return Quantities(
        learning_rate(
            Setting(f"one client of weight {weight}", (1,), (0,), (weight,), always, F(1), start=1)
        )
    )


def loss_gap(q: Quantities) -> Fraction:
    """Mean over rounds and local steps of E L - L*, with equal importance."""
    shares = [F(1, q.setting.num_clients)] * q.setting.num_clients
    return q.over_models(lambda model: q.excess(shares, model))


@exactly
def fair_runs() -> Iterator[Instance]:
    """Rounds in which all data types have their importance: one client, also of small weight,
    synchronous, sampled (Corollary 1)."""
    unfair = ("two clients", "update times (1, 2) ", "update times (2, 3, 5)")
    fair = [q for q in theorem_runs() if not q.setting.says.startswith(unfair)]
    for q in chain([fair_setting(F(1, 100), 40)], fair):
        yield Instance(run_values(q) | {"mean_loss_gap": loss_gap(q)}, told(q))


@by_instances(Method.EXACT_RUN, "an exact run of one client, its loss rounded down")
def light_client() -> Iterator[Instance]:
    """One client of small weight for many rounds; its loss is rounded down (Corollary 1)."""
    q = fair_setting(F(1, 100), 400)
    yield Instance(
        common_values(q)
        | {
            "initial_distance_squared": 1,
            "round_optimum_noise": 0,
            "round_optimum_noise_squared": 0,
            "mean_loss_gap": down(loss_gap(q)),
        },
        f"{q.setting.says}, 400 rounds (left side rounded down)",
    )


_ONE = "smoothness server_step_size max_staleness num_rounds objective_spread largest_weight"
_NONE = (
    "initial_distance_squared round_optimum_noise round_optimum_noise_squared optimum_noise"
    " covariance_factor"
)
RATE_PATH: dict[str, Formula] = {
    **dict.fromkeys(_ONE.split(), sympy.S.One),
    **dict.fromkeys(_NONE.split(), sympy.S.Zero),
    "variance_excess": sympy.S.One,
    "local_steps": sympy.S(2),
    "local_step_size": 1 / (144 * 2 * RHO**2 * 2),
}
NOISE_PATH = RATE_PATH | dict.fromkeys(
    ("covariance_factor", "round_optimum_noise", "round_optimum_noise_squared"), sympy.S.One
)


def along_total_weight(path: dict[str, Formula], claim: Claim) -> Evidence:
    """The order of Theorem 1 as rho grows, at its step size (eq. 31)."""
    return check_order_limit(
        claim,
        derived=path,
        variable=RHO,
        covers="growing total weight, at the step size of Theorem 1",
    )


def without_powers(claim: Claim) -> Claim:
    """A falsehood: the printed terms over rho."""
    assert isinstance(claim.statement, Order)
    return claim.planted(right=ORDER_BEFORE_32 / RHO)


CHECKS = (
    Check("fraboni.thm1", rough_run),
    Check("fraboni.thm1.sampling", many_local_steps),
    Check("fraboni.thm1.learning_rate", every_run),
    Check("fraboni.thm1.learning_rate", longer_runs, slow=True),
    Check("fraboni.thm1.hidden_rho", partial(along_total_weight, RATE_PATH)),
    Check("fraboni.eq31", partial(along_total_weight, RATE_PATH)),
    Check("fraboni.eq31.corrected", partial(along_total_weight, NOISE_PATH), plant=without_powers),
    Check("fraboni.cor1", light_client),
    Check("fraboni.cor1.corrected", fair_runs),
)
