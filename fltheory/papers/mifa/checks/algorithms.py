"""Sections 3 and 4: one round of each method on formulas, for every set of active devices."""

from collections.abc import Iterator
from itertools import product

import sympy

from fltheory.algorithms.fedavg import FedAvg, ModelState
from fltheory.algorithms.mifa import Mifa, MifaDifference, MifaDifferenceState, MifaState
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Array, Formula
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.rounds import Round, rounds, schedule
from fltheory.engine.simulate import simulate
from fltheory.papers.mifa.statements.algorithms import CENTRES, CURVATURES, STEP
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.selection import wait_for_sample
from fltheory.traces.trace import Trace

MODEL = letter("model")
FROM_MODEL = ModelState(SYMBOLIC.rows([[MODEL]]))
MOST_CLIENTS = 4


def column(name: str, count: int) -> Array:
    """One symbol per client, as rows."""
    return SYMBOLIC.rows([[letter(f"{name}_{i}")] for i in range(count)])


def active_sets() -> Iterator[tuple[int, ...]]:
    """Every set of active devices out of one to four, as 0/1 rows."""
    for clients in range(1, MOST_CLIENTS + 1):
        yield from product((0, 1), repeat=clients)


def one_round(active: tuple[int, ...]) -> Round:
    """One round with this set of active devices, its step sizes as formulas."""
    return next(rounds(Trace.fresh([active]), SYMBOLIC, schedule(STEP), schedule(1)))


def optimum_of_three(claim: Claim) -> Evidence:
    """The root of (1/3) sum_i h_i (w - c_i), the gradient of three quadratic clients (eq. 1)."""
    point = sympy.Symbol("w")
    gradient = sum(h * (point - c) for h, c in zip(CURVATURES, CENTRES, strict=True)) / 3
    (root,) = sympy.solve(gradient, point)
    return check_symbolic(
        claim, derived={"optimum": root}, covers="three clients with any curvatures and minimisers"
    )


def stored_update(claim: Claim) -> Evidence:
    """G^i = (w_t - w^i_{t,K})/eta_t after one to five local steps on a quadratic (Algorithm 1)."""
    curvature, centre = letter("curvature"), letter("centre")
    problem = Quadratic((curvature,), (centre,))

    def cases() -> Iterator[dict[str, Formula]]:
        for steps in range(1, 6):
            run = simulate(
                Mifa(),
                problem,
                Trace.fresh([[1]], local_steps=steps),
                start=[MODEL],
                local_step_size=STEP,
                arithmetic=SYMBOLIC,
            )
            yield {
                "local_steps": sympy.Integer(steps),
                "stored_update": run.final.server.updates[0, 0],
            }

    return check_symbolic_cases(
        claim, cases(), covers="one device with a quadratic loss, one to five local steps"
    )


def layouts() -> Iterator[dict[str, Formula]]:
    """One round of both layouts from the same array, whose mean the server holds: the step of an
    induction over rounds."""
    for active in active_sets():
        kept, fresh, step = (
            column("kept", len(active)),
            column("fresh", len(active)),
            one_round(active),
        )
        array = Mifa().step(MifaState(SYMBOLIC.rows([[MODEL]]), kept), fresh, step)
        mean_kept = kept.sum(axis=0, keepdims=True) / len(active)
        running = MifaDifference().step(
            MifaDifferenceState(SYMBOLIC.rows([[MODEL]]), mean_kept, kept), fresh, step
        )
        yield {
            "running_mean": running.mean_update[0, 0],
            "mean_of_array": array.updates.sum() / len(active),
            "model_from_running_mean": running.model[0, 0],
            "model_from_array": array.model[0, 0],
        }


def layouts_agree(claim: Claim) -> Evidence:
    """The running mean and the model of both layouts after one round (Section 4, discussion on
    implementation)."""
    return check_symbolic_cases(
        claim,
        layouts(),
        covers=(
            "one round from any array, every set of active devices out of at most four; "
            "with zero arrays at the start, an induction over rounds"
        ),
    )


def full_participation(claim: Claim) -> Evidence:
    """One round of MIFA and of FedAvg with everybody active (Remark 5.1)."""

    def cases() -> Iterator[dict[str, Formula]]:
        for clients in range(1, MOST_CLIENTS + 1):
            fresh, step = column("fresh", clients), one_round((1,) * clients)
            mifa = Mifa().step(
                MifaState(SYMBOLIC.rows([[MODEL]]), column("kept", clients)), fresh, step
            )
            fedavg = FedAvg().step(FROM_MODEL, fresh, step)
            yield {"model_of_mifa": mifa.model[0, 0], "model_of_fedavg": fedavg.model[0, 0]}

    return check_symbolic_cases(
        claim, cases(), covers="one round from any array with one to four devices"
    )


def biased_average(claim: Claim) -> Evidence:
    """One round of biased FedAvg against the mean of the local models w - eta G_i (Section 3)."""

    def cases() -> Iterator[dict[str, Formula]]:
        for active in active_sets():
            if any(active):
                fresh = column("fresh", len(active))
                after = FedAvg().step(FROM_MODEL, fresh, one_round(active))
                local = [MODEL - STEP * fresh[i, 0] for i, here in enumerate(active) if here]
                yield {
                    "model_of_fedavg": after.model[0, 0],
                    "average_of_local_models": sum(local) / len(local),
                }

    return check_symbolic_cases(
        claim,
        cases(),
        covers="every non-empty set of active devices out of at most four, any updates",
    )


CHANCES = (letter("first_chance"), letter("second_chance"))
UPDATES = (letter("first_update"), letter("second_update"))


def pair_patterns() -> Iterator[tuple[tuple[int, ...], sympy.Expr]]:
    """Who of two devices is active, with its chance as a formula."""
    for active in product((0, 1), repeat=2):
        yield (
            active,
            sympy.prod(p if here else 1 - p for p, here in zip(CHANCES, active, strict=True)),
        )


def effective_weight(claim: Claim) -> Evidence:
    """E[1{first active}/|A|] over the four sets of active devices (Section 3, biased FedAvg)."""
    weight = sum(chance * one_round(active).share[0, 0] for active, chance in pair_patterns())
    return check_symbolic(
        claim,
        derived={"effective_weight": weight},
        covers="two devices with any chances, all four sets of active devices",
    )


def importance_sampling_moments(claim: Claim) -> Evidence:
    """Mean and variance of (1/N) sum over A of G_i/p_i for two devices (Section 3, importance
    sampling)."""
    method = WeightedAggregation(tuple(1 / (2 * p) for p in CHANCES))
    mean = square = sympy.S.Zero
    for active, chance in pair_patterns():
        deliveries = SYMBOLIC.rows(
            [[update * here] for update, here in zip(UPDATES, active, strict=True)]
        )
        after = method.step(FROM_MODEL, deliveries, one_round(active))
        moved = (MODEL - after.model[0, 0]) / STEP
        mean, square = mean + chance * moved, square + chance * moved**2
    derived = {
        "num_clients": sympy.Integer(2),
        "mean_update": sympy.simplify(mean),
        "sum_of_updates": sum(UPDATES),
        "update_variance": sympy.simplify(square - mean**2),
    }
    return check_symbolic(
        claim,
        derived=derived,
        covers="two devices with any chances and updates, all four sets of active devices",
    )


@by_instances(
    Method.ENUMERATION,
    "every availability of two devices over up to three rounds, samples of one and two",
)
def updates_while_waiting() -> Iterator[Instance]:
    """Global updates of FedAvg that waits for its sample (Section 3): all availability patterns of
    two devices over up to three rounds, waiting for one and for both, several samples."""
    for num_rounds, size in product(range(1, 4), (1, 2)):
        for bits in product((1, 0), repeat=2 * num_rounds):
            table = [bits[2 * t : 2 * t + 2] for t in range(num_rounds)]
            for seed in range(2):
                done = int(wait_for_sample(table, size, seed=seed).any(axis=1).sum())
                yield Instance(
                    {"num_updates": done, "num_rounds": num_rounds},
                    f"availability {table}, samples of {size}, seed {seed}",
                )


CHECKS = (
    Check(
        "mifa.eq1",
        optimum_of_three,
        everything="it speaks of three clients; an identity in all its symbols",
    ),
    Check("mifa.alg1", stored_update),
    Check("mifa.alg1.diff", layouts_agree),
    Check("mifa.alg1.equiv", layouts_agree),
    Check("mifa.alg1.fedavg", full_participation),
    Check("mifa.alg.biased", biased_average),
    Check(
        "mifa.alg.biased.bias",
        effective_weight,
        everything="it speaks of two devices; all four active sets, any chances",
    ),
    Check("mifa.alg.sampling", updates_while_waiting),
    Check("mifa.alg.sampling.corrected", updates_while_waiting),
    Check("mifa.alg.is", importance_sampling_moments),
    Check(
        "mifa.alg.is.variance",
        importance_sampling_moments,
        everything="it speaks of two devices; all four active sets, any chances",
    ),
)
