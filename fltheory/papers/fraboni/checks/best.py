"""The best known forms of Theorems 1 to 3 on exact runs at the edge of their conditions: small runs
of every kind, with delays, and crowds of up to a thousand sampled clients."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Scalar, Values
from fltheory.papers.fraboni.checks.appendix_types import gradient_run
from fltheory.papers.fraboni.checks.crowds import TwoKinds, crowds, with_size
from fltheory.papers.fraboni.checks.path_run import Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import (
    base_settings,
    certain,
    common_values,
    run_values,
    told,
)
from fltheory.papers.fraboni.hypotheses import CONDITION_VARIANCE, LEARNING_RATE
from fltheory.papers.fraboni.paper import LOCAL
from fltheory.papers.fraboni.statements import best, best_windows

F = Fraction
HALVINGS = 40

RATE = sympy.Le(LOCAL, LEARNING_RATE)
VIRTUAL = (best.CONDITION_C1, best.CONDITION_C2, best.CONDITION_ROUND, best.CONDITION_C3)
CONDITIONS: dict[str, tuple[sympy.Rel, ...]] = {
    "thm1.best": VIRTUAL,
    "thm1.best.server": (
        best.CONDITION_C1_SERVER,
        best.CONDITION_C2_SERVER,
        best.CONDITION_C3,
    ),
    "thm1.best.certain": (
        best.CONDITION_C1,
        best.CONDITION_C2_CERTAIN,
        best.CONDITION_C3_CERTAIN,
    ),
    "thm1.learning_rate": (RATE, CONDITION_VARIANCE),
    "cor1.best": VIRTUAL,
    "thm2.best": VIRTUAL,
    "thm3.best": VIRTUAL,
    "thm3.learning_rate": (RATE, CONDITION_VARIANCE),
    "thm3.windows": (best_windows.CONDITION_F3,),
}
"""The conditions on the step sizes of each claim, by its name without the paper's key."""


def holds(conditions: Sequence[sympy.Rel], values: Values) -> bool:
    """Whether all conditions hold at these values."""
    return all(Condition.of("", relation)(values) is True for relation in conditions)


def at_edge(conditions: Sequence[sympy.Rel], values: Values) -> Fraction:
    """The largest local step size at most 1/L that meets the conditions, to nine digits from below;
    0 if there is none. It is found in floating point and then decided exactly."""
    given = {
        s: float(F(str(values[s.name])))
        for relation in conditions
        for s in relation.free_symbols
        if s != LOCAL
    }
    sides = [r.lhs.xreplace(given) - r.rhs.xreplace(given) for r in conditions]
    low, high = 0.0, 1 / float(F(str(values["smoothness"])))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        fits_all = all(side.xreplace({LOCAL: sympy.Float(middle)}) <= 0 for side in sides)
        low, high = (middle, high) if fits_all else (low, middle)
    found = F(int(low * (1 - 1e-9) * 10**9), 10**9)
    return found if holds(conditions, {**values, "local_step_size": found}) else F(0)


def all_constants(q: Quantities, window: int) -> dict[str, Scalar]:
    """What the conditions name."""
    moved = [(q.setting.server_step_size * total - 1) ** 2 for total in q.totals]
    return common_values(q) | {
        "largest_round_weight": max(q.totals),
        "server_factor": max(F(1), *moved),
        "balance_period": window,
        "window_overlap": window if window > 1 else 0,
    }


def all_values(q: Quantities, window: int) -> dict[str, Scalar]:
    """What the theorems name, on a small exact run."""
    rounds = range(q.setting.num_rounds)

    def at_server(weights: Callable[[int], Sequence[Fraction]], counted: Sequence[int]) -> Fraction:
        total = q.mean(
            lambda run: sum((q.excess(weights(n), run.models[n]) for n in counted), F(0))
        )
        return total / len(rounds)

    return (
        run_values.__wrapped__(q)
        | all_constants(q, window)
        | {
            "mean_server_gap": at_server(lambda n: q.expected_weights[n], q.filled),
            "mean_server_objective_gap": at_server(lambda n: q.mean_weights, rounds),
            "mean_objective_gap": q.over_models(lambda model: q.excess(q.mean_weights, model)),
        }
    )


def longer() -> Iterator[Setting]:
    """More rounds and clients than the base settings: blocks of absences, one round of many clients
    that have never been heard, a large and a small server step."""
    for server, steps, block, count in (
        (F(1), 1, 10, 120),
        (F(3), 3, 4, 24),
        (F(1, 3), 2, 5, 30),
        (F(50), 2, 2, 20),
    ):
        blocks = certain([(0,) if n // block % 2 else (1, 2) for n in range(count)])
        yield Setting(
            f"absences of {block} rounds",
            (1, F(1, 2), F(1, 10)),
            (0, 1, -3),
            (1, F(1, 2), 2),
            blocks,
            F(1, 10),
            server,
            steps,
            start=3,
        )
    many = certain([(2,), (7,)])
    yield Setting(
        "two rounds of ten clients in turn",
        (1,) * 10,
        tuple(range(10)),
        (1,) * 10,
        many,
        F(1, 10),
        local_steps=3,
        start=4,
        noise=1,
    )


def settings() -> Iterator[Setting]:
    """All small settings."""
    yield from base_settings(8)
    yield from longer()


BOUNDED = ("thm2.best", "thm3.best", "thm3.learning_rate")
"""Claims whose quantities are computed without noise."""
SEEN = (
    "num_clients mean_total_weight shared_steps virtual_factor largest_total_weight"
    " balance_period window_overlap"
)
"""What the instances hold beside the symbols of the claims."""

SMALL = "exact runs of up to ten clients and 120 rounds with delays, absences, noise and sampling"
CROWDS = (
    "exact second moments of sampled runs of up to 1,000 clients, importance ratios up to 10^6, 100"
    " local steps and 400 rounds (left side rounded down)"
)


def window_of(q: Quantities) -> int:
    """The least number of rounds whose aligned windows all have the same sums of weights."""
    rows, rounds = q.expected_weights, q.setting.num_rounds
    for window in range(1, rounds):
        if rounds % window == 0:
            sums = {
                tuple(map(sum, zip(*rows[start : start + window], strict=True)))
                for start in range(0, rounds, window)
            }
            if len(sums) == 1:
                return window
    return rounds


def fits(name: str, q: Quantities) -> bool:
    """Whether the claim speaks of such a run and its quantities are known."""
    given = q.setting
    return not (
        (name == "thm1.best.certain" and q.is_random)
        or (name in BOUNDED and given.noise)
        or (name == "thm2.best" and (q.is_random or len(q.filled) < given.num_rounds))
        or (name == "cor1.best" and len({tuple(q.shares(n)) for n in q.filled}) > 1)
    )


def as_claimed(name: str, run: Quantities, window: int) -> Instance:
    """What the claim names, on a small run."""
    values = all_values(run, window)
    if name == "thm2.best":
        values |= gradient_run(run).values
    elif name in BOUNDED:
        values["gradient_bound"] = run.gradient_bound
    if name == "cor1.best":
        values["mean_loss_gap"] = own_gap(run)
    return Instance(values, told(run))


def small_runs(name: str) -> Iterator[Instance]:
    """Small exact runs at the edge of the claim's conditions and at a tenth of it."""
    for given in settings():
        q = Quantities(given)
        if not fits(name, q):
            continue
        window = window_of(q)
        edge = at_edge(CONDITIONS[name], all_constants(q, window))
        for share in (F(1), F(1, 10)) if edge else ():
            run = Quantities(replace(given, local_step_size=edge * share))
            yield as_claimed(name, run, window)


def own_gap(q: Quantities) -> Fraction:
    """The gap of the federated loss whose importances are the normalised weights of all rounds."""
    shares = q.shares(q.filled[0])
    return q.over_models(lambda model: q.excess(shares, model))


def crowd_instance(run: TwoKinds) -> Instance:
    """What the claims name, on a crowd: in all rounds its weights are fair."""
    found = run.instance()
    virtual = F(str(found.values["mean_round_gap"]))
    slope = run.total(lambda g: g.importance * g.curvature)
    more: dict[str, Scalar] = {
        "mean_loss_gap": virtual / run.weight,
        "mean_step_gradient": 2 * slope * virtual,
        **dict.fromkeys(("largest_mismatch", "misrepresentation", "unrepresented"), 0),
    }
    return Instance({**found.values, **more}, found.says)


def crowd_runs(name: str) -> Iterator[Instance]:
    """Crowds at the edge of the claim's conditions."""
    for crowd in crowds():
        edge = at_edge(CONDITIONS[name], crowd.values())
        if edge:
            yield crowd_instance(with_size(crowd, edge))


def on_small_runs(claim: Claim) -> Evidence:
    """The claim on small runs of every kind."""
    runs = small_runs(claim.id.removeprefix("fraboni."))
    return check_instances(claim, runs, method=Method.EXACT_RUN, covers=SMALL)


def on_crowds(claim: Claim) -> Evidence:
    """The claim on crowds."""
    runs = crowd_runs(claim.id.removeprefix("fraboni."))
    return check_instances(claim, runs, method=Method.EXACT_RUN, covers=CROWDS)


CHECKS = (
    *(Check(f"fraboni.{name}", on_small_runs) for name in CONDITIONS),
    *(
        Check(f"fraboni.{name}", on_crowds)
        for name in CONDITIONS
        if name not in ("thm1.best.certain", "thm3.best", "thm3.learning_rate")
    ),
)
