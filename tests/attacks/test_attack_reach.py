"""What a reviewer would try first: falsehoods that need noise, more rounds, a step size set by an
equation; every algorithm."""

from contextlib import suppress
from typing import Any

import pytest

import fltheory.algorithms
from fltheory.attacks.moves import MOST_PER_NICHE, Scored, kept
from fltheory.attacks.report import as_text
from fltheory.attacks.search import attack
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.spaces.choices import Choices, Rejected
from fltheory.claims.spaces.runs import draw_run
from fltheory.core.registry import members
from fltheory.papers.claim_files import claims_of

EVERYONE = ["local_steps = 1", "server_step_size = 1", "availability_window = 1"]
DESCENT = "2*initial_loss_gap/(local_step_size*num_rounds)"


def own(
    right: str,
    assumes: list[str],
    *,
    left: str = "mean_squared_gradient",
    sign: str = "<=",
    about: str = "fedavg",
) -> Claim:
    """A claim about runs as a reviewer writes it."""
    entry: dict[str, Any] = {
        "id": "mine.a",
        "says": "A.",
        "left": left,
        "sign": sign,
        "right": right,
        "assumes": assumes,
        "about": [about],
    }
    return claims_of({"paper": {"key": "mine"}, "claim": [entry]})[0]


FALSE = {
    "noise divided by N twice": own(
        f"{DESCENT} + local_step_size*smoothness*gradient_noise^2/num_clients^2",
        [*EVERYONE, "local_step_size*smoothness <= 1"],
    ),
    "a constant 5 % too small": own(
        f"19/20*{DESCENT}", [*EVERYONE, "gradient_noise = 0", "local_step_size*smoothness <= 1"]
    ),
    "longer runs only": own(
        f"3/4*{DESCENT} + 3/4*local_step_size*smoothness*gradient_noise^2",
        [
            "num_rounds >= 6",
            "num_clients = 1",
            "gradient_noise = 1",
            *EVERYONE,
            "local_step_size*smoothness <= 1",
        ],
    ),
    "a step size set by an equation": own(
        f"19/20*{DESCENT}",
        [*EVERYONE, "gradient_noise = 0", "local_step_size = 1/(2*smoothness)"],
        left="num_rounds*mean_squared_gradient/num_rounds*3/2",
    ),
    "smoothness and server step set": own(
        "19/20*2*initial_loss_gap/num_rounds",
        [
            "smoothness = 1/3",
            "server_step_size = 2",
            "local_step_size = 3",
            "local_steps = 1",
            "gradient_noise = 0",
        ],
    ),
    "arrivals from an old model": own(
        f"{DESCENT}",
        [
            "local_steps = 1",
            "server_step_size = 1",
            "gradient_noise = 0",
            "num_clients = 1",
            "clients_per_round = 1",
            "local_step_size*smoothness <= 1/2",
            "num_rounds >= 4",
        ],
        about="async",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FALSE)
def test_a_falsehood_of_a_reviewer_is_found(name: str) -> None:
    assert attack(FALSE[name], attempts=400).evidence.verdict is Verdict.REFUTED


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim",
    [
        own(
            f"{DESCENT} + local_step_size*smoothness*gradient_noise^2/num_clients",
            [*EVERYONE, "local_step_size*smoothness <= 1"],
        ),
        own(
            DESCENT,
            [
                "local_step_size = 1/(2*smoothness)",
                *EVERYONE,
                "gradient_noise = 0",
                "num_rounds >= 12",
            ],
        ),
    ],
)
def test_the_true_ones_beside_them_survive(claim: Claim) -> None:
    assert attack(claim, attempts=60).evidence.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("algorithm", sorted(members(fltheory.algorithms)))
def test_runs_of_every_algorithm_can_be_drawn(algorithm: str) -> None:
    claim, found = own(DESCENT, [], about=algorithm), []
    for number in range(12):
        with suppress(Rejected):
            found.append(draw_run(Choices.fresh(0, number), claim))
    assert len(found) > 4


def test_instances_that_are_trivial_in_the_same_way_do_not_crowd_out_the_others() -> None:
    pool: tuple[Scored, ...] = ()
    for number in range(20):
        pool = kept(pool, Scored(0.0, (number,), (2,), "", "gradient_noise"))
    pool = kept(pool, Scored(-0.5, (99,), (2,), "", ""))
    assert [one.niche for one in pool] == ["gradient_noise"] * MOST_PER_NICHE + [""]
    assert kept(pool, pool[0]) == pool


def test_the_report_tells_the_conditions_under_which_the_claim_was_attacked() -> None:
    found = attack(own(DESCENT, ["local_steps = 1", "num_clients = 1"]), attempts=4)
    assert "\n  if local_steps = 1; num_clients = 1\n" in as_text(found)
