"""A hand-written JAX loop: MIFA on softmax regression, one compiled round, clients one after the
other by lax.map, absent ones skipped, weights (classes, features) as is fastest on CPUs."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from protocol import BATCH, EPOCHS, RATE, clients, serve

SEEDS, ROUNDS, CLASSES, DECAY = int(sys.argv[2]), 400, 10, 1e-3
features, labels = clients()
CLIENTS, SAMPLES, DIMENSION = features.shape
x, y = jnp.asarray(features, jnp.float32), jax.nn.one_hot(labels, CLASSES, dtype=jnp.float32)
present = jnp.asarray(np.random.default_rng(0).random((SEEDS, ROUNDS, CLIENTS)) < 0.5)
WHOLE = SAMPLES // BATCH


def step(weights, total, mine, chosen):
    """One step on a minibatch: the weights and the sum of the gradients."""
    batch = mine[0][chosen]
    error = jax.nn.softmax(weights @ batch.T, axis=0) - mine[1][chosen].T
    gradient = error @ batch / len(chosen) + DECAY * weights
    return weights - RATE * gradient, total + gradient


def work(weights, client, key):
    """The sum of the gradients of all local steps of a client."""
    mine = x[client], y[client]

    def epoch(carried, key):
        order = jax.random.permutation(key, SAMPLES)
        whole = order[: WHOLE * BATCH].reshape(WHOLE, BATCH)
        carried, _ = lax.scan(lambda c, chosen: (step(*c, mine, chosen), None), carried, whole)
        return step(*carried, mine, order[WHOLE * BATCH :]), None

    start = weights, jnp.zeros_like(weights)
    return lax.scan(epoch, start, jax.random.split(key, EPOCHS))[0][1]


def one_seed(state):
    weights, memory, here, key = state

    def client(given):
        index, is_here, kept, own = given
        return lax.cond(is_here, lambda: work(weights, index, own), lambda: kept)

    keys = jax.random.split(key, CLIENTS)
    memory = lax.map(client, (jnp.arange(CLIENTS), here, memory, keys))
    return weights - RATE * memory.mean(0), memory


@jax.jit
def advance(weights, memory, here, keys):
    return lax.map(one_seed, (weights, memory, here, keys))


weights = jnp.zeros((SEEDS, CLASSES, DIMENSION))
memory = jnp.zeros((SEEDS, CLIENTS, CLASSES, DIMENSION))
done = 0


def measure() -> int:
    global weights, memory, done
    updates = 0
    while updates < 400:
        here = present[:, done % ROUNDS]
        keys = jax.random.split(jax.random.PRNGKey(done), SEEDS)
        weights, memory = advance(weights, memory, here, keys)
        updates, done = updates + int(here.sum()), done + 1
    jax.block_until_ready(memory)
    return updates


serve(measure, jax=jax.__version__, seeds=SEEDS)
