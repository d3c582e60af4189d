"""What local work needs to know about a problem with samples."""

from fractions import Fraction
from typing import Protocol

from fltheory.core.types import Array, Seed, TorchModule


class SampledProblem(Protocol):
    """A problem whose clients hold labelled samples and draw minibatches from them."""

    @property
    def num_clients(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    @property
    def features(self) -> tuple[Array, ...]: ...

    @property
    def labels(self) -> tuple[Array, ...]: ...

    @property
    def samples(self) -> tuple[int, ...]:
        """Number of samples of each client."""

    @property
    def weight_decay(self) -> Fraction: ...

    @property
    def batch_size(self) -> int | None: ...

    @property
    def seed(self) -> Seed: ...


class SoftmaxProblem(SampledProblem, Protocol):
    """Softmax regression on samples."""

    @property
    def num_classes(self) -> int: ...

    @property
    def num_features(self) -> int: ...


class NetworkProblem(SampledProblem, Protocol):
    """A torch module on samples."""

    @property
    def module(self) -> TorchModule: ...
