"""Where FedLaAvg's setting may fail: weights, assumptions, and the two ways to write the
algorithm."""

from fractions import Fraction

from fltheory.algorithms.fedlaavg import FedLaAvg, FedLaAvgState
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.constants import exact_root, known
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given, space_of
from fltheory.claims.spaces.scoring import worst
from fltheory.engine.simulate import simulate, simulate_virtual
from fltheory.papers.fedlaavg.checks.algorithms import virtual_pairs
from fltheory.papers.fedlaavg.checks.definitions import (
    both_losses,
    sign_moments,
    touching,
    weighted_run,
)
from fltheory.papers.fedlaavg.checks.literal import Line, algorithm_3
from fltheory.papers.fedlaavg.spaces.conditions import restated
from fltheory.problems.clipped import Clipped
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

ZERO = Fraction(0)
MOST_NOISES = 6
"""Most gradients whose noise is enumerated: 2^6 outcomes."""


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


def _objective(choices: Choices, claim: Claim) -> Drawn:
    """The weighted loss and the average of the rescaled losses at any point."""
    clients = choices.whole(1, 3)
    parts = choices.many(lambda: choices.whole(1, 4), clients)
    weighted = Quadratic(
        choices.many(lambda: choices.number("1/4", 3), clients),
        choices.many(lambda: choices.number(-3, 3), clients),
        importance=[Fraction(p, sum(parts)) for p in parts],
    )
    return both_losses(weighted, choices.number(-3, 3))


def _weighted_limit(choices: Choices, claim: Claim) -> Instance:
    """Where Algorithm 1 ends with unequal weights, everybody available."""
    clients = choices.whole(1, 3)
    parts = choices.many(lambda: choices.whole(1, 4), clients)
    optima = choices.many(lambda: choices.number(-3, 3), clients)
    weighted = Quadratic([2] * clients, optima, importance=[Fraction(p, sum(parts)) for p in parts])
    size = choices.number("1/8", "1/4")
    run = weighted_run(weighted, size, rescaled=claim.id.endswith(".corrected"))
    limit = limit_cycle(FedLaAvg(), run.problem, run.trace, local_step_size=size)
    choices.require(limit.stable and limit.at_period_end is not None, "the method converges")
    return Instance(
        {
            "limit_at_period_end": known(limit.at_period_end)[0],
            "optimum": known(weighted.constants.optimum)[0],
        },
        f"weights {', '.join(map(str, weighted.importance))}, optima"
        f" {', '.join(str(c[0]) for c in weighted.optima)}",
        {"run": run.to_json(), "measures": {"limit_at_period_end": "limit"}},
    )


def _parabola(choices: Choices, claim: Claim) -> Drawn:
    """One client at two points; L as large as it must be, or twice as large."""
    problem = draw_clients(choices, 1)
    line, here, step = Line(problem), choices.number(-4, 4), choices.number(-4, 4)
    choices.require(step != 0, "two points")
    smoothness = known(problem.constants.smoothness) * choices.choice((1, 2))
    return {**touching(line, 0, here, here + step), "smoothness": smoothness}


def _second_moments(choices: Choices, claim: Claim) -> Drawn:
    """Constants may be larger than they need be: Assumptions 2 and 3 are upper bounds."""
    problem = draw_clients(choices, 1)
    scale = choices.choice((Fraction(1), ZERO, Fraction(1, 2), Fraction(3)))
    slope = Line(problem).slope(0, choices.number(-4, 4))
    sigma = scale * choices.choice((1, 2))
    noise, gradient = sign_moments(slope, scale)
    return {
        "noise_second_moment": noise,
        "gradient_noise": sigma,
        "gradient_second_moment": gradient,
        "gradient_bound": exact_root(problem.bound**2 + sigma**2),
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
        virtual = simulate_virtual(
            FedLaAvg(), line.problem, trace, start=start, local_step_size=size
        )
        pairs = [
            Instance({"server_model": server, "literal_model": written}, f"round {r}, step {k}")
            for r, k, server, written in virtual_pairs(virtual, literal, len(table), steps)
        ]
        return worst(claim, pairs)
    scenario = Scenario("fedlaavg", line.problem, trace, start=start, local_step_size=size)
    run = simulate(FedLaAvg(), line.problem, trace, start=start, local_step_size=size)
    models = run.models[:, 0]
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


def _running(choices: Choices, claim: Claim) -> Drawn:
    """The engine's running mean, the mean of its latest updates, and what the last round added."""
    clients = choices.whole(1, 3)
    table = draw_participation(choices, clients)
    problem = Quadratic(
        choices.many(lambda: choices.number("1/4", 3), clients),
        choices.many(lambda: choices.number(-3, 3), clients),
    )
    start, size = choices.number(-3, 3), choices.number("1/4", 1)

    def server(rows: list[list[int]]) -> FedLaAvgState:
        run = simulate(FedLaAvg(), problem, Trace.fresh(rows), start=start, local_step_size=size)
        return run.final.server

    state = server(table)
    mean = sum(state.latest_updates[:, 0]) / clients
    before = server(table[:-1]).mean_update[0, 0] if len(table) > 1 else Fraction(0)
    return {
        "running_gradient": state.mean_update[0, 0],
        "mean_latest_gradient": mean,
        "mean_latest_update": mean,
        "literal_update": state.mean_update[0, 0] - before,  # only what the last round changed
    }


SPACES = restated(
    (
        given(
            "Up to three quadratics, any weights, any point.",
            "weighted_loss average_loss",
            ("fedlaavg.def.objective",),
            _objective,
        ),
        space_of(
            "fedlaavg def.grad",
            "Up to three clients (x - e_i)^2 with any weights, everybody available.",
            "limit_at_period_end optimum",
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
        space_of(
            "fedlaavg algorithms",
            "Clipped clients, any participation, cold starts included, up to three local steps.",
            "server_model literal_model",
            _models,
            ("fedlaavg.alg1", "fedlaavg.alg2", "fedlaavg.alg3", "fedlaavg.alg3.corrected"),
        ),
        given(
            "Quadratic clients, any participation.",
            "running_gradient mean_latest_gradient",
            ("fedlaavg.eq3",),
            _running,
        ),
    )
)
