"""`python -m docs.flower [FOLDER]`: train with FedAvg and write the log, ask `advise`, train again
with the recommended strategy, and compare the curves. Real Flower clients over gRPC on loopback."""

import csv
import json
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from flwr.common import GetPropertiesIns, ndarrays_to_parameters
from flwr.server import ServerConfig, start_server
from flwr.server.strategy import FedAvg

from docs.flower.clients import CLASSES, CLIENTS, LOCAL_STEPS, loss_and_gradient, part
from fltheory import advise
from fltheory.core.randomness import Purpose, uniforms
from fltheory.flower import LogsRounds, strategy_for

ROUNDS = 80
CHANCES = np.linspace(0.95, 0.12, CLIENTS)
"""Availability of the clients: those with the last labels come rarely."""
TIMEOUT = 240


def availability(rounds: int) -> Any:
    """Who is there in each round; everybody in the first, somebody always."""
    table = np.stack(
        [
            uniforms(3, Purpose.AVAILABILITY, rounds=list(range(rounds)), clients=[client]) < chance
            for client, chance in enumerate(CHANCES)
        ],
        axis=1,
    ).reshape(rounds, CLIENTS)
    table[0] = True
    table[~table.any(axis=1), 0] = True
    return table


class SomeAreAway:
    """Selects the clients that are there: a simulation of availability, before a strategy."""

    def __init__(self, *positional: Any, table: Any, **options: Any) -> None:
        super().__init__(*positional, **options)
        self.table, self.names = table, {}  # type: ignore[var-annotated]

    def configure_fit(self, server_round: int, parameters: Any, client_manager: Any) -> Any:
        client_manager.wait_for(CLIENTS)
        there = {f"phone_{i}" for i in np.flatnonzero(self.table[server_round - 1])}
        chosen = super().configure_fit(server_round, parameters, client_manager)  # type: ignore[misc]
        return [(proxy, told) for proxy, told in chosen if self._name(proxy) in there]

    def _name(self, proxy: Any) -> str:
        if proxy.cid not in self.names:
            answer = proxy.get_properties(GetPropertiesIns({}), timeout=30, group_id=0)
            self.names[proxy.cid] = str(answer.properties["client"])
        return self.names[proxy.cid]


def largest_curvature() -> float:
    """L of the global loss: half the largest eigenvalue of the mean outer product, plus the
    penalty."""
    inputs = np.concatenate([part(client)[0] for client in range(CLIENTS)])
    return float(np.linalg.eigvalsh(inputs.T @ inputs / len(inputs)).max() / 2 + 0.01)


def train(strategy: type, *positional: Any, lr: float, **options: Any) -> list[float]:
    """Train with real clients, each a process; the global loss before each round and after the
    last."""
    parts = [part(client) for client in range(CLIENTS)]
    losses: list[float] = []

    def evaluate(server_round: int, layers: Any, config: Any) -> tuple[float, dict[str, Any]]:
        losses.append(float(np.mean([loss_and_gradient(layers[0], *own)[0] for own in parts])))
        return losses[-1], {}

    class Simulated(SomeAreAway, strategy):
        pass

    made = Simulated(
        *positional,
        table=availability(ROUNDS),
        initial_parameters=ndarrays_to_parameters([np.zeros((65, CLASSES))]),
        evaluate_fn=evaluate,
        on_fit_config_fn=lambda server_round: {"lr": lr},
        fraction_evaluate=0.0,
        min_fit_clients=CLIENTS,
        min_available_clients=CLIENTS,
        **options,
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    clients = [
        subprocess.Popen(
            [sys.executable, "-m", "docs.flower.clients", str(number), str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for number in range(CLIENTS)
    ]
    try:
        start_server(
            server_address=f"127.0.0.1:{port}",
            config=ServerConfig(num_rounds=ROUNDS, round_timeout=TIMEOUT),
            strategy=made,
        )
    finally:
        for client in clients:
            client.terminate()
            client.wait(timeout=30)
    return losses


def main(arguments: Sequence[str]) -> dict[str, Any]:
    """Both runs, the advice between them, and a file with the curves."""
    folder = Path(arguments[0] if arguments else "build/flower")
    folder.mkdir(parents=True, exist_ok=True)
    smoothness = largest_curvature()
    first_lr = 1 / (2 * smoothness * LOCAL_STEPS)

    class LoggedFedAvg(LogsRounds, FedAvg):
        pass

    before = train(LoggedFedAvg, lr=first_lr, log=folder / "log.csv")
    rows = list(csv.reader((folder / "log.csv").open(newline="")))
    past = [row for row in rows[1:] if int(row[0]) <= ROUNDS // 2]
    with (folder / "past.csv").open("w", newline="") as file:  # advice knows the past alone
        csv.writer(file).writerows([rows[0], *past])
    advice = advise(
        folder / "past.csv",
        local_steps=LOCAL_STEPS,
        noise=0,
        report=folder / "advice.html",
        weights=folder / "weights.csv",
    )
    best = advice.to_json()["recommended"]
    strategy = strategy_for(folder / "weights.csv")
    lr = best["step_size_times_smoothness"] / smoothness
    after = train(strategy, folder / "weights.csv", lr=lr)
    plain = train(FedAvg, lr=lr)
    found = {
        "recommended": best["method"],
        "strategy": strategy.__name__,
        "step_size": {"before": first_lr, "recommended": lr},
        "final_loss": {
            "FedAvg": before[-1],
            "FedAvg with the recommended step size": plain[-1],
            "recommended": after[-1],
        },
        "curves": {"FedAvg": before, "FedAvg, same step size": plain, "recommended": after},
    }
    (folder / "curves.json").write_text(json.dumps(found, indent=1) + "\n")
    draw(found["curves"], folder / "curves.png")
    return found


def draw(curves: Any, file: Path) -> None:
    """The losses along the rounds, if matplotlib is installed."""
    from fltheory.core.extras import available

    if not available("plot"):
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for (name, losses), color in zip(
        curves.items(), ("#D55E00", "#E69F00", "#0072B2"), strict=True
    ):
        axes.plot(losses, label=name, color=color, linewidth=2)
    axes.set(xlabel="round", ylabel="loss on all clients' digits", yscale="log")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    found = main(sys.argv[1:])
    print(json.dumps({name: found[name] for name in found if name != "curves"}, indent=1))
