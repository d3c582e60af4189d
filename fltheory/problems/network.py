"""Small networks on each client's own samples, with minibatches. Each row of the model holds all
parameters, one after the other."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import shares
from fltheory.core.types import Array, ExactLike, Nested, Seed, TorchModule, Vector, Whole
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.workers import LocalWork, Oracle
from fltheory.problems.client_samples import client_samples, training_settings
from fltheory.problems.constants import Constants
from fltheory.problems.logistic import need_tensors


@frozen(eq=False)
class Network:
    """f_i = mean cross-entropy of a torch module on client i's samples, plus weight_decay/2
    |parameters|^2.

    `module` must have parameters only and no buffers; `first_model` has their present values.
    """

    module: TorchModule
    features: Checked[Sequence[Nested], tuple[Array, ...]]
    labels: Checked[Sequence[Whole], tuple[Array, ...]]
    weight_decay: Checked[ExactLike, Fraction] = default(0)
    batch_size: int | None = None
    seed: Seed = 0
    importance: Checked[Vector | None, tuple[Fraction, ...]] = default(None)

    def __post_init__(self) -> None:
        if any(True for _ in self.module.buffers()):
            raise InvalidInput(
                "module", "have parameters only", "buffers, such as those of batch normalisation"
            )
        features, labels = client_samples(self.features, self.labels)
        decay = training_settings(self.batch_size, self.weight_decay)
        checked = {
            "features": features,
            "labels": labels,
            "weight_decay": decay,
            "importance": shares(self.importance, len(features)),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def num_clients(self) -> int:
        return len(self.features)

    @cached_property
    def dimension(self) -> int:
        return sum(parameter.numel() for parameter in self.module.parameters())

    @cached_property
    def samples(self) -> tuple[int, ...]:
        """Number of samples of each client."""
        return tuple(len(rows) for rows in self.features)

    @property
    def affine(self) -> bool:
        """Gradients are not affine in the point."""
        return False

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Axes of a batch of runs, one for each seed."""
        return np.shape(self.seed)

    @property
    def constants(self) -> Constants:
        return Constants()

    @cached_property
    def first_model(self) -> Array:
        """The present parameters of the module as one row."""
        return np.concatenate(
            [parameter.detach().cpu().numpy().ravel() for parameter in self.module.parameters()]
        )[None, :]

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> gradient of client i's loss over all its samples."""
        whole = Network(
            self.module, self.features, self.labels, self.weight_decay, None, 0, self.importance
        )
        work = whole._work(arithmetic, ())
        return lambda rows: work(rows, 0, 0)

    def oracle(self, arithmetic: Arithmetic) -> Oracle:
        """Row i -> the same over the minibatch of that round and local step."""
        return self._work(arithmetic, self.batch_shape)

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i, one number, over all samples."""
        need_tensors(arithmetic)
        from fltheory.engine.local_work.networks import NetworkWork

        return NetworkWork.of(self, arithmetic, ()).losses

    def local_work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> LocalWork:
        """K steps of local SGD, for clients that deliver only."""
        from fltheory.engine.local_work.networks import work_of

        return work_of(self, arithmetic, batch)

    def _work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> Oracle:
        need_tensors(arithmetic)
        from fltheory.engine.local_work.networks import work_of

        return work_of(self, arithmetic, batch).oracle
