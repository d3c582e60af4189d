"""What is recommended and why, and what it follows from: given and assumed constants, clock times,
a log that is repeated."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.fleet import clocked
from fltheory.fleet.advice import Advice
from fltheory.fleet.certified import Guarantee
from fltheory.fleet.conditions import LogCondition, Reading
from fltheory.fleet.log import from_matrix
from fltheory.fleet.predict import Prediction
from fltheory.fleet.readers import read_log
from fltheory.fleet.recommend import WORTH, Choice
from fltheory.fleet.setting import MEANINGS, Basis, LearningTask
from fltheory.fleet.summary import Summary
from fltheory.fleet.theorems import read_theorems
from fltheory.traces.clocks import FixedWindow

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


def prediction(method: str, rounds: int | None) -> Prediction:
    return Prediction(method, rounds, 0.5, 0.01, 0.0, Basis.STAND_IN, "")


def guarantee(method: str, bound: Any) -> Guarantee:
    return Guarantee(method, ("a",), 1, 8, Fraction(1, 2), Fraction(bound), {})


def choice(
    methods: dict[str, int | None],
    *,
    applies: str = "FedAvg-IS",
    certified: dict[str, Any] | None = None,
    bias: float = 0.2,
) -> Choice:
    """Methods with their rounds; one theorem applies, the others do not."""
    readings = tuple(
        Reading(
            f"claim.{name}", name, (LogCondition("all is well", name == applies),), "0.01", (name,)
        )
        for name in methods
    )
    found = sorted(
        (prediction(name, rounds) for name, rounds in methods.items()),
        key=lambda p: (p.rounds is None, p.rounds or 0),
    )
    held = tuple(guarantee(name, bound) for name, bound in (certified or {}).items())
    return Choice(tuple(found), readings, held, bias)


def test_each_support_is_worth_its_price_and_no_more() -> None:
    assert choice({"MIFA": 100, "FedAvg-IS": round(100 * WORTH) - 1}).best.method == "FedAvg-IS"
    assert choice({"MIFA": 100, "FedAvg-IS": round(100 * WORTH) + 1}).best.method == "MIFA"
    both = {"FedAvg-IS": "1/2", "MIFA": 2}
    assert (
        choice({"MIFA": 100, "FedAvg-IS": round(100 * WORTH**2) - 1}, certified=both).best.method
        == "FedAvg-IS"
    )
    assert (
        choice({"MIFA": 100, "FedAvg-IS": round(100 * WORTH**2) + 1}, certified=both).best.method
        == "MIFA"
    )
    assert (
        choice({"MIFA": 100, "FedAvg-IS": 140}, certified={"FedAvg-IS": 2, "MIFA": 1}).best.method
        == "MIFA"
    ), "one support each"
    assert choice({"MIFA": 100, "FedAvg-IS": None}).best.method == "MIFA", (
        "support does not reach a target"
    )


def test_a_biased_method_is_chosen_only_where_bias_is_little_or_none_is_left() -> None:
    methods: dict[str, int | None] = {"AFA-CD": 10, "MIFA": 100}
    assert choice(methods, applies="AFA-CD").best.method == "MIFA"
    assert choice(methods, applies="AFA-CD", bias=0.001).best.method == "AFA-CD"
    assert choice({"AFA-CD": 10, "MIFA": None}).best.method == "AFA-CD"
    assert choice({"AFA-CD": None, "MIFA": None}).best.rounds is None


def test_reasons_say_what_the_sooner_method_lacks_and_what_the_theorem_would_cost() -> None:
    told = " ".join(choice({"MIFA": 100, "FedAvg-IS": 120}, certified={"MIFA": 3}).reasons())
    assert "Its theorem (claim.FedAvg-IS) applies to this log" in told
    assert (
        "MIFA would reach the target after 100 rounds, but its theorem does not apply (failing:"
        " all is well) and its best certified bound is 3 times" in told
    )
    told = " ".join(choice({"MIFA": 100, "FedAvg-IS": 900}).reasons())
    assert "Its theorem (claim.MIFA) does not apply to this log" in told
    assert "FedAvg-IS, whose theorem applies, would need 900 rounds" in told
    told = " ".join(choice({"MIFA": 100}).reasons())
    assert "No method that reaches the target has a theorem that applies" in told


def test_on_the_silos_the_method_with_a_theorem_and_a_certificate_is_preferred() -> None:
    given = Advice(read_log(EXAMPLES / "flaky_silos.csv"), LearningTask())
    best = given.choice.best
    assert best.method.startswith("FedAvg-IS")
    assert given.choice.support(best) == 2
    assert (
        "MIFA would reach the target after 11 rounds, but its theorem does not apply"
        in given.recommendation
    )


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
    assert "the target 1/20 (assumed, not given)" in told["recommendation"]
    assert (
        told["recommendation"]
        .splitlines()[-1]
        .startswith("Assumed, not given: strong convexity, heterogeneity, target, local steps.")
    )
    shown = advise(str(table), "--noise=0", "-o", str(tmp_path / "a.html"))
    page = (tmp_path / "a.html").read_text()
    for text in (shown, page):
        assert text.index("assumed") < text.index("Use ")
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
    assert "fair on this log are in w.csv" in shown
    assert "fair on this log are in w.csv" in html.read_text()


def test_the_theorem_of_weighted_aggregation_knows_how_old_asynchronous_work_is() -> None:
    """Largest total weight 2.5 and absences of 3 rounds: 1/(3 2.5^2 (d + 1))/48 for fresh work and
    for d = 3."""
    log = from_matrix([[1, 1], [1, 0], [1, 0], [1, 0]])
    reading = next(
        r
        for r in read_theorems(Summary(log), LearningTask())
        if r.claim == "fraboni.thm3.corrected"
    )
    fresh = 1 / (3 * 2.5**2) / 48
    assert (
        reading.step_size
        == f"{fresh:.3g}/L = {fresh:.3g} for FedAvg-IS, {fresh / 4:.3g}/L = {fresh / 4:.3g} for"
        " asynchronous work that is up to 3 rounds old, with server step size 1"
    )
    assert "FedAvg over whoever" not in reading.members


def test_where_everybody_is_always_there_fedavg_is_weighted_aggregation() -> None:
    given = Advice(from_matrix([[1, 1]] * 40), LearningTask(noise=0))
    fedavg = next(p for p in given.predictions if p.method.startswith("FedAvg over whoever"))
    assert given.choice.support(fedavg) >= 1
    assert given.choice.best is fedavg, "the simplest among equals"
    assert "would reach the target" not in given.recommendation


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
        assert np.allclose((windows * given.fair_weights).mean(axis=0), 1 / 8)
    else:
        made = clocked.clocked(given.summary, LearningTask(), 10)
        policy = FixedWindow(Fraction(fixed.window))
        wanted = dict(
            zip(
                made.fleet.clients,
                made.times.weights(policy, made.run(policy, 1).trace),
                strict=True,
            )
        )
        assert np.allclose(given.fair_weights, [float(wanted[i]) for i in range(10)])
    assert not np.allclose(
        given.fair_weights, 1 / (given.log.num_clients * given.summary.shares)
    ), "not those of rounds"
    assert (
        "Weights 1/(N share of windows) that make FedFix with this window fair on this log are in"
        " w.csv." in given.recommendation
    )
