"""Where AFL's remarks about limits may fail: the ends of AFA-CD and AFA-CS under any arrivals,
FedAvg beside AFA-CD, and the deviation of local paths."""

from fractions import Fraction

from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.algorithms.fedavg import FedAvg
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.checks.error_ball import afa_limit
from fltheory.papers.afl.checks.experiments import ends_at, path_deviation
from fltheory.papers.afl.checks.speedup import mean_square, memory_limit
from fltheory.papers.afl.spaces.conditions import restated
from fltheory.papers.afl.spaces.run import draw_tilted
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace


def _arrivals(choices: Choices, clients: int, rounds: int) -> list[list[int]]:
    """Any table of arrivals; the simplest has everybody in every round."""
    return [[int(not choices.flag()) for _ in range(clients)] for _ in range(rounds)]


def _ends(choices: Choices, claim: Claim) -> Drawn:
    """Where AFA-CD ends on (x + G)^2 and (x - G)^2 when the workers arrive in any pattern (worker 1
    alone for afl.rem2.attained)."""
    gap = choices.whole(1, 3)
    step = choices.number("1/10", "1/4", max_denominator=10)
    steps = choices.whole(1, 2)
    alone = claim.id == "afl.rem2.attained"
    rows = [[1, 0]] if alone else _arrivals(choices, 2, choices.whole(1, 4))
    choices.require(all(map(any, rows)), "somebody arrives in every round")
    ever = sum(any(row[i] for row in rows) for i in range(2))
    return {
        "limit_error": afa_limit(
            rows, gap=gap, step=step / steps, local_steps=steps if alone else 1
        ),
        "dissimilarity": 2 * gap,
        "num_clients": 2,
        "ever_participating": ever,
        "any_constant": 1000 * 10 ** choices.whole(0, 3),
    }


def _memory_ends(choices: Choices, claim: Claim) -> Drawn:
    """Where AFA-CS ends when everybody arrives in the first round and then in any pattern."""
    clients = choices.whole(1, 3)
    rows = [[1] * clients, *_arrivals(choices, clients, choices.whole(0, 3))]
    limit = memory_limit(rows, choices.number("1/32", "1/16", max_denominator=32))
    choices.require(limit.stable and limit.cycle is not None, "the method converges")
    return {"limit_error": mean_square(limit)}


def _against_fedavg(choices: Choices, claim: Claim) -> Drawn:
    """One synchronous round of AFA-CD and of FedAvg from the same start."""
    steps, clients = choices.whole(1, 3), choices.whole(1, 2)
    problem = Quadratic(
        choices.many(lambda: choices.number("1/2", 3), clients),
        choices.many(lambda: choices.number(-3, 3), clients),
    )
    local = choices.number("1/8", "1/2")
    server = choices.number("1/2", 2)
    start = choices.number(-3, 3)
    models = [
        simulate(
            method,
            problem,
            Trace.fresh([[1] * clients], local_steps=steps),
            start=start,
            local_step_size=local,
            server_step_size=size,
        ).models[1, 0]
        for method, size in ((AfaCrossDevice(), steps * server), (FedAvg(), server))
    ]
    return {
        "afa_model": models[0],
        "fedavg_model": models[1],
        "local_steps": steps,
        "num_clients": clients,
    }


def _same_arrivals(choices: Choices, claim: Claim) -> Drawn:
    """Where AFA-CD ends when the same workers arrive in every round."""
    clients = choices.whole(1, 4)
    row = [not choices.flag() for _ in range(clients)]
    choices.require(any(row), "somebody arrives")
    problem = draw_tilted(choices, clients, noise=False)
    step = choices.number("1/8", "1/4", max_denominator=8) / problem.curvature
    return {**ends_at(problem, row, step)}


def _deviation(choices: Choices, claim: Claim) -> Drawn:
    """A common Huber loss and tilts that sum to 0: distance of the mean path from the global
    gradient."""
    clients = choices.whole(1, 3)
    steps = 1 if claim.id.endswith("one-step") else choices.whole(1, 3)
    tilts = choices.many(lambda: choices.number(-2, 2), clients - 1)
    tilts.append(-sum(tilts, Fraction(0)))
    return {
        "path_deviation": path_deviation(tilts, choices.number("1/4", 1), steps),
        "local_steps": steps,
        "dissimilarity": max(map(abs, tilts)),
    }


SPACES = restated(
    (
        given(
            "Limits of AFA-CD on the losses of Theorem 1, any arrivals.",
            "limit_error dissimilarity num_clients ever_participating any_constant",
            ("afl.rem2.attained", "afl.rem2.everyone"),
            _ends,
        ),
        given("Limits of AFA-CS, any pattern.", "limit_error", ("afl.rem6.limit",), _memory_ends),
        given(
            "One round of AFA-CD and of FedAvg.",
            "afa_model fedavg_model local_steps num_clients",
            ("afl.rem4.fedavg",),
            _against_fedavg,
        ),
        given(
            "The same workers in every round.",
            "limit_error squared_bias_of_weights",
            ("afl.discussion",),
            _same_arrivals,
        ),
        given(
            "A common Huber loss and any tilts.",
            "path_deviation local_steps dissimilarity",
            ("afl.discussion.a3*",),
            _deviation,
        ),
    )
)
