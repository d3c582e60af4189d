"""Where the terms of the proofs of Theorems 3 and 4 may fail: any two rounds of a few workers."""

from fractions import Fraction

from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.papers.afl.checks.path_terms import largest_local_step
from fltheory.papers.afl.checks.paths import linear
from fltheory.papers.afl.checks.proof_terms import TERMS, round_values
from fltheory.papers.afl.spaces.conditions import restated


def _rounds(choices: Choices, claim: Claim) -> Drawn:
    """Tilted quadratics of curvature 1, 0 or -1, any step sizes, with noise if that is few
    draws."""
    workers, steps = choices.whole(2, 3), choices.whole(1, 3)
    noise = choices.whole(0, 1) if workers * steps <= 4 else 0
    curvature = choices.choice((1, -1, 0))
    tilts = choices.many(lambda: choices.number(-2, 2), workers - 1)
    tilts.append(-sum(tilts, Fraction(0)))
    limited = claim.id == "afl.thm4.c2" and steps > 1
    size = largest_local_step(steps) if limited else choices.number("1/8", 2)
    return {
        **round_values(
            [linear(curvature, tilt) for tilt in tilts],
            apart=max(map(abs, tilts)),
            steps=steps,
            size=size,
            server=choices.number("1/4", 4),
            start=choices.number(-2, 2),
            noise=noise,
        )
    }


SPACES = restated(
    (
        given(
            "Two rounds of up to three workers, of which all but one are stale in the second.",
            "slope_along_move squared_gradient squared_move sum_of_stale_changes sum_of_path_gaps"
            " squared_deviation sum_of_lags sum_of_used_gaps stale_change path_gap old_path_gap"
            " sum_of_increments num_clients fresh_entries max_delay local_steps local_step_size"
            " server_step_size smoothness gradient_noise dissimilarity",
            TERMS,
            _rounds,
        ),
    )
)
