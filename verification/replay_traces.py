"""Statistics of the trace of a run: who delivers, and when. Standard library only; written from the
definitions of the papers, no code of the package."""

import sys
from fractions import Fraction as F
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import number


def of_trace(m):
    """Statistics of who delivers, and when."""
    ages, sizes, plan = m.ages(), m.sizes(), m.plan
    absence = max(
        len(gap) for column in zip(*plan, strict=True) for gap in "".join(column).split("1")
    )
    schedule = m.spec["local_step_size"]
    several = isinstance(schedule, list)
    steps = [k for row in m.steps for k in row if k]
    calm = m.law is None

    def over_cells(table):
        return F(sum(table[t][i] for t, i in m.cells), max(len(m.cells), 1))

    return {
        "num_clients": lambda: F(m.clients),
        "num_rounds": lambda: F(m.rounds),
        "local_steps": lambda: F(max(steps, default=1)),
        "least_local_steps": lambda: F(min(steps, default=1)),
        "mean_local_steps": lambda: over_cells(m.steps),
        "mean_delay": lambda: over_cells(m.delays),
        "max_delay": lambda: F(max(map(max, m.delays))),
        "clients_per_round": lambda: F(min(sizes)) if sizes else None,
        "most_clients_per_round": lambda: F(max(sizes)) if sizes else None,
        "clients_in_first_round": lambda: F(sizes[0]) if sizes else None,
        "availability_probability": lambda: min(m.chances()),
        "availability_window": lambda: F(absence + 1) if calm else None,
        "staleness_bound": lambda: F(absence) if calm else None,
        "balance_period": lambda: F(balance(plan)) if calm else None,
        "max_staleness": lambda: F(max(map(max, ages))) if ages else None,
        "mean_staleness": lambda: F(sum(map(sum, ages)), m.clients * m.rounds) if ages else None,
        "mean_client_max_staleness": lambda: (
            F(sum(map(max, zip(*ages, strict=True))), m.clients) if ages else None
        ),
        "fresh_entries": lambda: F(min(row.count(0) for row in ages)) if ages else None,
        "local_step_size": lambda: None if several else number(schedule),
        "first_step_size": lambda: number(schedule[0] if several else schedule),
        "last_step_size": lambda: number(schedule[-1] if several else schedule),
        "server_step_size": lambda: number(m.spec["server_step_size"]),
        "relative_noise": lambda: number(m.spec.get("relative_noise", "0")),
    }


def balance(plan):
    """The smallest divisor of the number of rounds in whose windows all deliver equally often."""
    rounds, clients = len(plan), range(len(plan[0]))
    return next(
        w
        for w in range(1, rounds + 1)
        if rounds % w == 0
        and all(
            len({sum(r[i] == "1" for r in plan[t : t + w]) for t in range(0, rounds, w)}) == 1
            for i in clients
        )
    )


def block(cells):
    """Rounds from the first delivery of a client until it misses one."""
    return len("".join(cells).lstrip("0").split("0")[0])
