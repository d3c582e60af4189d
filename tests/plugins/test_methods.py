"""A sixth method, an availability model and a problem outside the package work wherever a
registered name does."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fltheory.algorithms
import fltheory.problems
from fltheory import Quadratic, Scenario, Trace
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Question
from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.core.plugins import imports_refused
from fltheory.core.registry import (
    import_member,
)

METHODS = Path(__file__).parent / "methods"
CYCLE = ("--availability", "alternating:1,3", "--optima", "0,1", "--curvatures", "2,2")
QUESTION = Question(FunctionClass(1), Conditions(distance_squared=1))


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(make_app(), list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is that of the methods."""
    monkeypatch.chdir(METHODS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("limit", *CYCLE, "--step-size", "1/4"),
        ("simulate", *CYCLE, "--step-size", "1/4", "--rounds", "5"),
        ("gap", *CYCLE, "--step-size", "1/4", "--rounds", "5", "--noise", "1"),
        ("worst-case", "--rounds", "2", "--clients", "2", "--step-size", "1/2"),
        ("train", "--rounds", "2", "--step-size", "1/10", "--clients", "2"),
    ],
    ids=lambda words: words[0],
)
@pytest.mark.usefixtures("beside")
def test_a_method_by_module_and_name_and_by_plugin_answers_like_itself(
    words: tuple[str, ...],
) -> None:
    """With one local step normalised averaging is FedAvg."""
    steps = ("--local-steps", "1")
    named = run(words[0], "--algorithm", "normalised:Normalised", *words[1:], *steps, "--json")
    plugged = ("--plugins", "normalised.py", words[0], "--algorithm", "normalised")
    assert named == run(*plugged, *words[1:], *steps, "--json")
    assert named[0] == 0
    usual = run(words[0], "--algorithm", "fedavg", *words[1:], *steps, "--json")
    assert named == usual


@pytest.mark.usefixtures("beside")
def test_an_object_by_module_and_name() -> None:
    words = ("limit", *CYCLE, "--step-size", "1/8", "--local-steps", "2", "--json")
    twice = json.loads(run(words[0], "--algorithm", "normalised:TWICE", *words[1:])[1])
    once = json.loads(run(words[0], "--algorithm", "normalised:Normalised", *words[1:])[1])
    assert twice["at_period_end"] != once["at_period_end"]
    assert twice == json.loads(run(words[0], "--algorithm", "fedavg", *words[1:])[1])


@pytest.mark.usefixtures("beside")
def test_availability_and_problem_by_module_and_name() -> None:
    code, text = run(
        "limit",
        "--algorithm",
        "fedavg",
        "--availability",
        "surroundings:Blinking:3",
        "--problem",
        "surroundings:Springs",
        "--optima",
        "0,1",
        "--step-size",
        "1/4",
        "--json",
    )
    assert code == 0
    assert json.loads(text)["at_period_end"] == "1/2"
    assert json.loads(text)["period"] in (1, 3)
    code, text = run("trace", "make", "surroundings:Blinking:3", "--rounds", "4", "--clients", "1")
    assert (code, text.split()) == (0, ["client_0", "1", "0", "0", "1"])
    code, text = run(
        "trace", "make", "surroundings:Blinking:3,4", "--rounds", "4", "--clients", "1"
    )
    assert code == 2
    assert "'4' more" in text


def test_list_names_what_a_plugin_brings() -> None:
    code, text = run("--plugins", str(METHODS), "list", "--json")
    found = {kind: {entry["name"] for entry in data} for kind, data in json.loads(text).items()}
    assert code == 0
    assert {"normalised", "normalised:TWICE", "mifa"} <= found["algorithms"]
    assert "surroundings:Blinking" in found["availability"]
    assert "surroundings:Springs" in found["problems"]


@pytest.mark.slow
@pytest.mark.usefixtures("beside")
def test_a_certificate_names_the_method_and_imports_nothing(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    words = ("worst-case", "--rounds", "1", "--step-size", "1/2", "--certificate", str(file))
    assert run(*words, "--algorithm", "normalised:Normalised")[0] == 0
    check = [sys.executable, "-m", "fltheory", "check-certificate", str(file)]
    alone = subprocess.run(check, capture_output=True, text=True, check=False, timeout=100)
    assert alone.returncode == 3
    assert "--plugins" in alone.stdout
    check[3:3] = ["--plugins", "normalised"]
    given = subprocess.run(check, capture_output=True, text=True, check=False, timeout=100)
    assert given.returncode == 0


@pytest.mark.slow
@pytest.mark.usefixtures("beside")
def test_a_name_from_a_file_imports_nothing(tmp_path: Path) -> None:
    sys.modules.pop("normalised", None)
    problem, trace = Quadratic((1,), (0,)), Trace.fresh([[1]])
    data = Scenario("fedavg", problem, trace, start=0, local_step_size=1).to_json()
    with pytest.raises(
        InvalidInput, match="name it in ALGORITHMS of normalised and give --plugins"
    ):
        assert Scenario.from_json(data | {"algorithm": "normalised:Normalised"}).method
    kind = {"kind": "surroundings:Springs", "optima": [0]}
    with pytest.raises(InvalidInput, match="name it in PROBLEMS of surroundings"):
        Scenario.from_json(data | {"problem": kind})
    with imports_refused(), pytest.raises(InvalidInput, match="a file imports nothing"):
        import_member(fltheory.algorithms, "normalised:Normalised")
    spec = tmp_path / "grid.toml"
    spec.write_text(
        'command = "limit"\n[fixed]\noptima = "0,1"\nstep-size = "1/4"\n'
        '[grid]\nalgorithm = ["normalised:Normalised"]\n'
    )
    code, text = run("sweep", str(spec), "--jobs", "1")
    assert code == 1
    assert "imports nothing" in text
    spec.write_text('command = "rates"\n[grid]\npapers = ["."]\n')
    code, text = run("sweep", str(spec), "--jobs", "1", "--store", str(tmp_path / "other.sqlite"))
    assert (code, "option 'papers' of a sweep" in text) == (2, True)
    assert "normalised" not in sys.modules


@pytest.mark.slow
@pytest.mark.usefixtures("beside")
def test_a_sweep_knows_the_members_of_a_plugin(tmp_path: Path) -> None:
    spec = tmp_path / "grid.toml"
    spec.write_text(
        'command = "limit"\n[fixed]\noptima = "0,1"\nstep-size = "1/4"\n'
        '[grid]\nalgorithm = ["normalised", "fedavg"]\n'
    )
    code, _ = run("--plugins", "normalised", "sweep", str(spec), "--jobs", "1")
    assert code == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no-such", "be a module, a file or a folder that exists"),
        ("nosuchmodule", "be one that can be imported"),
        ("README.md", "be a Python file"),
        (".", "contain Python files"),
        ("empty", "contain Python files"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_named(
    text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "README.md").write_text("x")
    monkeypatch.chdir(tmp_path)
    code, told = run("--plugins", text, "list")
    assert code == 2
    assert says in told


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("ALGORITHMS = (3,)", "be a Member, or have worker, start, step"),
        (
            "from fltheory.core.registry import Member\n"
            "ALGORITHMS = (Member('mifa', 'x', lambda s: s),)",
            "member 'mifa' must have a name of its own",
        ),
    ],
)
def test_a_plugin_that_breaks_a_rule_is_named(body: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "broken_plugin.py").write_text(body)
    code, text = run("--plugins", str(tmp_path / "broken_plugin.py"), "list")
    assert code == 2
    assert says in text


@pytest.mark.parametrize(
    "text", ["normalised:Nothing", "normalised:total", "nowhere:X", "normalised:", "mifa:x"]
)
@pytest.mark.usefixtures("beside")
def test_what_module_and_name_do_not_name_is_refused(text: str) -> None:
    code, told = run("limit", "--algorithm", text, *CYCLE, "--step-size", "1/4")
    assert code == 2
    assert told.startswith("error: ")


def test_the_averages_that_methods_declare() -> None:
    words = ("gap", "--algorithm", "mifa", "--optima", "0,1", "--rounds", "3")
    assert run(*words, "--step-size", "4/(t+100)", "--average", "mifa")[0] == 0
    code, text = run(*words, "--step-size", "4/(t+100)", "--average", "fedavg")
    assert (code, "be last, uniform or a method that declares an average" in text) == (2, True)
    code, text = run(*words, "--step-size", "1/4", "--average", "mifa")
    assert (code, "come with a step size such as" in text) == (2, True)


@pytest.mark.slow
@pytest.mark.usefixtures("beside")
def test_a_claim_of_one_s_own_about_the_method_is_attacked_by_worker_processes(
    tmp_path: Path,
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        '[paper]\nkey = "own"\n'
        + "".join(
            f'[[claim]]\nid = "own.{name}"\nsays = "It descends."\n'
            'left = "mean_squared_gradient"\nsign = "<="\n'
            'right = "2*initial_loss_gap/(local_step_size*num_rounds)"\n'
            'assumes = ["local_step_size*smoothness <= 1", "server_step_size = 1"]\n'
            'about = ["normalised"]\n'
            for name in ("one", "two")
        )
    )
    words = ("attack", str(file), "--attempts", "20", "--jobs", "2", "--json")
    code, text = run("--plugins", "normalised", *words)
    assert code == 0
    entries = json.loads(text)
    assert {entry["verdict"] for entry in entries} == {"REFUTED"}
    assert "normalised on" in entries[0]["where"]


def test_without_the_plugin_the_claim_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        '[paper]\nkey = "own"\n[[claim]]\nid = "own.a"\nsays = "A."\nleft = "num_rounds"\n'
        'sign = "<="\nright = "1"\nabout = ["normalised"]\n'
    )
    code, text = run("attack", str(file))
    assert (code, "be one that `fltheory list` names" in text) == (2, True)
