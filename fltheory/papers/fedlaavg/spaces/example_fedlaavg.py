"""Where Theorem 2 may fail: FedLaAvg on Example 1, round by round."""

from dataclasses import replace

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Provenance
from fltheory.claims.expectations import ExactRun
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given, space_of
from fltheory.claims.spaces.scoring import worst
from fltheory.papers.fedlaavg.checks.theorem2 import (
    MEASURED,
    constants,
    example,
    in_round,
    rounds_of,
    whole_run,
)

THEOREM_2 = "start optimum distance_of_optima staleness_bound local_step_size"


def draw_example(choices: Choices) -> tuple[Drawn, Scenario]:
    """FedLaAvg on Example 1 with step size 1/(2 sqrt T), T a square; starts on both sides of the
    optimum."""
    rounds = choices.whole(1, 3) ** 2
    first, second = choices.whole(1, 4), choices.whole(1, 4)
    place = (choices.number(-2, 2), choices.number(-2, 2), choices.number(-2, 2))
    run = replace(example(first, second, place, rounds), parameters={})
    return constants(first, second, place), run


def _theorem_2(choices: Choices, claim: Claim) -> Instance:
    """A whole run: its mean squared gradient and its best model."""
    values, run = draw_example(choices)
    return Instance(
        values | whole_run(run),
        _told(values, run),
        Provenance(run=run.to_json(), measures={name: name for name in MEASURED}),
    )


def _told(values: Drawn, run: Scenario) -> str:
    return (
        f"{run.trace.num_rounds} rounds, x0 = {run.start[0]}, optima"
        f" {', '.join(str(e[0]) for e in run.problem.optima)}, I = {values['staleness_bound']}"
    )


def _theorem_2_rounds(choices: Choices, claim: Claim) -> Instance:
    """The round that comes closest to a contradiction; corrected claims speak of points, once both
    clients are known."""
    values, run = draw_example(choices)
    points = claim.id in ("fedlaavg.thm2.eq6.corrected", "fedlaavg.thm2.eq11.corrected")
    warm = points or claim.id == "fedlaavg.thm2.step.corrected"
    models, data, found = ExactRun(run).models[:, 0], run.to_json(), []
    for t, places in rounds_of(run, points=points, warm=warm):
        here, measures = in_round(run, models, places)
        told = f"{_told(values, run)}, round {t}"
        found.append(Instance(values | here, told, Provenance(run=data, measures=measures)))
    choices.require(bool(found), "both clients are known")
    return worst(claim, found)


def _algebra(choices: Choices, claim: Claim) -> Drawn:
    """Any models, and x^t by eq. (6); step sizes up to 1/2."""
    before, first, second, optimum = (choices.number(-3, 3) for _ in range(4))
    size = choices.number("1/8", "1/2", max_denominator=8)
    return {
        "model_before": before,
        "first_latest_model": first,
        "second_latest_model": second,
        "optimum": optimum,
        "local_step_size": size,
        "model_after": before - size * (first + second - 2 * optimum),
    }


SPACES = (
    space_of(
        "fedlaavg thm2",
        "FedLaAvg on Example 1 for up to 9 rounds: any blocks, optima, and starts on both sides.",
        f"{THEOREM_2} mean_squared_gradient initial_loss_gap num_rounds best_squared_distance",
        _theorem_2,
        ("fedlaavg.thm2.explicit", "fedlaavg.thm2.corrected", "fedlaavg.thm2.best"),
    ),
    space_of(
        "fedlaavg thm2 rounds",
        "Every round of FedLaAvg on Example 1.",
        f"{THEOREM_2} model_before model_after first_latest_model second_latest_model",
        _theorem_2_rounds,
        tuple(
            f"fedlaavg.thm2.{name}{end}"
            for name in ("eq6", "eq9", "eq10", "eq11", "step")
            for end in ("", ".corrected")
        ),
    ),
    given(
        "Any models and step sizes up to 1/2, given eq. (6).",
        "model_before model_after first_latest_model second_latest_model optimum local_step_size",
        ("fedlaavg.thm2.eq8",),
        _algebra,
    ),
)
