"""The commands worst-case and check-certificate: numbers, exit codes, and refusals."""

import json

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app

BASE = [
    "worst-case",
    "--algorithm",
    "mifa",
    "--availability",
    "alternating:1,3",
    "--clients",
    "2",
    "--rounds",
    "4",
    "--step-size",
    "1/4",
    "--strong-convexity",
    "1/10",
    "--json",
]


def run(*arguments: str):
    return CliRunner().invoke(make_app(), list(arguments))


def answer(*arguments: str) -> dict:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_gradient_descent() -> None:
    found = answer(
        "worst-case", "--algorithm", "fedavg", "--rounds", "5", "--step-size", "1", "--json"
    )
    assert found["status"] == "NUMERICAL"
    assert found["worst_case"] == pytest.approx(1 / 22, rel=1e-8)


@pytest.mark.slow
def test_a_certificate_is_written_and_accepted_and_a_changed_one_is_not(tmp_path) -> None:
    path = tmp_path / "proof.json"
    found = answer(*BASE, "--heterogeneity", "1", "--certificate", str(path))
    assert found["status"] == "CERTIFIED"
    checked = answer("check-certificate", str(path), "--json")
    assert (checked["proved"], checked["bound"]) == (True, found["certified_bound"])
    data = json.loads(path.read_text())
    data["case"]["local_step_size"] = "1/2"
    path.write_text(json.dumps(data))
    other = run("check-certificate", str(path), "--json")
    assert other.exit_code == 1
    assert "the method itself" in json.loads(other.stdout)["why"]
    path.write_text("[1")
    assert run("check-certificate", str(path)).exit_code == 2
    path.write_text("{}")
    assert run("check-certificate", str(path)).exit_code == 2
    assert run("check-certificate", str(tmp_path / "absent")).exit_code == 2


@pytest.mark.slow
def test_metrics_and_function_classes() -> None:
    shared = [
        "worst-case",
        "--algorithm",
        "afa-cd",
        "--rounds",
        "3",
        "--step-size",
        "1/2",
        "--json",
    ]
    assert answer(*shared, "--nonconvex", "--metric", "mean-gradient")[
        "worst_case"
    ] == pytest.approx(0.875, rel=1e-7)
    assert answer(*shared, "--nonconvex", "--metric", "min-gradient")["worst_case"] < 0.875
    assert answer(*shared, "--metric", "average-loss")["worst_case"] > answer(*shared)["worst_case"]
    decaying = [
        "worst-case",
        "--algorithm",
        "mifa",
        "--rounds",
        "3",
        "--step-size",
        "4/(t+282.842712)",
        "--smoothness",
        "2",
        "--strong-convexity",
        "1",
        "--metric",
        "mifa-average-loss",
        "--json",
    ]
    assert answer(*decaying)["worst_case"] == pytest.approx(0.920147, abs=1e-6)


def test_weights_and_classes_reach_the_method() -> None:
    weighted = [
        "worst-case",
        "--algorithm",
        "async",
        "--update-times",
        "1,2",
        "--clients",
        "2",
        "--rounds",
        "4",
        "--step-size",
        "1/8",
        "--strong-convexity",
        "1/10",
        "--heterogeneity",
        "1",
        "--json",
    ]
    assert answer(*weighted)["status"] == "NUMERICAL"
    full = [
        "worst-case",
        "--algorithm",
        "fedavg",
        "--clients",
        "4",
        "--rounds",
        "2",
        "--step-size",
        "1/2",
        "--heterogeneity",
        "1",
        "--json",
    ]
    by_class, apart = answer(*full), answer(*full, "--each-client")
    assert len(by_class["block_sizes"]) == 2
    assert len(apart["block_sizes"]) == 1
    assert by_class["worst_case"] == pytest.approx(apart["worst_case"], rel=1e-6)


@pytest.mark.slow
def test_both_ends_and_a_picture(tmp_path) -> None:
    path = tmp_path / "worst.png"
    found = answer(*BASE, "--heterogeneity", "1", "--enclose", "--plot", str(path))
    low, high = found["enclosure"]
    assert low <= found["worst_case"] * (1 + 1e-9)
    assert 0 <= high - low <= 1e-6
    assert found["attained_bound"] is not None
    assert path.read_bytes()[:4] == b"\x89PNG"
    plain = answer(*BASE, "--heterogeneity", "1")
    assert plain["enclosure"] is plain["attained_bound"] is None


@pytest.mark.slow
def test_dissimilarity_and_virtual_models() -> None:
    shared = [
        "worst-case",
        "--algorithm",
        "afa-cd",
        "--clients",
        "2",
        "--availability",
        "alternating:1,3",
        "--rounds",
        "3",
        "--step-size",
        "1/2",
        "--nonconvex",
        "--metric",
        "mean-gradient",
        "--json",
    ]
    alike, apart = (answer(*shared, "--dissimilarity", bound)["worst_case"] for bound in ("0", "1"))
    assert alike < apart
    assert answer(*shared, "--mean-dissimilarity", "1")["worst_case"] >= apart * (1 - 1e-6)
    steps = [
        "worst-case",
        "--algorithm",
        "fedavg",
        "--rounds",
        "2",
        "--local-steps",
        "2",
        "--step-size",
        "1/4",
        "--metric",
        "mean-gradient",
        "--json",
    ]
    assert answer(*steps, "--virtual")["worst_case"] != pytest.approx(
        answer(*steps)["worst_case"], rel=1e-3
    )


def test_noise_makes_it_worse() -> None:
    shared = [
        "worst-case",
        "--algorithm",
        "fedavg",
        "--rounds",
        "2",
        "--step-size",
        "1/2",
        "--json",
    ]
    assert answer(*shared, "--gradient-noise", "1/2")["worst_case"] > answer(*shared)["worst_case"]


def test_no_finite_worst_case_is_told_with_exit_code_1() -> None:
    done = run(
        "worst-case",
        "--algorithm",
        "fedavg",
        "--availability",
        "alternating:1,3",
        "--clients",
        "2",
        "--rounds",
        "3",
        "--step-size",
        "1/4",
        "--strong-convexity",
        "1/10",
        "--json",
    )
    found = json.loads(done.stdout)
    assert done.exit_code == 1
    assert found["worst_case"] is found["certified_bound"] is None
    assert "no finite worst case" in found["why"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--optima", "0,1"], "--optima must be left out"),
        (["--smoothness", "1/20"], "below the smoothness"),
        (["--initial-distance", "x"], "--initial-distance"),
        (["--metric", "mifa-average-loss"], "come with a step size"),
        (["--nonconvex"], "strong convexity must be left out"),
        (["--rounds", "300"], "at most 300 vectors"),
        (
            ["--smoothness", "1e-300", "--strong-convexity", "0"],
            "smoothness must lie between 1e-09 and 1e+12",
        ),
        (["--smoothness", "1e300"], "smoothness must lie between"),
        (["--initial-distance", "1e-15"], "distance squared must lie between"),
    ],
)
def test_refusals(extra, told) -> None:
    done = run(*BASE, *extra)
    assert done.exit_code == 2
    assert told in done.stderr


def test_what_came_too_late_is_told_with_exit_code_1() -> None:
    done = run(*BASE, "--seconds", "0.001")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["worst_case"] is None
    assert "the 0.001 s of processor time that were allowed are over" in found["why"]
    assert run(*BASE, "--seconds", "0").exit_code == 2
