"""Where FedLaAvg's lemmas about gradients along runs may fail: second moments, changes of gradients
and sums of noise."""

from fltheory.claims.checks.constants import exact_root, known
from fltheory.claims.checks.enumeration import signs
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given, space_of
from fltheory.claims.spaces.scoring import worst
from fltheory.papers.fedlaavg.checks.lemmas import (
    gradient_moments,
    noise_sums,
    root_mean_square,
    slopes_of,
    squared_change,
)
from fltheory.papers.fedlaavg.checks.literal import Line, algorithm_3, outcomes
from fltheory.papers.fedlaavg.spaces.conditions import restated
from fltheory.papers.fedlaavg.spaces.setting import draw_clients, draw_noise, draw_participation

CONSTANTS = "local_step_size smoothness gradient_noise gradient_bound num_clients local_steps"


def _along_runs(choices: Choices, claim: Claim) -> Instance:
    """Second moments of each gradient of a run, and changes of gradients between its models, over
    all noise."""
    clients = choices.whole(1, 2)
    table = draw_participation(choices, clients, most_rounds=3)
    steps = (
        choices.whole(1, 2)
        if claim.id.startswith(("fedlaavg.lem6", "fedlaavg.lem4", "fedlaavg.cor2"))
        else 1
    )
    scale, problem = draw_noise(choices, table, steps), draw_clients(choices, clients)
    line, size = Line(problem), choices.number("1/8", "1/2")
    start = choices.number(-3, 3)
    every = [
        algorithm_3(line, table, steps, size, start, noise)
        for noise in outcomes(table, steps, scale)
    ]
    constants: Drawn = {
        "local_step_size": size,
        "smoothness": known(problem.constants.smoothness),
        "gradient_noise": scale,
        "num_clients": clients,
        "gradient_bound": exact_root(problem.bound**2 + scale**2),
        "local_steps": steps,
    }
    says = f"participation {table}"
    if claim.id in ("fedlaavg.lem4", "fedlaavg.cor2"):
        changes = (
            Instance(
                {**constants, **squared_change(slope, every, a, b)},
                f"{says}, iterations {a} and {b}",
            )
            for slope in slopes_of(line, of_client=claim.id.endswith("lem4"))
            for b in range(len(every[0].models))
            for a in range(b)
        )
        return worst(claim, list(changes))
    gradients = (
        Instance({**constants, **gradient_moments(line, every, k)}, f"{says}, gradient {k}")
        for k in every[0].gradients
    )
    return worst(claim, list(gradients))


def _adaptive_noise(choices: Choices, claim: Claim) -> Drawn:
    """Two clients, two rounds, +-1 noise; who takes part in the second round may depend on the
    signs of the first."""
    returns = {pair: (choices.flag(), choices.flag()) for pair in signs(2)}
    latest = []
    for first in signs(2):
        for second in signs(2):
            latest.append([second[i] if returns[first][i] else first[i] for i in range(2)])
    return {**noise_sums(latest)}


def _mean_noise(choices: Choices, claim: Claim) -> Drawn:
    """The mean of independent +-noise; sigma may be larger than it must be."""
    clients, scale = choices.whole(1, 8), choices.number("1/4", 2)
    return {
        "num_clients": clients,
        "gradient_noise": scale * choices.choice((1, 2)),
        "root_mean_square_noise": root_mean_square(clients, scale),
    }


SPACES = restated(
    (
        space_of(
            "fedlaavg moments along runs",
            "Clipped clients, any participation, all outcomes of +-noise, any iteration.",
            f"{CONSTANTS} gradient_second_moment noise_second_moment squared_change"
            " iterations_apart",
            _along_runs,
            ("fedlaavg.lem2*", "fedlaavg.lem6*", "fedlaavg.lem4", "fedlaavg.cor2"),
        ),
        given(
            "Every rule by which two clients take part again after seeing the first signs of the"
            " noise.",
            "noise_of_sum sum_of_noises",
            ("fedlaavg.lem3.adaptive",),
            _adaptive_noise,
        ),
        given(
            "Mean of the +-noise of up to eight clients.",
            "num_clients gradient_noise root_mean_square_noise",
            ("fedlaavg.eq37.norm*",),
            _mean_noise,
        ),
    )
)
