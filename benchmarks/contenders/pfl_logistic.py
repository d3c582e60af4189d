"""pfl 0.6.0 FedAvg, 35 clients a round, one resident model."""

import numpy as np
import torch
from pfl.aggregate.simulate import SimulatedBackend
from pfl.algorithm.base import NNAlgorithmParams
from pfl.algorithm.federated_averaging import FederatedAveraging
from pfl.data.dataset import Dataset
from pfl.data.federated_dataset import FederatedDataset
from pfl.hyperparam import NNTrainHyperParams
from pfl.model.pytorch import PyTorchModel
from protocol import BATCH, COHORT, EPOCHS, RATE, clients, serve

torch.set_num_threads(1)
features, labels = (torch.as_tensor(part) for part in clients())


class Softmax(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(features.shape[-1], 10, bias=False)

    def loss(self, x, y, eval=False):
        return torch.nn.functional.cross_entropy(self.linear(x), y)

    def metrics(self, x, y, eval=False):
        return {}


draw = np.random.default_rng(0)
federated = FederatedDataset(
    lambda i: Dataset(raw_data=[features[i], labels[i]]), lambda: int(draw.integers(len(features)))
)
module = Softmax()
model = PyTorchModel(
    module,
    lambda parameters, lr: torch.optim.SGD(parameters, lr),
    torch.optim.SGD(module.parameters(), 1.0),
)
backend = SimulatedBackend(training_data=federated, val_data=None)
settings = NNAlgorithmParams(
    central_num_iterations=3,
    evaluation_frequency=10**6,
    train_cohort_size=COHORT,
    val_cohort_size=None,
)
training = NNTrainHyperParams(
    local_num_epochs=EPOCHS, local_learning_rate=RATE, local_batch_size=BATCH
)


def measure() -> int:
    FederatedAveraging().run(settings, backend, model, training, None, [])
    return 3 * COHORT


serve(measure, torch=torch.__version__)
