"""Where AFL's lemmas may fail: updates under all noise, drift, delays, samples, and the instances
of its lower bound; all drawn."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.claims.checks.exact_run import below_root
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.checks.lemmas import clipped, linear
from fltheory.papers.afl.checks.lower_bound import two_instances
from fltheory.papers.afl.checks.paths import histories, mean, work, works
from fltheory.papers.afl.checks.sampling import square
from fltheory.papers.afl.spaces.conditions import restated
from fltheory.problems.clipped import Clipped
from fltheory.problems.objective import global_gradient, global_loss
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import model_reuses

Values = dict[str, Any]
MOST_DRAWS = 7
"""Most noise draws of a run whose outcomes are all enumerated."""


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
        f"afl {claims[0].removeprefix('afl.')}", says, frozenset(names.split()), instance, claims
    )


def root(square_of: Any) -> sympy.Expr:
    """The root of a fraction, exact."""
    number = Fraction(square_of)
    return sympy.sqrt(sympy.Rational(number.numerator, number.denominator))


def _updates(choices: Choices, claim: Claim) -> Values:
    """Deliveries of one or two workers under all signs of the noise; short work where the claim
    asks for it."""
    steps, workers = choices.whole(1, 4), choices.whole(1, 2)
    curvature = choices.choice(
        (Fraction(1), Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(3))
    )
    size = choices.number("1/4", 2) * choices.power(10, most=1)
    if claim.id == "afl.lem2c":
        choices.require(steps == 1 or steps * abs(curvature) * size <= 1, "afl.short-work")
    single = claim.id != "afl.lem2c" and claim.id != "afl.lem2"
    workers = 1 if single or steps > 3 else workers
    gradient = (
        clipped(curvature)
        if choices.flag() and claim.id != "afl.lem2.closed"
        else linear(curvature, choices.number(-1, 1))
    )
    done = [works(gradient, choices.number(-2, 2), size, steps) for _ in range(workers)]
    pairs = list(product(*done))
    first = done[0]
    excess = mean([sum((w.update for w in p), Fraction(0)) ** 2 for p in pairs]) - mean(
        [sum((w.exact for w in p), Fraction(0)) ** 2 for p in pairs]
    )
    return {
        "squared_noise_of_update": mean([(w.update - w.exact) ** 2 for w in first]),
        "noise_times_path": mean([(w.update - w.exact) * w.exact for w in first]),
        "mean_noise_of_update": mean([w.update - w.exact for w in first]),
        "squared_update_sum": mean([sum((w.update for w in p), Fraction(0)) ** 2 for p in pairs]),
        "squared_path_sum": mean([sum((w.exact for w in p), Fraction(0)) ** 2 for p in pairs]),
        "gradient_noise": 1,
        "local_steps": steps,
        "clients_per_round": workers,
        "local_step_size": size,
        "excess": excess,
        "signed_rate": -size * curvature,
        "smoothness": abs(curvature),
    }


def _watching(choices: Choices, claim: Claim) -> Values:
    """A worker that decides after its first gradient whether to stop; noise 0 or +-v with variance
    1, at most 2 steps."""
    size = choices.whole(1, 2)
    law = {
        n: p
        for n, p in (
            (size, Fraction(1, 2 * size**2)),
            (-size, Fraction(1, 2 * size**2)),
            (0, 1 - Fraction(1, size**2)),
        )
        if p
    }
    stops = {n: choices.flag() for n in law}
    outcomes = [(p, (n,)) for n, p in law.items() if stops[n]]
    outcomes += [(p * q, (n, k)) for n, p in law.items() if not stops[n] for k, q in law.items()]
    return {
        "squared_noise_of_update": sum(p * Fraction(sum(n), len(n)) ** 2 for p, n in outcomes),
        "gradient_noise": 1,
        "mean_noise_of_update": sum(p * Fraction(sum(n), len(n)) for p, n in outcomes),
    }


def _lag(choices: Choices, claim: Claim) -> Values:
    """Small runs with delays under all signs of the noise; the lag of the work that is used in the
    last round."""
    rounds, workers = choices.whole(2, 3), choices.whole(1, 2)
    arrivals = [
        [(i, choices.whole(0, t), choices.whole(1, 3)) for i in range(workers)]
        for t in range(rounds)
    ]
    choices.require(
        sum(k for row in arrivals for _, _, k in row) <= MOST_DRAWS, "few enough noise draws"
    )
    curvature = choices.choice((Fraction(1), Fraction(-1), Fraction(0)))
    size, server = choices.number("1/4", 2), choices.number("1/4", 2)
    most = max(k for row in arrivals for _, _, k in row)
    delay = max(d for row in arrivals for _, d, _ in row)
    choices.require(delay >= 1, "a delay")
    if claim.id == "afl.a4c":
        choices.require(most == 1 or most * abs(curvature) * size <= 1, "afl.short-work")
    tilt, start = choices.number(-1, 1), choices.number(-2, 2)
    runs = list(
        histories(
            [linear(curvature, tilt), linear(curvature, -tilt)],
            arrivals,
            start=start,
            local_step_size=size,
            server_step_size=server,
        )
    )
    t = rounds - 1
    return {
        "mean_squared_lag": mean(
            [(h.models[t] - h.models[t - d]) ** 2 for h in runs for _, d, _ in arrivals[t]]
        ),
        "window_sum": sum(
            mean([h.path_sums[k] ** 2 for h in runs]) for k in range(max(t - delay, 0), t)
        ),
        "max_delay": delay,
        "clients_per_round": workers,
        "gradient_noise": 1,
        "local_step_size": size,
        "server_step_size": server,
        "local_steps": most,
        "smoothness": abs(curvature),
    }


def _gaps(choices: Choices, claim: Claim) -> Values:
    steps, curvature = choices.whole(1, 4), choices.choice((Fraction(1), Fraction(-1), Fraction(2)))
    gradient = clipped(curvature) if choices.flag() else linear(curvature, choices.number(-1, 1))
    done = work(
        gradient,
        choices.number(-2, 2),
        choices.number("1/4", 2),
        choices.many(lambda: choices.whole(-1, 1), steps),
    )
    first = gradient(done.path[0])
    return {
        "squared_gradient_gap": (first - done.exact) ** 2,
        "smoothness": abs(curvature) * choices.choice((1, 2)),
        "local_steps": steps,
        "mean_squared_gap": mean([(first - gradient(x)) ** 2 for x in done.path]),
        "mean_squared_drift": mean([(x - done.path[0]) ** 2 for x in done.path]),
    }


def _drift(choices: Choices, claim: Claim) -> Values:
    """Quadratics under 6 (2K^2 - 3K + 1) L^2 eta_L^2 <= 1; L may be larger than the curvature, and
    small if that is 0."""
    steps = choices.whole(2, 8)
    curvature = choices.choice((Fraction(1), Fraction(-1), Fraction(0), Fraction(1, 100)))
    smoothness = max(abs(curvature), choices.choice((Fraction(1), Fraction(1, 100))))
    edge = below_root(Fraction(1, 6 * (2 * steps**2 - 3 * steps + 1)) / smoothness**2)
    size = edge * choices.choice((Fraction(1), Fraction(1, 2), Fraction(1, 10)))
    size = Fraction(int(size)) if size > 1 else size  # simple where it can be
    noise, apart, slope = choices.whole(0, 2), choices.whole(0, 2), choices.whole(-2, 2)
    moved, variance, ratio = Fraction(0), Fraction(0), 1 - size * curvature
    k = choices.whole(1, steps - 1)
    for _ in range(k):
        moved = ratio * moved - size * (slope + apart)
        variance = ratio**2 * variance + size**2 * noise**2
    factors = [(steps - 1) * ((1 + Fraction(1, steps - 1)) ** j - 1) for j in range(steps)]
    growth = factors[k] if claim.id == "afl.a6.unrolled" else factors[-1]
    return {
        "squared_drift": moved**2 + variance,
        "local_steps": steps,
        "local_step_size": size,
        "gradient_noise": noise,
        "dissimilarity": apart,
        "squared_gradient": slope**2,
        "unrolled_factor": growth,
        "mean_unrolled_factor": mean(factors),
        "room_for_drift": Fraction(1, steps - 1) - Fraction(1, 2 * steps - 1),
        "smoothness": smoothness,
    }


def _clients(choices: Choices) -> Any:
    """Tilted or clipped clients with a known distance from the global gradient."""
    clients = choices.whole(1, 3)
    if choices.flag():
        curvatures = choices.many(lambda: choices.choice((1, 3, -1)), clients)
        return Clipped(
            choices.many(lambda: choices.number(-3, 3), clients), choices.choice((1, 2)), curvatures
        )
    curvature = choices.choice((Fraction(1), Fraction(2), Fraction(-1)))
    return Quadratic((curvature,) * clients, choices.many(lambda: choices.number(-3, 3), clients))


def _gradients(choices: Choices, claim: Claim) -> Values:
    """One client at two points, and its distance from the global gradient."""
    problem, here, step = _clients(choices), choices.number(-4, 4), choices.number(-4, 4)
    i = choices.whole(0, problem.num_clients - 1)
    at = [
        problem.gradients(RATIONAL)(RATIONAL.rows([[x]] * problem.num_clients))[:, 0]
        for x in (here, here + step)
    ]
    choices.require(
        step != 0 and problem.constants.dissimilarity_squared is not None,
        "two points, and bounded dissimilarity",
    )
    ahead, behind = (global_loss(problem, [[here + side]], RATIONAL)[0, 0] for side in (1, -1))
    return {
        "gradient_change": abs(at[0][i] - at[1][i]),
        "distance": abs(step),
        "smoothness": problem.constants.smoothness * choices.choice((1, 2)),
        "gradient_distance": abs(at[0][i] - sum(at[0]) / problem.num_clients),
        "dissimilarity": root(problem.constants.dissimilarity_squared),
        "global_slope": (
            (ahead - behind) / 2
            if isinstance(problem, Quadratic)
            else sum(at[0]) / problem.num_clients
        ),
        "mean_client_slope": sum(at[0]) / problem.num_clients,
    }


def _curvatures(choices: Choices, claim: Claim) -> Values:
    first, second, point = choices.number(-3, 3), choices.number(-3, 3), choices.number(-4, 4)
    apart = abs(first - (first + second) / 2) * abs(point)
    return {
        "first_curvature": first,
        "second_curvature": second,
        "point": point,
        "gradient_distance": apart,
    }


def _biased(choices: Choices, claim: Claim) -> Values:
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


def _samples(choices: Choices, claim: Claim) -> Values:
    """Uniform subsets of m among M workers with any vectors in the plane, by enumeration."""
    clients = choices.whole(2, 5)
    size = choices.whole(1, clients)
    z = [(choices.number(-3, 3), choices.number(-3, 3)) for _ in range(clients)]
    chosen = list(combinations(range(clients), size))
    centre = tuple(sum(column) / clients for column in zip(*z, strict=True))
    expected = sum(square([z[i] for i in s]) for s in chosen) / len(chosen)
    rho = Fraction(clients - size, size * (clients - 1))
    weight = choices.number("1/4", 4) * choices.power()
    if claim.id == "afl.thm3.bracketc":
        choices.require(2 * (1 - rho) * weight <= 1, "afl.thm3c.ii")
    total = sum((square([u]) for u in z), Fraction(0))
    apart = [
        [tuple(a - b for a, b in zip(u, v, strict=True))]
        for i, u in enumerate(z)
        for j, v in enumerate(z)
        if i != j
    ]
    return {
        "single_probability": Fraction(sum(0 in s for s in chosen), len(chosen)),
        "pair_probability": Fraction(sum({0, 1} <= set(s) for s in chosen), len(chosen)),
        "sum_of_squares": total,
        "square_of_sum": square(z),
        "expected_square": expected,  # type: ignore[arg-type]
        "sum_of_pair_differences": sum((square(p) for p in apart), Fraction(0)),
        "expected_mean_square": expected / size**2,
        "square_of_mean": square([centre]),
        "mean_of_squares": total / clients,
        "population_variance": (
            sum(
                (square([tuple(a - b for a, b in zip(u, centre, strict=True))]) for u in z),
                Fraction(0),
            )
            / clients
        ),
        "num_clients": clients,
        "clients_per_round": size,
        "move_weight": weight,
    }


def _delays(choices: Choices, claim: Claim) -> Values:
    """Any delays of one worker: how often a model is used, and gradients at the used models against
    all."""
    rounds = choices.whole(1, 6)
    delays = [choices.whole(0, min(t, 3)) for t in range(rounds)]
    squares = [choices.whole(0, 2) for _ in range(rounds)]
    most = max(delays) + choices.whole(0, 1)
    uses = model_reuses(Trace.with_delays(np.ones((rounds, 1), bool), np.array(delays)[:, None]))
    return {
        "uses_of_a_model": int(uses.max()),
        "max_delay": most,
        "windows_over_an_increment": max(
            sum(t - d <= k < t for t, d in enumerate(delays)) for k in range(rounds)
        ),
        "sum_at_used_models": sum(squares[t - d] for t, d in enumerate(delays)),
        "sum_at_all_models": sum(squares),
    }


def _lower(choices: Choices, claim: Claim) -> Values:
    """Any output on the paper's two losses, and on two instances that those who participate cannot
    tell apart."""
    gap, output, slip = choices.number("1/4", 2), choices.number(-2, 2), choices.number(-2, 2)
    clients = 2 if claim.id == "afl.rem1" else choices.whole(1, 6)
    ever = 1 if claim.id == "afl.rem1" else choices.whole(1, clients)
    apart = choices.number("1/4", 2)
    pair = two_instances(clients, ever, apart)
    squares = [global_gradient(problem, [[output]], RATIONAL)[0, 0] ** 2 for problem in pair]
    deviations = [choices.whole(-1, 1) for _ in range(clients - 1)]
    last = -sum(deviations)
    admissible = abs(last) <= 1
    if claim.id == "afl.thm1c.upper":
        choices.require(admissible, "no worker further than sigma_G from the global gradient")
    point = {"afl.thm1.value": slip - gap}.get(claim.id, output)
    simple = {"afl.thm1.distance": 2 * gap}.get(
        claim.id, root(max(p.constants.dissimilarity_squared for p in pair))
    )
    return {
        "output_error": (2 * point) ** 2,
        "omega_constant": Fraction(1, 1000 * 10 ** choices.whole(0, 3)),
        "half_gap": gap,
        "slip": slip,
        "dissimilarity": {"afl.thm1": 2 * gap, "afl.thm1c.upper": 1}.get(claim.id, apart),
        "worst_error": max(squares),
        "mean_of_two_errors": sum(squares) / 2,
        "seen_gradient": output,
        "num_clients": clients,
        "ever_participating": ever,
        "gradient_distance": simple,
        "bias": abs(Fraction(sum([*deviations, last][:ever]), ever)),
        "clients_per_round": choices.whole(1, ever),
    }


def _boxes(choices: Choices, claim: Claim) -> Values:
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
            "Deliveries of up to four local steps under all signs of the noise: convex, concave,"
            " flat and clipped losses, any step size.",
            "squared_noise_of_update noise_times_path mean_noise_of_update squared_update_sum"
            " squared_path_sum gradient_noise local_steps clients_per_round local_step_size excess"
            " signed_rate smoothness",
            (
                "afl.lem1",
                "afl.lem1.mean",
                "afl.lem1.sharp",
                "afl.lem2",
                "afl.lem2c",
                "afl.lem2.closed",
                "afl.asm4-implicit",
            ),
            _updates,
        ),
        given(
            "Every rule by which a worker stops after its first gradient.",
            "squared_noise_of_update gradient_noise mean_noise_of_update",
            ("afl.lem1.adaptive", "afl.lem1.adaptive-mean"),
            _watching,
        ),
        given(
            "Runs of up to three rounds with delays under all signs of the noise.",
            "mean_squared_lag window_sum max_delay clients_per_round gradient_noise local_step_size"
            " server_step_size",
            ("afl.a4", "afl.a4c"),
            _lag,
        ),
        given(
            "Local paths of up to four steps, any noise.",
            "squared_gradient_gap smoothness local_steps mean_squared_gap mean_squared_drift",
            ("afl.a5", "afl.a5.equality"),
            _gaps,
        ),
        given(
            "Drift on quadratics up to the largest step size allowed, L as large as it must be or"
            " larger.",
            "squared_drift local_steps local_step_size gradient_noise dissimilarity"
            " squared_gradient unrolled_factor mean_unrolled_factor room_for_drift smoothness",
            ("afl.a6", "afl.a6.unrolled", "afl.a6.room", "afl.a6.growth", "afl.a6.mean-growth"),
            _drift,
        ),
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
            "Uniform subsets with any vectors.",
            "single_probability pair_probability sum_of_squares square_of_sum expected_square"
            " sum_of_pair_differences expected_mean_square square_of_mean mean_of_squares"
            " population_variance num_clients clients_per_round move_weight",
            ("afl.sampling*", "afl.arrivals.independent", "afl.thm3.bracket", "afl.thm3.bracketc"),
            _samples,
        ),
        given(
            "Any delays up to 3 in up to six rounds.",
            "uses_of_a_model max_delay windows_over_an_increment sum_at_used_models"
            " sum_at_all_models",
            ("afl.delay-stats", "afl.delay-stats.windows", "afl.thm2.a12", "afl.thm2.a12c"),
            _delays,
        ),
        given(
            "Any output on the lower bound's instances.",
            "output_error omega_constant half_gap slip dissimilarity worst_error mean_of_two_errors"
            " seen_gradient num_clients ever_participating gradient_distance bias"
            " clients_per_round",
            (
                "afl.thm1",
                "afl.thm1.distance",
                "afl.thm1.value",
                "afl.thm1c",
                "afl.thm1c.identity",
                "afl.thm1c.admissible",
                "afl.thm1c.upper",
                "afl.rem1",
            ),
            _lower,
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
