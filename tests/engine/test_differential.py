"""A sample of the differential campaign, and a difference that it must notice."""

import pytest

from tests.campaigns import differential
from verification import replay_runs


@pytest.mark.slow
def test_the_library_agrees_with_plain_fractions_on_a_sample() -> None:
    counts, bad = differential.campaign(200, seed=11)
    assert bad == []
    assert all(counts[question, "cases"] >= 10 for question in differential.SHARES)


@pytest.mark.slow
def test_a_wrong_simulator_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the server moves half as far."""
    right = replay_runs.run

    def wrong(spec, *args, **kwargs):
        return right({**spec, "server_step_size": "1/2"}, *args, **kwargs)

    monkeypatch.setattr(replay_runs, "run", wrong)
    _, bad = differential.campaign(60, seed=12)
    assert len(bad) > 10
