"""Few files stand between a command and its answer, and no other paper's."""

import pytest

from tests.house.walks import WALKS, entered

MOST = {"explain a claim": 45, "attack a claim": 70, "a CSV file to a number": 14}
"""The first layout of the package entered 70, 194 and 45."""


@pytest.mark.slow
@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_enters_few_files_and_no_other_paper(walk: str) -> None:
    files = entered(WALKS[walk])
    assert 5 < len(files) <= MOST[walk], files
    strangers = [name for name in files if name.startswith(("papers/afl", "papers/mifa"))]
    assert strangers == []
    assert ("attacks/search.py" in files) == (walk == "attack a claim")
