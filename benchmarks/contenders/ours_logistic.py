"""fltheory on softmax regression: MIFA or FedAvg, with one seed or several, half of the clients
present in every round."""

import sys
from typing import Any

import numpy as np
import torch
from protocol import BATCH, RATE, STEPS, clients, serve

from fltheory import FedAvg, Mifa, Trace
from fltheory.engine.arithmetic.tensor import Tensor
from fltheory.engine.rounds import rounds, schedule
from fltheory.engine.run import make_run, start_row
from fltheory.problems.logistic import Softmax

torch.set_num_threads(1)
SEEDS, ROUNDS = int(sys.argv[3]), 400
features, labels = clients()
problem = Softmax(
    list(features),
    list(labels),
    10,
    weight_decay="1/1000",
    batch_size=BATCH,
    seed=tuple(range(SEEDS)),
)
trace = Trace.fresh(
    np.random.default_rng(0).random((SEEDS, ROUNDS, len(features))) < 0.5, local_steps=STEPS
)
arithmetic = Tensor(dtype=torch.float32)
methods: dict[str, Any] = {"mifa": Mifa(), "fedavg": FedAvg()}
run = make_run(
    methods[sys.argv[2]],
    problem,
    trace,
    arithmetic=arithmetic,
    batch=(SEEDS,),
)
row = rounds(trace, arithmetic, schedule(RATE), schedule(1))
state = run.start(start_row(0, problem.dimension, arithmetic) + run.zeros[..., :1, :])


def measure() -> int:
    global state
    updates = 0
    while updates < 400:
        this = next(row)
        updates += int((this.local_steps > 0).sum())
        state = run.advance(state, this)
    return updates


serve(measure, seeds=SEEDS)
