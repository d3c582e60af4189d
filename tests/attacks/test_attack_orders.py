"""Attacks on orders: what grows is refuted however fast or slowly it does, what is bounded by the
meaning of its words is not."""

import pytest
import sympy

from fltheory.attacks.orders import FASTEST, decide_path, growth
from fltheory.attacks.report import counterexample
from fltheory.attacks.search import Attack, attack
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.spaces.choices import SCALE
from fltheory.ledger.replays import replay
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


@pytest.mark.slow
def test_growth_whose_limit_is_not_known_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
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


STEPPED = (
    "availability_window = 1",
    "local_steps = 1",
    "least_local_steps = 1",
    "server_step_size = 1",
    "gradient_noise = 0",
)


def of_runs(left: str, right: str, *assumes: str) -> Claim:
    entry = {"id": "m.o", "says": "An order.", "left": left, "sign": "O", "right": right}
    more = {"assumes": [*STEPPED, *assumes], "about": ["fedavg"], "losses": "convex"}
    return claims_of({"paper": {"key": "m"}, "claim": [entry | more]})[0]


STEP_OF_ROUNDS = "local_step_size*smoothness = 1/sqrt(num_rounds)"


@pytest.mark.slow
@pytest.mark.parametrize("left", ["last_loss_gap", "average_loss_gap"])
@pytest.mark.parametrize("step", ["local_step_size*smoothness <= 1", STEP_OF_ROUNDS])
def test_orders_of_runs_are_refuted_on_short_steps_and_on_flat_coordinates(
    left: str, step: str
) -> None:
    rate = "initial_distance^2/(local_step_size*num_rounds"
    found = attacked(of_runs(left, rate + "^(3/2))", step))
    assert found.refuted
    assert "proved along" in found.evidence.note
    assert replay(counterexample(found), found.claim).confirmed
    assert not attacked(of_runs(left, rate + ")", step)).refuted


@pytest.mark.slow
def test_rounding_refutes_no_order() -> None:
    """From the optimum the loss gap in floats is about 1e-17, and the distance is 0."""
    found = attack(
        of_runs(
            "last_loss_gap",
            "initial_distance^2/(local_step_size*num_rounds)",
            "local_step_size*smoothness <= 1",
        ),
        attempts=60,
    )
    assert found.evidence.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("noise", "path"),
    [("1/num_clients", ""), ("1/num_clients^2", "2*scale clients"), ("local_step_size", "step 1/")],
)
def test_orders_of_noise_are_refuted_on_many_clients_and_on_short_steps(
    noise: str, path: str
) -> None:
    size = "local_step_size*smoothness*gradient_noise^2"
    entry = {
        "id": "m.o",
        "says": "An order.",
        "left": "mean_squared_gradient",
        "sign": "O",
        "right": f"initial_loss_gap/(local_step_size*num_rounds) + {size}*{noise}",
        "assumes": [*STEPPED[:-1], "local_step_size*smoothness <= 1", "smoothness = 1"],
        "about": ["fedavg"],
    }
    found = attack(claims_of({"paper": {"key": "m"}, "claim": [entry]})[0], attempts=1)
    assert found.refuted == bool(path)
    assert path in found.evidence.note
    assert not path or replay(counterexample(found), found.claim).confirmed
