"""Where MIFA's definitions and lemmas may fail: availability and its staleness, one round of each
method, small sets of clients."""

from fractions import Fraction
from itertools import product

import numpy as np
import sympy

from fltheory.algorithms.fedavg import FedAvg, ModelState
from fltheory.algorithms.mifa import Mifa, MifaDifference, MifaDifferenceState, MifaState
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.claims.checks.enumeration import subsets
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.rounds import Round, rounds, schedule
from fltheory.engine.simulate import simulate
from fltheory.papers.mifa.checks.staleness import counted, statistics_of
from fltheory.papers.mifa.spaces.drawing import Values, chance, pattern, quadratic, space_of_values
from fltheory.problems.objective import loss_gap
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.bernoulli import biased_weights
from fltheory.traces.availability.linear_gaps import LinearGaps
from fltheory.traces.selection import wait_for_sample
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import initial_gap, rounds_since


def _staleness(choices: Choices, claim: Claim) -> Values:
    alone = {"active_rounds", "staleness"} & {s.name for s in claim.symbols}
    clients = 1 if alone else choices.whole(1, 3)
    table = pattern(choices, clients=clients, rounds=choices.whole(1, 7))
    at = choices.whole(0, len(table) - 1)
    return statistics_of(table) | {
        "active_rounds": sum(map(sum, table)),
        "staleness": int(rounds_since(table)[at, 0]),
        "counted_staleness": counted(table)[at][0],
    }


def _saturating(choices: Choices, claim: Claim) -> Values:
    gap = choices.number(Fraction(1, 4), 20)
    trace = Trace.fresh(LinearGaps(1, gap, Fraction(1, 40)).matrix(choices.whole(1, 200)))
    return {"initial_gap": initial_gap(trace, Fraction(1, 40)), "allowed_gap": gap}


def _growing_absence(choices: Choices, claim: Claim) -> Values:
    """Activity in rounds that grow by a factor: tau <= t (1 - 1/factor) = O(T); the least t0 for
    the slope 1/40."""
    factor, count = choices.whole(2, 4), choices.whole(1, 12)
    last = min(factor**count, 20_000)
    active = {factor**k for k in range(count + 1)}
    trace = Trace.fresh([[t in active] for t in range(1, last)] or [[True]])
    return {"initial_gap": initial_gap(trace, Fraction(1, 40))}


def _one_round(choices: Choices, claim: Claim) -> Values:
    """One round of every method from any array, any set of active devices, and any updates."""
    clients, wanted = choices.whole(1, 4), {s.name for s in claim.symbols}
    active = [int(not choices.flag()) for _ in range(clients)]
    if "model_of_mifa" in wanted:
        active = [1] * clients
    if "average_of_local_models" in wanted and not any(active):
        choices.reject("somebody is active")
    model, size = choices.number(-3, 3), choices.number(Fraction(1, 4), 2)
    kept, fresh = (
        RATIONAL.rows([[choices.number(-3, 3)] for _ in range(clients)]) for _ in range(2)
    )
    step = _round(active, size)
    array = Mifa().step(MifaState(RATIONAL.rows([[model]]), kept), fresh, step)
    running = MifaDifference().step(
        MifaDifferenceState(
            RATIONAL.rows([[model]]), kept.sum(axis=0, keepdims=True) / clients, kept
        ),
        fresh,
        step,
    )
    fedavg = FedAvg().step(ModelState(RATIONAL.rows([[model]])), fresh, step).model[0, 0]
    silent = MifaState(RATIONAL.rows([[model]]), RATIONAL.zeros((clients, 1)))
    heard = [
        Mifa().step(silent, fresh, _round([here, *[1] * (clients - 1)], size)).updates.sum()
        / clients
        for here in (0, 1)
    ]
    local = [model - size * fresh[i, 0] for i, here in enumerate(active) if here]
    return {
        "running_mean": running.mean_update[0, 0],
        "mean_of_array": array.updates.sum() / clients,
        "num_clients": clients,
        "model_from_running_mean": running.model[0, 0],
        "model_from_array": array.model[0, 0],
        "model_of_mifa": array.model[0, 0],
        "model_of_fedavg": fedavg,
        "average_of_local_models": sum(local) / max(len(local), 1),
        "local_step_size": size,
        "update_error": heard[0] - heard[1],
        "missing_update": fresh[0, 0],
    }


def _round(active: list[int], size: Fraction) -> Round:
    return next(rounds(Trace.fresh([active]), RATIONAL, schedule(size), schedule(1)))


def _stored_update(choices: Choices, claim: Claim) -> Values:
    curvature, centre, model = (
        choices.number(Fraction(1, 4), 3),
        choices.number(-3, 3),
        choices.number(-3, 3),
    )
    steps, size = choices.whole(1, 5), choices.number(Fraction(1, 4), 2)
    run = simulate(
        Mifa(),
        Quadratic((curvature,), (centre,)),
        Trace.fresh([[1]], local_steps=steps),
        start=[model],
        local_step_size=size,
    )
    return {
        "stored_update": run.final.server.updates[0, 0],
        "model": model,
        "centre": centre,
        "curvature": curvature,
        "local_steps": steps,
        "local_step_size": size,
    }


def _three(choices: Choices, claim: Claim) -> Values:
    """Three quadratic clients and where the mean of their gradients vanishes, found from two values
    of that affine function."""
    curvatures = [choices.number(Fraction(1, 4), 3) for _ in range(3)]
    centres = [choices.number(-3, 3) for _ in range(3)]
    at = [sum(h * (w - c) for h, c in zip(curvatures, centres, strict=True)) for w in (0, 1)]
    return {
        "optimum": -at[0] / (at[1] - at[0]),
        **{f"curvature_{i}": h for i, h in enumerate(curvatures, start=1)},
        **{f"centre_{i}": c for i, c in enumerate(centres, start=1)},
    }


def _two(choices: Choices, claim: Claim) -> Values:
    curvatures = [choices.number(Fraction(1, 4), 3) for _ in range(2)]
    centres = [choices.number(-3, 3) for _ in range(2)]
    return {
        "dissimilarity_at_optimum": (
            Quadratic(curvatures, centres).constants.dissimilarity_at_optimum
        ),
        **{f"curvature_{i}": h for i, h in enumerate(curvatures, start=1)},
        **{f"centre_{i}": c for i, c in enumerate(centres, start=1)},
    }


def _client_gradients(choices: Choices, claim: Claim) -> Values:
    problem, point = (
        quadratic(choices, clients=(n := choices.whole(1, 4)), noise=False),
        choices.number(-5, 5),
    )
    gradients = problem.gradients(RATIONAL)(RATIONAL.rows([[point]] * n))
    return {
        "mean_squared_client_gradient": (gradients**2).sum() / n,
        "smoothness": problem.constants.smoothness,
        "loss_gap": loss_gap(problem, [[point]], RATIONAL)[0, 0],
        "dissimilarity_at_optimum": problem.constants.dissimilarity_at_optimum,
        "num_clients": n,
    }


def _two_chances(choices: Choices, claim: Claim) -> Values:
    """Two devices with chances and updates: moments over the four sets of active devices."""
    chances, updates = (
        [chance(choices) for _ in range(2)],
        [choices.number(-3, 3) for _ in range(2)],
    )
    method, weight, average, square = (
        WeightedAggregation(tuple(1 / (2 * p) for p in chances)),
        Fraction(0),
        Fraction(0),
        Fraction(0),
    )
    for active in product((0, 1), repeat=2):
        mass = np.prod([p if here else 1 - p for p, here in zip(chances, active, strict=True)])
        step = _round(list(active), Fraction(1))
        deliveries = RATIONAL.rows(
            [[update * here] for update, here in zip(updates, active, strict=True)]
        )
        moved = -method.step(ModelState(RATIONAL.rows([[0]])), deliveries, step).model[0, 0]
        weight += mass * Fraction(active[0], max(sum(active), 1))
        average, square = average + mass * moved, square + mass * moved**2
    return {
        "first_chance": chances[0],
        "second_chance": chances[1],
        "first_update": updates[0],
        "second_update": updates[1],
        "num_clients": 2,
        "effective_weight": weight,
        "mean_update": average,
        "update_variance": square - average**2,
    }


def _updates_while_waiting(choices: Choices, claim: Claim) -> Values:
    clients, num_rounds = choices.whole(1, 3), choices.whole(1, 5)
    table = [[int(not choices.flag()) for _ in range(clients)] for _ in range(num_rounds)]
    chosen = wait_for_sample(table, choices.whole(1, clients), seed=choices.whole(0, 20))
    return {"num_updates": int(chosen.any(axis=1).sum()), "num_rounds": num_rounds}


def _biased(choices: Choices, claim: Claim) -> Values:
    """Where the mean step of biased FedAvg over all sets of four devices vanishes."""
    chances, centres = (
        [chance(choices) for _ in range(4)],
        [choices.number(-3, 3) for _ in range(4)],
    )
    at = [Fraction(0), Fraction(0)]
    for active in product((0, 1), repeat=4):
        mass = np.prod([p if here else 1 - p for p, here in zip(chances, active, strict=True)])
        for point in (0, 1):
            at[point] += (
                mass
                * sum(here * (point - c) for c, here in zip(centres, active, strict=True))
                / max(sum(active), 1)
            )
    limit, middle = -at[0] / (at[1] - at[0]), sum(centres) / 4
    return {
        "residual_gap": sum((limit - c) ** 2 - (middle - c) ** 2 for c in centres) / 8,
        **{f"effective_weight_{i}": w for i, w in enumerate(biased_weights(chances), start=1)},
        **{f"centre_{i}": c for i, c in enumerate(centres, start=1)},
    }


def _sampled_gradients(choices: Choices, claim: Claim) -> Values:
    clients = choices.whole(2, 5)
    gradients = [choices.number(-4, 4, max_denominator=2) for _ in range(clients - 1)]
    gradients.append(-sum(gradients, Fraction(0)))
    size = choices.whole(1, clients)
    means = [sum(gradients[i] for i in chosen) / size for chosen in subsets(clients, size=size)]
    return {
        "sampling_variance": sum(m * m for m in means) / len(means),
        "num_clients": clients,
        "clients_per_round": size,
        "dissimilarity_at_optimum": sum(g * g for g in gradients) / clients,
    }


def _laws_of_norms(choices: Choices, claim: Claim) -> Values:
    """A gradient norm with two or three values; and noise with the same law, made symmetric, below
    its largest value."""
    values = [choices.number(0, 3) for _ in range(choices.whole(1, 3))]
    masses = [Fraction(choices.whole(1, 4)) for _ in values]
    first, second = (
        sum(m * x**k for m, x in zip(masses, values, strict=True)) / sum(masses) for k in (1, 2)
    )
    spare = choices.number(0, 2)
    if not max(values) + spare:
        choices.reject("the bound on the noise is positive")
    return {
        "mean_gradient_norm": first,
        "mean_squared_norm": second,
        "gradient_noise": sympy.sqrt(sympy.Rational(str(second))),
        "noise_bound": max(values) + spare,
    }


STALENESS = (
    "num_clients num_rounds mean_staleness max_staleness mean_client_max_staleness total_staleness"
    " squared_usages"
)
ROUND = (
    "running_mean mean_of_array num_clients model_from_running_mean model_from_array model_of_mifa"
    " model_of_fedavg average_of_local_models local_step_size update_error missing_update"
)
SPACES = (
    space_of_values(
        "mifa.staleness",
        "Every availability of up to three devices over up to seven rounds, everybody in the"
        " first.",
        f"{STALENESS} active_rounds staleness counted_staleness",
        _staleness,
        ("mifa.def5.1", "mifa.taustats*", "mifa.ass8*"),
    ),
    space_of_values(
        "mifa.saturating",
        "The adversary that is as absent as Assumption 4 permits, for any t0 and horizon.",
        "initial_gap allowed_gap",
        _saturating,
        ("mifa.ass4.growth.corrected",),
    ),
    space_of_values(
        "mifa.growing-absence",
        "Activity in rounds that grow by a factor, so that the staleness is of the order of T.",
        "initial_gap",
        _growing_absence,
        ("mifa.ass4.growth",),
    ),
    space_of_values(
        "mifa.one-round",
        "One round of each method from any array, with any active devices and updates.",
        ROUND,
        _one_round,
        ("mifa.alg1.*", "mifa.alg.biased", "mifa.rem5.2"),
    ),
    space_of_values(
        "mifa.stored-update",
        "One device with a quadratic loss and up to five local steps.",
        "stored_update model centre curvature local_steps local_step_size",
        _stored_update,
        ("mifa.alg1",),
    ),
    space_of_values(
        "mifa.three-clients",
        "Three quadratic clients.",
        "optimum " + " ".join(f"curvature_{i} centre_{i}" for i in (1, 2, 3)),
        _three,
        ("mifa.eq1",),
    ),
    space_of_values(
        "mifa.two-clients",
        "Two quadratic clients.",
        "dissimilarity_at_optimum curvature_1 curvature_2 centre_1 centre_2",
        _two,
        ("mifa.D",),
    ),
    space_of_values(
        "mifa.client-gradients",
        "Up to four quadratic clients, at any point.",
        "mean_squared_client_gradient smoothness loss_gap dissimilarity_at_optimum num_clients",
        _client_gradients,
        ("mifa.ass.BGD",),
    ),
    space_of_values(
        "mifa.two-chances",
        "Two devices with any chances and updates, all four sets of active ones.",
        "first_chance second_chance first_update second_update num_clients effective_weight"
        " mean_update update_variance",
        _two_chances,
        ("mifa.alg.is*", "mifa.alg.biased.bias"),
    ),
    space_of_values(
        "mifa.waiting",
        "FedAvg that waits for its sample, any availability of up to three devices.",
        "num_updates num_rounds",
        _updates_while_waiting,
        ("mifa.alg.sampling*",),
    ),
    space_of_values(
        "mifa.biased",
        "Four devices with any chances and minimisers.",
        "residual_gap " + " ".join(f"effective_weight_{i} centre_{i}" for i in (1, 2, 3, 4)),
        _biased,
        ("mifa.exp.2",),
    ),
    space_of_values(
        "mifa.samples",
        "All samples of a size from up to five gradients at the optimum.",
        "sampling_variance num_clients clients_per_round dissimilarity_at_optimum",
        _sampled_gradients,
        ("mifa.eq3.updates.corrected",),
    ),
    space_of_values(
        "mifa.norms",
        "Random gradient norms with up to three values.",
        "mean_gradient_norm mean_squared_norm gradient_noise noise_bound",
        _laws_of_norms,
        ("mifa.prop6.1.middle", "mifa.prop6.1.copy_a", "mifa.ass6"),
    ),
)
