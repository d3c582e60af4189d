"""What a resumed attack says of the attempts that its file tells of."""

from dataclasses import replace
from pathlib import Path

from fltheory.attacks import store
from fltheory.attacks.campaign import AttackTask
from fltheory.attacks.workers import run_all
from fltheory.papers import find_claim


def test_attempts_that_a_file_tells_of_are_not_told_as_ones_own(tmp_path: Path) -> None:
    """A file may say that a million instances were tried: nobody can know."""
    claim = find_claim("fedlaavg.cor1.order")
    told = run_all([AttackTask(claim.id, attempts=2, folder=str(tmp_path))], jobs=1)
    assert "as a file says" not in next(iter(told)).line.evidence.note
    state = store.load(tmp_path, claim, 0)
    assert state is not None
    million = 10**6
    store.save(tmp_path, claim, 0, replace(state, attempts=million, instances=million))
    (told_again,) = run_all([AttackTask(claim.id, attempts=2, folder=str(tmp_path))], jobs=1)
    assert told_again.line.evidence.note.endswith("attempts of all as a file says")
    assert "1000000 attempts" in told_again.line.evidence.note.replace(",", "")
    assert told_again.data["resumed"]
