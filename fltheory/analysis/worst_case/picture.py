"""The worst function that was found, as plain numbers for a picture: each class of clients along
the path of the run."""

from dataclasses import dataclass

import numpy as np

from fltheory.analysis.worst_case.encoding import Encoding
from fltheory.analysis.worst_case.lower import Witness
from fltheory.core.types import Array


@dataclass(frozen=True)
class ClassCurve:
    """A class of clients at its recorded points, in order: position along the path, loss, slope and
    norm of the gradient."""

    name: str
    places: tuple[float, ...]
    losses: tuple[float, ...]
    slopes: tuple[float, ...]
    sizes: tuple[float, ...]


@dataclass(frozen=True)
class WorstCasePicture:
    """`share` is the share of the models' spread in the drawn direction; `models` are the server's
    positions along it."""

    curves: tuple[ClassCurve, ...]
    models: tuple[float, ...]
    share: float


def picture(encoding: Encoding, witness: Witness) -> WorstCasePicture:
    """Project everything on the direction in which the models move most.

    The optimum, or the start if there is none, is at 0.
    """
    recording = encoding.recording
    means = np.array(recording.owners) == 0
    gram = witness.grams[0].astype(float)
    lengths, axes = np.linalg.eigh(gram)
    place = axes * np.sqrt(np.maximum(lengths, 0.0))
    models = np.array(recording.models, float)[:, means] @ place
    spread = models.T @ models
    amounts, directions = np.linalg.eigh(spread)
    way = directions[:, -1]
    way = way if (models @ way).sum() >= 0 else -way
    curves = []
    for c, records in enumerate(recording.records):
        points = np.array([r.point for r in records], float)[:, means] @ place
        gradients = np.array([r.gradient for r in records], float)[:, means] @ place
        losses = tuple(float(witness.values.get((c, r), 0)) for r in range(len(records)))
        name = (
            f"class {c} ({float(recording.shares[c]):.3g} of the weight)"
            if len(recording.records) > 1
            else "client"
        )
        curves.append(
            ClassCurve(
                name,
                _floats(points @ way),
                losses,
                _floats(gradients @ way),
                _floats(np.linalg.norm(gradients, axis=1)),
            )
        )
    total = float(amounts.sum())
    return WorstCasePicture(
        tuple(curves), _floats(models @ way), float(amounts[-1]) / total if total else 1.0
    )


def _floats(values: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in values)
