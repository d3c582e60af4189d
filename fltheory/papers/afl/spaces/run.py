"""Where AFL's theorems and remarks about runs may fail: uniform samples, horizons, limits, memory,
laws of arrival; all drawn."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedavg import FedAvg
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.exact_run import tilted
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.measures import MEASURES
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.runs import draw_run, draw_scenario, on_run
from fltheory.claims.spaces.space import Space
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.checks.error_ball import afa_limit
from fltheory.papers.afl.checks.experiments import SHARES, flattened, race_probability
from fltheory.papers.afl.checks.paths import work
from fltheory.papers.afl.checks.tables import TABLE2, TABLE3, VARIANTS, label, series
from fltheory.papers.afl.checks.uniform_arrivals import sampled
from fltheory.papers.afl.spaces.conditions import restated
from fltheory.papers.afl.spaces.setting import Values, given
from fltheory.papers.afl.statements.uniform_arrivals import _terms
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.selection import inclusion_probabilities
from fltheory.traces.trace import Trace

DIGITS = 10**24


CURVATURES = (Fraction(1), Fraction(1, 2), Fraction(4))
FLAT = (*CURVATURES, Fraction(1, 10), Fraction(1, 100))
"""Small curvatures let several local steps and delays pass the conditions of short runs."""


def draw_tilted(
    choices: Choices,
    clients: int,
    *,
    noise: bool = True,
    curvatures: tuple[Fraction, ...] = CURVATURES,
) -> CommonCurvature:
    """Tilted clients of a common curvature, with or without noise."""
    tilts = choices.many(lambda: choices.number(-1, 1), clients - 1)
    return CommonCurvature(
        choices.choice(curvatures),
        [*tilts, -sum(tilts, Fraction(0))],
        noise_squared=choices.whole(0, 1) if noise else 0,
    )


def _everyone(choices: Choices, claim: Claim) -> Instance:
    """All workers arrive in every round, so that arrivals are uniform for sure; any delays."""
    about = replace(
        claim,
        about=("afa-cd",),
        assumes=tuple(a for a in claim.assumes if a.id != "afl.uniform-arrivals"),
    )
    found = draw_scenario(choices, about)
    trace = Trace.with_delays(
        np.ones_like(found.trace.delivers),
        found.trace.delays,
        local_steps=np.maximum(found.trace.local_steps, 1),
    )
    scenario = replace(found, trace=trace)
    failing = unmet(claim, scenario, stated_only=True)
    choices.require(not failing, ", ".join(failing))
    return on_run(choices, claim, scenario)


def _uniform(choices: Choices, claim: Claim) -> Instance:
    """Exact means over all sequences of uniform subsets; the conditions are decided on the fixed
    part of the run."""
    clients, rounds, steps = choices.whole(1, 3), choices.whole(1, 2), choices.whole(1, 2)
    size = choices.whole(1, clients)
    delays = [[choices.whole(0, min(t, 1)) for _ in range(clients)] for t in range(rounds)]
    problem = draw_tilted(choices, clients)
    local = choices.number("1/4", 1) / 10 ** choices.whole(0, 2)
    server = choices.number("1/4", 4) * choices.power(10, most=2)
    trace = Trace.with_delays(
        [[i < size for i in range(clients)]] * rounds, delays, local_steps=steps
    )
    drift, move, rho, delay = _terms(
        Scenario("afa-cd", problem, trace, start=1, local_step_size=local, server_step_size=server)
    )
    delay = max(max(row) for row in delays)
    move = problem.curvature * local * server + (problem.curvature * local * server * delay) ** 2
    choices.require(
        6 * (2 * steps**2 - 3 * steps + 1) * (problem.curvature * local) ** 2 <= 1,
        "afl.small-drift",
    )
    if claim.id == "afl.thm3":
        choices.require(
            120 * drift * delay + 4 * move * rho * (90 * drift * delay + 3 * delay) < 1,
            "afl.thm3.iii",
        )
    else:
        choices.require(2 * (1 - rho) * move <= 1, "afl.thm3c.ii")
        choices.require(
            (120 * drift + 4 * move * rho * (90 * drift + 3)) * (delay + 1) <= 1, "afl.thm3c.iii"
        )
    return sampled(problem, size, delays, steps, local, server, rounds)


def _rate_steps(choices: Choices, claim: Claim) -> Instance:
    """eta_L = 1/sqrt(T) and eta = sqrt(m), T and m squares."""
    root, side = choices.whole(1, 3), choices.whole(1, 2)
    clients = side**2 + choices.whole(0, 1)
    rows = [[(i + t) % clients < side**2 for i in range(clients)] for t in range(root**2)]
    delay, steps = choices.whole(0, 2), choices.whole(1, 2)
    trace = Trace.with_delays(rows, [[min(t, delay)] for t in range(root**2)], local_steps=steps)
    problem = draw_tilted(choices, clients, curvatures=FLAT)
    scenario = Scenario(
        "afa-cd",
        problem,
        trace,
        start=choices.number(-3, 3),
        local_step_size=Fraction(1, root),
        server_step_size=side,
    )
    failing = unmet(claim, scenario, stated_only=True)
    choices.require(not failing, ", ".join(failing))
    return on_run(choices, claim, scenario)


def _remembering(choices: Choices, claim: Claim) -> Instance:
    """AFA-CS with every printed condition; eq. (7) is sure only without noise."""
    return draw_run(choices, replace(claim, about=("afa-cs",)))


def _adversary(choices: Choices, claim: Claim) -> Values:
    """Of two equal workers with +-1 noise on x^2/2 the one with the larger noise arrives: n = +1
    with chance 3/4; or a fair one."""
    step = Fraction(1, choices.choice((10, 4, 30, 100, 300)))
    rounds = choices.choice((1, 2, 10, 50, 150, 400))
    lean = choices.choice((Fraction(0), Fraction(1, 2)))
    mean, second, total = Fraction(0), Fraction(0), Fraction(0)
    for _ in range(rounds):
        total += second
        second = (1 - step) ** 2 * second - 2 * (1 - step) * step * lean * mean + step**2
        mean = (1 - step) * mean - step * lean
        mean, second = (
            Fraction(int(mean * DIGITS), DIGITS),
            Fraction(int(second * DIGITS), DIGITS),
        )  # both towards 0, so from below
    floor = Fraction(int(total / rounds * 10**9), 10**9)
    return {
        "mean_squared_gradient": floor,
        "initial_loss_gap": 0,
        "server_step_size": 1,
        "local_step_size": step,
        "num_rounds": rounds,
        "smoothness": 1,
        "clients_per_round": 1,
        "max_delay": 0,
        "local_steps": 1,
        "gradient_noise": 1,
        "dissimilarity": 0,
        "num_clients": 2,
    }


def _horizon(choices: Choices, claim: Claim) -> Values:
    steps, delay, per_round = choices.whole(1, 6), choices.whole(0, 4), choices.whole(1, 9)
    smoothness = choices.number("1/4", 2)

    def allowed(rounds: int) -> bool:
        if steps > 1 and 180 * steps**2 * smoothness**2 * max(delay, 1) > rounds:
            return False
        rest = 1 - 3 * delay**2 * smoothness**2 * Fraction(per_round, rounds)
        return bool(rest >= 0 and 4 * smoothness**2 * Fraction(per_round, rounds) <= rest**2)

    low, high = 0, 1
    while not allowed(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if allowed(middle) else (middle, high)
    return {
        "smallest_horizon": high,
        "local_steps": steps,
        "max_delay": delay,
        "clients_per_round": per_round,
        "smoothness": smoothness,
    }


def _ends(choices: Choices, claim: Claim) -> Values:
    """Where AFA-CD ends on (x + G)^2 and (x - G)^2 when the workers arrive in any pattern (worker 1
    alone for afl.rem2.attained)."""
    gap = choices.whole(1, 3)
    step = choices.number("1/10", "1/4", max_denominator=10)
    steps = choices.whole(1, 2)
    alone = claim.id == "afl.rem2.attained"
    rows = (
        [[1, 0]]
        if alone
        else [[int(not choices.flag()) for _ in range(2)] for _ in range(choices.whole(1, 4))]
    )
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


def _memory_ends(choices: Choices, claim: Claim) -> Values:
    clients = choices.whole(1, 3)
    rows = [[1] * clients] + [
        [int(not choices.flag()) for _ in range(clients)] for _ in range(choices.whole(0, 3))
    ]
    size = choices.number("1/8", "1/3", max_denominator=8)
    limit = limit_cycle(
        AfaCrossSilo(), tilted(clients), Trace.fresh(rows * 4), local_step_size=size
    )
    choices.require(limit.stable and limit.cycle is not None, "the method converges")
    return {"limit_error": sum(x**2 for (x,) in limit.cycle) / limit.period}  # type: ignore[union-attr]


def _against_fedavg(choices: Choices, claim: Claim) -> Values:
    steps, clients = choices.whole(1, 3), choices.whole(1, 2)
    problem = Quadratic(
        choices.many(lambda: choices.number("1/2", 3), clients),
        choices.many(lambda: choices.number(-3, 3), clients),
    )
    local = choices.number("1/8", "1/2")
    server = choices.number("1/2", 2)
    start = choices.number(-3, 3)
    factor = steps if claim.id.endswith(".corrected") else 1
    models = [
        simulate(
            method,
            problem,
            Trace.fresh([[1] * clients], local_steps=steps),
            start=start,
            local_step_size=local,
            server_step_size=size,
        ).models[1, 0]
        for method, size in ((AfaCrossDevice(), factor * server), (FedAvg(), server))
    ]
    return {
        "afa_model": models[0],
        "fedavg_model": models[1],
        "local_steps": steps,
        "num_clients": clients,
    }


def _same_arrivals(choices: Choices, claim: Claim) -> Values:
    clients = choices.whole(1, 4)
    row = [not choices.flag() for _ in range(clients)]
    choices.require(any(row), "somebody arrives")
    problem = draw_tilted(choices, clients, noise=False)
    step = choices.number("1/8", "1/4", max_denominator=8) / problem.curvature
    limit = limit_cycle(AfaCrossDevice(), problem, Trace.fresh([row] * 3), local_step_size=step)
    bias = sum(
        (
            (Fraction(int(here), sum(row)) - Fraction(1, clients)) * tilt[0]
            for here, tilt in zip(row, problem.tilts, strict=True)
        ),
        Fraction(0),
    )
    assert limit.at_period_end is not None
    return {
        "limit_error": (problem.curvature * limit.at_period_end[0]) ** 2,
        "squared_bias_of_weights": bias**2,
    }


def _deviation(choices: Choices, claim: Claim) -> Values:
    """A common Huber loss and tilts that sum to 0: distance of the mean path from the global
    gradient."""
    clients = choices.whole(1, 3)
    steps = 1 if claim.id.endswith("one-step") else choices.whole(1, 3)
    tilts = choices.many(lambda: choices.number(-2, 2), clients - 1)
    tilts.append(-sum(tilts, Fraction(0)))
    start, size = (
        Fraction(0),
        choices.number("1/4", 1),
    )  # at the optimum, where the deviation is 0 without tilts
    paths = [
        work(
            lambda x, b=b: max(min(x, Fraction(1)), Fraction(-1)) + b,
            start,
            size,
            (Fraction(0),) * steps,
        ).exact
        for b in tilts
    ]
    here = max(min(start, Fraction(1)), Fraction(-1))
    return {
        "path_deviation": (here - sum(paths, Fraction(0)) / clients) ** 2,
        "local_steps": steps,
        "dissimilarity": max(map(abs, tilts)),
    }


def _inclusions(choices: Choices, claim: Claim) -> Values:
    """Successive sampling with any shares, or the paper's ten for what it prints of them."""
    parts = choices.many(lambda: choices.whole(1, 5), choices.whole(1, 4))
    printed = claim.id in ("afl.exp.incl.proportional", "afl.exp.incl.bias")
    shares = SHARES if printed else tuple(Fraction(p, sum(parts)) for p in parts)
    size = choices.whole(1, 5 if printed else len(shares))
    worker, known = choices.whole(0, len(shares) - 1), inclusion_probabilities(shares, size)
    order = sorted(known)
    half = len(known) // 2
    return {
        "inclusion_probability": known[worker],
        "printed_share": shares[worker],
        "clients_per_round": size,
        "sum_of_inclusions": sum(known),
        "heavy_inclusion": known[0],
        "race_probability": 0 if printed else race_probability(shares, size, worker),
        "light_inclusion": known[-1],
        "dissimilarity": 1,
        "worst_bias": (sum(order[half:]) - sum(order[:half])) / size,
    }


def _sizes(choices: Choices, claim: Claim) -> Values:
    """Images of side 32 (any side for the correction) with any padding; local steps 1 to 2c."""
    side = choices.whole(16, 40) if claim.id.endswith("corrected") else 32
    padding, half = choices.whole(0, 2), choices.whole(1, 50)
    return {
        "flattened_size": flattened(side, padding),
        "image_side": side,
        "padding": padding,
        "c": half,
        "mean_local_steps": Fraction(sum(range(1, 2 * half + 1)), 2 * half),
    }


def _tables(choices: Choices, claim: Claim) -> Instance:
    """A row, or two neighbouring ones, of the printed tables."""
    if claim.id == "afl.exp.table2.noniid":
        pairs = [(column, a, b) for column, same in series() for a, b in pairwise(same)]
        column, a, b = choices.choice(pairs)
        values = {
            "accuracy_at_smaller_p": Fraction(a[column]),
            "accuracy_at_larger_p": Fraction(b[column]),
        }
        return Instance(values, f"{label(a)}, {column}")
    if claim.id == "afl.exp.table2.differences":
        row, column = choices.choice(list(product(TABLE2, VARIANTS[1:])))
        return Instance(
            {"difference": Fraction(row[column]) - Fraction(row["sync_const"])},
            f"{label(row)}, {column}",
        )
    variant, baseline, only = {
        "afl.exp.table3.fedprox": ("AFL_FedProx", "FedProx", ""),
        "afl.exp.table3.scaffold": ("AFL_SCAFFOLD", "SCAFFOLD", ""),
    }.get(claim.id, ("SCAFFOLD", "FedProx", "CNN"))
    row = choices.choice([row for row in TABLE3 if row["model_dataset"].startswith(only)])
    return Instance(
        {"variant_accuracy": Fraction(row[variant]), "baseline_accuracy": Fraction(row[baseline])},
        label(row),
    )


def _skipped(choices: Choices, claim: Claim) -> Values:
    """Most deliveries that are skipped on traces of this size on which every memory entry is always
    fresh."""
    clients, rounds, most = choices.whole(1, 3), choices.whole(1, 2), 0
    for cells in product((False, True), repeat=clients * rounds):
        rows = np.array([True] * clients + list(cells)).reshape(rounds + 1, clients)
        seen = np.maximum.accumulate(np.where(rows, np.arange(rounds + 1)[:, None], 0), axis=0)
        if (np.arange(rounds + 1)[:, None] - seen).max() == 0:
            most = max(most, int((~rows).sum()))
    return {"skipped_deliveries": most, "num_clients": clients}


def _updates(choices: Choices, claim: Claim) -> Values:
    """One round of AFA-CS from any start, everybody arrives, noise +-sigma: E |G|^2 = |grad f|^2 +
    sigma^2/M, by enumeration."""
    clients, scale, start = choices.whole(1, 5), choices.number("1/4", 2), choices.number(-2, 2)
    moves = [
        (start + scale * Fraction(sum(signs), clients)) ** 2
        for signs in product((-1, 1), repeat=clients)
    ]
    return {
        "squared_update": sum(moves, Fraction(0)) / len(moves),
        "gradient_noise": scale,
        "num_clients": clients,
    }


def _increments(choices: Choices, claim: Claim) -> Values:
    """V along any models, f(x) = x^2/2 + c, beta_u = tau - u; and a stationary round of the same
    loss."""
    oldest = choices.whole(1, 3)
    t, shift = oldest + 2, choices.number(-2, 2)
    models = choices.many(lambda: choices.number(-3, 3), t + 2)
    beta = [Fraction(oldest - u) for u in range(oldest)]

    def moved(s: int) -> Fraction:
        return (models[s] - models[s - 1]) ** 2

    def value(s: int) -> Fraction:
        return models[s] ** 2 / 2 + sum((b * moved(s - u) for u, b in enumerate(beta)), Fraction(0))

    still = claim.id == "afl.thm4.eq12"
    return {
        "increment_of_v": value(t + 1) - value(t),
        "loss_change": 0 if still else (models[t + 1] ** 2 - models[t] ** 2) / 2,
        "change_of_middle_terms": sum(
            ((beta[u + 1] - beta[u]) * moved(t - u) for u in range(oldest - 1)), Fraction(0)
        ),
        "newest_term": beta[0] * moved(t + 1),
        "dropped_term": beta[-1] * moved(t - oldest + 1),
        "printed_dropped_term": beta[-1] * moved(t - oldest - 1),
        "current_loss": shift,
        "other_terms": 0,
    }


NAMES = (
    "initial_loss_gap smoothness gradient_noise dissimilarity num_rounds num_clients"
    " local_step_size server_step_size local_steps clients_per_round max_delay"
    " mean_squared_gradient"
)
UNIFORM = frozenset(NAMES.split())

SPACES = restated(
    (
        Space(
            "afl thm3 everyone",
            "All workers arrive in every round, any delays, any server step size that the"
            " conditions allow.",
            frozenset(MEASURES),
            _everyone,
            ("afl.thm3", "afl.thm3c"),
        ),
        Space(
            "afl thm3",
            "Exact means over all sequences of uniform subsets of up to three workers and two"
            " rounds.",
            UNIFORM,
            _uniform,
            ("afl.thm3", "afl.thm3c"),
        ),
        Space(
            "afl cor1 runs",
            "Runs with eta_L = 1/sqrt(T) and eta = sqrt(m), up to nine rounds and five workers.",
            frozenset(MEASURES),
            _rate_steps,
            ("afl.cor1.any-horizon", "afl.cor1.explicit"),
        ),
        Space(
            "afl thm4",
            "Runs of AFA-CS within its printed conditions.",
            frozenset(MEASURES),
            _remembering,
            ("afl.thm4",),
        ),
        given(
            "Of two workers the one with the larger noise arrives (left side rounded down).",
            NAMES,
            ("afl.thm2.adaptive",),
            _adversary,
        ),
        given(
            "The least horizon, by bisection.",
            "smallest_horizon local_steps max_delay clients_per_round smoothness",
            ("afl.cor1.horizon",),
            _horizon,
        ),
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
            ("afl.rem4.fedavg*",),
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
        given(
            "Successive sampling with any shares.",
            "inclusion_probability printed_share clients_per_round sum_of_inclusions "
            "race_probability heavy_inclusion light_inclusion dissimilarity worst_bias",
            ("afl.exp.incl*",),
            _inclusions,
        ),
        given(
            "Images and local steps of any size.",
            "flattened_size image_side padding c mean_local_steps",
            ("afl.exp.table1*", "afl.exp.dynamic"),
            _sizes,
        ),
        Space(
            "afl tables",
            "Every row of the printed tables.",
            frozenset(
                (
                    "accuracy_at_smaller_p",
                    "accuracy_at_larger_p",
                    "difference",
                    "variant_accuracy",
                    "baseline_accuracy",
                )
            ),
            _tables,
            (
                "afl.exp.table2.noniid",
                "afl.exp.table2.differences",
                "afl.exp.table3.fedprox",
                "afl.exp.table3.scaffold",
                "afl.exp.table3.scaffold-cifar",
            ),
        ),
        given(
            "All participation patterns of one size.",
            "skipped_deliveries num_clients",
            ("afl.rem7.lag",),
            _skipped,
        ),
        given(
            "One round of AFA-CS from any start.",
            "squared_update gradient_noise num_clients",
            ("afl.thm4.seven", "afl.rem5"),
            _updates,
        ),
        given(
            "V along any models.",
            "increment_of_v loss_change change_of_middle_terms newest_term dropped_term"
            " printed_dropped_term current_loss other_terms",
            ("afl.thm4.increment*", "afl.thm4.eq12"),
            _increments,
        ),
    )
)
