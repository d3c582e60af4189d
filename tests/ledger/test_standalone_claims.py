"""Runs of claims of one's own in both replayers: what a claim speaks of is measured, and what it
does not speak of makes a run no counterexample."""

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

import fltheory.algorithms
from fltheory.attacks.decide import refutation
from fltheory.claims.checks.bound_on_run import on_scenario
from fltheory.claims.claim import Claim
from fltheory.claims.participation import Participation
from fltheory.claims.record import house_folder
from fltheory.claims.scenario import Scenario
from fltheory.core.registry import members
from fltheory.engine.traits import STARTS_FROM_OLD_MODELS
from fltheory.ledger.counterexamples import to_file
from fltheory.ledger.customs import CUSTOMS, customs_of
from fltheory.ledger.meanings import entry
from fltheory.ledger.replays import replay
from fltheory.papers.claim_files import claims_of
from fltheory.problems.piecewise import PiecewiseQuadratic
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from tests.ledger.recorded_files import data_of
from verification import replay as alone
from verification import replay_customs


def claim(left: str, sign: str, right: str, method: str = "fedavg", **fields: Any) -> Claim:
    told = {"id": "mine.a", "says": "A.", "left": left, "sign": sign, "right": right}
    entries = [{**told, "about": [method], **fields}]
    return claims_of({"paper": {"key": "mine"}, "claim": entries})[0]


def run(method: str = "fedavg", **fields: Any) -> Scenario:
    told: dict[str, Any] = {
        "problem": Quadratic((1, 2), (0, 1)),
        "trace": Trace.fresh([[1, 1], [1, 0]]),
        "start": 1,
        "local_step_size": "1/4",
    }
    return Scenario(method, **(told | fields))


def answers(about: Claim, data: Any) -> tuple[bool, bool]:
    """The library's answer and the standalone one, on the file's text."""
    told = json.loads(json.dumps(data))
    known = {about.id: described(about)}
    return replay(told, about).confirmed, bool(alone.replay(copy.deepcopy(told), known)[1])


def described(about: Claim) -> Any:
    """The claim as claims.jsonl has it."""
    return entry(about)


def file_of(about: Claim, scenario: Scenario) -> Any:
    return to_file(about, refutation(about, on_scenario(about, scenario), covers=""))


HUBER = PiecewiseQuadratic((-1, 1), [(-1, 1), (-2, 2)], [(0, 0), (0, 0)])
LAW = Participation("uniform", clients_per_round=1)
SPOKEN = {
    "random participation": (
        claim("mean_squared_gradient", "<=", "0", participation="uniform"),
        run(participation=LAW, trace=Trace.fresh([[1, 1], [1, 1]])),
    ),
    "relative noise": (claim("last_loss_gap", "<=", "relative_noise/1000"), run(relative_noise=1)),
    "averages": (
        claim("loss_gap_of_weighted_average", "<=", "0", averaging="t + 1"),
        run(averaging=(1, 2)),
    ),
    "steps by rounds": (
        claim("last_squared_gradient", "<=", "0", step_size="1/(t + 2)"),
        run(local_step_size=("1/2", "1/3")),
    ),
    "bent losses": (
        claim("last_squared_gradient", "<=", "lipschitz^2/1000", losses="convex"),
        run(problem=HUBER),
    ),
    "clients": (
        claim(
            "mean_over_clients(client_smoothness^2)",
            "<=",
            "max_over_clients(client_smoothness)",
            assumes=["every client: client_smoothness <= 2", "num_rounds >= 2"],
        ),
        run(),
    ),
    "importance": (
        claim("initial_loss_gap", "<=", "least_importance/100"),
        run(problem=Quadratic((1, 2), (0, 1), ("1/4", "3/4"))),
    ),
}
WRONG: dict[str, dict[str, Any]] = {
    "random participation": {"participation": {**LAW.to_json(), "kind": "cyclic"}},
    "relative noise": {"relative_noise": "1/2"},
    "averages": {"averaging": ["1", "3"]},
    "steps by rounds": {"local_step_size": ["1/2", "1/4"]},
    "bent losses": {
        "problem": {**file_of(*SPOKEN["bent losses"])["run"]["problem"], "ends": [["-1", "0"]] * 2}
    },
    "clients": {"problem": Quadratic((1, 3), (0, 1))},
    "importance": {"relative_noise": "1/2"},
}


@pytest.mark.parametrize("name", SPOKEN)
def test_both_confirm_a_run_of_which_the_claim_speaks_and_refuse_another(name: str) -> None:
    about, scenario = SPOKEN[name]
    data = file_of(about, scenario)
    assert answers(about, data) == (True, True)
    for value in data["values"]:
        moved = {**data["values"], value: ["+", data["values"][value], "1/7"]}
        assert answers(about, {**data, "values": moved}) == (False, False)
    bad = copy.deepcopy(data)
    for field, wrong in WRONG[name].items():
        told = run(problem=wrong).to_json()["problem"] if isinstance(wrong, Quadratic) else wrong
        bad["run"][field] = told
    assert answers(about, bad) == (False, False)


UNUSUAL: dict[str, tuple[str, dict[str, Any]]] = {
    "equal-importance": ("fedavg", {"problem": Quadratic((1, 2), (0, 1), ("1/4", "3/4"))}),
    "weights-are-importance": ("async", {"settings": {"weights": ("1/2", "1/3")}}),
    "sure-participation": (
        "fedavg",
        {"participation": LAW, "trace": Trace.fresh([[1, 1], [1, 1]])},
    ),
    "constant-step": ("fedavg", {"local_step_size": ("1/4", "1/4")}),
    "no-averaging": ("fedavg", {"averaging": (1, 1)}),
    "whole-server-step": ("mifa", {"server_step_size": 2}),
    "current-models": (
        "fedavg",
        {"trace": Trace.with_delays([[1, 1], [1, 0]], [[0, 0], [1, 0]])},
    ),
}


@pytest.mark.parametrize("custom", UNUSUAL)
def test_both_refuse_a_run_that_breaks_a_custom(custom: str) -> None:
    method, fields = UNUSUAL[custom]
    about = claim("num_rounds", "<=", "1", method)
    usual = {"settings": {"weights": ("1/2", "1/2")}} if method == "async" else {}
    data = file_of(about, run(method, **usual))
    assert answers(about, data) == (True, True)
    broken = {**data, "run": run(method, **(usual | fields)).to_json()}
    assert answers(about, broken) == (False, False)
    known: Any = {**described(about), "customs": [c for c in customs_of(about) if c != custom]}
    assert alone.replay(json.loads(json.dumps(broken)), {about.id: known})[1], "only this custom"


def test_the_methods_whose_clients_may_start_from_old_models_are_the_same_in_both() -> None:
    """A claim about FedAvg is not refuted by delays, one about an asynchronous method may be."""
    late = run(trace=Trace.with_delays([[1, 1], [1, 0]], [[0, 0], [1, 0]])).to_json()
    for name, member in members(fltheory.algorithms).items():
        told = STARTS_FROM_OLD_MODELS in member.facts
        assert replay_customs.CUSTOMS["current-models"]({**late, "algorithm": name}) == told, name


@pytest.mark.parametrize(
    "fields",
    [
        {"relative_noise": "1/2"},
        {"local_step_size": "0"},
        {"local_step_size": ("1/4", "-1/4")},
        {"server_step_size": "-1"},
    ],
)
def test_no_claim_speaks_of_runs_that_none_allows_for(fields: dict[str, Any]) -> None:
    """Whatever the customs of the claim are: a step size of 0 or below, noise without a symbol."""
    about = claim("num_rounds", "<=", "1", "fedavg")
    data = file_of(about, run("fedavg"))
    assert answers(about, data) == (True, True)
    broken = {**data, "run": run("fedavg", **fields).to_json()}
    assert answers(about, broken) == (False, False)
    known = {about.id: {**described(about), "customs": []}}
    assert not alone.replay(json.loads(json.dumps(broken)), known)[1]


def test_the_customs_have_the_same_names_in_both_and_a_new_one_is_not_checkable() -> None:
    assert set(CUSTOMS) == set(replay_customs.CUSTOMS) == set(UNUSUAL)
    about, scenario = SPOKEN["clients"]
    data = json.loads(json.dumps(file_of(about, scenario)))
    for more in ({"customs": ["new"]}, {"hypotheses": [["weather", "fine"]]}):
        with pytest.raises(alone.NotCheckable):
            alone.replay(copy.deepcopy(data), {about.id: {**described(about), **more}})


@pytest.mark.parametrize("name", ["afl.cor1.any-horizon", "fedlaavg.eq46.equality"])
@pytest.mark.parametrize("field", ["assumes", "requires"])
def test_a_condition_that_the_standalone_replayer_does_not_know_is_not_checkable(
    name: str, field: str
) -> None:
    """On a run, and on data of an origin; a run has requirements of its kind of claim too."""
    data = data_of(house_folder() / "counterexamples" / f"{name}.json")
    known = alone.claims()[name]
    assert alone.replay(data, {name: known})[1]
    if data["run"] is None and field == "requires":
        return
    more = {**known, field: [*known[field], "weather.fine"]}
    with pytest.raises(alone.NotCheckable, match=r"condition weather\.fine is not known here"):
        alone.replay(data, {name: more})


def test_a_limit_that_depends_on_the_start_or_does_not_exist_is_not_checkable() -> None:
    about = claim("limit", "<=", "optimum")
    good = run(problem=Quadratic((1, 1), (0, 1)), trace=Trace.fresh([[0, 1]] * 4))
    data = file_of(about, good)
    assert answers(about, data) == (True, True)
    for curvature in (8, 16):  # 1 - step * curvature is -1 and -3
        wild = replace(good, problem=Quadratic((1, curvature), (0, 1))).to_json()
        with pytest.raises(alone.NotCheckable, match=r"tend to a cycle|depends on the start"):
            alone.replay({**data, "run": wild}, {about.id: described(about)})
