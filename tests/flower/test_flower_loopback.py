"""Real clients over gRPC on loopback: the log says who was there, and the model is that of the
rule."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("flwr", reason="flwr is not installed (extra flower)")

from docs.flower import __main__ as example
from docs.flower.clients import CLIENTS, LOCAL_STEPS, loss_and_gradient, part
from fltheory.fleet.readers import read_log
from fltheory.flower import LogsRounds, Mifa

ROUNDS, LR = 4, 0.02


def by_hand(table: Any) -> list[float]:
    """MIFA with local steps, written anew."""
    parts, model, memory = [part(i) for i in range(CLIENTS)], np.zeros((65, 10)), {}
    losses = [float(np.mean([loss_and_gradient(model, *own)[0] for own in parts]))]
    for row in table:
        for i in np.flatnonzero(row):
            local = model.copy()
            for _ in range(LOCAL_STEPS):
                local -= LR * loss_and_gradient(local, *parts[i])[1]
            memory[i] = model - local
        model = model - sum(memory.values()) / CLIENTS
        losses.append(float(np.mean([loss_and_gradient(model, *own)[0] for own in parts])))
    return losses


@pytest.mark.slow
def test_a_run_over_grpc_is_the_method_and_writes_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(example, "ROUNDS", ROUNDS)

    class Logged(LogsRounds, Mifa):
        pass

    weights = {f"phone_{i}": 1 / CLIENTS for i in range(CLIENTS)}
    losses = example.train(Logged, weights, lr=LR, log=tmp_path / "log.csv")
    table = example.availability(ROUNDS)
    assert losses == pytest.approx(by_hand(table), abs=1e-12)
    assert losses != pytest.approx(by_hand(np.ones_like(table)), abs=1e-6)
    log = read_log(tmp_path / "log.csv")
    order = [log.names.index(f"phone_{i}") for i in range(CLIENTS)]
    assert (log.matrix(order) == table).all()
