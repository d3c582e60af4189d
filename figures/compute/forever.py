"""The proved rate of methods with memory against the step size, for all rounds, clients and traces;
where they break, and the largest steps that the papers' theorems allow."""

from fractions import Fraction
from typing import Any

from fltheory import forever, step_sizes
from fltheory.papers import find_claim

KAPPA = 4
STALENESS = (0, 1, 3, 10)
MARKED = 3
"""The staleness at which the papers' step sizes are marked."""
POINTS = 14


def curve(staleness: int) -> dict[str, Any]:
    """Certified rates from small steps to the largest one with a proof."""
    method, mu = "mifa" if staleness else "fedavg", Fraction(1, KAPPA)
    most = forever(method, staleness=staleness, strong_convexity=mu, largest_step=True)
    assert most.largest_step is not None
    assert most.breaks_at is not None
    steps = [
        most.breaks_at * Fraction(part).limit_denominator(1000)
        for part in (10 ** (-2.2 * (1 - k / POINTS)) for k in range(POINTS))
    ]
    steps += [most.breaks_at * Fraction(part, 100) for part in (80, 90, 95, 98)]
    proved = []
    for step in sorted({*steps, most.largest_step}):
        found = forever(method, staleness=staleness, strong_convexity=mu, step_size=step)
        if found.status == "CERTIFIED":
            proved.append((float(step), float(found.rate or 1)))
    return {
        "breaks_at": str(most.breaks_at),
        "largest_step": str(most.largest_step),
        "steps": [step for step, _ in proved],
        "rates": [rate for _, rate in proved],
    }


def papers_steps() -> dict[str, float]:
    """The largest step sizes of theorems, times L, at L/mu = KAPPA, one local step and MARKED."""
    found = {}
    for row in step_sizes(periods=(MARKED + 1,)).rows:
        assert row.strong_convexity in (0, row.smoothness / KAPPA)
        source = find_claim(row.theorem).source
        place = source.place.split(", ")[0]
        found[f"{source.paper.name}, {place}"] = float(row.theorem_step * row.smoothness)
    return found


def numbers() -> dict[str, Any]:
    """All curves and marks."""
    return {
        "title": "Proved for every horizon, up to the step at which a quadratic breaks",
        "caption": (
            f"Methods with memory (MIFA, FedLaAvg, AFA-CS; one local step, L/mu = {KAPPA}, exact"
            " gradients): the certified factor of |x - x*|^2 per round, for all rounds, numbers of"
            " clients, losses and traces in which nobody is silent for more than tau rounds in a"
            " row. tau = 0 is gradient descent. Dotted: the step 2/(L (tau + 1)) at which a"
            " quadratic and a periodic trace break the method, decided exactly. Marks: the largest"
            f" step sizes of theorems at tau = {MARKED}, in their best form known; AFL's is for"
            " AFA-CD, Fraboni's for asynchronous aggregation, other methods under delays."
        ),
        "marked": MARKED,
        "papers": papers_steps(),
        "curves": {str(staleness): curve(staleness) for staleness in STALENESS},
    }
