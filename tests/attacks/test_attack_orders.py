"""Attacks on orders: what grows is refuted however fast or slowly it does, what is bounded by the
meaning of its words is not."""

import pytest

from fltheory.attacks.orders import FASTEST, decide_path, growth
from fltheory.attacks.report import counterexample
from fltheory.attacks.search import Attack, attack
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.spaces.choices import SCALE
from fltheory.ledger.counterexamples import replay
from fltheory.papers.claim_files import claims_of


def order(left: str, right: str, *assumes: str, **kinds: str) -> Claim:
    entry = {
        "id": "m.o",
        "says": "An order.",
        "left": left,
        "sign": "O",
        "right": right,
        "assumes": list(assumes),
    }
    letters = {"where": dict.fromkeys(kinds, "a number"), "kinds": kinds} if kinds else {}
    return claims_of({"paper": {"key": "m"}, "claim": [entry | letters]})[0]


def attacked(claim: Claim) -> Attack:
    return attack(claim, attempts=200)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("exp(num_rounds)", "num_rounds"),
        ("2^local_steps", "local_steps^2"),
        ("num_rounds^(1/100)", "1"),
        ("log(num_rounds)", "1"),
        ("1 - num_rounds", "1"),
        ("num_rounds", "1 - num_clients*sqrt(num_rounds)"),
    ],
)
def test_growth_is_seen_beyond_the_range_of_floats_and_below_what_a_glance_shows(
    left: str, right: str
) -> None:
    found = attacked(order(left, right))
    assert found.refuted
    assert replay(counterexample(found), found.claim).confirmed


def test_no_constant_makes_zero_an_upper_bound() -> None:
    found = attacked(order("(1 + max_staleness)/num_rounds", "max_staleness/num_rounds"))
    assert found.refuted
    assert found.instance is not None
    assert found.instance.values["max_staleness"] == 0
    assert replay(counterexample(found), found.claim).confirmed
    assert (
        attacked(order("max_staleness/num_rounds", "max_staleness/num_rounds")).evidence.verdict
        is Verdict.SUPPORTED
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("clients_per_round", "num_clients"),
        ("mean_staleness", "max_staleness"),
        ("availability_probability*num_rounds", "num_rounds"),
        ("1 - num_rounds", "num_rounds"),
    ],
)
def test_what_words_mean_holds_along_paths_too(left: str, right: str) -> None:
    assert attacked(order(left, right)).evidence.verdict is Verdict.SUPPORTED


def test_a_constant_beyond_floats_is_no_growth() -> None:
    claim = order("exp(num_rounds)", "1")
    assert growth(claim, Instance({"num_rounds": 10**6})) is None
    found = growth(claim, Instance({"num_rounds": SCALE}))
    assert found is not None
    assert found.exponent == FASTEST


def test_growth_whose_limit_is_not_known_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    import sympy

    def unable(*_: object, **__: object) -> None:
        raise NotImplementedError("no limit")

    monkeypatch.setattr(sympy, "limit", unable)
    claim = order("num_rounds^2", "num_rounds")
    assert (
        decide_path(claim, Instance({"num_rounds": SCALE}), covers="").verdict is Verdict.UNDECIDED
    )
    found = attacked(claim)
    assert found.evidence.verdict is Verdict.UNDECIDED
    assert "whose limit is not known" in found.evidence.note
