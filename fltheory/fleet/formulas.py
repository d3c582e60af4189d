"""What each method does with the arrivals of a round, in words and as a few lines of Python.

In the code, `delta[i]` is the model that client i returns minus the model that it received,
`arrived` names the clients whose work counts now, `w[i]` is the weight of client i in the weights
file (which sums to 1 for methods with memory), and `model`, `memory` belong to the server. The
tests run these very lines against the exact algorithms.
"""

from dataclasses import dataclass

ADD = (
    "for i in arrived:",
    "    model = model + w[i] * delta[i]",
)
MEMORY = (
    "for i in arrived:",
    "    memory[i] = delta[i]  # zeros at first",
    "model = model + sum(w[i] * memory[i] for i in memory)",
)
MEMORY_OF_GRADIENTS = (
    "for i in arrived:",
    "    memory[i] = delta[i] / lr  # zeros at first; lr is the clients' step size of this round",
    "model = model + lr * sum(w[i] * memory[i] for i in memory)",
)
MEMORY_PER_STEP = (
    "for i in arrived:",
    "    memory[i] = delta[i] / (lr * steps[i])  # zeros at first; local steps of the client",
    "model = model + lr * sum(w[i] * memory[i] for i in memory)",
)
MEAN = (
    "if arrived:",
    "    total = sum(n[i] for i in arrived)",
    "    model = model + sum(n[i] / total * delta[i] for i in arrived)",
)
MEAN_PER_STEP = (
    "if arrived:",
    "    total = sum(n[i] for i in arrived)",
    "    model = model + sum(n[i] / total * delta[i] / steps[i] for i in arrived)",
)


@dataclass(frozen=True)
class UpdateFormula:
    """What the server does, in words and in Python; `weights` says what w is, empty if the method
    has no weights."""

    words: str
    python: tuple[str, ...]
    weights: str = ""


_UNNORMALISED = (
    "add each returned difference (returned model minus received model) times the client's weight"
    " to the model; do not divide by the sum of the weights of those that are there, or the bias"
    " comes back"
)
_MEMORY = (
    "keep the latest returned difference of every client; in every round add the weighted mean of"
    " all of them, fresh or remembered, to the model (also in a round in which nobody comes)"
)
_IMPORTANCE = "the client's share of the examples (1/N if all count alike)"
FORMULAS: dict[str, UpdateFormula] = {
    "importance-sampling": UpdateFormula(
        _UNNORMALISED, ADD, "the client's share of the examples divided by its share of the rounds"
    ),
    "async": UpdateFormula(
        _UNNORMALISED + "; do so as soon as it arrives",
        ADD,
        "the client's share of the examples divided by its share of the arrivals",
    ),
    "fedfix": UpdateFormula(
        _UNNORMALISED + "; do so at the end of each window",
        ADD,
        "the client's share of the examples divided by its share of the windows",
    ),
    "fedbuff": UpdateFormula(
        _UNNORMALISED + "; do so when the buffer is full",
        ADD,
        "the client's share of the examples divided by its share of the buffers",
    ),
    "sync": UpdateFormula(
        "wait for all clients; add the weighted mean of their differences", ADD, _IMPORTANCE
    ),
    "mifa": UpdateFormula(_MEMORY, MEMORY_OF_GRADIENTS, _IMPORTANCE),
    "fedlaavg": UpdateFormula(_MEMORY, MEMORY, _IMPORTANCE),
    "afa-cs": UpdateFormula(_MEMORY, MEMORY_PER_STEP, _IMPORTANCE),
    "fedavg": UpdateFormula("average the returned models by numbers of examples n", MEAN),
    "fedavg-waiting": UpdateFormula(
        "draw a sample of clients, wait for all of it, and average their models", MEAN
    ),
    "afa-cd": UpdateFormula(
        "average the differences per local step of those that arrive", MEAN_PER_STEP
    ),
}
"""By the member of a prediction."""
