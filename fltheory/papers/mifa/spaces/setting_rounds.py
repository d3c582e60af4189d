"""Where MIFA's statements about one round may fail: every method from any array, with any active
devices and updates."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from fltheory.algorithms.fedavg import FedAvg, ModelState
from fltheory.algorithms.mifa import Mifa, MifaDifference, MifaDifferenceState, MifaState
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.rounds import Round, rounds, schedule
from fltheory.engine.simulate import simulate
from fltheory.papers.mifa.spaces.drawing import chance, numbered, space_of_values
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.bernoulli import biased_weights
from fltheory.traces.selection import wait_for_sample
from fltheory.traces.trace import Trace


def _one_round(choices: Choices, claim: Claim) -> Drawn:
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
    mean_kept = kept.sum(axis=0, keepdims=True) / clients
    before = MifaDifferenceState(RATIONAL.rows([[model]]), mean_kept, kept)
    running = MifaDifference().step(before, fresh, step)
    fedavg = FedAvg().step(ModelState(RATIONAL.rows([[model]])), fresh, step).model[0, 0]
    silent = MifaState(RATIONAL.rows([[model]]), RATIONAL.zeros((clients, 1)))
    others = [1] * (clients - 1)
    without, heard = (
        Mifa().step(silent, fresh, _round([here, *others], size)).updates.sum() / clients
        for here in (0, 1)
    )
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
        "update_error": without - heard,
        "missing_update": fresh[0, 0],
    }


def _round(active: Sequence[int], size: Fraction) -> Round:
    return next(rounds(Trace.fresh([active]), RATIONAL, schedule(size), schedule(1)))


def _stored_update(choices: Choices, claim: Claim) -> Drawn:
    """The update that one device stores after up to five local steps on a quadratic."""
    curvature = choices.number(Fraction(1, 4), 3)
    centre, model = choices.number(-3, 3), choices.number(-3, 3)
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


def _sets_of(chances: Sequence[Fraction]) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every set of active devices, as a 0/1 row, with its chance."""
    for active in product((0, 1), repeat=len(chances)):
        pairs = zip(chances, active, strict=True)
        yield active, prod((p if here else 1 - p for p, here in pairs), start=Fraction(1))


def _two_chances(choices: Choices, claim: Claim) -> Drawn:
    """Two devices with chances and updates: moments over the four sets of active devices."""
    chances = [chance(choices) for _ in range(2)]
    updates = [choices.number(-3, 3) for _ in range(2)]
    method = WeightedAggregation(tuple(1 / (2 * p) for p in chances))
    weight = average = square = Fraction(0)
    for active, mass in _sets_of(chances):
        deliveries = RATIONAL.rows(
            [[update * here] for update, here in zip(updates, active, strict=True)]
        )
        step = _round(active, Fraction(1))
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
        "sum_of_updates": sum(updates),
        "update_variance": square - average**2,
    }


def _updates_while_waiting(choices: Choices, claim: Claim) -> Drawn:
    """Global updates of FedAvg that waits for its sample, on any availability."""
    clients, num_rounds = choices.whole(1, 3), choices.whole(1, 5)
    table = [[int(not choices.flag()) for _ in range(clients)] for _ in range(num_rounds)]
    chosen = wait_for_sample(table, choices.whole(1, clients), seed=choices.whole(0, 20))
    return {"num_updates": int(chosen.any(axis=1).sum()), "num_rounds": num_rounds}


def _biased(choices: Choices, claim: Claim) -> Drawn:
    """Where the mean step of biased FedAvg over all sets of four devices vanishes."""
    chances = [chance(choices) for _ in range(4)]
    centres = [choices.number(-3, 3) for _ in range(4)]
    at = [Fraction(0), Fraction(0)]
    for active, mass in _sets_of(chances):
        for point in (0, 1):
            step = sum(here * (point - c) for c, here in zip(centres, active, strict=True))
            at[point] += mass * step / max(sum(active), 1)
    limit, middle = -at[0] / (at[1] - at[0]), sum(centres) / 4
    return {
        "residual_gap": sum((limit - c) ** 2 - (middle - c) ** 2 for c in centres) / 8,
        **numbered("effective_weight", biased_weights(chances)),
        **numbered("centre", centres),
    }


ROUND = (
    "running_mean mean_of_array num_clients model_from_running_mean model_from_array model_of_mifa"
    " model_of_fedavg average_of_local_models local_step_size update_error missing_update"
)

SPACES = (
    space_of_values(
        "one-round",
        "One round of each method from any array, with any active devices and updates.",
        _one_round,
        ROUND,
        "alg1.* alg.biased rem5.2",
    ),
    space_of_values(
        "stored-update",
        "One device with a quadratic loss and up to five local steps.",
        _stored_update,
        "stored_update model centre curvature local_steps local_step_size",
        "alg1",
    ),
    space_of_values(
        "two-chances",
        "Two devices with any chances and updates, all four sets of active ones.",
        _two_chances,
        "first_chance second_chance first_update second_update num_clients effective_weight"
        " mean_update sum_of_updates update_variance",
        "alg.is* alg.biased.bias",
    ),
    space_of_values(
        "waiting",
        "FedAvg that waits for its sample, any availability of up to three devices.",
        _updates_while_waiting,
        "num_updates num_rounds",
        "alg.sampling*",
    ),
    space_of_values(
        "biased",
        "Four devices with any chances and minimisers.",
        _biased,
        "residual_gap " + " ".join(f"effective_weight_{i} centre_{i}" for i in (1, 2, 3, 4)),
        "exp.2",
    ),
)
