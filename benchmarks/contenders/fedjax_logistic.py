"""FedJAX 0.0.17 FedAvg, 35 clients a round. Names that newer JAX has dropped are put back."""

import jax

jax.tree_map = jax.tree_util.tree_map

import fedjax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from protocol import BATCH, COHORT, EPOCHS, RATE, clients, serve  # noqa: E402

features, labels = clients()
datasets = [fedjax.ClientDataset({"x": x, "y": y}) for x, y in zip(features, labels, strict=True)]


def loss(params, batch):
    scores = jax.nn.log_softmax(batch["x"] @ params["w"])
    return -jnp.take_along_axis(scores, batch["y"][:, None], axis=1).mean()


algorithm = fedjax.algorithms.fed_avg.federated_averaging(
    lambda params, batch, rng: jax.grad(loss)(params, batch),
    fedjax.optimizers.sgd(RATE),
    fedjax.optimizers.sgd(1.0),
    fedjax.ShuffleRepeatBatchHParams(
        batch_size=BATCH, num_epochs=EPOCHS, drop_remainder=False, seed=0
    ),
)
state = algorithm.init({"w": jnp.zeros((features.shape[-1], 10))})
draw = np.random.default_rng(0)
keys = jax.random.split(jax.random.PRNGKey(0), COHORT)


def measure() -> int:
    global state
    for _ in range(3):
        cohort = draw.choice(len(datasets), COHORT, replace=False)
        state, _ = algorithm.apply(
            state, [(str(i), datasets[i], key) for i, key in zip(cohort, keys, strict=True)]
        )
    jax.block_until_ready(state.params)
    return 3 * COHORT


serve(measure, jax=jax.__version__)
