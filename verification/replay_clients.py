"""Quantities of single clients, and their sums, means, maxima and minima. Standard library only; no
code of the package."""

import sys
from fractions import Fraction as F
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import decimal, formula
from replay_roots import exact  # type: ignore[import-not-found]


def over_clients(m, function, lists):
    """The sum, mean, maximum or minimum over the clients of a formula in their quantities."""
    columns = of_clients(m)
    names = _symbols(lists)
    if any(name not in columns or columns[name]() is None for name in names):
        return None
    table = {name: columns[name]() for name in names}
    values = [
        formula(lists, {name: column[i] for name, column in table.items()})
        for i in range(m.clients)
    ]
    if not all(map(exact, values)):
        values = [decimal(x) for x in values]
    if function == "max_over_clients":
        return max(values)
    if function == "min_over_clients":
        return min(values)
    total = sum(values[1:], values[0])
    return total / m.clients if function == "mean_over_clients" else total


def of_clients(m):
    losses, ages = m.losses, m.ages()
    count, best = range(m.clients), losses.optimum
    return {
        "client_smoothness": lambda: [max(map(abs, losses.bends(i))) for i in count],
        "client_curvature": lambda: [min(losses.bends(i)) for i in count],
        "client_importance": lambda: losses.shares,
        "client_local_steps": lambda: m.column_steps(max),
        "client_least_local_steps": lambda: m.column_steps(min),
        "client_availability": m.chances,
        "client_deliveries": lambda: [F(sum(row[i] == "1" for row in m.plan)) for i in count],
        "client_max_staleness": lambda: (
            [F(max(column)) for column in zip(*ages, strict=True)] if ages else None
        ),
        "client_max_delay": lambda: [F(max(column)) for column in zip(*m.delays, strict=True)],
        "client_squared_gradient_at_optimum": lambda: best and losses.squares(best),
        "client_loss_gap_at_optimum": lambda: best and losses.client_gaps(best),
        "client_initial_squared_gradient": lambda: losses.squares(m.start),
    }


def _symbols(node):
    """The names of the symbols in a formula."""
    if isinstance(node, dict):
        return {node["symbol"]}
    return set().union(*map(_symbols, node[1:])) if isinstance(node, list) else set()
