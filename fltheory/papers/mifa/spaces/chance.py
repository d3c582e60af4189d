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
from fltheory.core.errors import NotExact
from fltheory.papers.mifa.checks.bernoulli import (
    simultaneous_limits,
    staleness_by_enumeration,
    whole_part,
)
from fltheory.papers.mifa.checks.experiments import NETWORK_SIZES, SCRIPT_STEP_SIZES
from fltheory.papers.mifa.spaces.drawing import Values, chance, space_of_values
from fltheory.papers.mifa.statements.bernoulli import AVERAGE_LIMIT, HORIZON_LIMIT
from fltheory.traces.availability.label_correlated import (
    NUM_LABELS,
    label_probabilities,
    label_probabilities_as_printed,
)
from fltheory.traces.selection import expected_wait


def _law(choices: Choices, claim: Claim) -> Values:
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


def _simultaneous(choices: Choices, claim: Claim) -> Values:
    """Exact chance that the limit of Theorem 5.2 fails for some device in some round; equal
    chances."""
    p, clients, level = (
        chance(choices),
        choices.whole(1, 4) * choices.choice([1, 5]),
        choices.choice([Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 20)]),
    )
    num_rounds = choices.whole(1, 40)
    values = {
        "availability_probability": p,
        "num_clients": clients,
        "confidence_gap": level,
        "num_rounds": num_rounds,
    }
    try:
        if claim.id == "mifa.thm5.2.2":
            most = whole_part(evaluate(HORIZON_LIMIT, values), floor)
            each = exceedance(p, lambda t: most, num_rounds)
        else:
            each = exceedance(p, simultaneous_limits(p, clients, level, num_rounds), num_rounds)
    except NotExact:
        choices.reject("the limit can be rounded")
    return values | {"failure_probability": any_of(each, clients)[0]}


def _average(choices: Choices, claim: Claim) -> Values:
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


def _waits(choices: Choices, claim: Claim) -> Values:
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
    inverse = sum(1 / x for x in chances) / clients
    scales = {
        name: choices.number(1, 4) * choices.power(most=1)
        for name in ("gradient_noise", "strong_convexity", "accuracy")
    }
    return {
        "expected_wait": expected_wait(chances, sample_size=size),
        "least_chance": min(chances),
        "clients_per_round": size,
        "num_clients": clients,
        "mean_inverse_chance": inverse,
        "availability_probability": p,
        "local_steps": choices.whole(1, 4),
        "limit_of_mean_staleness": sum((1 - x) / x for x in chances) / clients,
        "leading_constant": (
            Fraction(24, 35) * (2 * sum((1 - x) / x for x in chances) / clients + 1)
        ),
        **scales,
    }


def _experiment_waits(choices: Choices, claim: Claim) -> Values:
    """The 100 devices of Section 7 by their smallest label, S = 50 or 100; the end of the enclosed
    wait that speaks for the claim."""
    least, labels = choices.choice([Fraction(1, 10), Fraction(1, 5)]), NUM_LABELS - 1
    counts = [1 + choices.whole(0, 20) for _ in range(labels)]
    if sum(counts) > 100:
        choices.reject("there are 100 devices")
    counts[0] += 100 - sum(counts)
    kinds = dict(
        zip(label_probabilities([(label,) for label in range(labels)], least), counts, strict=True)
    )
    low, high = expected_wait_bounds(kinds, sample_size=choices.choice([100, 50]), terms=60)
    return {
        "expected_wait": high if isinstance(claim.statement, LowerBound) else low,
        "mean_inverse_chance": sum(n / p for p, n in kinds.items()) / 100,
    }


def _labels(choices: Choices, claim: Claim) -> Values:
    """The smallest probability over all pairs of labels."""
    least = choices.number(Fraction(1, 10), Fraction(9, 10), max_denominator=10)
    rule = label_probabilities_as_printed if claim.source.as_printed else label_probabilities
    return {
        "least_chance": min(rule(list(subsets(NUM_LABELS, size=2)), least)),
        "min_probability": least,
    }


def _seeds(choices: Choices, claim: Claim) -> Values:
    """Round r of run s is seeded with r (s + 1)."""
    first, second, length = choices.whole(0, 4), choices.whole(0, 4), 200
    if first == second:
        choices.reject("the runs differ")
    return {
        "shared_rounds": len(
            {t * (first + 1) for t in range(length)} & {t * (second + 1) for t in range(length)}
        )
    }


def _schedule(choices: Choices, claim: Claim) -> Values:
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
        "mifa.coin-flips",
        "Independent coin flips over up to seven rounds, all patterns.",
        "tail_probability absence availability_probability round expected_staleness num_rounds"
        " num_clients expected_mean_staleness",
        _law,
        ("mifa.def5.2*",),
    ),
    space_of_values(
        "mifa.simultaneous",
        "The chance that a bound on the staleness fails in up to 40 rounds.",
        "availability_probability num_clients confidence_gap num_rounds failure_probability",
        _simultaneous,
        ("mifa.thm5.2*",),
    ),
    space_of_values(
        "mifa.average-staleness",
        "The exact law of the average staleness of one or two devices.",
        "failure_probability confidence_gap level tail_probability",
        _average,
        ("mifa.thm5.3", "mifa.thm5.3.explicit"),
    ),
    space_of_values(
        "mifa.waits",
        "Exact mean waits for samples of up to five devices with any chances.",
        WAITS,
        _waits,
        ("mifa.TS*", "mifa.eq2", "mifa.eq3", "mifa.eq3.comparison*", "mifa.eq3.average.corrected"),
    ),
    space_of_values(
        "mifa.experiment-waits",
        "100 devices whose chances follow from their labels.",
        "expected_wait mean_inverse_chance",
        _experiment_waits,
        ("mifa.exp.1",),
    ),
    space_of_values(
        "mifa.labels",
        "All pairs of different labels, any p_min.",
        "least_chance min_probability",
        _labels,
        ("mifa.exp.probabilities*",),
    ),
    space_of_values(
        "mifa.seeds",
        "Two of the five runs of 200 rounds.",
        "shared_rounds",
        _seeds,
        ("mifa.exp.seeds",),
    ),
    space_of_values(
        "mifa.schedule",
        "The printed parameters for MNIST.",
        "first_step_size steps_per_round weight_decay",
        _schedule,
        ("mifa.exp.schedule",),
    ),
    space_of_values(
        "mifa.networks",
        "The layers as printed and as in the released scripts.",
        "script_parameters lenet_parameters",
        lambda choices, claim: NETWORK_SIZES,
        ("mifa.exp.network",),
    ),
    space_of_values(
        "mifa.scripts",
        "The initial step sizes of the four released scripts.",
        "script_step_size",
        lambda choices, claim: {
            "script_step_size": choices.choice([Fraction(x) for x in SCRIPT_STEP_SIZES.values()])
        },
        ("mifa.exp.rate",),
    ),
)
