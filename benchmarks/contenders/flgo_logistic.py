"""FLGo 0.4.4 MIFA, all clients present, no evaluation, over ready tensors instead of MNIST files
and their transforms."""

import tempfile
from types import SimpleNamespace

import torch
import torchvision
from protocol import BATCH, EPOCHS, RATE, clients, serve

features, labels = (torch.as_tensor(part) for part in clients())
torchvision.datasets.MNIST = lambda **_: torch.utils.data.TensorDataset(
    features.flatten(0, 1), labels.flatten()
)

import flgo  # noqa: E402
import flgo.algorithm.mifa as mifa  # noqa: E402
import flgo.benchmark.mnist_classification as mnist  # noqa: E402
import flgo.benchmark.partition as partition  # noqa: E402
from flgo.benchmark.toolkits.cv.classification import FromDatasetPipe  # noqa: E402
from flgo.utils import fmodule  # noqa: E402

FromDatasetPipe.TaskDataset.__getitems__ = lambda self, which: [
    self[i] for i in which
]  # newer torch asks for it
mnist.visualize = lambda *_: None  # a picture of the partition takes minutes


class Softmax(fmodule.FModule):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(features.shape[-1], 10, bias=False)

    def forward(self, x):
        return self.linear(x)


def init_global_module(party):
    if "Server" in party.get_classname():
        party.model = Softmax()


model = SimpleNamespace(
    init_local_module=lambda party: None, init_global_module=init_global_module, __name__="softmax"
)
task = tempfile.mkdtemp() + "/task"
flgo.gen_task_by_(mnist, partition.IIDPartitioner(num_clients=len(features)), task)
server = flgo.init(
    task,
    mifa,
    {
        "num_rounds": 1,
        "num_epochs": EPOCHS,
        "batch_size": BATCH,
        "learning_rate": RATE,
        "weight_decay": 1e-3,
        "proportion": 1.0,
        "train_holdout": 0.0,
        "no_log_console": True,
        "no_tqdm": True,
        "gpu": [],
    },
    model=model,
)


def measure() -> int:
    server.gv.clock.step()
    server.iterate()
    server.current_round += 1
    return len(server.received_clients)


serve(measure, torch=torch.__version__)
