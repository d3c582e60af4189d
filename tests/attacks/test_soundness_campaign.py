"""True claims are made of all kinds and none is refuted; a false one among them is."""

from typing import Any

import pytest

from fltheory.claims.evidence import Verdict
from tests.campaigns import record, soundness
from tests.campaigns.sound import theorems


def test_claims_of_every_theorem_can_be_read_and_differ() -> None:
    names = list(soundness.THEOREMS)
    made = [soundness.fields_of(k) for k in range(3 * len(names))]
    assert [name for name, _ in made] == names * 3
    assert len({soundness.as_toml(0, fields) for _, fields in made}) > 2 * len(names)
    kinds = {(fields["sign"], "about" in fields) for _, fields in made}
    assert {("<=", True), ("<=", False), ("=", False), ("O", True), ("O", False)} <= kinds


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(soundness.THEOREMS)))
def test_one_claim_of_every_theorem_is_not_refuted(number: int) -> None:
    assert soundness.tried(number, 4)[1] in (Verdict.SUPPORTED, Verdict.UNDECIDED)


@pytest.mark.slow
def test_a_false_claim_among_them_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(rng: Any) -> dict[str, object]:
        return theorems.pl_rate(rng) | {"right": "0"}

    monkeypatch.setattr(soundness, "THEOREMS", {"false": nothing})
    told: list[str] = []
    counts, wrong = soundness.campaign([0], 12, told.append)
    assert wrong == counts["false", "REFUTED"] == 1
    assert told[0].startswith("REFUTED 0: ")


def test_the_recorded_campaign_has_all_theorems_and_refuted_nothing() -> None:
    rows = record.read(soundness.PAGE)
    assert set(rows) == set(soundness.THEOREMS)
    assert all(int(row[0]) > 0 for row in rows.values())
    assert {row[2] for row in rows.values()} == {"0"}
