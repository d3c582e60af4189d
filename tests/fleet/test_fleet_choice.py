"""What is recommended and why, and what it follows from: given and assumed constants, clock times,
a log that is repeated."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from fltheory.claims.evidence import Verdict
from fltheory.cli import make_app
from fltheory.fleet import clocked
from fltheory.fleet.advice import Advice
from fltheory.fleet.certified import Guarantee
from fltheory.fleet.conditions import LogCondition, Reading
from fltheory.fleet.log import from_matrix
from fltheory.fleet.predict import Prediction
from fltheory.fleet.ranges import plausible
from fltheory.fleet.readers import read_log
from fltheory.fleet.recommend import NEAR, Choice
from fltheory.fleet.setting import MEANINGS, LearningTask
from fltheory.fleet.summary import Summary
from fltheory.fleet.theorems import read_theorems
from fltheory.traces.clocks import FixedWindow

INF = math.inf
EXAMPLES = Path(__file__).parents[2] / "docs/fleets"


ROWS = [[1, 1], [0, 1], [1, 1], [0, 1], [0, 1], [1, 0]] * 5


def advise(*words: str) -> str:
    result = CliRunner().invoke(make_app(), ["advise", *words], env={"COLUMNS": "400"})
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in ROWS), encoding="utf-8")
    return path


def prediction(method: str, *rounds: float) -> Prediction:
    """Rounds for each setting, with a single step size; infinite if never."""
    times = np.array([[count] for count in rounds])
    floors = np.full(times.shape, 0.01)
    member = {"FedAvg-IS": "importance-sampling"}.get(method, method.lower())
    return Prediction(method, member, (Fraction(1, 2),), times, floors, 0.0, "")


def guarantee(method: str, bound: Any) -> Guarantee:
    return Guarantee(method, ("a",), 1, 8, Fraction(1, 2), Fraction(bound), {})


def choice(
    methods: dict[str, tuple[float, ...]],
    *,
    applies: str = "FedAvg-IS",
    certified: dict[str, Any] | None = None,
    bias: float = 0.2,
    verdict: Verdict = Verdict.SUPPORTED,
) -> Choice:
    """Methods with their rounds in each setting; one theorem applies, the others do not."""
    readings = tuple(
        Reading(
            f"claim.{name}", name, (LogCondition("all is well", name == applies),), "0.01", (name,)
        )
        for name in methods
    )
    found = sorted((prediction(name, *rounds) for name, rounds in methods.items()), key=first)
    held = tuple(guarantee(name, bound) for name, bound in (certified or {}).items())
    settings = len(found[0].times)
    tasks = plausible(LearningTask(), frozenset({"strong_convexity", "heterogeneity"}))[:settings]
    known = {reading.claim: verdict for reading in readings}
    return Choice(tuple(found), readings, held, bias, tasks, known)


def first(prediction: Prediction) -> float:
    return float(prediction.times[0, 0])


def test_a_support_decides_among_methods_that_are_near_and_only_there() -> None:
    assert choice({"MIFA": (100,), "FedAvg-IS": (100 * NEAR - 1,)}).best.method == "FedAvg-IS"
    assert choice({"MIFA": (100,), "FedAvg-IS": (100 * NEAR + 1,)}).best.method == "MIFA"
    near: dict[str, tuple[float, ...]] = {"MIFA": (100.0,), "FedAvg-IS": (109.0,)}
    assert choice(near, certified={"FedAvg-IS": 2, "MIFA": 1}).best.method == "MIFA", (
        "one support each"
    )
    assert choice({"MIFA": (100,), "FedAvg-IS": (INF,)}).best.method == "MIFA", (
        "support does not reach a target"
    )


@pytest.mark.parametrize("verdict", [Verdict.REFUTED, Verdict.UNDECIDED, Verdict.VACUOUS])
def test_a_claim_that_is_not_proved_or_supported_is_no_support(verdict: Verdict) -> None:
    methods: dict[str, tuple[float, ...]] = {"MIFA": (100,), "FedAvg-IS": (109,)}
    made = choice(methods, verdict=verdict)
    assert made.best.method == "MIFA"
    made = choice({"FedAvg-IS": (109,)}, verdict=verdict)
    assert "is not used: the ledger does not support it" in " ".join(made.reasons())


def test_a_biased_method_is_chosen_only_where_bias_is_little_or_none_is_left() -> None:
    methods: dict[str, tuple[float, ...]] = {"AFA-CD": (10,), "MIFA": (100,)}
    assert choice(methods, applies="AFA-CD").best.method == "MIFA"
    assert choice(methods, applies="AFA-CD", bias=0.001).best.method == "AFA-CD"
    assert choice({"AFA-CD": (10,), "MIFA": (INF,)}).best.method == "AFA-CD"
    assert choice({"AFA-CD": (INF,), "MIFA": (INF,)}).best.rounds is None


def test_the_choice_is_for_all_settings_and_what_would_change_it_is_told() -> None:
    """The rival wins the first setting by a little, and loses the others by much."""
    made = choice({"MIFA": (120, 10, 10), "FedAvg-IS": (100, 90, 80)})
    assert made.best.method == "MIFA"
    assert made.wins(made.best) == (2, 2)
    assert made.changes() == [("noise", "1/10", "FedAvg-IS")]
    told = " ".join(made.robustness())
    assert "Over 3 settings of the constants that were not given, MIFA is the fastest in 2" in told
    assert "What would change the choice: FedAvg-IS if noise is 1/10." in told
    sure = choice({"MIFA": (10, 10, 10), "FedAvg-IS": (100, 90, 80)})
    assert "No single constant of them changes the choice" in " ".join(sure.robustness())
    assert choice({"MIFA": (10,), "FedAvg-IS": (100,)}).robustness() == []


def test_the_step_size_is_the_one_that_loses_least_over_the_settings() -> None:
    times = np.array([[10.0, 12.0, 40.0], [INF, 15.0, 40.0], [INF, INF, INF]])
    steps = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
    found = Prediction("MIFA", "mifa", steps, times, times, 0.0, "")
    assert found.step_size == 1 / 2
    assert (found.rounds, found.rounds_at(0), found.rounds_at(0, 1)) == (12, 10, None)


def test_theorems_that_do_not_apply_are_told_with_what_fails() -> None:
    told = " ".join(choice({"FedAvg-IS": (120,)}).reasons())
    assert "The theorem of FedAvg-IS" in told  # another method may be named just before
    assert "(claim.FedAvg-IS, SUPPORTED) applies to this log" in told
    told = " ".join(choice({"MIFA": (100,)}).reasons())
    assert "(claim.MIFA) does not apply to this log (failing: all is well)" in told


@pytest.mark.slow
def test_what_is_given_and_what_is_assumed_are_told_apart_and_first(
    table: Path, tmp_path: Path
) -> None:
    told = json.loads(advise(str(table), "--smoothness=4", "--noise=0", "--json"))
    sources = {one["name"]: one["source"] for one in told["inputs"]}
    assert set(sources) == set(MEANINGS)
    assert {name for name, source in sources.items() if source == "given"} == {
        "smoothness",
        "noise",
    }
    assert sources["round_seconds"] == "not given"
    assert "where L is 4:" in told["recommendation"]
    assert told["robustness"][0]["settings"] == 8, "strong convexity and heterogeneity vary"
    assert "the target 1/20 (assumed, not given)" in told["recommendation"]
    assumed = "Assumed, not given: strong convexity, heterogeneity, target, local steps."
    assert assumed in told["recommendation"].splitlines()
    shown = advise(str(table), "--noise=0", "-o", str(tmp_path / "a.html"))
    page = (tmp_path / "a.html").read_text()
    for text in (shown, page):
        assert text.index("Use ") < text.index("Assumed, not given") < text.index("Least curvature")
        assert "where L is 1 (assumed, not given)" in text


def test_every_constant_given_leaves_nothing_assumed(table: Path) -> None:
    given = [f"--{name.replace('_', '-')}={getattr(LearningTask(), name, 60)}" for name in MEANINGS]
    told = json.loads(advise(str(table), *given, "--json"))
    assert {one["source"] for one in told["inputs"]} == {"given"}
    assert "assumed," not in told["recommendation"].lower()


@pytest.mark.slow
def test_step_sizes_are_multiples_of_the_inverse_smoothness() -> None:
    one, four = (
        Advice(
            from_matrix(ROWS), LearningTask(smoothness=s, strong_convexity=Fraction(s, 10), noise=0)
        ).to_json()
        for s in (1, 4)
    )
    for told, smooth in ((one, 1), (four, 4)):
        for row in (*told["predictions"], *told["guarantees"]):
            times, size = row["step_size_times_smoothness"], row["step_size"]
            assert (times is None) == (size is None)
            if times is not None and size is not None:
                assert Fraction(times) == smooth * Fraction(size)
    assert all("/L = " in reading["step_size"] for reading in one["theorems"])
    assert "/L = " in one["recommendation"]


@pytest.mark.slow
def test_rounds_of_known_length_give_seconds_and_a_log_that_is_repeated_is_told(
    table: Path,
) -> None:
    told = json.loads(advise(str(table), "--round-seconds=600", "--json"))
    reached = [p for p in told["predictions"] if p["rounds"] is not None]
    assert reached
    assert all(p["seconds"] == 600 * p["rounds"] for p in reached)
    assert [p["repeats_log"] for p in reached] == [p["rounds"] > len(ROWS) for p in reached]
    assert any(p["repeats_log"] for p in reached), "some method needs more than the log has"
    assert told["log"]["horizon"] == "Runs last 600 rounds: the log's 30 are repeated."
    assert all(
        p["seconds"] is None for p in json.loads(advise(str(table), "--json"))["predictions"]
    )
    assert "(log repeated)" in advise(str(table))


@pytest.mark.slow
def test_the_length_of_rounds_that_nobody_gave_is_told(tmp_path: Path) -> None:
    path = tmp_path / "stretches.csv"
    path.write_text("client,start,end\na,0,500\nb,100,1000\n", encoding="utf-8")
    assumed = json.loads(advise(str(path), "--noise=0", "--json"))["inputs"][-1]
    assert (assumed["value"], assumed["source"]) == ("10", "assumed")
    assert "A hundredth of the log's length" in advise(str(path), "--noise=0")
    given = json.loads(advise(str(path), "--noise=0", "--round-seconds=20", "--json"))["inputs"][-1]
    assert (given["value"], given["source"]) == ("20", "given")


@pytest.mark.slow
def test_files_are_named_where_they_were_asked_for_and_nowhere_else(
    table: Path, tmp_path: Path
) -> None:
    alone = advise(str(table), "--noise=0")
    assert "written" not in alone.replace("are written", "")
    assert "are in" not in alone
    html, weights = tmp_path / "a.html", tmp_path / "w.csv"
    shown = advise(str(table), "--noise=0", "-o", str(html), "--weights", str(weights))
    assert str(html) in shown
    assert str(weights) in shown
    assert "The weights in w.csv are" in shown
    assert "The weights in w.csv are" in html.read_text()


def test_the_theorem_of_weighted_aggregation_knows_how_old_asynchronous_work_is() -> None:
    """Largest total weight 2.5 and absences of 3 rounds: 1/(3 2.5^2 (d + 1))/48 for fresh work and
    for d = 3."""
    log = from_matrix([[1, 1], [1, 0], [1, 0], [1, 0]])
    reading = next(
        r
        for r in read_theorems(Summary(log), LearningTask())
        if r.claim == "fraboni.thm3.learning_rate"
    )
    fresh = 1 / (3 * 2.5**2) / 48
    assert (
        reading.step_size
        == f"{fresh:.3g}/L = {fresh:.3g} for FedAvg-IS, {fresh / 4:.3g}/L = {fresh / 4:.3g} for"
        " asynchronous work that is up to 3 rounds old, with server step size 1"
    )
    assert "FedAvg over whoever" not in reading.members


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flaky_silos", "one_straggler"])
def test_weights_of_fedfix_are_those_of_its_windows(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal mean weights over the windows of the table, or the weights of the prediction for
    deliveries."""
    given = Advice(read_log(EXAMPLES / f"{name}.csv"), LearningTask(), weights_file="w.csv")
    fixed = next(p for p in given.predictions if p.method.startswith("FedFix"))
    monkeypatch.setattr(Choice, "best", fixed)
    assert fixed.window is not None
    if name == "flaky_silos":
        table = given.log.matrix()
        windows = np.array(
            [
                table[t : t + int(fixed.window)].any(axis=0)
                for t in range(0, len(table), int(fixed.window))
            ]
        )
        assert np.allclose((windows * given.weights).mean(axis=0), 1 / 8)
    else:
        made = clocked.clocked(given.summary, 10)
        policy = FixedWindow(Fraction(fixed.window))
        wanted = dict(
            zip(
                made.fleet.clients,
                made.times.weights(policy, made.run(policy, 1).trace),
                strict=True,
            )
        )
        assert np.allclose(given.weights, [float(wanted[i]) for i in range(10)])
    assert not np.allclose(given.weights, 1 / (given.log.num_clients * given.summary.shares)), (
        "not those of rounds"
    )
    assert (
        "The weights in w.csv are the client's share of the examples divided by its share of the"
        " windows; they belong to FedFix with a window of" in given.recommendation
    )
