"""Where MIFA's statements about coin flips, waiting and its experiments may fail: exact laws and
mean waits for any chances."""

from fractions import Fraction
from math import ceil, floor

from fltheory.claims.checks.enumeration import subsets
from fltheory.claims.checks.probability import (
    any_of,
    exceedance,
    expected_wait_bounds,
    mean,
    tail,
    total_staleness_law,
)
from fltheory.claims.claim import Claim, LowerBound, evaluate
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.core.errors import NotExact
from fltheory.core.types import ExactLike
from fltheory.papers.mifa.checks.bernoulli import (
    constant_limit,
    simultaneous_limits,
    staleness_by_enumeration,
    whole_part,
)
from fltheory.papers.mifa.checks.experiments import NETWORK_SIZES, SCRIPT_STEP_SIZES
from fltheory.papers.mifa.spaces.drawing import chance, space_of_values
from fltheory.papers.mifa.statements.bernoulli import AVERAGE_LIMIT, HORIZON_LIMIT
from fltheory.traces.availability.label_correlated import (
    NUM_LABELS,
    label_probabilities,
    label_probabilities_as_printed,
)
from fltheory.traces.selection import expected_wait


def _law(choices: Choices, claim: Claim) -> Drawn:
    """One device, or several of equal chance: the law of the staleness by enumeration and by its
    chain."""
    p, t, clients = chance(choices), choices.whole(1, 7), choices.whole(1, 2)
    law, absence = staleness_by_enumeration(p, t), choices.whole(0, 6)
    if absence >= t:
        choices.reject("k is below t")
    return {
        "tail_probability": tail(law, absence),
        "absence": absence,
        "availability_probability": p,
        "round": t,
        "expected_staleness": mean(law),
        "num_rounds": t,
        "num_clients": clients,
        "expected_mean_staleness": mean(total_staleness_law([p] * clients, t)) / (clients * t),
    }


def _simultaneous(choices: Choices, claim: Claim) -> Drawn:
    """Exact chance that the limit of Theorem 5.2 fails for some device in some round; equal
    chances."""
    p, clients = chance(choices), choices.whole(1, 4) * choices.choice([1, 5])
    level = choices.choice([Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 20)])
    num_rounds = choices.whole(1, 40)
    values: Drawn = {
        "availability_probability": p,
        "num_clients": clients,
        "confidence_gap": level,
        "num_rounds": num_rounds,
    }
    try:
        if claim.id == "mifa.thm5.2.2":
            limits = constant_limit(whole_part(evaluate(HORIZON_LIMIT, values), floor))
        else:
            limits = simultaneous_limits(p, clients, level, num_rounds)
        each = exceedance(p, limits, num_rounds)
    except NotExact:
        choices.reject("the limit can be rounded")
    return values | {"failure_probability": any_of(each, clients)[0]}


def _average(choices: Choices, claim: Claim) -> Drawn:
    """The exact law of taubar: how often it is above the limit of Theorem 5.3, and reaches one of
    its own values of at least mean(1/p)."""
    chances = [chance(choices) for _ in range(choices.whole(1, 2))]
    num_rounds = choices.whole(1, 28 if len(chances) == 1 else 12)
    level = choices.choice([Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)])
    inverse, cells = sum(1 / p for p in chances) / len(chances), len(chances) * num_rounds
    law = total_staleness_law(chances, num_rounds)
    most = whole_part(
        evaluate(AVERAGE_LIMIT, {"confidence_gap": level, "mean_inverse_chance": inverse}) * cells,
        floor,
    )
    reached = [total for total in law if total >= inverse * cells] or [ceil(inverse * cells)]
    total = reached[min(choices.whole(0, 20), len(reached) - 1)]
    return {
        "failure_probability": tail(law, most + 1),
        "confidence_gap": level,
        "level": total / (inverse * cells),
        "tail_probability": tail(law, total),
    }


def _waits(choices: Choices, claim: Claim) -> Drawn:
    """Exact mean waits for a sample of every size; equal chances where the claim speaks of one
    chance."""
    equal = "availability_probability" in {s.name for s in claim.symbols}
    clients = choices.whole(4 if equal else 1, 5)
    if claim.id == "mifa.eq3.comparison" and clients < 2:
        choices.reject("there are several devices")
    p = chance(choices)
    chances = [p if equal else chance(choices) for _ in range(clients)]
    whole = claim.id in ("mifa.TS", "mifa.eq3.comparison", "mifa.eq3.comparison.corrected")
    size = clients if whole else choices.whole(1, clients)
    scales = {
        name: choices.number(1, 4) * choices.power(most=1)
        for name in ("gradient_noise", "strong_convexity", "accuracy")
    }
    staleness = sum((1 - x) / x for x in chances) / clients
    return {
        "expected_wait": expected_wait(chances, sample_size=size),
        "least_chance": min(chances),
        "clients_per_round": size,
        "num_clients": clients,
        "mean_inverse_chance": sum(1 / x for x in chances) / clients,
        "availability_probability": p,
        "local_steps": choices.whole(1, 4),
        "limit_of_mean_staleness": staleness,
        "leading_constant": Fraction(24, 35) * (2 * staleness + 1),
        **scales,
    }


def _experiment_waits(choices: Choices, claim: Claim) -> Drawn:
    """The 100 devices of Section 7 by their smallest label, S = 50 or 100; the end of the enclosed
    wait that speaks for the claim."""
    least, labels = choices.choice([Fraction(1, 10), Fraction(1, 5)]), NUM_LABELS - 1
    counts = [1 + choices.whole(0, 20) for _ in range(labels)]
    if sum(counts) > 100:
        choices.reject("there are 100 devices")
    counts[0] += 100 - sum(counts)
    chances = label_probabilities([(label,) for label in range(labels)], least)
    kinds: dict[ExactLike, int] = dict(zip(chances, counts, strict=True))
    low, high = expected_wait_bounds(kinds, sample_size=choices.choice([100, 50]), terms=60)
    return {
        "expected_wait": high if isinstance(claim.statement, LowerBound) else low,
        "mean_inverse_chance": sum(n / p for p, n in zip(chances, counts, strict=True)) / 100,
    }


def _labels(choices: Choices, claim: Claim) -> Drawn:
    """The smallest probability over all pairs of labels."""
    least = choices.number(Fraction(1, 10), Fraction(9, 10), max_denominator=10)
    rule = label_probabilities_as_printed if not claim.source.ours else label_probabilities
    return {
        "least_chance": min(rule(list(subsets(NUM_LABELS, size=2)), least)),
        "min_probability": least,
    }


def _seeds(choices: Choices, claim: Claim) -> Drawn:
    """Round r of run s is seeded with r (s + 1)."""
    first, second = choices.whole(0, 4), choices.whole(0, 4)
    if first == second:
        choices.reject("the runs differ")
    seeds = [{t * (run + 1) for t in range(200)} for run in (first, second)]
    return {"shared_rounds": len(seeds[0] & seeds[1])}


def _schedule(choices: Choices, claim: Claim) -> Drawn:
    """The parameters printed for MNIST: 60000 images over 100 devices, batches of 100, two epochs,
    eta_0 = 0.1, weight decay 0.001."""
    images, devices, batch, epochs = 60_000, 100, 100, 2
    return {
        "first_step_size": Fraction(1, 10),
        "steps_per_round": epochs * images // devices // batch,
        "weight_decay": Fraction(1, 1000),
    }


WAITS = (
    "expected_wait least_chance clients_per_round num_clients mean_inverse_chance"
    " availability_probability local_steps limit_of_mean_staleness leading_constant gradient_noise"
    " strong_convexity accuracy"
)

SPACES = (
    space_of_values(
        "coin-flips",
        "Independent coin flips over up to seven rounds, all patterns.",
        _law,
        "tail_probability absence availability_probability round expected_staleness num_rounds"
        " num_clients expected_mean_staleness",
        "def5.2*",
    ),
    space_of_values(
        "simultaneous",
        "The chance that a bound on the staleness fails in up to 40 rounds.",
        _simultaneous,
        "availability_probability num_clients confidence_gap num_rounds failure_probability",
        "thm5.2*",
    ),
    space_of_values(
        "average-staleness",
        "The exact law of the average staleness of one or two devices.",
        _average,
        "failure_probability confidence_gap level tail_probability",
        "thm5.3 thm5.3.explicit",
    ),
    space_of_values(
        "waits",
        "Exact mean waits for samples of up to five devices with any chances.",
        _waits,
        WAITS,
        "TS* eq2 eq3 eq3.comparison* eq3.average.corrected",
    ),
    space_of_values(
        "experiment-waits",
        "100 devices whose chances follow from their labels.",
        _experiment_waits,
        "expected_wait mean_inverse_chance",
        "exp.1",
    ),
    space_of_values(
        "labels",
        "All pairs of different labels, any p_min.",
        _labels,
        "least_chance min_probability",
        "exp.probabilities*",
    ),
    space_of_values(
        "seeds",
        "Two of the five runs of 200 rounds.",
        _seeds,
        "shared_rounds",
        "exp.seeds",
    ),
    space_of_values(
        "schedule",
        "The printed parameters for MNIST.",
        _schedule,
        "first_step_size steps_per_round weight_decay",
        "exp.schedule",
    ),
    space_of_values(
        "networks",
        "The layers as printed and as in the released scripts.",
        lambda choices, claim: dict(NETWORK_SIZES),
        "script_parameters lenet_parameters",
        "exp.network",
    ),
    space_of_values(
        "scripts",
        "The initial step sizes of the four released scripts.",
        lambda choices, claim: {
            "script_step_size": choices.choice([Fraction(x) for x in SCRIPT_STEP_SIZES.values()])
        },
        "script_step_size",
        "exp.rate",
    ),
)
