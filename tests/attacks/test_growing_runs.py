"""Families of growing runs: what is said of them is measured on them, bounds are below, and a file
with another family, other sizes or other values is rejected by both replayers."""

import copy
import json
from fractions import Fraction
from typing import Any

import pytest
import sympy

import fltheory.algorithms
from fltheory.attacks.order_runs import order_on_runs
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.measures import Measurements
from fltheory.claims.spaces.choices import SCALE
from fltheory.claims.spaces.growing_files import as_json, from_json, scenario_at
from fltheory.claims.spaces.growing_runs import AVERAGES, ENDS, LEAST, METHODS, GrowingRuns
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import find_member
from fltheory.engine.traits import STARTS_FROM_OLD_MODELS
from fltheory.ledger.counterexamples import to_file
from fltheory.ledger.meanings import entry
from fltheory.ledger.replays import replay
from fltheory.papers.claim_files import claims_of
from verification import replay as alone
from verification import replay_orders
from verification.replay_germs import Germ, germ

HALF = sympy.Rational(1, 2)
SIZES: dict[str, list[dict[str, Any]]] = {
    "descent": [{"step": HALF / SCALE}, {"step": 1 / (16 * SCALE)}, {"step": HALF, "bend": HALF}],
    "noise": [
        {"step": HALF, "clients": SCALE + 1},
        {"step": HALF / SCALE, "bend": 1 / (2 * SCALE)},
    ],
    "sampled": [{"step": HALF, "clients": 2 * SCALE}],
    "late": [{"step": sympy.Rational(1, 4)}, {"step": sympy.Integer(2)}],
    "drift": [{"step": 1 / (4 * SCALE), "local_steps": 2 * SCALE}],
}
FAMILIES = [
    (family, method, sizes)
    for family, listed in SIZES.items()
    for method in sorted(METHODS[family])
    for sizes in listed
]
ROUNDS = 4 * SCALE


def runs_of(family: str, method: str, sizes: dict[str, Any]) -> GrowingRuns:
    return GrowingRuns(family, method, **{"rounds": ROUNDS, **sizes})


def fraction(x: sympy.Expr, scale: int) -> Fraction:
    found = sympy.nsimplify(x.subs(SCALE, scale))
    return Fraction(int(found.p), int(found.q))


@pytest.mark.parametrize(("family", "method", "sizes"), FAMILIES)
def test_what_is_said_of_growing_runs_is_measured_on_them(
    family: str, method: str, sizes: dict[str, Any]
) -> None:
    runs = runs_of(family, method, sizes)
    assert runs.possible()
    for scale in (1, 2):
        found = Measurements(scenario_at(runs, scale))
        for name, value in runs.values().items():
            assert sympy.sympify(str(found[name])) == sympy.simplify(value.subs(SCALE, scale)), name
        for name in AVERAGES | ENDS | LEAST:
            bound = runs.bound(name)
            if bound is not None:
                assert 0 <= fraction(bound, scale) <= found[name], name


@pytest.mark.parametrize("family", sorted(METHODS))
def test_both_programs_derive_the_same_values_and_bounds(family: str) -> None:
    assert METHODS[family] == replay_orders.METHODS[family]
    for sizes in SIZES[family]:
        runs = runs_of(family, min(METHODS[family]), sizes)
        told = json.loads(json.dumps(as_json(runs)))
        assert from_json(told) == runs
        other = replay_orders.Family(told, alone.require)
        values = {name: at_two(x) for name, x in other.values().items()}
        assert values == {name: fraction(x, 2) for name, x in runs.values().items()}
        for name, (when, power) in replay_orders.ENDS.items():
            bound = runs.bound(name)
            if bound is None:
                with pytest.raises(alone.NotCheckable):
                    other.bound(when, power)
            else:
                assert at_two(other.bound(when, power)) == fraction(bound, 2), name


def at_two(x: Germ) -> Fraction:
    """An exact germ with whole powers, at the scale 2."""
    above, below = (
        sum((c * Fraction(2) ** int(q) for q, c in part.items()), Fraction(0))
        for part in (x.above, x.below)
    )
    return above / below


def grown(*node: Any) -> tuple[Any, Any]:
    """How a formula in scale grows: the powers of scale and of its logarithm."""
    size = germ(list(node), {"scale": Germ({Fraction(1): Fraction(1)})}).size()
    return size.q, size.p


def test_growth_is_expanded_with_logarithms_and_exponentials() -> None:
    s, less = {"symbol": "scale"}, ["+", "1", ["*", "-1", ["^", {"symbol": "scale"}, "-1"]]]
    assert grown("*", ["log", s], ["^", s, "1/2"]) == (Fraction(1, 2), 1)
    assert grown("^", less, ["^", s, "2"]) == (float("-inf"), 0)
    assert grown("^", less, ["^", s, "1/2"]) == (0, 0)
    assert grown("exp", ["^", s, "1/3"]) == (float("inf"), 0)
    assert grown("max", ["^", s, "2"], ["*", "9", s]) == (2, 0)
    for unknown in (
        ["exp", ["log", s]],
        ["exp", ["^", ["log", s], "2"]],
        ["log", ["^", less, ["^", s, "1/2"]]],
        ["+", ["log", s], ["*", "-1", ["log", s]]],
        ["+", ["*", ["log", "2"], s], ["*", "-1", ["log", "2"], s]],
        ["floor", less],
        ["+", s, ["*", "-1", ["+", s, ["log", s]]]],
    ):
        with pytest.raises(alone.NotCheckable):
            grown(*unknown)


def test_late_runs_are_of_methods_whose_clients_may_start_from_old_models() -> None:
    for method in METHODS["late"]:
        assert STARTS_FROM_OLD_MODELS in find_member(fltheory.algorithms, method).facts


@pytest.mark.parametrize(
    "sizes",
    [
        {"step": sympy.Integer(2)},
        {"step": -HALF},
        {"step": HALF, "bend": sympy.Integer(2)},
        {"step": HALF, "clients": sympy.Integer(2)},
        {"step": HALF, "local_steps": sympy.Integer(2)},
        {"step": HALF, "rounds": SCALE / 2},
        {"step": HALF, "rounds": 3 * SCALE},
        {"step": HALF, "rounds": SCALE - 1},
        {"step": SCALE},
    ],
)
def test_runs_without_a_proof_are_no_family(sizes: dict[str, Any]) -> None:
    runs = runs_of("descent", "fedavg", sizes)
    assert not runs.possible()
    with pytest.raises(alone.NotConfirmed):
        replay_orders.Family(json.loads(json.dumps(as_json(runs))), alone.require)


STEPPED = ["availability_window = 1", "server_step_size = 1", "least_local_steps = local_steps"]
DELAYED = ["num_clients = 1", "local_steps = 1", "gradient_noise = 0", "server_step_size = 1"]


def order(left: str, right: str, assumes: list[str], method: str = "fedavg", **more: Any) -> Claim:
    told = {"id": "m.o", "says": "An order.", "left": left, "sign": "O", "right": right}
    fields = {"assumes": assumes, "about": [method], **more}
    return claims_of({"paper": {"key": "m"}, "claim": [told | fields]})[0]


def falls(family: str, wrong: str) -> Claim:
    """A true order for the empty text, and one that a family refutes."""
    rate = "initial_distance^2/(local_step_size*num_rounds"
    step, still = "local_step_size*smoothness <= 1/4", "gradient_noise = 0"
    single = [*STEPPED, "local_steps = 1", step]
    mean = "average_squared_distance"
    floor = f"{rate}*strong_convexity) + local_step_size*gradient_noise^2/(num_clients*"
    drift = f"{rate}*local_steps) + local_step_size^2*smoothness*dissimilarity_at_optimum*"
    sampled = f"{rate}) + local_step_size*dissimilarity_at_optimum/"
    short = "local_step_size*smoothness*local_steps <= 1/8"
    late = "local_step_size*smoothness*(1 + max_delay) <= 1"
    gap = "initial_loss_gap/(local_step_size*num_rounds)"
    kinds = {"losses": "strongly-convex"}
    if family == "descent":
        power = ")^(3/2)" if wrong else ")"
        return order("last_loss_gap", rate + power, [*single, still], losses="convex")
    if family == "noise":
        return order(mean, f"{floor}{wrong or 'strong_convexity'})", single, **kinds)
    if family == "sampled":
        own = ["local_steps = 1", "server_step_size = 1", still, step]
        right = f"{sampled}{wrong or 'clients_per_round'}"
        law = {"participation": "uniform", "losses": "convex"}
        return order("average_loss_gap", right, own, **law)
    if family == "late":
        return order("mean_squared_gradient", gap, [*DELAYED, wrong or late], "afa-cd")
    right = f"{drift}{wrong or 'local_steps^2'}"
    return order("average_loss_gap", right, [*STEPPED, still, short], losses="convex")


WRONG = {
    "descent": "3/2",
    "noise": "smoothness",
    "sampled": "num_clients",
    "late": "local_step_size*smoothness <= 1/4",
    "drift": "local_steps",
}


def answers(claim: Claim, data: Any) -> tuple[bool, bool]:
    """The package's answer and the standalone one; what is malformed or not checkable is no yes."""
    told, known = json.loads(json.dumps(data)), json.loads(json.dumps(entry(claim)))
    found = []
    for program in (
        lambda: replay(copy.deepcopy(told), claim).confirmed,
        lambda: alone.replay(copy.deepcopy(told), {claim.id: known})[1],
    ):
        try:
            found.append(bool(program()))
        except (InvalidInput, ValueError, alone.NotCheckable):
            found.append(False)
    return found[0], found[1]


def file_of(claim: Claim) -> Any:
    found = order_on_runs(claim)
    assert found is not None
    assert found[1].verdict is Verdict.REFUTED, found[1].note
    return json.loads(json.dumps(to_file(claim, found[1])))


@pytest.mark.slow
@pytest.mark.parametrize("family", sorted(METHODS))
def test_each_family_refutes_an_order_that_no_other_does_and_both_confirm_it(family: str) -> None:
    true, false = falls(family, ""), falls(family, WRONG[family])
    found = order_on_runs(true)
    assert found is not None
    assert found[1].verdict is not Verdict.REFUTED
    data = file_of(false)
    assert data["origin"]["family"] == family
    assert answers(false, data) == (True, True)
    moved = {**data, "statement": file_statement(true)}
    assert answers(true, moved) == (False, False)


def file_statement(claim: Claim) -> Any:
    told: Any = entry(claim)
    return json.loads(json.dumps(told["statement"]))


FORGED: dict[str, dict[str, Any]] = {
    "another family": {"family": "noise"},
    "a family that nobody knows": {"family": "weather"},
    "another method": {"method": "afa-cs"},
    "a method of another claim": {"method": "mifa"},
    "longer steps": {"step": "1/2"},
    "steps that are not above 0": {"step": "0"},
    "steps beyond the bound": {"step": "4"},
    "half rounds": {"rounds": ["*", "1/3", {"symbol": "scale"}]},
    "rounds that grow with another symbol": {"rounds": ["*", "4", {"symbol": "t"}]},
    "more clients": {"clients": "2"},
    "more rounds": {"rounds": ["*", "8", {"symbol": "scale"}]},
    "a field too many": {"noise": "0"},
    "a formula that is no text": {"step": 1},
    "powers without end": {
        "rounds": ["^", ["+", ["^", ["+", {"symbol": "scale"}, "1"], "900"], "1"], "900"]
    },
    "numbers that fall": {"rounds": ["*", "-4", {"symbol": "scale"}]},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORGED)
def test_both_reject_a_family_that_is_not_the_one_of_the_values(name: str) -> None:
    claim = falls("late", WRONG["late"])
    data = file_of(claim)
    assert answers(claim, data) == (True, True)
    assert answers(claim, {**data, "origin": data["origin"] | FORGED[name]}) == (False, False)


@pytest.mark.slow
def test_both_reject_other_values_and_a_path_without_its_family() -> None:
    claim = falls("drift", WRONG["drift"])
    data = file_of(claim)
    for name, value in data["values"].items():
        for wrong in (["+", value, "1/7"], ["*", "2", value], {"symbol": "scale"}):
            bad = {**data, "values": data["values"] | {name: wrong}}
            same = value in ("0", wrong) and isinstance(wrong, list) and wrong[0] == "*"
            assert answers(claim, bad) == (same, same), (name, wrong)
    for origin in (
        None,
        {"kind": "check"},
        {"kind": "growing-runs"},
        {**data["origin"], "step": {}},
    ):
        assert answers(claim, {**data, "origin": origin}) == (False, False)
    assert answers(claim, {**data, "values": {}}) == (False, False)
