"""Step sizes that are proved for a log: the language is that of the log, and the certificates are
accepted by the program that shares no code with the package."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from fltheory.fleet.languages import common_chance, common_pattern
from fltheory.fleet.log import FleetLog, from_matrix
from fltheory.fleet.predict import Prediction, step_grid
from fltheory.fleet.proofs import StepProof, prove_step, silent_rounds, unproved
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary
from fltheory.fleet.timed_rows import TimedRows, log_of_deliveries

CHECKER = Path(__file__).parents[2] / "verification" / "check_forever.py"


def proof_of(log: FleetLog, member: str, wanted: int = 0, **task: Any) -> StepProof:
    given = LearningTask(**task)
    one = SimpleNamespace(method=member, member=member, steps=step_grid(given))
    found = prove_step(Summary(log), given, [cast(Prediction, one)], wanted, {})
    assert found is not None
    return found


def accepted(proof: StepProof, path: Path) -> str:
    path.write_text(json.dumps(proof.certificate))
    ran = subprocess.run(
        [sys.executable, str(CHECKER), str(path)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def draws(rounds: int, clients: int, chance: float) -> Any:
    return np.random.default_rng(7).random((rounds, clients)) < chance


@pytest.mark.slow
def test_a_latecomer_is_silent_until_it_comes() -> None:
    """MIFA asks everybody in round 0; a client that comes in round 30 was silent for 29 rounds."""
    table = draws(100, 4, 0.8)
    table[0], table[:30, 3], table[30] = True, False, True
    late = Summary(from_matrix(table))
    assert late.max_staleness < 10
    assert silent_rounds(late, "mifa") == 29
    assert silent_rounds(late, "fedlaavg") == 30
    assert "silent for more than 29 rounds" in proof_of(late.log, "mifa").language


@pytest.mark.parametrize("member", ["mifa", "fedlaavg", "afa-cs"])
@pytest.mark.parametrize("local_steps", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_certificates_of_methods_with_memory_are_accepted(
    member: str, local_steps: int, tmp_path: Path
) -> None:
    log = from_matrix(draws(80, 5, 0.6))
    proof = proof_of(log, member, local_steps=local_steps)
    assert proof.certificate is not None
    assert f"at most {silent_rounds(Summary(log), member)} rounds in a row" in accepted(
        proof, tmp_path / "proof.json"
    )


def test_importances_are_covered_as_copies_that_deliver_together() -> None:
    """The bound of the certificate holds for MIFA with weights 1/6, 2/6, 3/6 on quadratics with the
    largest and the least curvature."""
    table = draws(60, 3, 0.5)
    table[0] = True
    weights = np.array([1, 2, 3]) / 6
    log = FleetLog(**{**vars(from_matrix(table)), "importance": weights})
    proof = proof_of(log, "mifa")
    assert proof.certificate is not None
    step, rng = float(proof.step_size), np.random.default_rng(1)
    for curvatures in ((1, 1, 1), (0.1, 0.1, 0.1), (1, 0.1, 0.4)):
        h, optima = np.array(curvatures), rng.normal(size=3)
        star = (weights * h * optima).sum() / (weights * h).sum()
        model, memory = 5.0, np.zeros(3)
        for there in np.tile(table, (3, 1)):
            memory = np.where(there, h * (model - optima), memory)
            model -= step * float(weights @ memory)
        assert abs(model - star) <= (1 - step * 0.1) ** 90 * abs(5.0 - star) + 1e-12


def test_a_fitted_chance_and_a_common_pattern_have_certificates(tmp_path: Path) -> None:
    log = from_matrix(draws(300, 8, 0.4))
    proof = proof_of(log, "importance-sampling", wanted=5)
    assert not proof.measured
    accepted(proof, tmp_path / "chance.json")
    turns = from_matrix(np.tile(np.eye(3, dtype=bool), (10, 1)))
    proof = proof_of(turns, "importance-sampling", wanted=4)
    assert proof.measured
    assert "pattern 100" in proof.language
    accepted(proof, tmp_path / "pattern.json")


def test_a_chance_is_not_fitted_to_logs_that_contradict_it() -> None:
    fair = draws(300, 8, 0.4)
    assert common_chance(Summary(from_matrix(fair))) is not None
    unequal = fair.copy()
    unequal[:, 0] |= draws(300, 1, 0.5)[:, 0]
    assert common_chance(Summary(from_matrix(unequal))) is None
    sticky = np.repeat(fair[:100], 3, axis=0)
    assert common_chance(Summary(from_matrix(sticky))) is None
    assert common_pattern(Summary(from_matrix(fair))) is None
    mixed = np.tile([[1, 1], [0, 1], [0, 0]], (9, 1))
    assert common_pattern(Summary(from_matrix(mixed))) is None


def deliveries(means: tuple[float, ...], seconds: float) -> FleetLog:
    """Machines that deliver again and again, each a fifth faster or slower at random."""
    rng, rows = np.random.default_rng(3), []
    for i, mean in enumerate(means):
        ends = np.cumsum(mean * rng.uniform(0.8, 1.2, int(seconds / mean)))
        rows += [(end, i, begin) for begin, end in zip([0.0, *ends], ends, strict=False)]
    returned, who, received = (np.array(column) for column in zip(*sorted(rows), strict=True))
    names = tuple(f"m{i}" for i in range(len(means)))
    return log_of_deliveries(TimedRows(names, who, received, returned), "a log", None)


def test_the_greatest_age_of_updates_in_use_is_counted_on_the_log() -> None:
    """Against a walk through the deliveries, one by one."""
    log = deliveries((10, 12, 31), 900)
    times = log.deliveries
    assert times is not None
    started: dict[int, int] = {}
    ages = []
    for t, (who, received) in enumerate(zip(times.clients, times.received, strict=True)):
        started[int(who)] = int((times.returned <= received).sum())
        if len(started) == 3:
            ages += [t - since for since in started.values()]
    assert times.oldest == max(ages) > log.max_delay


def test_late_updates_have_a_certificate_for_the_greatest_age(tmp_path: Path) -> None:
    log = deliveries((10, 11), 600)
    assert log.deliveries is not None
    age = log.deliveries.oldest
    proof = proof_of(log, "afa-cs", wanted=2)
    assert f"more than {age} server updates old" in proof.language
    assert f"at a model of at most {age} rounds before" in accepted(proof, tmp_path / "late.json")
    # the bound holds on the deliveries of the log, from the first one of the slower client on
    rate = (1 - float(proof.step_size) / 10) ** 2
    models, optima, step = [5.0], np.array([1.0, -1.0]), float(proof.step_size)
    held = {0: 0, 1: 0}
    whose, known = log.deliveries.clients, np.arange(log.num_rounds) - log.deliveries.delays
    begun = max(int(np.flatnonzero(whose == i)[0]) for i in (0, 1))
    for t in range(begun, log.num_rounds):
        held[int(whose[t])] = max(int(known[t]) - begun, 0)
        moves = [models[started] - optima[i] for i, started in held.items()]
        models.append(models[-1] - step * float(np.mean(moves)))
    assert abs(models[-1]) <= 2 * rate ** (len(models) / 2) * 5
    assert abs(models[-1]) < 1e-6


@pytest.mark.parametrize("local_steps", [1, 4])
def test_waiting_for_all_has_a_certificate(local_steps: int, tmp_path: Path) -> None:
    log = deliveries((10, 12, 300), 3000)
    proof = proof_of(log, "sync", local_steps=local_steps)
    assert "waits for all clients" in proof.language
    assert "every client delivers in every round" in accepted(proof, tmp_path / "all.json")


def test_what_has_no_proof_says_how_old_updates_become() -> None:
    log = deliveries((10, 12, 300), 3000)
    one = SimpleNamespace(method="mifa", member="mifa", steps=step_grid(LearningTask()))
    assert prove_step(Summary(log), LearningTask(), [cast(Prediction, one)], 0, {}) is None
    assert log.deliveries is not None
    assert f"up to {log.deliveries.oldest} server updates old" in unproved(Summary(log))
