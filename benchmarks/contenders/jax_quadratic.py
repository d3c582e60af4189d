"""JAX scan over rounds: MIFA on the same quadratics, local steps in closed form where there is
noise, JAX's own random numbers."""

import sys

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from protocol import serve  # noqa: E402

SEEDS, CLIENTS, DIMENSION, STEPS, NOISE = (
    (1, 10, 1, 5, 0.0) if sys.argv[2] == "line" else (64, 100, 10, 10, 1.0)
)
ROUNDS, SIZE = (100_000 if sys.argv[2] == "line" else 40), 0.01
curvatures = jnp.ones((CLIENTS, DIMENSION)) if NOISE else jnp.arange(1.0, 11)[:, None]
optima = jnp.broadcast_to((jnp.arange(CLIENTS) % 7.0)[:, None], (CLIENTS, DIMENSION))
shrink = 1 - SIZE * curvatures
gain = sum(shrink**k for k in range(STEPS)) * curvatures
spread = jnp.sqrt(sum(shrink ** (2 * k) for k in range(STEPS)))


def round_(state, key):
    model, memory, updates = state
    availability, noise = jax.random.split(key)
    present = jax.random.bernoulli(availability, 0.5, (SEEDS, CLIENTS, 1))
    delivery = gain * (model - optima)
    if NOISE:
        delivery = delivery + NOISE * spread * jax.random.normal(noise, (SEEDS, CLIENTS, DIMENSION))
    memory = jnp.where(present, delivery, memory)
    return (model - SIZE * memory.mean(1, keepdims=True), memory, updates + present.sum()), None


@jax.jit
def run(key):
    start = (jnp.zeros((SEEDS, 1, DIMENSION)), jnp.zeros((SEEDS, CLIENTS, DIMENSION)), 0)
    return jax.lax.scan(round_, start, jax.random.split(key, ROUNDS))[0]


def measure() -> int:
    model, _, updates = run(jax.random.PRNGKey(0))
    jax.block_until_ready(model)
    return ROUNDS if sys.argv[2] == "line" else int(updates)


serve(measure, jax=jax.__version__)
