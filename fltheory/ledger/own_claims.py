"""Claims of one's own, of which nothing is recorded: their explanation, and the worst case beside
their bounds."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import fltheory.algorithms
from fltheory.claims.bound_sweeps import Asked, BoundSweep, SweepPoint
from fltheory.claims.claim import Authorship, Claim, UpperBound
from fltheory.claims.condition import Condition
from fltheory.claims.hypotheses import LossesAre, hypotheses
from fltheory.claims.measures import Measurements
from fltheory.claims.own_constants import failing, server_step, step_at
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.ranges import fixed, names_of
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import find_member
from fltheory.core.types import Scalar
from fltheory.engine.traits import STARTS_FROM_OLD_MODELS
from fltheory.ledger.explain import explanation
from fltheory.ledger.explanation import Explanation
from fltheory.ledger.sceptic import CommandEntry
from fltheory.papers.claim_files import read_claims
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

UNIT = {
    "initial_loss_gap": "loss_gap",
    "initial_distance": "distance_squared",
    "dissimilarity": "dissimilarity_squared",
    "mean_dissimilarity": "mean_dissimilarity_squared",
    "dissimilarity_at_optimum": "heterogeneity",
    "gradient_bound": "gradient_bound_squared",
}
"""Quantities that are 1 in a worst case, and the conditions on the class that they set."""

CURVED = Fraction(1, 10)
"""The strong convexity of a class of smoothness 1, where a claim speaks of it."""

LEFT = (
    "mean_squared_gradient",
    "min_squared_gradient",
    "last_squared_gradient",
    "last_loss_gap",
    "average_loss_gap",
    "loss_gap_of_average",
)
"""Left sides whose worst case can be computed."""

OF_TRACE = [
    "num_clients",
    "num_rounds",
    "local_steps",
    "least_local_steps",
    "mean_local_steps",
    "clients_per_round",
    "most_clients_per_round",
    "clients_in_first_round",
    "availability_window",
    "staleness_bound",
    "max_staleness",
    "mean_staleness",
    "mean_client_max_staleness",
    "max_delay",
    "mean_delay",
    "fresh_entries",
    "balance_period",
    "least_importance",
    "largest_importance",
    "sum_squared_importance",
]
"""Quantities that the trace determines, of equally important clients."""


def explanation_of_own(claim: Claim, file: Path) -> Explanation:
    """What a claim says, in its own symbols; nothing is known of it until it is attacked."""
    does = {
        "Search for a counterexample": f"fltheory attack {file} -o found",
        "Compare its bound with the worst case": f"fltheory looseness {file}",
        "Measure its rate": f"fltheory rates --algorithm {file}",
    }
    commands = [CommandEntry(does=what, run=run, standalone=False) for what, run in does.items()]
    cite = "nothing: this claim is in no paper here, and nothing about it is recorded"
    source = f"{claim.source.place} in {file}"
    told = explanation(claim, [], [])
    return replace(
        told,
        commands=commands,
        cite=cite,
        source=source,
        kind=Authorship.OURS.name,
        authorship="stated by you",
    )


def own_sweeps(file: Path, bad: list[str]) -> dict[str, BoundSweep]:
    """The sweep of each claim of a file; what is wrong with single claims is added to `bad`."""
    found = {}
    for claim in read_claims(file, bad=bad):
        try:
            found[claim.id] = _sweep(claim)
        except InvalidInput as problem:
            bad.append(str(problem))
    return found


def _sweep(claim: Claim) -> BoundSweep:
    owner = f"claim {claim.id}"
    if not isinstance(claim.statement, UpperBound) or not claim.about:
        raise InvalidInput(
            owner, "bound a quantity of runs from above, for a worst case", claim.statement.sign
        )
    if str(claim.statement.left) not in LEFT:
        left = str(claim.statement.left)[:60]
        raise InvalidInput(f"left side of {owner}", f"be one of {', '.join(LEFT)}", left)
    known = {*OF_TRACE, *UNIT, "smoothness", "strong_convexity", "gradient_noise"}
    known |= {"local_step_size", "server_step_size", "weak_convexity", "global_smoothness"}
    unknown = sorted(names_of(claim) - known - {str(claim.statement.left)})
    if unknown or fixed(claim).get("gradient_noise"):
        rule = "speak of quantities that a worst case without noise determines"
        raise InvalidInput(owner, rule, unknown[0] if unknown else "noise")
    others = [a for a in claim.assumes if not isinstance(a.holds, Condition | LossesAre)]
    if others:
        raise InvalidInput(owner, "have conditions that a worst case can state", others[0].says)
    return BoundSweep(
        claim.id,
        lambda at: _asked(claim, at),
        claim.says,
        stated=claim,
        admits=lambda at: _admitted(claim, at) is not None,
    )


def _admitted(claim: Claim, at: SweepPoint) -> tuple[Trace, dict[str, Scalar]] | None:
    """The first trace of the point that meets the claim's conditions, with its quantities."""
    late = STARTS_FROM_OLD_MODELS in find_member(fltheory.algorithms, claim.about[0]).facts
    plain = at.aged()
    for trace in (at.by_turns(), plain) if late or not plain.delays.any() else (at.by_turns(),):
        try:
            values = _values(claim, trace)
        except InvalidInput:  # without a first delivery of every client there is no staleness
            continue
        if not failing(claim, values):
            return trace, values
    return None


def _values(claim: Claim, trace: Trace) -> dict[str, Scalar]:
    """The claim's quantities on a trace, for losses of smoothness 1."""
    clients = trace.num_clients
    flat = Quadratic((1,) * clients, (0,) * clients)
    run = Scenario(claim.about[0], flat, trace, start=0, local_step_size=1)
    measured, names = Measurements(run), names_of(claim)
    values: dict[str, Scalar] = {name: measured[name] for name in OF_TRACE if name in names}
    values |= dict.fromkeys((*UNIT, "smoothness", "global_smoothness"), Fraction(1))
    values |= {"strong_convexity": CURVED, "gradient_noise": Fraction(0)}
    values |= {"weak_convexity": Fraction(0 if _convex(claim) else 1)}
    values["server_step_size"] = server_step(claim)
    step = step_at(claim, values)
    below = step if isinstance(step, Fraction) else Fraction(step).limit_denominator(10**6)
    return values | {"local_step_size": below}


def _convex(claim: Claim) -> bool:
    """Does the claim speak of convex clients only?"""
    kinds = {one.kind for one in hypotheses(claim, LossesAre)}
    return (
        bool(kinds & {"convex", "strongly-convex", "quadratic"})
        or "strong_convexity" in names_of(claim)
        or fixed(claim).get("weak_convexity") == 0
    )


def _asked(claim: Claim, at: SweepPoint) -> Asked:
    """The worst case at a point over the class that the claim states."""
    from fltheory.analysis.worst_case.case import Case
    from fltheory.analysis.worst_case.function_classes import FunctionClass
    from fltheory.analysis.worst_case.question import Conditions, Metric, Question

    found = _admitted(claim, at)
    assert found is not None  # rows are asked for at points that the claim admits
    trace, values = found
    names, left = names_of(claim), str(claim.statement.left)
    strong = "strong_convexity" in names
    bounds = {bound: 1 for name, bound in UNIT.items() if name in names}
    if not _convex(claim):
        bounds["loss_gap"] = 1
    rounds = trace.num_rounds
    last, average = (0,) * rounds + (1,), (1,) * rounds + (0,)
    metric, weights = {
        "mean_squared_gradient": (Metric.MEAN_SQUARED_GRADIENT, average),
        "min_squared_gradient": (Metric.MIN_SQUARED_GRADIENT, None),
        "last_squared_gradient": (Metric.MEAN_SQUARED_GRADIENT, last),
        "last_loss_gap": (Metric.LOSS, last),
        "average_loss_gap": (Metric.MEAN_LOSS, average),
        "loss_gap_of_average": (Metric.LOSS, average),
    }[left]
    functions = FunctionClass(1, CURVED if strong else 0, convex=_convex(claim))
    question = Question(functions, Conditions(**bounds), metric, weights)
    needs = find_member(fltheory.algorithms, claim.about[0]).needs
    equal = {"weights": (Fraction(1, trace.num_clients),) * trace.num_clients}
    settings = equal if "weights" in needs else {}
    step, server = values["local_step_size"], values["server_step_size"]
    case = Case(claim.about[0], trace, question, step, server, settings)
    return case, {s.name: values[s.name] for s in claim.statement.right.free_symbols}
