"""Worst cases over whole classes of functions beside the theorems' bounds, along rounds, local
steps and staleness."""

from typing import Any

from fltheory.ledger.looseness import SWEEPS, table, theorems

DIGITS = 6
"""Significant digits that are recorded: the solver gives at least seven."""


def numbers() -> dict[str, Any]:
    """One series per sweep and theorem."""
    sweeps: dict[str, dict[str, Any]] = {}
    for row in table(list(theorems()), list(SWEEPS)):
        paper = row["theorem"].split(".")[0]
        series = sweeps.setdefault(row["along"], {}).setdefault(
            paper, {"at": [], "worst_case": [], "bound": [], "ratio": [], "claims": []}
        )
        values = dict[str, Any](row)
        series["at"].append(values[row["along"]])
        series["claims"].append(row["theorem"])
        for name in ("worst_case", "bound", "ratio"):
            series[name].append(rounded(values[name]))
    return {
        "title": "Even the worst function stays far below the bounds",
        "caption": (
            "Largest value of what a theorem bounds, over all functions of its class (semidefinite"
            " programming, numerical), divided by its right side; no noise. "
            + " ".join(theorem.says for theorem in theorems().values())
            + " A ratio of 1 would be a bound that is attained."
        ),
        "sweeps": sweeps,
    }


def rounded(number: float | None) -> float | None:
    """Six significant digits."""
    return None if number is None else float(f"{number:.{DIGITS}g}")
