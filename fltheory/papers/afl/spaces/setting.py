"""Where AFL's problem, assumptions and boxes may fail: any losses and points, any arrivals, any
step sizes."""

from fractions import Fraction
from itertools import combinations

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.claims.checks.constants import exact_root, known
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.checks.setting import central_slope, gradients_at
from fltheory.papers.afl.spaces.conditions import restated
from fltheory.problems.clipped import Clipped
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace


def _clients(choices: Choices) -> Clipped | Quadratic:
    """Tilted or clipped clients with a known distance from the global gradient."""
    clients = choices.whole(1, 3)
    if choices.flag():
        curvatures = choices.many(lambda: choices.choice((1, 3, -1)), clients)
        return Clipped(
            choices.many(lambda: choices.number(-3, 3), clients), choices.choice((1, 2)), curvatures
        )
    curvature = choices.choice((Fraction(1), Fraction(2), Fraction(-1)))
    return Quadratic((curvature,) * clients, choices.many(lambda: choices.number(-3, 3), clients))


def _gradients(choices: Choices, claim: Claim) -> Drawn:
    """One client at two points, and its distance from the global gradient."""
    problem, here, step = _clients(choices), choices.number(-4, 4), choices.number(-4, 4)
    i = choices.whole(0, problem.num_clients - 1)
    at = [gradients_at(problem, x) for x in (here, here + step)]
    mean = sum(at[0], Fraction(0)) / problem.num_clients
    choices.require(
        step != 0 and problem.constants.dissimilarity_squared is not None,
        "two points, and bounded dissimilarity",
    )
    slope = central_slope(problem, here) if isinstance(problem, Quadratic) else mean
    return {
        "gradient_change": abs(at[0][i] - at[1][i]),
        "distance": abs(step),
        "smoothness": known(problem.constants.smoothness) * choices.choice((1, 2)),
        "gradient_distance": abs(at[0][i] - mean),
        "dissimilarity": exact_root(problem.constants.dissimilarity_squared),
        "global_slope": slope,
        "mean_client_slope": mean,
    }


def _curvatures(choices: Choices, claim: Claim) -> Drawn:
    """Two parabolas h_i x^2/2 at any point."""
    first, second, point = choices.number(-3, 3), choices.number(-3, 3), choices.number(-4, 4)
    apart = abs(first - (first + second) / 2) * abs(point)
    return {
        "first_curvature": first,
        "second_curvature": second,
        "point": point,
        "gradient_distance": apart,
    }


def _biased(choices: Choices, claim: Claim) -> Drawn:
    """The mean of the arrivals; gradients of workers beyond the m-th may be off, unless all are
    unbiased."""
    clients = choices.whole(1, 3)
    per_round = choices.whole(1, clients)
    arrive = choices.choice(list(combinations(range(clients), per_round)))
    gradients = choices.many(lambda: choices.number(-2, 2), clients)
    off = choices.many(lambda: choices.number(-2, 2), clients)
    biases = [
        Fraction(0) if i < per_round or claim.id == "afl.asm2.everyone" else off[i]
        for i in range(clients)
    ]
    return {
        "mean_update": sum(gradients[i] + biases[i] for i in arrive) / per_round,
        "mean_gradient": sum(gradients[i] for i in arrive) / per_round,
        "num_clients": clients,
        "clients_per_round": per_round,
    }


def _boxes(choices: Choices, claim: Claim) -> Drawn:
    """The boxes' x - eta G on h x^2/2 with 12 eta eta_L L < 1, one worker, one step, no noise;
    single rounds as the proofs have them."""
    curvature, start = choices.number("1/4", 2), choices.number(-2, 2)
    local = choices.number("1/4", 1) * Fraction(1, 10 ** choices.whole(0, 3))
    server, steps, rounds = choices.number("1/4", 4), choices.whole(1, 3), choices.whole(1, 4)
    choices.require(
        12 * server * local * curvature < 1 and start != 0,
        "the theorems' conditions, and not at the optimum",
    )
    model, squares = start, []
    for _ in range(rounds):
        squares.append((curvature * model) ** 2)
        model -= server * curvature * model
    problem = Quadratic((curvature,), (0,))
    round_ = simulate(
        AfaCrossDevice(),
        problem,
        Trace.fresh([[1]], local_steps=steps),
        start=start,
        local_step_size=local,
        server_step_size=server,
    )
    tilts = (choices.number(-2, 2), choices.number(-2, 2))
    pair = Quadratic((curvature,) * 2, tuple(-tilt / curvature for tilt in tilts))
    memory = simulate(
        AfaCrossSilo(),
        pair,
        Trace.fresh([[1, 1], [1, 0]]),
        start=start,
        local_step_size=local,
        server_step_size=server,
    )
    return {
        "mean_squared_gradient": sum(squares, Fraction(0)) / rounds,
        "initial_loss_gap": curvature * start**2 / 2,
        "local_step_size": local,
        "num_rounds": rounds,
        "box_server_step": server,
        "server_step_size": server,
        "local_steps": steps,
        "curvature": curvature,
        "start": start,
        "first_tilt": tilts[0],
        "second_tilt": tilts[1],
        "model_after_round": (
            round_.models[1, 0] if claim.id == "afl.alg2.proof" else memory.models[2, 0]
        ),
    }


SPACES = restated(
    (
        given(
            "Tilted and clipped clients at any two points.",
            "gradient_change distance smoothness gradient_distance dissimilarity global_slope"
            " mean_client_slope",
            ("afl.def.problem", "afl.asm1", "afl.asm3"),
            _gradients,
        ),
        given(
            "Two quadratics of any curvatures.",
            "first_curvature second_curvature point gradient_distance",
            ("afl.asm3.quadratics",),
            _curvatures,
        ),
        given(
            "Any arrivals; gradients of workers beyond the m-th may be biased.",
            "mean_update mean_gradient num_clients clients_per_round",
            ("afl.asm2", "afl.asm2.everyone"),
            _biased,
        ),
        given(
            "The boxes on one quadratic worker, within the theorems' conditions.",
            "mean_squared_gradient initial_loss_gap local_step_size num_rounds box_server_step"
            " server_step_size local_steps curvature start first_tilt second_tilt"
            " model_after_round",
            ("afl.alg2", "afl.alg2.proof", "afl.alg3", "afl.alg3.proof"),
            _boxes,
        ),
    )
)
