"""The origin of what an attack drew: the choices that made an instance, from which its region makes it again."""

from collections.abc import Mapping
from typing import Any

from fltheory.attack.source import MOST_CHOICES, Rejected, Source
from fltheory.attack.space import paper_spaces
from fltheory.papers import find_claim


def drawn(claim: str, space: str, choices: list[int]) -> Mapping[str, Any]:
    """The values of the instance that these choices make in a region; the region refuses it where a printed assumption fails."""
    found = next((one for one in paper_spaces() if one.id == space), None)
    if found is None or len(choices) > MOST_CHOICES or not all(isinstance(c, int) and c >= 0 for c in choices):
        raise ValueError("a region of the papers, or choices that are no whole numbers")
    try:
        return found.draw(Source.replay(choices), find_claim(claim)).values
    except Rejected as problem:
        raise ValueError(f"an assumption that fails: {problem.reason}") from None


ORIGINS = {"draw": drawn}
