"""fltheory on the same task by its reference loop over local steps, without the work at once."""

import numpy as np
import torch
from protocol import BATCH, RATE, STEPS, clients, serve

from fltheory import Mifa, Trace
from fltheory.engine.arithmetic.tensor import Tensor
from fltheory.engine.rounds import rounds, schedule
from fltheory.engine.run import make_run, start_row
from fltheory.problems.logistic import Softmax

torch.set_num_threads(1)
features, labels = clients()
problem = Softmax(list(features), list(labels), 10, weight_decay="1/1000", batch_size=BATCH)
trace = Trace.fresh(np.random.default_rng(0).random((100, len(features))) < 0.5, local_steps=STEPS)
arithmetic = Tensor(dtype=torch.float32)
run = make_run(Mifa(), problem, trace, arithmetic=arithmetic, fused=False)
row = rounds(trace, arithmetic, schedule(RATE), schedule(1))
state = run.start(start_row(0, problem.dimension, arithmetic))


def measure() -> int:
    global state
    this = next(row)
    state = run.advance(state, this)
    return int((this.local_steps > 0).sum())


serve(measure)
