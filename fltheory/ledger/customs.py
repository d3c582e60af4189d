"""What a claim about runs takes for granted although no formula states it: a run that is unusual in
one of these respects is no counterexample, whatever else it does."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import fltheory.algorithms
from fltheory.claims.claim import Claim
from fltheory.claims.hypotheses import AveragingIs, ParticipationIs, StepSizeIs, hypotheses
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.ranges import names_of, speaks_of_importance
from fltheory.core.exact import exact, shares
from fltheory.core.registry import find_member
from fltheory.engine.traits import NO_SERVER_STEP, STARTS_FROM_OLD_MODELS
from fltheory.papers import papers


def _weights_are_importance(run: Scenario) -> bool:
    if "weights" not in find_member(fltheory.algorithms, run.algorithm).needs:
        return True
    return tuple(exact(x) for x in run.settings["weights"]) == tuple(run.problem.importance)


def _whole_server_step(run: Scenario) -> bool:
    facts = find_member(fltheory.algorithms, run.algorithm).facts
    return NO_SERVER_STEP not in facts or run.server_step_size == Fraction(1)


def _fresh_models(run: Scenario) -> bool:
    facts = find_member(fltheory.algorithms, run.algorithm).facts
    return STARTS_FROM_OLD_MODELS in facts or not run.trace.delays.any()


CUSTOMS: Mapping[str, tuple[Callable[[Scenario], bool], str]] = {
    "equal-importance": (
        lambda run: tuple(run.problem.importance) == shares(None, run.trace.num_clients),
        "clients of unequal importance, of which the claim does not speak",
    ),
    "weights-are-importance": (
        _weights_are_importance,
        "weights that differ from the importance of the clients",
    ),
    "sure-participation": (
        lambda run: run.participation is None,
        "random participation, of which the claim does not speak",
    ),
    "constant-step": (
        lambda run: not isinstance(run.local_step_size, tuple),
        "step sizes that change, of which the claim does not speak",
    ),
    "no-averaging": (
        lambda run: not run.averaging,
        "weights of an average, of which the claim does not speak",
    ),
    "whole-server-step": (_whole_server_step, "a step size of a server that has none"),
    "current-models": (
        _fresh_models,
        "clients that start from old models, of which neither the method nor the claim speaks",
    ),
}
"""Each custom: whether a run keeps it, and what a run does that breaks it."""


def customs_of(claim: Claim) -> tuple[str, ...]:
    """The customs that a run must keep. The claims of a paper state all their hypotheses; in a
    claim of one's own, clients are equally important, weights are importances, participation is not
    random, step sizes are constant, a server without a step size takes whole steps, and clients
    start from the current model unless their method lets them start from old ones, unless the claim
    speaks of it."""
    if not claim.about or claim.source.paper.key in papers():
        return ()
    names = names_of(claim)
    spoken = {
        "equal-importance": speaks_of_importance(claim),
        "sure-participation": bool(hypotheses(claim, ParticipationIs)),
        "constant-step": bool(hypotheses(claim, StepSizeIs)),
        "no-averaging": bool(hypotheses(claim, AveragingIs)),
        "whole-server-step": "server_step_size" in names,
        "current-models": any("delay" in name for name in names),
    }
    return tuple(name for name in CUSTOMS if not spoken.get(name, False))


def unusual(claim: Claim, run: Scenario) -> str:
    """What a run does that no claim allows for, or not the claim of a user; empty if nothing.

    No claim speaks of step sizes that are not above 0, and a bound on the noise of gradients is
    none on noise that grows with them, unless the claim has a symbol for it.
    """
    sizes = run.local_step_size if isinstance(run.local_step_size, tuple) else [run.local_step_size]
    if min(*sizes, run.server_step_size) <= 0:
        return "a step size that is not above 0"
    if run.relative_noise and "relative_noise" not in names_of(claim):
        return "relative noise, of which the claim does not speak"
    broken = (CUSTOMS[name][1] for name in customs_of(claim) if not CUSTOMS[name][0](run))
    found = next(broken, "")
    if not found and claim.about and claim.source.paper.key not in papers():
        known = run.algorithm in claim.about
        found = "" if known else f"a run of {run.algorithm}, of which the claim does not speak"
    return found
