"""Fraboni et al.: a general theory for federated optimization with asynchronous and heterogeneous
clients updates."""

_HYPOTHESIS = "a hypothesis, not a statement: it is an Assumption of the theorems"
_FIGURE = "a figure of training curves without printed numbers"

NOT_CLAIMS: dict[str, str] = {
    "fraboni.ass1": f"{_HYPOTHESIS}; that it is too weak is fraboni.thm1",
    "fraboni.ass2": f"{_HYPOTHESIS}; that it is too weak is fraboni.thm1",
    "fraboni.ass3": _HYPOTHESIS,
    "fraboni.ass4": f"{_HYPOTHESIS}; where it fails is fraboni.exponential.delay",
    "fraboni.exp.data": (
        "datasets, models and hyperparameters of the experiments: settings, not statements"
    ),
    "fraboni.exp.fig4": f"{_FIGURE}; its sentences are fraboni.exp.fig4.*",
    "fraboni.exp.fig5": _FIGURE,
    "fraboni.exp.fig6": _FIGURE,
    "fraboni.exp.fig7": _FIGURE,
}
