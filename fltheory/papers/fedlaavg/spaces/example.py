"""Where Theorems 1 and 2 may fail: Example 1 with any blocks, optima, starts and step sizes, and
its variants."""

from fractions import Fraction
from math import isqrt
from typing import Any

import sympy

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.partial_work import PartialWork
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.scoring import worst
from fltheory.claims.spaces.space import Space
from fltheory.core.enclosure import Comparison, compare
from fltheory.engine.simulate import simulate
from fltheory.papers.fedlaavg.checks.example1 import fedavg_limit, on_limit
from fltheory.papers.fedlaavg.checks.theorem2 import known
from fltheory.papers.fedlaavg.checks.variants import turns
from fltheory.papers.fedlaavg.spaces.setting import Values, given
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace import Trace, last_true
from fltheory.traces.trace_statistics import availability_window

STEP = sympy.Symbol("step", positive=True)


def draw_blocks(choices: Choices, *, most: int = 4, equal: bool = False) -> Values:
    """Block lengths and optima."""
    first = choices.whole(1, most)
    return {
        "first_block": first,
        "second_block": first if equal else choices.whole(1, most),
        "first_optimum": choices.number(-3, 3),
        "second_optimum": choices.number(-3, 3),
    }


def _limit(choices: Choices, claim: Claim) -> Instance:
    """The exact limit at period ends; printed claims ask for step sizes below 1/2, corrected ones
    hold below 1."""
    values = draw_blocks(choices, equal=claim.id.endswith("equal_blocks"))
    size = choices.number("1/8", "7/16" if claim.source.as_printed else "7/8", max_denominator=8)
    optima = (values["first_optimum"], values["second_optimum"])
    limit = fedavg_limit(values["first_block"], values["second_block"], size, optima)
    choices.require(limit.stable and limit.cycle is not None, "the method converges")
    assert limit.cycle is not None
    values |= {
        "local_step_size": size,
        "limit_at_period_end": limit.cycle[0][0],
        "spectral_radius": limit.spectral_radius_exact,
    }
    found = on_limit(values, values["first_block"], values["second_block"], size, optima)
    if "spectral_radius" in {s.name for s in claim.symbols}:
        return Instance(values, found.says)
    return Instance(values, f"{found.says}, optima {optima[0]} and {optima[1]}", found.scenario)


def fixed_point(first: int, second: int, optima: tuple[Any, Any], size: Any) -> Any:
    """Where a period of FedAvg ends that begins there."""
    keep = 1 - 2 * size
    shift = (keep**second) * (1 - keep**first) * optima[0] + (1 - keep**second) * optima[1]
    return shift / (1 - keep ** (first + second))


def _misses(choices: Choices, claim: Claim) -> Values:
    """Any step size below 1/2, also those at which the limit crosses the optimum."""
    values = draw_blocks(choices)
    first = values["first_block"]
    second = values["second_block"]
    optima = (values["first_optimum"], values["second_optimum"])
    choices.require(
        first != second and optima[0] != optima[1], "unequal blocks and different optima"
    )
    ends = [sympy.Rational(str(e)) for e in optima]
    size = sympy.Rational(str(choices.number("1/8", "7/16", max_denominator=8)))
    if choices.flag():
        crossing = sympy.numer(
            sympy.together(
                fixed_point(first, second, (ends[0], ends[1]), STEP) - (ends[0] + ends[1]) / 2
            )
        )
        roots = [
            r
            for r in sympy.real_roots(sympy.Poly(crossing, STEP))
            if not r.has(sympy.CRootOf) and 0 < r < sympy.Rational(1, 2)
        ]
        choices.require(
            bool(roots), "a step size in closed form at which the limit crosses the optimum"
        )
        size = roots[0]
    limit = sympy.radsimp(fixed_point(first, second, (ends[0], ends[1]), size))
    hits = compare(sympy.simplify(limit), (ends[0] + ends[1]) / 2) is Comparison.EQUAL
    return {
        "misses": int(not hits),
        "first_block": first,
        "second_block": second,
        "local_step_size": size,
    }


def _block(choices: Choices, claim: Claim) -> Values:
    """A block, or some periods, run round by round."""
    values = draw_blocks(choices, most=3)
    size, start = choices.number("1/8", "7/8", max_denominator=8), choices.number(-3, 3)
    first, second = values["first_block"], values["second_block"]
    periods = choices.whole(1, 3)
    rows = {"fedlaavg.thm1.eq1": [[1, 0]] * first, "fedlaavg.thm1.eq2": [[0, 1]] * second}.get(
        claim.id, ([[1, 0]] * first + [[0, 1]] * second) * periods
    )
    problem = Quadratic((2, 2), (values["first_optimum"], values["second_optimum"]))
    end = simulate(FedAvg(), problem, Trace.fresh(rows), start=start, local_step_size=size).last[0]
    return values | {
        "local_step_size": size,
        "model_before_block": start,
        "model_after_block": end,
        "periods": periods,
    }


def _as_written(choices: Choices, claim: Claim) -> Instance:
    """The printed indices followed: between two period ends client 2 moves once, client 1 t1 times,
    client 2 t2 - 1 times."""
    values = draw_blocks(choices, most=3)
    size = choices.number("1/8", "7/16", max_denominator=8)
    order = [[0, 1]] + [[1, 0]] * values["first_block"] + [[0, 1]] * (values["second_block"] - 1)
    problem = Quadratic((2, 2), (values["first_optimum"], values["second_optimum"]))
    run = Scenario("fedavg", problem, Trace.fresh(order * 3), start=0, local_step_size=size)
    limit = limit_cycle(FedAvg(), problem, run.trace, local_step_size=size)
    assert limit.cycle is not None
    return Instance(
        values | {"local_step_size": size, "limit_as_written": limit.cycle[0][0]},
        f"t1={values['first_block']}, t2={values['second_block']}, step size {size}",
        {
            "run": run.to_json(),
            "measures": {"limit_as_written": "limit", "local_step_size": "local_step_size"},
        },
    )


def _vanishing(choices: Choices, claim: Claim) -> Values:
    values = draw_blocks(choices)
    ends = [sympy.Rational(str(values[name])) for name in ("first_optimum", "second_optimum")]
    point = sympy.cancel(
        fixed_point(values["first_block"], values["second_block"], (ends[0], ends[1]), STEP)
    )
    limit, slope = point.subs(STEP, 0), sympy.diff(point, STEP).subs(STEP, 0)
    return values | {
        "vanishing_step_limit": limit,
        "slope": slope,
        "bias": sympy.Abs(limit - (ends[0] + ends[1]) / 2),
    }


def _windows(choices: Choices, claim: Claim) -> Values:
    values = draw_blocks(choices, most=6)
    available = Alternating(2, (values["first_block"], values["second_block"])).matrix(
        4 * (values["first_block"] + values["second_block"])
    )
    return values | {
        "availability_window": availability_window(available),
        "staleness_bound": availability_window(longest_absent(available, 1)) - 1,
    }


def _variant(choices: Choices, claim: Claim) -> Values:
    """FedProx, FedAvg with local steps, Ruan et al.'s rescaling or FedLaAvg, where it ends."""
    values = draw_blocks(choices, most=3)
    first = values["first_block"]
    second = values["second_block"]
    size = choices.number("1/8", "7/8", max_denominator=8)
    steps = choices.whole(1, 3)
    strength = choices.choice((Fraction(0), Fraction(1), Fraction(1, 3)))
    alone = claim.id != "fedlaavg.ex1.variants"
    method: Any = {
        "fedlaavg.appA.limit": PartialWork(1),
        "fedlaavg.ex1.limit": FedLaAvg(),
        "fedlaavg.ex1.stability": FedLaAvg(),
    }.get(claim.id, FedAvg(worker=proximal(strength)))
    problem = Quadratic((2, 2), (values["first_optimum"], values["second_optimum"]))
    limit = limit_cycle(
        method,
        problem,
        turns(first, second, 4, local_steps=1 if alone else steps),
        local_step_size=size,
    )
    values |= {"local_step_size": size, "local_steps": steps, "proximal_strength": strength}
    values["spectral_radius"] = limit.spectral_radius_exact
    if claim.id != "fedlaavg.ex1.stability":
        choices.require(limit.stable and limit.at_period_end is not None, "the method converges")
        assert limit.at_period_end is not None
        values["limit_at_period_end"] = limit.at_period_end[0]
    return values


def _period_map(choices: Choices, claim: Claim) -> Values:
    values = draw_blocks(choices)
    size = choices.number("1/8", "7/8", max_denominator=8)
    shrinkage = 1 - size

    def block(length: int) -> list[list[Fraction]]:
        return [
            [shrinkage**length, shrinkage**length - 1],
            [shrinkage ** (length - 1), shrinkage ** (length - 1) - 1],
        ]

    one, two = block(values["second_block"]), block(values["first_block"])
    both = [[sum(one[i][k] * two[k][j] for k in range(2)) for j in range(2)] for i in range(2)]
    return values | {
        "local_step_size": size,
        "trace_of_period": both[0][0] + both[1][1],
        "determinant_of_period": both[0][0] * both[1][1] - both[0][1] * both[1][0],
    }


def _equivalent(choices: Choices, claim: Claim) -> Values:
    size = choices.number("1/8", "7/8", max_denominator=8)
    steps = choices.whole(1, 4)
    start = choices.number(-3, 3)
    end = simulate(
        FedAvg(),
        Quadratic((2,), (0,)),
        Trace.fresh([[1]], local_steps=steps),
        start=1,
        local_step_size=size,
    ).last[0]
    values = draw_blocks(choices, most=3)
    problem = Quadratic((2, 2), (values["first_optimum"], values["second_optimum"]))
    many = simulate(
        FedLaAvg(),
        problem,
        turns(values["first_block"], values["second_block"], 2, local_steps=steps),
        start=start,
        local_step_size=size,
    )
    single = simulate(
        FedLaAvg(),
        problem,
        turns(values["first_block"], values["second_block"], 2),
        start=start,
        local_step_size=(1 - end) / 2,
    )
    t = choices.whole(0, len(many.models) - 1)
    return {
        "local_step_size": size,
        "local_steps": steps,
        "equivalent_step_size": (1 - end) / 2,
        "model_with_local_steps": many.models[t, 0],
        "model_with_one_step": single.models[t, 0],
    }


def _contributions(choices: Choices, claim: Claim) -> Values:
    """z_r by its definition, for clients that are away by turns, or with a chance."""
    values, full, chance = draw_blocks(choices), choices.whole(1, 5), choices.number("1/4", "3/4")
    steps = turns(
        values["first_block"], values["second_block"], 3, local_steps=full
    ).local_steps.tolist()
    biased = [len({full if done else 0 for done in row}) > 1 for row in steps]
    return {
        "bias_rate": Fraction(sum(biased), len(biased)),
        "steps_of_absent_client": min(map(min, steps)),
        "absence_probability": chance,
        "bias_indicator": int(len({1 - chance, Fraction(1)}) > 1),
    }


def draw_example(choices: Choices) -> tuple[Values, Scenario]:
    """FedLaAvg on Example 1 with step size 1/(2 sqrt T), T a square; starts on both sides of the
    optimum."""
    rounds = choices.whole(1, 3) ** 2
    first, second = choices.whole(1, 4), choices.whole(1, 4)
    place = (choices.number(-2, 2), choices.number(-2, 2), choices.number(-2, 2))
    trace = Trace.fresh(Alternating(2, (first, second)).matrix(rounds))
    run = Scenario(
        "fedlaavg",
        Quadratic((2, 2), place[1:]),
        trace,
        start=place[0],
        local_step_size=Fraction(1, 2 * isqrt(rounds)),
    )
    return known(first, second, place), run  # type: ignore[arg-type]


def _theorem_2(choices: Choices, claim: Claim) -> Instance:
    values, run = draw_example(choices)
    names = ["mean_squared_gradient", "initial_loss_gap", "num_rounds", "local_step_size"]
    best = min(ExactRun(run).squared_gradients) / 4
    return Instance(
        values | measure(run, names) | {"best_squared_distance": best},
        _told(values, run),
        {"run": run.to_json(), "measures": {name: name for name in names}},
    )


def _told(values: Values, run: Scenario) -> str:
    return (
        f"{run.trace.num_rounds} rounds, x0 = {run.start[0]}, optima"
        f" {', '.join(str(e[0]) for e in run.problem.optima)}, I = {values['staleness_bound']}"
    )


def _theorem_2_rounds(choices: Choices, claim: Claim) -> Instance:
    """The round that comes closest to a contradiction; corrected claims speak of points, once both
    clients are known."""
    values, run = draw_example(choices)
    points = claim.id in ("fedlaavg.thm2.eq6.corrected", "fedlaavg.thm2.eq11.corrected")
    warm = points or claim.id == "fedlaavg.thm2.step.corrected"
    models, latest, found = ExactRun(run).models[:, 0], last_true(run.trace.delivers) + 1, []
    data = run.to_json()
    for t in range(1, run.trace.num_rounds + 1):
        ages = latest[t - 1].tolist()
        stored = [age - 1 if points and age else age for age in ages]
        for one, other in (stored, stored[::-1]) if all(ages) or not warm else ():
            places = {
                "model_before": t - 1,
                "model_after": t,
                "first_latest_model": one,
                "second_latest_model": other,
            }
            measures = {name: f"model:{index}" for name, index in places.items()} | {
                "local_step_size": "local_step_size"
            }
            here = {name: models[index] for name, index in places.items()} | {
                "local_step_size": run.local_step_size
            }
            found.append(
                Instance(
                    values | here,
                    f"{_told(values, run)}, round {t}",
                    {"run": data, "measures": measures},
                )
            )
    choices.require(bool(found), "both clients are known")
    return worst(claim, found)


def _algebra(choices: Choices, claim: Claim) -> Values:
    """Any models, and x^t by eq. (6); step sizes up to 1/2."""
    before, first, second, optimum = (choices.number(-3, 3) for _ in range(4))
    size = choices.number("1/8", "1/2", max_denominator=8)
    return {
        "model_before": before,
        "first_latest_model": first,
        "second_latest_model": second,
        "optimum": optimum,
        "local_step_size": size,
        "model_after": before - size * (first + second - 2 * optimum),
    }


BLOCKS = "first_block second_block first_optimum second_optimum"
THEOREM_2 = "start optimum distance_of_optima staleness_bound local_step_size"

SPACES = (
    Space(
        "fedlaavg thm1",
        "Example 1: blocks up to 4, any optima, step sizes up to the printed limit.",
        frozenset(f"{BLOCKS} local_step_size limit_at_period_end spectral_radius".split()),
        _limit,
        tuple(
            f"fedlaavg.thm1{end}"
            for end in ("", ".closed", ".stepsize", ".bias.equal_blocks", ".bias.fixed")
        ),
    ),
    given(
        "Example 1 with unequal blocks, step sizes at which the limit crosses the optimum"
        " included.",
        "misses first_block second_block local_step_size",
        ("fedlaavg.thm1.bias.unequal_blocks",),
        _misses,
    ),
    given(
        "Blocks and periods run round by round.",
        f"{BLOCKS} local_step_size model_before_block model_after_block periods",
        ("fedlaavg.thm1.eq1", "fedlaavg.thm1.eq2", "fedlaavg.thm1.periods"),
        _block,
    ),
    Space(
        "fedlaavg thm1 as written",
        "The printed recursion followed with its indices.",
        frozenset(f"{BLOCKS} local_step_size limit_as_written".split()),
        _as_written,
        ("fedlaavg.thm1.recursion*",),
    ),
    given(
        "Limits as the step size vanishes.",
        f"{BLOCKS} vanishing_step_limit slope bias",
        ("fedlaavg.thm1.limit", "fedlaavg.thm1.slope", "fedlaavg.thm1.bias"),
        _vanishing,
    ),
    given(
        "Blocks up to 6.",
        f"{BLOCKS} availability_window staleness_bound",
        ("fedlaavg.ex1", "fedlaavg.ex1.staleness"),
        _windows,
    ),
    given(
        "Example 1 under FedProx, local steps, rescaling or FedLaAvg.",
        f"{BLOCKS} local_step_size local_steps proximal_strength limit_at_period_end"
        " spectral_radius",
        (
            "fedlaavg.ex1.variants",
            "fedlaavg.ex1.limit",
            "fedlaavg.ex1.stability",
            "fedlaavg.appA.limit",
        ),
        _variant,
    ),
    given(
        "The period map of FedLaAvg on Example 1.",
        f"{BLOCKS} local_step_size trace_of_period determinant_of_period",
        tuple(f"fedlaavg.ex1.stability.{end}" for end in ("determinant", "trace", "low", "high")),
        _period_map,
    ),
    given(
        "Local steps and one larger step.",
        "local_step_size local_steps equivalent_step_size model_with_local_steps"
        " model_with_one_step",
        ("fedlaavg.ex1.variants.fedlaavg", "fedlaavg.ex1.variants.step"),
        _equivalent,
    ),
    given(
        "Contributions of clients that are away.",
        "bias_rate steps_of_absent_client absence_probability bias_indicator",
        ("fedlaavg.appA", "fedlaavg.appA.absent", "fedlaavg.appA.indicator"),
        _contributions,
    ),
    Space(
        "fedlaavg thm2",
        "FedLaAvg on Example 1 for up to 9 rounds: any blocks, optima, and starts on both sides.",
        frozenset(
            f"{THEOREM_2} mean_squared_gradient initial_loss_gap num_rounds best_squared_distance".split()
        ),
        _theorem_2,
        ("fedlaavg.thm2", "fedlaavg.thm2.corrected", "fedlaavg.thm2.best"),
    ),
    Space(
        "fedlaavg thm2 rounds",
        "Every round of FedLaAvg on Example 1.",
        frozenset(
            f"{THEOREM_2} model_before model_after first_latest_model second_latest_model".split()
        ),
        _theorem_2_rounds,
        tuple(
            f"fedlaavg.thm2.{name}{end}"
            for name in ("eq6", "eq9", "eq10", "eq11", "step")
            for end in ("", ".corrected")
        ),
    ),
    given(
        "Any models and step sizes up to 1/2, given eq. (6).",
        "model_before model_after first_latest_model second_latest_model optimum local_step_size",
        ("fedlaavg.thm2.eq8",),
        _algebra,
    ),
)
