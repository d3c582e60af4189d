"""Spaces for the claims about the paper's experiments: amplitudes by day and night, FedProx beside
FedAvg, equal optima."""

from fractions import Fraction

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.papers.fedlaavg.checks.experiments import amplitude
from fltheory.papers.fedlaavg.checks.variants import turns
from fltheory.papers.fedlaavg.spaces.setting import Values, given
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.time_of_day import TimeOfDay
from fltheory.traces.trace import Trace


def _settles(choices: Choices, claim: Claim) -> Values:
    """Five clients by day and night, or three for eight hours each, with any optima (equal ones for
    the last)."""
    half = choices.whole(1, 4)
    day = choices.whole(1, 4)
    size = choices.number("1/8", "1/4", max_denominator=8)
    problem = Quadratic((2,) * 5, choices.many(lambda: choices.number(-3, 3), 5))
    trace = Trace.fresh(Diurnal(5, half_period=half, day_groups=day, num_groups=5).matrix(8 * half))
    settled = [
        limit_cycle(method, problem, trace, local_step_size=size)
        for method in (FedLaAvg(), FedAvg())
    ]
    choices.require(all(limit.stable for limit in settled), "both methods converge")
    return {
        "fedlaavg_amplitude": amplitude(settled[0]),
        "fedavg_amplitude": amplitude(settled[1]),
        "half_period": half,
    }


def _overlap(choices: Choices, claim: Claim) -> Values:
    """Learning rate 0.01 and ten local steps, as printed, any blocks."""
    first = choices.whole(1, 6)
    second = choices.whole(1, 6)
    strength = choices.choice((Fraction(1), Fraction(1, 100)))
    ends = []
    for method in (FedAvg(), FedAvg(worker=proximal(strength))):
        limit = limit_cycle(
            method,
            Quadratic((2, 2), (0, 1)),
            turns(first, second, 3, local_steps=10),
            local_step_size=Fraction(1, 100),
        )
        assert limit.cycle is not None
        ends.append(limit.cycle[0][0])
    return {
        "distance_between_methods": abs(ends[1] - ends[0]),
        "distance_to_optimum": abs(ends[0] - Fraction(1, 2)),
        "first_block": first,
        "second_block": second,
    }


def _same_optima(choices: Choices, claim: Claim) -> Values:
    rounds = 3 * choices.whole(1, 3)
    size = choices.number("1/8", "1/3")
    optimum = choices.number(-3, 3)
    problem = Quadratic(choices.many(lambda: choices.number("1/2", 3), 3), (optimum,) * 3)
    trace = Trace.fresh(TimeOfDay(3, rounds_per_day=rounds).matrix(4 * rounds))
    limits = [
        limit_cycle(method, problem, trace, local_step_size=size)
        for method in (FedAvg(), FedLaAvg())
    ]
    choices.require(
        all(limit.stable and limit.at_period_end is not None for limit in limits),
        "both methods converge",
    )
    ends = [limit.at_period_end for limit in limits]
    return {"fedavg_limit": ends[0][0], "fedlaavg_limit": ends[1][0], "local_step_size": size}  # type: ignore[index]


SPACES = (
    given(
        "Five quadratic clients by day and night, any optima.",
        "fedlaavg_amplitude fedavg_amplitude half_period",
        ("fedlaavg.exp.mnist",),
        _settles,
    ),
    given(
        "The printed learning rate, local steps and proximal strengths, any blocks.",
        "distance_between_methods distance_to_optimum first_block second_block",
        ("fedlaavg.exp.baselines",),
        _overlap,
    ),
    given(
        "Three clients for eight hours a day, equal optima.",
        "fedavg_limit fedlaavg_limit local_step_size",
        ("fedlaavg.exp.sent140",),
        _same_optima,
    ),
)
