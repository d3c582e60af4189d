"""The clients of the example: softmax regression on digits, each client with its own labels.

`python -m docs.flower.clients NUMBER PORT` runs one client; it connects to a loopback address.
"""

import sys
from typing import Any

import numpy as np
from flwr.client import NumPyClient, start_client

from paper_reproductions.data.datasets import digits

CLIENTS, CLASSES, LOCAL_STEPS = 8, 10, 4


def features(images: Any) -> Any:
    """Pixels with a constant 1, one row per image."""
    flat = images.reshape(len(images), -1).astype(np.float64)
    return np.hstack([flat, np.ones((len(flat), 1))])


def part(client: int) -> tuple[Any, Any]:
    """The images of one client: the data are sorted by label and cut into equal parts."""
    data = digits()
    order = np.argsort(data.labels, kind="stable")
    chosen = np.array_split(order[: len(order) // CLIENTS * CLIENTS], CLIENTS)[client]
    return features(data.features[chosen]), data.labels[chosen]


def loss_and_gradient(model: Any, inputs: Any, labels: Any) -> tuple[float, Any]:
    """Cross entropy with a small penalty, and its gradient."""
    scores = inputs @ model
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    chances /= chances.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(chances[rows, labels] + 1e-300).mean() + 0.005 * (model**2).sum()
    chances[rows, labels] -= 1
    return float(loss), inputs.T @ chances / len(labels) + 0.01 * model


class DigitsClient(NumPyClient):
    """Gradient descent on the client's own images."""

    def __init__(self, number: int) -> None:
        self.name = f"phone_{number}"
        self.inputs, self.labels = part(number)

    def get_properties(self, config: Any) -> dict[str, Any]:
        return {"client": self.name}

    def fit(self, parameters: Any, config: Any) -> tuple[Any, int, dict[str, Any]]:
        model = parameters[0].copy()
        for _ in range(LOCAL_STEPS):
            model -= config["lr"] * loss_and_gradient(model, self.inputs, self.labels)[1]
        metrics = {"client": self.name, "local_steps": LOCAL_STEPS}
        return [model], len(self.labels), metrics


if __name__ == "__main__":
    start_client(
        server_address=f"127.0.0.1:{int(sys.argv[2])}",
        client=DigitsClient(int(sys.argv[1])).to_client(),
        insecure=True,
    )
