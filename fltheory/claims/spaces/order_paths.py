"""Paths of runs along which the left side of an order has a proved lower bound.

The provable paths have N clients with the loss h x^2/2 that take one step of a constant size s in
every round, so that E x_t^2 = a^(2t) x_0^2 + v (1 - a^(2t))/(1 - a^2) with a = 1 - s h and v = s^2
sigma^2/N; N is 1, or grows along the path. For 0 < s h <= 1 two lower bounds follow that are
rational in s: without noise every average over the models before the rounds has its first term,
x_0^2/T; from the start 0 the noise gives E x_t^2 >= (s sigma^2/(2 h N)) (2 s h t)/(1 + 2 s h t),
because 1 - a^2 <= 2 s h and (1 - s h)^(2t) <= 1/(1 + 2 s h t). A third one is for steps so short
that s h T <= 1: no model is closer than (1 - s h T) x_0, by Bernoulli's inequality; or for a
coordinate so flat, beside another one of curvature 1 that stays at its optimum. The conditions are
proved for every point of the path, and the limit of left/right is exact.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy

import fltheory.algorithms
from fltheory.claims.checks.bound_on_run import measurements
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.hypotheses import LossesAre
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import SCALE
from fltheory.claims.spaces.ranges import formulas
from fltheory.claims.spaces.step_roots import solutions
from fltheory.core.exact import exact
from fltheory.core.registry import find_member
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

ROUNDS = (16 * SCALE**2, 10**4 * SCALE**2)
"""Numbers of rounds along a path: even, and squares."""

PATHS = ((1, 0, sympy.S.One), (0, 1, sympy.S.One), (0, 1, 2 * SCALE))
"""Start, variance of the noise and number of clients; only noise is different for many."""

STARTS_WITH = {
    "mean_squared_gradient": 1,
    "average_loss_gap": Fraction(1, 2),
    "average_squared_distance": 1,
}
"""Averages over the models before the rounds, as a factor of E x_t^2 for h = 1."""

ENDS_WITH = {
    "last_squared_gradient": 1,
    "last_loss_gap": Fraction(1, 2),
    "last_squared_distance": 1,
}
"""Values at the last model, as a factor of E x_T^2 for h = 1."""

BENDS = {
    name: 2 if "gradient" in name else 0 if "distance" in name else 1
    for name in STARTS_WITH | ENDS_WITH
}
"""Powers of the curvature h in these factors."""

HALF = sympy.Rational(1, 2)

PLAIN = frozenset(
    {"fedavg", "fedsgd", "sync", "mifa", "mifa-difference", "fedlaavg", "afa-cd", "afa-cs"}
)
"""Methods that are gradient descent for one client with one local step in every round; a few
rounds of each are run to confirm it."""

CLIENTS = (
    "num_clients",
    "clients_per_round",
    "most_clients_per_round",
    "clients_in_first_round",
    "fresh_entries",
)
"""Quantities that are the number of clients on such a path."""

IMPORTANCES = ("least_importance", "largest_importance", "sum_squared_importance")
"""Quantities that are the inverse of the number of clients."""

ONES = (
    "local_steps",
    "least_local_steps",
    "mean_local_steps",
    "availability_window",
    "server_step_size",
    "smoothness",
    "strong_convexity",
    "global_smoothness",
    "global_strong_convexity",
    "mean_smoothness",
    "pl_constant",
    "availability_probability",
    "relative_dissimilarity",
    "balance_period",
)
"""Quantities that are 1 on such a path."""

ZEROS = (
    "max_staleness",
    "mean_staleness",
    "mean_client_max_staleness",
    "max_delay",
    "mean_delay",
    "staleness_bound",
    "dissimilarity",
    "mean_dissimilarity",
    "dissimilarity_at_optimum",
    "client_minima_gap",
    "weak_convexity",
    "relative_noise",
    "optimum",
)
"""Quantities that are 0 on such a path."""

SHORT = 4
"""Rounds of the confirming run."""


def paths(claim: Claim) -> Iterator[Instance]:
    """Paths that meet every condition at every scale, with a lower bound in place of the left
    side."""
    name = str(claim.statement.left)
    classes = [a.holds for a in claim.assumes if not isinstance(a.holds, Condition)]
    fits = all(isinstance(one, LossesAre) and one.kind != "nonconvex" for one in classes)
    method = next((one for one in claim.about if one in PLAIN), None)
    if not fits or method is None or name not in STARTS_WITH | ENDS_WITH:
        return
    for rounds, (start, noise, clients) in product(ROUNDS, PATHS):
        for step, bend in _steps_and_bends(claim, rounds, start, noise, clients):
            if start and name in ENDS_WITH and step * bend * rounds != HALF:
                continue
            values = _values(rounds, start, noise, bend, clients) | {
                "local_step_size": step,
                name: lower_bound(name, rounds, step, noise=noise, bend=bend, clients=clients),
            }
            if _meets(claim, values) and _confirmed(claim, method, values, start, noise, bend):
                loss = "x^2/2" if bend == 1 else f"x^2/2 + {bend} y^2/2"
                crowd = "one client" if clients == 1 else f"{clients} clients"
                told = f"{crowd} with loss {loss}, {rounds} rounds, step {step}"
                own = {s.name: values[s.name] for s in claim.symbols}
                yield Instance(own, f"{told}, start {start}, noise of variance {noise}")


def _steps_and_bends(
    claim: Claim, rounds: sympy.Expr, start: int, noise: int, clients: sympy.Expr
) -> Iterator[tuple[sympy.Expr, sympy.Expr]]:
    """Step sizes with the curvature of the coordinate that is looked at: short steps, then those of
    the conditions, with the curvature 1 or so flat that the model stays near its start."""
    yield HALF / rounds if start else HALF / SCALE, sympy.S.One
    for step in steps(claim, _values(rounds, start, noise, sympy.S.One, clients)):
        yield step, sympy.S.One
        if start:
            yield step, sympy.powdenest(HALF / (step * rounds), force=True)


def lower_bound(
    name: str,
    rounds: sympy.Expr,
    step: sympy.Expr,
    *,
    noise: int,
    bend: sympy.Expr = sympy.S.One,
    clients: sympy.Expr = sympy.S.One,
) -> sympy.Expr:
    """The bound on the left side; see above. With noise h is 1, and an average over all rounds is
    at least half the value at half of them, because E x_t^2 grows from the start 0."""
    factor = sympy.Rational(str((STARTS_WITH | ENDS_WITH)[name])) * bend ** BENDS[name]
    if not noise:
        way = sympy.simplify(step * bend * rounds)
        return factor * (1 - way) ** 2 if way.is_Rational and way <= 1 else factor / rounds
    length = rounds / 2 if name in STARTS_WITH else rounds
    value = step / (2 * clients) * (2 * step * length) / (1 + 2 * step * length)
    return factor * value * (sympy.Rational(1, 2) if name in STARTS_WITH else 1)


def _values(
    rounds: sympy.Expr, start: int, noise: int, bend: sympy.Expr, clients: sympy.Expr
) -> dict[str, sympy.Expr]:
    one = dict.fromkeys(ONES, sympy.S.One) | dict.fromkeys(CLIENTS, clients)
    zero = dict.fromkeys(ZEROS, sympy.S.Zero)
    start_values = {
        "initial_distance": sympy.Integer(start),
        "initial_loss_gap": start * bend / 2,
        "initial_squared_gradient": start * bend**2,
        **dict.fromkeys(("strong_convexity", "global_strong_convexity", "pl_constant"), bend),
        "gradient_noise": sympy.Integer(noise),
        "num_rounds": rounds,
        **dict.fromkeys(IMPORTANCES, 1 / clients),
    }
    return {**one, **zero, **start_values}


def steps(claim: Claim, values: dict[str, sympy.Expr]) -> Iterator[sympy.Expr]:
    """Step sizes of at most 1 that the conditions set or admit at their edge."""
    edges = []
    for condition in formulas(claim):
        for root in solutions(condition):
            known = {s: values[s.name] for s in root.free_symbols if s.name in values}
            value = sympy.powdenest(sympy.simplify(root.xreplace(known)), force=True)
            if value.free_symbols <= {SCALE}:
                edges.append(value)
    yield from dict.fromkeys([*edges, sympy.S.One, sympy.Rational(1, 2)])


def _meets(claim: Claim, values: dict[str, sympy.Expr]) -> bool:
    step = values["local_step_size"]
    bare = sympy.Symbol("step")
    size = {"step": step, "bend": values["strong_convexity"]}
    bent = sympy.Symbol("bend")
    short = Condition("", bare, "<=", sympy.S.One).along(size)
    flat = Condition("", bent, "<=", sympy.S.One).along(size)
    above = Condition("", sympy.S.Zero, "<", bare).along(size)
    if any(one is not True for one in (short, flat, above)):
        return False
    if not {s.name for s in claim.symbols} <= set(values):
        return False
    for condition in formulas(claim):
        names = {s.name for s in condition.symbols}
        if not names <= set(values) or condition.along(values) is not True:
            return False
    return True


def _confirmed(
    claim: Claim,
    method: str,
    values: dict[str, sympy.Expr],
    start: int,
    noise: int,
    bend: sympy.Expr,
) -> bool:
    """Is a short run of the method at least as large as the bound says?"""
    size, flat = (x.subs(SCALE, 1) for x in (values["local_step_size"], bend))
    if not size.is_Rational or not flat.is_Rational:
        return False
    name, needs = str(claim.statement.left), find_member(fltheory.algorithms, method).needs
    bends = ((1,) if flat == 1 else (1, exact(str(flat))),)
    clients = int(values["num_clients"].subs(SCALE, 1))
    centres = ((0,) * len(bends[0]),) * clients
    run = Scenario(
        method,
        Quadratic(bends * clients, centres, noise_squared=noise),
        Trace.fresh([[1] * clients] * SHORT),
        start=start if flat == 1 else (0, start),
        local_step_size=exact(str(size)),
        settings={"weights": (Fraction(1, clients),) * clients} if "weights" in needs else {},
    )
    crowd = sympy.Integer(clients)
    bound = lower_bound(name, sympy.Integer(SHORT), size, noise=noise, bend=flat, clients=crowd)
    return bool(measurements(claim, run)[name] >= Fraction(int(bound.p), int(bound.q)))
