"""Claims and records for tests of reproductions."""

from typing import Any


def record(a: list[list[float]], b: list[list[float]], diverged: int = 0) -> dict[str, Any]:
    def series(name: str, curves: list[list[float]], bad: int) -> dict[str, Any]:
        return {
            "name": name,
            "x": {"rounds": list(range(len(a[0])))},
            "measures": {"train_loss": curves},
            "diverged": bad,
        }

    return {
        "seeds": len(a),
        "panels": [{"name": "p", "series": [series("a", a, diverged), series("b", b, 0)]}],
    }
