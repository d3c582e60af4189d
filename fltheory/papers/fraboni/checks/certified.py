"""Theorems 1 to 3, Corollary 1 and Lemmas 3 to 7 over all smooth convex clients, without noise:
certificates."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

from fltheory.analysis.inequalities.expressions import Expression, Vector
from fltheory.analysis.inequalities.sketch import ORIGIN, Sketch
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.claims.checks.inequality import Lemma, Stated, checks_of
from fltheory.claims.checks.instances import Instance
from fltheory.core.types import Scalar, Values
from fltheory.papers.fraboni.checks.appendix_types import gradient_run, typed_values
from fltheory.papers.fraboni.checks.best import all_constants
from fltheory.papers.fraboni.checks.path_run import PathWork, Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import (
    LEMMA_STEPS,
    ONE,
    TWO,
    certain,
    learning_rate,
    on_clock,
    round_values,
    turns,
)
from fltheory.papers.fraboni.checks.theorem1 import loss_gap
from fltheory.papers.fraboni.checks.theorem3 import window_run
from fltheory.papers.fraboni.checks.unknowns import NOTHING, Unknowns
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous

F = Fraction
UNIT: PathWork = {"local_step_size": F(1)}
ALONE, PAIR = ONE | UNIT, TWO | UNIT
ALWAYS = certain([(0,)] * 4)
SETTINGS: dict[str, tuple[Setting, int]] = {
    "one": (Setting("one client", weights=(1,), paths=ALWAYS, **ALONE), 1),
    "light": (Setting("one client of weight 1/5", weights=(F(1, 5),), paths=ALWAYS, **ALONE), 1),
    "synchronous": (on_clock((1, 2), Synchronous(), 3, **PAIR), 1),
    "turns": (Setting("two clients in turn", weights=(1, 1), paths=turns(4), **PAIR), 2),
    "fedfix": (on_clock((1, 2), FixedWindow(1), 4, **PAIR), 2),
    "asynchronous": (on_clock((1, 2), Asynchronous(), 6, **PAIR), 3),
}
"""Participations and their windows: rounds after which the mean weights repeat."""

_GIVEN = (
    "num_rounds num_clients local_steps local_step_size server_step_size smoothness max_staleness"
    " covariance_factor variance_excess largest_total_weight virtual_factor shared_steps"
    " mean_total_weight least_total_weight total_weight balance_period mean_mismatch"
    " largest_mismatch mismatch largest_round_weight server_factor"
)
"""Symbols that participation, weights and step sizes decide, whatever the functions are."""


def _given(values: Values) -> dict[str, Scalar | str]:
    return {name: values[name] for name in _GIVEN.split() if name in values}


def _exact(name: str, local_steps: int, server: int, size: Fraction | None = None) -> Quantities:
    setting = replace(SETTINGS[name][0], local_steps=local_steps, server_step_size=server)
    return Quantities(
        learning_rate(setting) if size is None else replace(setting, local_step_size=size)
    )


@cache
def whole_run(name: str, local_steps: int, server: int) -> Stated:
    """A run at the largest step size of Theorem 1; gradients are at most 1 where Theorem 3 asks for
    a bound."""
    exact = _exact(name, local_steps, server)
    over = Unknowns(exact)
    quantities = over.of_run()
    member = {
        **window_run(exact, SETTINGS[name][1]).values,
        **gradient_run(exact).values,
        **all_constants(exact, SETTINGS[name][1]),
        "mean_loss_gap": loss_gap(exact),
    }
    numbers = _given(member) | {"gradient_bound": 1}
    bounded = tuple(gradient**2 - 1 for records in over.sketch.records for _, gradient in records)
    return Stated(over.sketch, quantities, numbers, bounded, (Instance(member),))


def unbounded(name: str, local_steps: int, server: int) -> Stated:
    """The same without a bound on the gradients."""
    return replace(whole_run(name, local_steps, server), assumed=())


@cache
def last_round(name: str, local_steps: int, server: int) -> Stated:
    """The last round of a run with large steps."""
    exact = _exact(name, local_steps, server, LEMMA_STEPS[local_steps])
    over, n = Unknowns(exact), exact.setting.num_rounds - 1
    quantities, member = over.of_round(n), round_values(exact, n)
    return Stated(over.sketch, quantities, _given(member), (), (Instance(member),))


@cache
def types(importance: Fraction, weights: tuple[Fraction, ...]) -> Stated:
    """Lemma 7 and the display of Theorem 2 at any point, for two data types; the origin is the
    optimum of the round's objective."""
    sketch, r = Sketch(FunctionClass(1), 2), (importance, 1 - importance)
    shares = [w / sum(weights) for w in weights]
    here = [j for j in range(2) if weights[j]]
    own = [sketch.vector() if len(here) == 2 or j not in here else ORIGIN for j in range(2)]
    if len(here) == 2:
        sketch.common_optimum(weights)
    for j in range(2):
        sketch.tell(j, own[j], ORIGIN)
    x = sketch.vector()

    def above(j: int, point: Vector) -> Expression:
        """F_j - F_j*."""
        return sketch.value(j, point) - sketch.value(j, own[j])

    def slope(weights: Iterable[Fraction]) -> Vector:
        """sum_j weight_j grad F_j at x."""
        return sum((w * sketch.gradient(j, x) for j, w in enumerate(weights)), ORIGIN)

    quantities = {
        "squared_global_gradient": slope(r) ** 2,
        "squared_gradient_gap": slope(a - b for a, b in zip(r, shares, strict=True)) ** 2,
        "round_excess": sum(
            (weights[j] * (sketch.value(j, x) - sketch.value(j, ORIGIN)) for j in here), NOTHING
        ),
        "types_at_point": sum((shares[j] * above(j, x) for j in here), NOTHING),
        "types_at_optimum": sum((shares[j] * above(j, ORIGIN) for j in here), NOTHING),
        "absent_types": sum((r[j] * above(j, x) for j in range(2) if j not in here), NOTHING),
    }
    member = typed_values(r, weights, (F(1), F(1, 3)), (0, 1), 3)
    return Stated(sketch, quantities, _given(member), (), (Instance(member),))


Run = tuple[str, int, int]
"""A participation, a number of local steps and a server step."""


def _runs(text: str) -> list[Run]:
    """Runs written as `participation local-steps server-step`, separated by commas."""
    return [(name, int(k), int(server)) for name, k, server in map(str.split, text.split(","))]


PLAIN = _runs(
    "one 1 1, one 2 1, synchronous 1 1, synchronous 2 1, turns 1 1, turns 2 1, turns 2 3,"
    "fedfix 1 1, asynchronous 1 1"
)
FAIR = _runs(
    "one 1 1, one 2 1, light 1 1, light 2 3, synchronous 1 1, synchronous 2 1, synchronous 2 3"
)
ROUND = _runs(
    "one 2 1, synchronous 2 1, turns 1 1, turns 2 1, turns 2 3, fedfix 1 1, asynchronous 1 1"
)
TYPES = [
    (F(1, 2), (F(1), F(0))),
    (F(1, 2), (F(1, 2), F(4))),
    (F(1, 4), (F(1, 2), F(1, 2))),
    (F(1, 4), (F(4), F(1))),
]


def _lemmas(
    claims: str, state: Callable[[str, int, int], Stated], cases: Sequence[Run]
) -> list[Lemma]:
    """One lemma for each claim (separated by blanks) and each run."""
    return [
        Lemma(
            f"fraboni.{claim}",
            f"{name}-steps{steps}-server{server}",
            partial(state, name, steps, server),
        )
        for claim in claims.split()
        for name, steps, server in cases
    ]


RUNS = _lemmas("thm1.best.certain thm2.corrected lem6.corrected", unbounded, PLAIN)
WINDOWS = _lemmas("thm3.learning_rate thm3.gradient.corrected", whole_run, PLAIN)
FAIRLY = _lemmas("cor1.corrected", unbounded, FAIR)
ROUNDS = _lemmas(
    "eq22.corrected eq28.corrected lem3.corrected lem3.gradients.corrected lem4.corrected"
    " lem5.corrected",
    last_round,
    ROUND,
)
TWO_TYPES = [
    Lemma(
        f"fraboni.{claim}",
        f"importance{r}-weights{s[0]}-{s[1]}".replace("/", "over"),
        partial(types, r, s),
    )
    for claim in ("lem7", "thm2.display.corrected")
    for r, s in TYPES
]
LEMMAS = [*RUNS, *WINDOWS, *FAIRLY, *ROUNDS, *TWO_TYPES]

CLASS = "all 1-smooth convex clients with minimisers, no noise, "
LARGEST = "any start, at the largest step size of Theorem 1: "
KINDS = (
    "one client (4 rounds, K = 1 and 2), update times (1, 2) synchronous (3 rounds, K = 1 and 2),"
    " two clients in turn (4 rounds, K = 1 and 2, server step 1, K = 2 also server step 3), FedFix"
    " of window 1 (4 rounds) and asynchronous (6 rounds) with K = 1"
)
CHECKS = [
    *checks_of(RUNS, covers=f"{CLASS}{LARGEST}{KINDS}"),
    *checks_of(WINDOWS, covers=f"{CLASS}gradients up to 1, {LARGEST}{KINDS}"),
    *checks_of(
        FAIRLY,
        covers=(
            f"{CLASS}{LARGEST}one client of weight 1 (K = 1 and 2) and of weight 1/5 (K = 1, and K"
            " = 2 with server step 3), 4 rounds; update times (1, 2) synchronous (3 rounds, K = 1"
            " and 2, server step 1, K = 2 also server step 3)"
        ),
    ),
    *checks_of(
        ROUNDS,
        covers=(
            f"{CLASS}any start, x the optimum of the mean objective, last round of: one client (4"
            " rounds) and update times (1, 2) synchronous (3 rounds) with K = 2; two clients in"
            " turn (4 rounds, K = 1 and 2, server step 1, K = 2 also server step 3); FedFix of"
            " window 1 (4 rounds) and asynchronous (6 rounds) with K = 1; step size 1/2 (K = 1),"
            " 1/12 (K = 2)"
        ),
    ),
    *checks_of(
        TWO_TYPES,
        covers=(
            f"{CLASS}any point, two types: importance 1/2 with weights (1, 0) and (1/2, 4),"
            " importance 1/4 with weights (1/2, 1/2) and (4, 1)"
        ),
    ),
]
