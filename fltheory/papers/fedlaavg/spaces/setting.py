"""Where FedLaAvg's setting and lemmas may fail: weights, moments of gradients along runs, the two
ways to write the algorithm."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy

from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.enumeration import expectation, signs
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.scoring import worst
from fltheory.claims.spaces.space import Space
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.simulate import simulate, simulate_virtual
from fltheory.papers.fedlaavg.checks.literal import Line, algorithm_3, outcomes
from fltheory.papers.fedlaavg.spaces.conditions import restated
from fltheory.problems.clipped import Clipped
from fltheory.problems.objective import global_loss
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

Values = dict[str, Any]
ZERO = Fraction(0)
MOST_NOISES = 6
"""Most gradients whose noise is enumerated: 2^6 outcomes."""


def given(
    says: str, names: str, claims: tuple[str, ...], draw: Callable[[Choices, Claim], Values]
) -> Space:
    """A space named after the claims it is about, whose draw yields values only."""

    def instance(choices: Choices, claim: Claim) -> Instance:
        values = draw(choices, claim)
        return Instance(
            values, ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
        )

    return Space(
        f"fedlaavg {claims[0].removeprefix('fedlaavg.')}",
        says,
        frozenset(names.split()),
        instance,
        claims,
    )


def draw_clients(choices: Choices, num_clients: int) -> Clipped:
    """Clipped clients: bounded gradients, curvatures of both signs and different sizes."""
    curvatures = choices.many(
        lambda: choices.choice((Fraction(1), Fraction(1, 2), Fraction(2), Fraction(-1, 2))),
        num_clients,
    )
    bound = choices.choice((Fraction(1), Fraction(1, 2), Fraction(3)))
    return Clipped(choices.many(lambda: choices.number(-3, 3), num_clients), bound, curvatures)


def draw_participation(
    choices: Choices, num_clients: int, *, most_rounds: int = 4, warm: bool = False
) -> list[list[int]]:
    """Who takes part in each round, somebody at some time; everybody in the first round if
    `warm`."""
    rounds = choices.whole(1, most_rounds)
    table = [[int(not choices.flag()) for _ in range(num_clients)] for _ in range(rounds)]
    if warm:
        table[0] = [1] * num_clients
    choices.require(any(map(any, table)), "somebody takes part")
    return table


def draw_noise(choices: Choices, table: list[list[int]], local_steps: int) -> Fraction:
    """Size of the +-noise, none where there would be too many outcomes."""
    scale = choices.choice((ZERO, Fraction(1, 2), Fraction(2)))
    return scale if sum(map(sum, table)) * local_steps <= MOST_NOISES else ZERO


def _objective(choices: Choices, claim: Claim) -> Values:
    clients = choices.whole(1, 3)
    parts = choices.many(lambda: choices.whole(1, 4), clients)
    weighted = Quadratic(
        choices.many(lambda: choices.number("1/4", 3), clients),
        choices.many(lambda: choices.number(-3, 3), clients),
        importance=[Fraction(p, sum(parts)) for p in parts],
    )
    point = choices.number(-3, 3)
    losses = [
        global_loss(problem, [[point]], RATIONAL)[0, 0]
        for problem in (weighted, weighted.equally_weighted())
    ]
    return {"weighted_loss": losses[0], "average_loss": losses[1]}


def _weighted_limit(choices: Choices, claim: Claim) -> Instance:
    """Where Algorithm 1 ends with unequal weights, everybody available."""
    clients = choices.whole(1, 3)
    parts = choices.many(lambda: choices.whole(1, 4), clients)
    optima = choices.many(lambda: choices.number(-3, 3), clients)
    weighted = Quadratic([2] * clients, optima, importance=[Fraction(p, sum(parts)) for p in parts])
    problem = weighted.equally_weighted() if claim.id.endswith(".corrected") else weighted
    size = choices.number("1/8", "1/4")
    run = Scenario(
        "fedlaavg", problem, Trace.fresh([[1] * clients] * 3), start=0, local_step_size=size
    )
    limit = limit_cycle(FedLaAvg(), problem, run.trace, local_step_size=size)
    choices.require(limit.stable and limit.at_period_end is not None, "the method converges")
    assert limit.at_period_end is not None
    assert weighted.constants.optimum is not None
    return Instance(
        {"limit_at_period_end": limit.at_period_end[0], "optimum": weighted.constants.optimum[0]},
        f"weights {', '.join(map(str, weighted.importance))}, optima"
        f" {', '.join(str(c[0]) for c in weighted.optima)}",
        {"run": run.to_json(), "measures": {"limit_at_period_end": "limit"}},
    )


def _parabola(choices: Choices, claim: Claim) -> Values:
    problem = draw_clients(choices, 1)
    line, here, step = Line(problem), choices.number(-4, 4), choices.number(-4, 4)
    choices.require(step != 0, "two points")
    known = problem.constants.smoothness
    assert known is not None
    return {
        "loss_there": line.loss(0, here + step),
        "loss_here": line.loss(0, here),
        "slope_here": line.slope(0, here),
        "displacement": step,
        "smoothness": known * choices.choice((1, 2)),
    }


def _second_moments(choices: Choices, claim: Claim) -> Values:
    """Constants may be larger than they need be: Assumptions 2 and 3 are upper bounds."""
    problem = draw_clients(choices, 1)
    scale = choices.choice((Fraction(1), ZERO, Fraction(1, 2), Fraction(3)))
    slope = Line(problem).slope(0, choices.number(-4, 4))
    sigma = scale * choices.choice((1, 2))
    bound = problem.bound**2 + sigma**2
    draws = [sign * scale for (sign,) in signs(1)]
    return {
        "noise_second_moment": expectation([n * n for n in draws]),
        "gradient_noise": sigma,
        "gradient_second_moment": expectation([(slope + n) ** 2 for n in draws]),
        "gradient_bound": sympy.sqrt(sympy.Rational(bound.numerator, bound.denominator)),
    }


def _models(choices: Choices, claim: Claim) -> Instance:
    """The engine's incremental method against Algorithm 3 written out; (38) as printed for
    fedlaavg.alg3."""
    clients = choices.whole(1, 3)
    table = draw_participation(choices, clients, most_rounds=3)
    steps = 1 if claim.id == "fedlaavg.alg1" else choices.whole(1, 3)
    line = Line(draw_clients(choices, clients))
    size = choices.number("1/4", 1)
    start = choices.number(-3, 3)
    literal = algorithm_3(
        line, table, steps, size, start, {}, divided=claim.id != "fedlaavg.alg3"
    ).models
    trace = Trace.fresh(table, local_steps=steps)
    if claim.id == "fedlaavg.alg3.corrected":
        run = simulate_virtual(FedLaAvg(), line.problem, trace, start=start, local_step_size=size)
        pairs = [
            Instance(
                {"server_model": run[r, k, 0], "literal_model": literal[r * steps + k]},
                f"round {r}, step {k}",
            )
            for r in range(len(table))
            for k in range(min(steps, run.shape[1] - 1) + 1)
        ]
        return worst(claim, pairs)
    scenario = Scenario("fedlaavg", line.problem, trace, start=start, local_step_size=size)
    models = simulate(FedLaAvg(), line.problem, trace, start=start, local_step_size=size).models[
        :, 0
    ]
    says = f"{clients} clients, C={steps}, participation {table}, step size {size}, start {start}"
    return worst(
        claim,
        [
            Instance(
                {"server_model": model, "literal_model": written},
                says,
                {"run": scenario.to_json(), "measures": {"server_model": f"model:{t}"}},
            )
            for t, (model, written) in enumerate(zip(models, literal[::steps], strict=True))
        ],
    )


def _held(choices: Choices, claim: Claim) -> Values:
    clients = choices.whole(1, 2)
    table, steps = draw_participation(choices, clients, most_rounds=3), choices.whole(1, 3)
    models = algorithm_3(
        Line(draw_clients(choices, clients)),
        table,
        steps,
        choices.number("1/4", 1),
        choices.number(-3, 3),
        {},
    ).models
    r = choices.whole(1, len(table))
    return {
        "server_holds_it": int(models[r * steps - 1] in models[::steps]),
        "local_steps": steps,
        "num_clients": clients,
    }


def _running(choices: Choices, claim: Claim) -> Values:
    clients = choices.whole(1, 3)
    table = draw_participation(choices, clients)
    problem = Quadratic(
        choices.many(lambda: choices.number("1/4", 3), clients),
        choices.many(lambda: choices.number(-3, 3), clients),
    )
    start, size = choices.number(-3, 3), choices.number("1/4", 1)
    state = simulate(
        FedLaAvg(), problem, Trace.fresh(table), start=start, local_step_size=size
    ).final.server
    mean = sum(state.latest_updates[:, 0]) / clients
    before = Fraction(0)
    if len(table) > 1:
        earlier = simulate(
            FedLaAvg(), problem, Trace.fresh(table[:-1]), start=start, local_step_size=size
        ).final.server
        before = earlier.mean_update[0, 0]
    return {
        "running_gradient": state.mean_update[0, 0],
        "mean_latest_gradient": mean,
        "mean_latest_update": mean,
        "literal_update": state.mean_update[0, 0] - before,
    }  # only the differences of the last round


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
    bound = problem.bound**2 + scale**2
    known = {
        "local_step_size": size,
        "smoothness": problem.constants.smoothness,
        "gradient_noise": scale,
        "num_clients": clients,
        "gradient_bound": sympy.sqrt(sympy.Rational(bound.numerator, bound.denominator)),
        "local_steps": steps,
    }
    if claim.id in ("fedlaavg.lem4", "fedlaavg.cor2"):
        slopes: list[Any] = (
            [line.mean_slope]
            if claim.id.endswith("cor2")
            else [lambda x, i=i: line.slope(i, x) for i in range(clients)]
        )
        return worst(
            claim,
            [
                Instance(
                    known
                    | {
                        "squared_change": expectation(
                            [(s(r.models[b]) - s(r.models[a])) ** 2 for r in every]
                        ),
                        "iterations_apart": b - a,
                    },
                    f"participation {table}, iterations {a} and {b}",
                )
                for s in slopes
                for b in range(len(every[0].models))
                for a in range(b)
            ],
        )
    return worst(
        claim,
        [
            Instance(
                known
                | {
                    "gradient_second_moment": expectation([r.gradients[k] ** 2 for r in every]),
                    "noise_second_moment": expectation(
                        [(r.gradients[k] - line.slope(k[0], r.points[k])) ** 2 for r in every]
                    ),
                },
                f"participation {table}, gradient {k}",
            )
            for k in every[0].gradients
        ],
    )


def _adaptive_noise(choices: Choices, claim: Claim) -> Values:
    """Two clients, two rounds, +-1 noise; who takes part in the second round may depend on the
    signs of the first."""
    returns = {pair: (choices.flag(), choices.flag()) for pair in signs(2)}
    latest = []
    for first in signs(2):
        for second in signs(2):
            latest.append([second[i] if returns[first][i] else first[i] for i in range(2)])
    return {
        "noise_of_sum": expectation([Fraction(sum(pair)) ** 2 for pair in latest]),
        "sum_of_noises": expectation([Fraction(sum(n * n for n in pair)) for pair in latest]),
    }


def _mean_noise(choices: Choices, claim: Claim) -> Values:
    clients, scale = choices.whole(1, 8), choices.number("1/4", 2)
    second = expectation([(scale * Fraction(sum(drawn), clients)) ** 2 for drawn in signs(clients)])
    return {
        "num_clients": clients,
        "gradient_noise": scale * choices.choice((1, 2)),
        "root_mean_square_noise": sympy.sqrt(sympy.Rational(second.numerator, second.denominator)),
    }


CONSTANTS = "local_step_size smoothness gradient_noise gradient_bound num_clients local_steps"

SPACES = restated(
    (
        given(
            "Up to three quadratics, any weights, any point.",
            "weighted_loss average_loss",
            ("fedlaavg.def.objective",),
            _objective,
        ),
        Space(
            "fedlaavg def.grad",
            "Up to three clients (x - e_i)^2 with any weights, everybody available.",
            frozenset({"limit_at_period_end", "optimum"}),
            _weighted_limit,
            ("fedlaavg.def.grad", "fedlaavg.def.grad.corrected"),
        ),
        given(
            "Clipped losses of both signs, any two points, L as large as it must be or larger.",
            "loss_there loss_here slope_here displacement smoothness",
            ("fedlaavg.asm1",),
            _parabola,
        ),
        given(
            "Clipped losses, any point, +-noise of any size; the constants may be larger than"
            " needed.",
            "noise_second_moment gradient_second_moment gradient_noise gradient_bound",
            ("fedlaavg.asm2", "fedlaavg.asm3", "fedlaavg.asm3.noise"),
            _second_moments,
        ),
        Space(
            "fedlaavg algorithms",
            "Clipped clients, any participation, cold starts included, up to three local steps.",
            frozenset({"server_model", "literal_model"}),
            _models,
            ("fedlaavg.alg1", "fedlaavg.alg2", "fedlaavg.alg3", "fedlaavg.alg3.corrected"),
        ),
        given(
            "Any round of runs with up to three local steps.",
            "server_holds_it local_steps num_clients",
            ("fedlaavg.alg3.server",),
            _held,
        ),
        given(
            "Quadratic clients, any participation.",
            "running_gradient mean_latest_gradient mean_latest_update literal_update",
            ("fedlaavg.eq3", "fedlaavg.alg2.line4"),
            _running,
        ),
        Space(
            "fedlaavg moments along runs",
            "Clipped clients, any participation, all outcomes of +-noise, any iteration.",
            frozenset(
                f"{CONSTANTS} gradient_second_moment noise_second_moment squared_change"
                " iterations_apart".split()
            ),
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
