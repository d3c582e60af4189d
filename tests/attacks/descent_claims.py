"""Claims about runs."""

from typing import Any

from fltheory.claims.claim import Claim
from fltheory.papers.claim_files import claims_of

DESCENT = "2*initial_loss_gap/(local_step_size*num_rounds)"


def own(
    about: str,
    assumes: list[str],
    *,
    left: str = "mean_squared_gradient",
    sign: str = "<=",
    right: str = DESCENT,
) -> Claim:
    """A claim about runs of one algorithm, that it descends unless told otherwise."""
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
