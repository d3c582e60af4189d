"""The displays of Appendices A and B, step by step on exact runs, and Theorem 2 over data types."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import chain, product
from typing import Any

import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.proof import ProofStep
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fraboni.checks.lemmas import KINDS, ROUGH, Law, rough, telling
from fltheory.papers.fraboni.checks.quantities import Quantities, Setting
from fltheory.papers.fraboni.checks.runs import (
    base_settings,
    certain,
    common_values,
    in_rounds,
    lemma_runs,
    read,
    run_values,
    theorem_runs,
    written,
)
from fltheory.papers.fraboni.checks.theorems import on_runs

F = Fraction
DOUBLE_STEP = Setting(
    "one client, two local steps, server step 3",
    (1,),
    (0,),
    (1,),
    certain([(0,)]),
    F(1, 12),
    3,
    2,
    start=1,
)
LIGHT = Setting(
    "one client of weight 1/10 with noise",
    (1,),
    (0,),
    (F(1, 10),),
    certain([(0,)]),
    F(1, 10),
    start=1,
    noise=1,
)
WRONG_WEIGHTS = Setting(
    "two clients, always weights 1/4 and 3/4",
    (1, 1),
    (0, 1),
    (F(1, 4), F(3, 4)),
    certain([(0, 1)] * 2),
    F(1, 10),
)


def first_step(q: Quantities) -> Instance:
    """The first local step of the first round, over all participants."""
    s = q.setting
    before = q._constant(F(s.start) - q.point)
    moves = [(chance, run.virtual[0][1] - run.virtual[0][0]) for chance, run in q.runs]
    mean = sum((chance * move for chance, move in moves), q._constant(0))
    slope = sum(
        w * s.curvatures[i] * (F(s.start) - s.optima[i])
        for i, w in enumerate(q.expected_weights[0])
    )
    return Instance(
        {
            "distance_after": sum(
                (chance * _square(before + move) for chance, move in moves), F(0)
            ),
            "distance_before": before @ before,
            "mean_step_inner": mean @ before,
            "gradient_inner": slope * before[0],
            "mean_squared_step": sum((chance * (move @ move) for chance, move in moves), F(0)),
            "local_step_size": s.local_step_size,
            "server_step_size": s.server_step_size,
        },
        s.says,
    )


def first_steps() -> Iterator[Instance]:
    return (first_step(Quantities(s)) for s in base_settings(1))


def steps(runs: Sequence[Quantities]) -> Iterator[Instance]:
    """Every local step of every client in every filled round of runs with certain participation."""
    for q in runs:
        s, (_, run) = q.setting, q.runs[0]
        for n, k in product(q.filled, range(s.local_steps)):
            shares, virtual = q.shares(n), run.virtual[n][k]
            optimum, clients = (
                q.minimiser(q.expected_weights[n]),
                [i for i, share in enumerate(q.shares(n)) if share],
            )
            mean = [
                sum((shares[i] * run.gradients[n][i][j] for i in clients), q._constant(0))
                for j in range(k + 1)
            ]
            late = {i: run.models[run.started[n][i]] - run.models[n] for i in clients}
            apart = {i: run.local[n][i][k] - virtual for i in clients}
            scale = s.server_step_size * q.totals[n]
            exact = sum(
                (
                    shares[i] * s.curvatures[i] * (virtual - q._constant(s.optima[i]))
                    for i in clients
                ),
                q._constant(0),
            )
            moved = sum((shares[i] * s.curvatures[i] * apart[i] for i in clients), q._constant(0))
            common = common_values(q) | {
                "step_drift": sum(shares[i] * _square(apart[i]) for i in clients),
                "earlier_gradients": (
                    k
                    * sum(
                        (
                            shares[i] * _square(run.gradients[n][i][j])
                            for i in clients
                            for j in range(k)
                        ),
                        F(0),
                    )
                ),
                "round_mean_gradient": _square(mean[k]),
                "part_a": 3 * _square(moved),
                "part_c": 3 * _square(exact),
                "part_b": 3 * sum(shares[i] ** 2 * F(s.noise) ** 2 for i in clients),
                "largest_share": max(shares),
                "normalised_gap": q.excess(q.expected_weights[n], virtual) / q.totals[n],
                "round_noise_squared": q.optimum_noise(n, 2),
            }
            weighted_late = sum(shares[i] * _square(late[i]) for i in clients)
            yield Instance(
                common | {"mean_model_distance": weighted_late},
                f"{s.says}, round {n}, step {k}, all clients",
            )
            for i in clients:
                h, c = s.curvatures[i], s.optima[i]
                yield Instance(
                    common
                    | {
                        "model_distance": _square(late[i]),
                        "local_distance": _square(apart[i]),
                        "gradient_differences": (
                            k
                            * sum(
                                (_square(run.gradients[n][i][j] - mean[j]) for j in range(k)), F(0)
                            )
                        ),
                        "scaled_gradient_differences": (
                            k
                            * sum(
                                (
                                    _square(run.gradients[n][i][j] - scale * mean[j])
                                    for j in range(k)
                                ),
                                F(0),
                            )
                        ),
                        "client_squared_gradient": _square(run.gradients[n][i][k]),
                        "three_parts": (
                            3
                            * (
                                h**2 * _square(apart[i])
                                + h**2 * _square(virtual - q._constant(optimum))
                                + (h * (optimum - c)) ** 2
                                + F(s.noise) ** 2
                            )
                        ),
                    },
                    f"{s.says}, round {n}, step {k}, client {i}",
                )


def _square(row: Any) -> Fraction:
    return Fraction(row @ row)


def with_symbols(claim: Claim, instances: Iterable[Instance]) -> Iterator[Instance]:
    """Those instances that speak of all symbols of the claim."""
    names = {s.name for s in claim.symbols}
    return (instance for instance in instances if names <= set(instance.values))


@cache
def lemma_steps() -> tuple[Instance, ...]:
    return tuple(steps([Quantities(DOUBLE_STEP), *(q for q in lemma_runs() if not q.is_random)]))


def by_steps(first: Sequence[Instance], claim: Claim) -> Evidence:
    instances = chain(first, lemma_steps())
    return check_instances(
        claim,
        telling(claim, with_symbols(claim, instances)),
        method=Method.EXACT_RUN,
        covers=f"local steps of exact runs with certain participation: {KINDS}",
    )


def rough_step(law: Law = ROUGH) -> Instance:
    """A rough client whose local model is 1 while the virtual model is 2."""
    second, mean = sum(p * h**2 for p, h in law), sum(p * h for p, h in law)
    return Instance(
        {
            "smoothness": 1,
            "part_a": 3 * second,
            "step_drift": 1,
            "part_b": 3 * (second - mean**2) * 4,
            "largest_share": 1,
            "normalised_gap": F(4, 2),
            "round_noise_squared": 0,
        },
        "one client with rough batches, local model 1, virtual model 2",
    )


def by_rounds(first: Sequence[Instance], claim: Claim) -> Evidence:
    instances = telling(claim, chain(first, in_rounds(lemma_runs())))
    return check_instances(
        claim, instances, method=Method.EXACT_RUN, covers=f"rounds of exact runs: {KINDS}"
    )


def prefix_sums(whole: bool, claim: Claim) -> Evidence:
    def instances() -> Iterator[Instance]:
        for count in range(1, 5):
            for x in product(range(3), repeat=count):
                inner = [sum(x) if whole else sum(x[:k]) for k in range(count)]
                total = sum(k * inner[k] for k in range(count))
                yield Instance(
                    {
                        "weighted_prefix_sums": total,
                        "first_sum": sum(x[:-1]),
                        "number_of_steps": count,
                    },
                    f"x = {x}",
                )

    return check_instances(
        claim,
        telling(claim, instances()),
        method=Method.ENUMERATION,
        covers="all sequences of up to four numbers from {0, 1, 2}",
    )


def fed_sequences(claim: Claim) -> Evidence:
    """Sequences that satisfy the hypothesis with equality, for every input of zeros and ones."""

    def instances() -> Iterator[Instance]:
        for delay, inputs in product((1, 2, 3), product((0, 1), repeat=7)):
            values: list[Fraction] = []
            for given in inputs:
                values.append(F(1, 2 * delay) * sum(values[-delay:], F(0)) + given)
            yield Instance(
                {"mean_sequence": sum(values, F(0)) / 7, "mean_input": F(sum(inputs), 7)},
                f"tau = {delay}, B = {inputs}",
            )

    return check_instances(
        claim,
        telling(claim, instances()),
        method=Method.ENUMERATION,
        covers="all inputs of seven zeros and ones, tau up to 3, tau A = 1/2",
    )


@cache
def whole_runs() -> tuple[Instance, ...]:
    return tuple(_whole_runs())


def _whole_runs() -> Iterator[Instance]:
    """Averages over runs, a light client first."""
    return (
        whole_run(q) for q in chain([Quantities(LIGHT), Quantities(WRONG_WEIGHTS)], theorem_runs())
    )


def again_whole(setting: dict[str, Any]) -> dict[str, Any]:
    """The values of a whole run, from its setting as a file has it."""
    return dict(whole_run(read(setting)).values)


ORIGINS = {"fraboni.whole": again_whole}


def whole_run(q: Quantities) -> Instance:
    """Averages over one run."""
    filled = q.filled
    return Instance(
        run_values(q)
        | {
            "mean_gap_to_common": q.average(q.gap_to_point),
            "largest_weight": max(max(q.expected_weights[n]) for n in filled),
            "largest_share": max(max(q.shares(n)) for n in filled),
            "mean_minimum": q.loss(q.mean_weights, q._constant(q.common_optimum)),
            "mean_of_minima": q.average(
                lambda n: q.loss(
                    q.expected_weights[n], q._constant(q.minimiser(q.expected_weights[n]))
                )
            ),
            "spread_is_positive": int(q.spread > 0),
            "poorly_represented": int(
                any(share != F(1, q.setting.num_clients) for n in filled for share in q.shares(n))
            ),
        },
        q.setting.says,
        {"origin": {"kind": "fraboni.whole", "setting": written(q.setting)}},
    )


def deliveries() -> Iterator[Instance]:
    return (instance for q in lemma_runs() for instance in delivered(q))


def delivered(q: Quantities) -> Iterator[Instance]:
    """Moves of the model against the deliveries that make them, also over random participants."""
    s = q.setting
    for n in range(s.num_rounds):
        total = F(0)
        for (chance, groups), (_, run) in zip(s.paths, q.runs, strict=True):
            moved = (s.weights[i] * (run.local[n][i][-1] - run.local[n][i][0]) for i in groups[n])
            total += chance * _square(sum(moved, q._constant(0)))
        values = {
            "move": q.move(n),
            "squared_total_delivery": total,
            "server_step_size": s.server_step_size,
        }
        yield Instance(values, f"{s.says}, round {n}")


def typed_values(
    r: Sequence[Fraction], s: Sequence[Fraction], h: Sequence[Fraction], c: Sequence[Any], x: Any
) -> dict[str, Any]:
    """Quantities of Lemma 7 and Theorem 2 for quadratic types h_j/2 (x - c_j)^2 with importance r
    and round weights s."""
    total = sum(s, F(0))
    share = [w / total for w in s]
    here = [j for j, w in enumerate(s) if w]
    best = F(sum(s[j] * h[j] * c[j] for j in here)) / sum(s[j] * h[j] for j in here)
    losses = [h[j] * (F(x) - c[j]) ** 2 / 2 for j in range(len(r))]
    at_best = [h[j] * (best - c[j]) ** 2 / 2 for j in range(len(r))]
    slope = [h[j] * (F(x) - c[j]) for j in range(len(r))]
    return {
        "smoothness": 1,
        "total_weight": total,
        "mismatch": sum((r[j] - share[j]) ** 2 / share[j] for j in here),
        "squared_global_gradient": sum(a * b for a, b in zip(r, slope, strict=True)) ** 2,
        "squared_gradient_gap": (
            sum((a - b) * g for a, b, g in zip(r, share, slope, strict=True)) ** 2
        ),
        "round_excess": sum(s[j] * (losses[j] - at_best[j]) for j in here),
        "types_at_point": sum(share[j] * losses[j] for j in here),
        "types_at_optimum": sum(share[j] * at_best[j] for j in here),
        "absent_types": sum((r[j] * losses[j] for j in range(len(r)) if j not in here), F(0)),
    }


def types(claim: Claim) -> Evidence:
    """One type of large weight first, then two types over a grid of weights, curvatures and
    points."""

    def instances() -> Iterator[Instance]:
        yield Instance(typed_values([F(1)], [F(10)], [F(1)], [0], 1), "one type of weight 10")
        weights = [s for s in product((F(0), F(1, 2), F(1), F(4)), repeat=2) if any(s)]
        for r, s, h, x in product(
            (F(1, 2), F(1, 4), F(1)), weights, (F(1), F(1, 3)), (-2, 0, F(1, 2), 1, 3)
        ):
            yield Instance(
                typed_values([r, 1 - r], s, [F(1), h], [0, 1], x),
                f"importance {r}, weights {s[0]}, {s[1]}, curvature {h}, point {x}",
            )

    return check_instances(
        claim,
        telling(claim, instances()),
        method=Method.ENUMERATION,
        covers="one or two quadratic types over a grid of weights, curvatures and points",
    )


def gradient_runs() -> Iterator[Instance]:
    return (
        gradient_run(q)
        for q in theorem_runs()
        if not q.is_random and not q.setting.noise and len(q.filled) == q.setting.num_rounds
    )


def gradient_run(q: Quantities) -> Instance:
    """Theorem 2's quantities on a whole run without chance, noise and empty rounds, each client a
    type of its own."""
    s = q.setting
    r, run = [F(1, s.num_clients)] * s.num_clients, q.runs[0][1]
    table = [
        typed_values(r, q.expected_weights[n], s.curvatures, s.optima, run.virtual[n][k][0])
        for n in q.filled
        for k in range(s.local_steps)
    ]

    def mean(value: Callable[[dict[str, Any]], Any]) -> Fraction:
        return sum((value(row) for row in table), F(0)) / len(table)

    return Instance(
        run_values(q)
        | {
            "mean_step_gradient": mean(lambda row: row["squared_global_gradient"]),
            "unrepresented": mean(lambda row: row["absent_types"]),
            "misrepresentation": mean(lambda row: row["mismatch"] * row["types_at_optimum"]),
            "largest_mismatch": max(row["mismatch"] for row in table),
        },
        f"{s.says}, {s.local_steps} local steps",
    )


def light_clients(claim: Claim) -> Evidence:
    """One client of weight w for 4/w rounds of step size 1/144: its gradients hardly shrink while
    the printed order is that of w.

    By Bernoulli's inequality (1 - w/144)^n >= 1 - n w/144, all 8/w factors of the last squared
    gradient leave at least 1 - 8/144.
    """
    grow, count, part = (
        sympy.Symbol("grow", positive=True),
        *sympy.symbols("count part", positive=True),
    )
    bernoulli = ProofStep(
        "(1 - n y)(1 - y) >= 1 - (n + 1) y",
        (1 - count * part) * (1 - part) - (1 - (count + 1) * part),
    )
    least = 1 - (8 * grow) * (1 / (144 * grow)) if bernoulli.holds() else sympy.S.Zero
    derived = dict.fromkeys(
        (
            "objective_spread",
            "misrepresentation",
            "unrepresented",
            "round_optimum_noise",
            "optimum_noise",
            "variance_excess",
            "max_staleness",
        ),
        sympy.S.Zero,
    )
    derived |= dict.fromkeys(
        ("local_steps", "server_step_size", "covariance_factor", "initial_distance_squared"),
        sympy.S.One,
    )
    derived |= {
        "mean_step_gradient": sympy.simplify(least),
        "num_rounds": 4 * grow,
        "local_step_size": sympy.Rational(1, 144),
        "largest_weight": 1 / grow,
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=grow,
        covers=(
            "one client of weight w = 1/x for 4x rounds; its squared gradients bounded below by"
            " Bernoulli's inequality; x grows"
        ),
    )


def two_types(claim: Claim) -> Evidence:
    r, s = sympy.Symbol("r1", positive=True), sympy.Symbol("s1", positive=True)
    return check_symbolic(
        claim,
        derived={"mismatch": (r - s) ** 2 / s + ((1 - r) - (1 - s)) ** 2 / (1 - s)},
        covers="two types with any weights",
    )


def averages(claim: Claim) -> Evidence:
    return check_instances(
        claim, telling(claim, whole_runs()), method=Method.EXACT_RUN, covers=AVERAGES
    )


AVERAGES = "averages over exact runs with certain and random participation, with and without noise"
CHECKS = (
    *(
        Check(
            f"fraboni.{name}",
            partial(on_runs, first_steps, covers="first local steps over all participants"),
        )
        for name in ("eq18", "lem2.display", "lem2.display.corrected")
    ),
    *(
        Check(f"fraboni.{name}", partial(by_steps, ()))
        for name in ("eq19", "eq19.corrected", "eq20", "eq20.corrected", "eq21", "eq24", "eq27")
    ),
    *(Check(f"fraboni.{name}", partial(by_steps, (rough_step(),))) for name in ("eq25", "eq26")),
    *(
        Check(f"fraboni.{name}", partial(by_steps, ()))
        for name in ("eq25.corrected", "eq26.corrected")
    ),
    Check("fraboni.eq22", partial(by_rounds, (rough(),))),
    Check("fraboni.eq22.corrected", partial(by_rounds, ())),
    Check("fraboni.eq23", partial(prefix_sums, True)),
    Check("fraboni.eq23.corrected", partial(prefix_sums, False)),
    Check("fraboni.eq23.sharp", partial(prefix_sums, False)),
    Check("fraboni.eq29", fed_sequences),
    *(
        Check(f"fraboni.{name}", partial(on_runs, whole_runs, covers=AVERAGES))
        for name in ("eq30", "def.R", "thm2.remark")
    ),
    *(
        Check(f"fraboni.{name}", averages)
        for name in ("eq32", "eq32.corrected", "eq32.optimum", "eq32.optimum.corrected")
    ),
    *(
        Check(f"fraboni.{name}", types)
        for name in ("lem7", "thm2.display", "thm2.display.corrected")
    ),
    Check("fraboni.thm2", light_clients),
    Check("fraboni.thm2.corrected", partial(on_runs, gradient_runs)),
    Check("fraboni.def.chi", two_types),
    Check(
        "fraboni.def.aux", partial(on_runs, deliveries, covers="moves of the model in exact runs")
    ),
)
