"""Where claims about long runs of MIFA may fail: a device that reacts to its noise, absences that
grow, slopes of the noise part."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, LowerBound
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.papers.mifa.checks.adaptive import skipping_device
from fltheory.papers.mifa.checks.large_scale import steep_client
from fltheory.papers.mifa.checks.long_runs import OFFSET, growing_gaps
from fltheory.papers.mifa.spaces.conditions import restated
from fltheory.papers.mifa.spaces.drawing import space_of, space_of_values
from fltheory.papers.mifa.spaces.run_bounds import MEASURED

DIGITS = 10**60
"""Ends of an enclosure are rounded outwards to this many parts."""


def _skipping(choices: Choices, claim: Claim) -> Drawn:
    """The exact mean of one model of the chain, for step sizes that do not grow and are at most
    1/2."""
    first, factors = (
        tuple(map(Fraction, texts))
        for texts in (("1/2", "1/4", "1/10", "1/100"), ("1", "1/2", "3/4", "1/100", "0"))
    )
    sizes = [choices.choice(first)]
    for _ in range(choices.whole(0, 11)):
        sizes.append(sizes[-1] * choices.choice(factors))
    chain = skipping_device(lambda t: sizes[min(t, len(sizes)) - 1], Fraction(-1))
    models = list(islice(chain, len(sizes) + 1))
    return {"mean_shortfall": -models[choices.whole(0, len(sizes))].mean}


def weighted_gap(iterates: int, initial_gap: Fraction) -> tuple[Fraction, Fraction]:
    """Both ends of an enclosure of the gap of wbar_T for one device, unit curvature and noise,
    started at the optimum, a = 100.

    wbar_T is linear in the noise of the active rounds: what w_s adds to the weighted sum of the
    models from s on is found from the last active round to the first; while the device is away, w_t
    = w_s - H(s, t) (w_s + noise) with H the sum of the step sizes.
    """

    def weight(t: int) -> int:
        return (t + OFFSET - 1) * (t + OFFSET - 2)

    active = [
        t + 1
        for t, here in enumerate(growing_gaps(iterates - 1, initial_gap).delivers[:, 0])
        if here
    ]
    low = high = Fraction(weight(iterates))
    least = most = Fraction(0)
    for start, following in zip(reversed(active), [iterates, *reversed(active[1:])], strict=True):
        own, moved, passed = _while_away(start, following, weight)
        least, most = least + (moved + passed * low) ** 2, most + (moved + passed * high) ** 2
        low, high = _down(own + (1 - passed) * low), _up(own + (1 - passed) * high)
        least, most = _down(least), _up(most)
    total = sum(map(weight, range(1, iterates + 1)))
    return least / (2 * total**2), most / (2 * total**2)


def _while_away(
    start: int, following: int, weight: Callable[[int], int]
) -> tuple[Fraction, Fraction, Fraction]:
    """Sums over start <= t < following of weight (1 - H) and of weight H, and H at the end; all
    step sizes sum to less than 1 there."""
    passed = own = moved = Fraction(0)
    for t in range(start, following):
        own, moved = own + weight(t) * (1 - passed), moved + weight(t) * passed
        passed += Fraction(4, t + OFFSET)
    return own, moved, passed


def _down(number: Fraction) -> Fraction:
    return Fraction(number * DIGITS // 1, DIGITS)


def _up(number: Fraction) -> Fraction:
    return Fraction(-(-number * DIGITS // 1), DIGITS)


def _absent(choices: Choices, claim: Claim) -> Drawn:
    """From T = 2000 on and for t0 up to 5/2, as the sentence says; the end of the enclosure that
    speaks for the claim."""
    iterates, gap = 2000 + choices.whole(0, 1000), choices.number(Fraction(1, 100), Fraction(5, 2))
    least, most = weighted_gap(iterates, gap)
    return {"weighted_loss_gap": most if isinstance(claim.statement, LowerBound) else least}


def _horizons(choices: Choices, claim: Claim) -> Instance:
    """Always active devices with one loss and no noise, T up to the offset a and beyond, many local
    steps, any t0: the initial error alone.

    K steps of size 4/(mu K (t + a)) multiply the distance to the optimum by (1 - 4/(K (t + a)))^K;
    powers are rounded down.
    """
    rounds, steps = choices.whole(1, 160), choices.choice((1, 2, 3, 10, 100))
    curvature = choices.choice((Fraction(1), Fraction(1, 4), Fraction(9)))
    gap = choices.choice(tuple(map(Fraction, ("1", "2", "5/2", "5", "1/1000"))))
    start = choices.number(Fraction(1, 2), 3)
    offset = max(Fraction(OFFSET), 40 * gap)
    model, total, weights = start, Fraction(0), Fraction(0)
    for t in range(1, rounds + 2):
        weight = (t + offset - 1) * (t + offset - 2)
        total, weights = total + weight * model, weights + weight
        model = _down(model * _down((1 - 4 / (steps * (t + offset))) ** steps))
    values: Drawn = {
        "weighted_loss_gap": curvature * (total / weights) ** 2 / 2,
        "initial_gap": gap,
        "initial_distance": start,
        "step_offset": offset,
        "num_rounds": rounds,
        "local_steps": steps,
        "num_clients": choices.whole(1, 3),
        "strong_convexity": curvature,
        "smoothness": curvature,
        "constant": Fraction(10) ** choices.choice((0, 3, 9)),
        **dict.fromkeys(
            ("mean_staleness", "max_staleness", "gradient_noise", "dissimilarity_at_optimum"), 0
        ),
    }
    return Instance(
        values, f"always active, K = {steps}, T = {rounds + 1}, t0 = {gap}, curvature {curvature}"
    )


def _steep(choices: Choices, claim: Claim) -> Instance:
    """One client that is steep near its optimum and flat far away, of any condition number that
    is a square, over horizons around the offset of the step sizes."""
    root = choices.choice((10, 2, 3, 5, 30, 100))
    offset = OFFSET * root**3
    share = choices.choice(tuple(Fraction(k, 20) for k in (20, 1, 5, 10, 15, 30, 40)))
    start = choices.choice(tuple(map(Fraction, ("1", "1/2", "2", "10", "1/10"))))
    steep = steep_client(1, start, int(offset * share), root=root)
    return replace(steep, values={**steep.values, "constant": Fraction(10) ** choices.index(4)})


def _scaled_chain(choices: Choices, claim: Claim) -> Drawn:
    """F(x) = b x^3/6 near a point, scaled; its third derivative is a third difference, for F is a
    cubic."""
    bend, chain, smoothness, precision = (
        choices.number(Fraction(1, 4), 4) * choices.power(most=2) for _ in range(4)
    )
    width, step = precision / smoothness, choices.number(Fraction(1, 4), 2)

    def scaled(x: Fraction) -> Fraction:
        return smoothness * width**2 / chain * bend * (x / width) ** 3 / 6

    third = (
        scaled(3 * step) - 3 * scaled(2 * step) + 3 * scaled(step) - scaled(Fraction(0))
    ) / step**3
    return {
        "scaled_bend": third,
        "chain_bend": bend,
        "chain_smoothness": chain,
        "smoothness": smoothness,
        "precision": precision,
    }


def _slope(choices: Choices, claim: Claim) -> Drawn:
    """The noise part is the integral of y^4 (X - y)^2 from 1 to X, over (X^3 - 1)^2 X^2, with X = 1
    + T/a; its slope in T."""
    ratio = choices.number(Fraction(1, 4), 5) * choices.power(most=2)
    end = 1 + ratio

    def powers(k: int) -> Fraction:
        return (end ** (k + 1) - 1) / (k + 1)

    integral = end**2 * powers(4) - 2 * end * powers(5) + powers(6)
    grows = 2 * (end * powers(4) - powers(5))
    return {
        "noise_slope": ratio * (grows / integral - 6 * end**2 / (end**3 - 1) - 2 / end),
        "rounds_over_offset": ratio,
    }


def _last_absence(choices: Choices, claim: Claim) -> Drawn:
    """One device with unit curvature and noise from the optimum, away for the last rounds: the
    noise of the update that it leaves behind moves all later models, and counts alone here."""
    away = choices.whole(1, 60)
    rounds = away + choices.whole(1, 60)
    start = rounds - away
    moved = total = passed = Fraction(0)
    for t in range(1, rounds + 2):
        weight = (t + OFFSET - 1) * (t + OFFSET - 2)
        moved, total = moved + weight * passed, total + weight
        if t >= start:
            passed += Fraction(4, t + OFFSET)
    return {
        "weighted_loss_gap": (moved / total) ** 2 / 2,
        "max_staleness": away,
        "num_rounds": rounds,
        "step_offset": OFFSET,
        "gradient_noise": 1,
        "strong_convexity": 1,
    }


SPACES = restated(
    (
        space_of(
            "horizons",
            "Always active devices without noise, up to 160 rounds and 100 local steps (left side"
            " rounded down).",
            _horizons,
            MEASURED,
            "thm5.1.constant thm5.1.corrected thm5.1.terms",
        ),
        space_of(
            "steep-client",
            "One client of condition number up to 10^4 without noise, up to 2 10^8 rounds in closed"
            " form (left side rounded down).",
            _steep,
            MEASURED,
            "thm5.1.constant thm5.1.corrected thm5.1.terms",
        ),
        space_of_values(
            "skipping-device",
            "Chains of up to twelve rounds with any step sizes that do not grow and are at most"
            " 1/2.",
            _skipping,
            "mean_shortfall",
            "adaptive.mean",
        ),
        space_of_values(
            "last-absence",
            "One device that is away for the last rounds, up to 120 rounds (left side: a part).",
            _last_absence,
            "weighted_loss_gap max_staleness num_rounds step_offset gradient_noise"
            " strong_convexity",
            "thm5.1.necessary",
        ),
        space_of_values(
            "growing-gaps",
            "One device as absent as the sentence says, T = 2000 to 3000, any t0 up to 5/2.",
            _absent,
            "weighted_loss_gap",
            "ass4.longrun",
        ),
        space_of_values(
            "scaled-chain",
            "Cubics with any third derivative, scaled to any smoothness and precision.",
            _scaled_chain,
            "scaled_bend chain_bend chain_smoothness smoothness precision",
            "prop6.1.hessian",
        ),
        space_of_values(
            "noise-slope",
            "Any T/a from 1/400 to 500.",
            _slope,
            "noise_slope rounds_over_offset",
            "thm5.1.slope",
        ),
    )
)
