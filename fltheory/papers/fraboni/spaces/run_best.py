"""Where the best known forms of Theorems 1 to 3 may fail: small runs of every kind and crowds of
sampled clients, at the edge of their conditions or at a part of it."""

from dataclasses import replace

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.papers.fraboni.checks.best import (
    CONDITIONS,
    SEEN,
    all_constants,
    as_claimed,
    at_edge,
    crowd_instance,
    fits,
    window_of,
)
from fltheory.papers.fraboni.checks.crowds import Group, TwoKinds, with_size
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.spaces.drawing import F, setting
from fltheory.papers.fraboni.spaces.named import space_of

CLAIMS = "thm1.best thm1.best.server cor1.best thm2.best thm3.windows"
CERTAIN = "thm1.best.certain thm3.best"


def _name(claim: Claim) -> str:
    return claim.id.removeprefix("fraboni.")


def _small(choices: Choices, claim: Claim) -> Instance:
    """A small run of any kind; what the claim does not speak of is rejected."""
    name = _name(claim)
    drawn = setting(choices, chance=True, far=6, most_rounds=5)
    q = Quantities(drawn)
    choices.require(bool(q.filled) and fits(name, q), "the claim speaks of such runs")
    window = window_of(q)
    edge = at_edge(CONDITIONS[name], all_constants(q, window))
    choices.require(edge > 0, "some step size meets the conditions")
    size = edge * choices.choice((F(1), F(1, 3), F(1, 20)))
    return as_claimed(name, Quantities(replace(drawn, local_step_size=size)), window)


def _crowd(choices: Choices, claim: Claim) -> Instance:
    """Two heavy clients and many light ones, sampled."""
    count, light = choices.choice((2, 10, 100, 1000)), choices.choice((F(1, 1000), F(1, 10**6)))
    optimum, curvature = choices.number(0, 3), choices.choice((F(1), F(1, 10)))
    heavy = (1 - (count - 2) * light) / 2
    groups = [Group(2, heavy, F(1), optimum, choices.choice((F(1, 2), F(1, 50))))]
    if count > 2:
        groups.append(Group(count - 2, light, curvature, choices.number(0, 3), F(1, 10)))
    crowd = TwoKinds(
        tuple(groups),
        choices.choice(("uniform", "multinomial", "independent")),
        choices.whole(1, 2),
        choices.choice((1, 2, 10, 60)),
        choices.choice((1, 3, 40, 300)),
        choices.choice((F(1), F(1, 3), F(30))),
        F(choices.number(0, 3)),
        F(choices.whole(0, 2)),
    )
    name = _name(claim)
    edge = at_edge(CONDITIONS[name], crowd.values())
    choices.require(edge > 0, "some step size meets the conditions")
    return crowd_instance(with_size(crowd, edge * choices.choice((F(1), F(1, 4)))))


SPACES = (
    space_of("best-small", "Small runs of every kind.", _small, f"{CLAIMS} {CERTAIN}", more=SEEN),
    space_of("best-crowds", "Up to a thousand sampled clients.", _crowd, CLAIMS, more=SEEN),
)
