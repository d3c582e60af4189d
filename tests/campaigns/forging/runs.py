"""Forgeries made of runs: random exact runs, odd ones included, with their own measured values,
offered as counterexamples to claims about runs that are proved."""

import random
from collections.abc import Iterator
from typing import Any

from fltheory.claims.meaning import places
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import as_expression
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.expressions import to_lists
from fltheory.ledger.counterexamples import FORMAT, statement_of
from fltheory.ledger.meanings import meaning_of
from fltheory.papers import find_claim

Json = dict[str, Any]
ANY = ("0", "1", "-1", "1/2", "2", "-3", "1/10", "10", "1/3", "100", "-1/2", "1/100")
ABOVE = tuple(x for x in ANY if x != "0" and not x.startswith("-"))
BENDS = ("1", "1", "1/2", "0", "-1", "1/10", "2")


def forgeries(proved: list[str], seed: int) -> Iterator[Json]:
    """Files about claims that are proved, without end: each refutes nothing."""
    chance = random.Random(f"forge runs {seed}")
    about = [name for name in proved if meaning_of(find_claim(name)).methods]
    while about:
        name = chance.choice(about)
        meaning = meaning_of(find_claim(name))
        run = drawn(chance, meaning.methods)
        run["parameters"] = {k: chance.choice(ANY) for k in meaning.free}
        if (made := of_run(name, run)) is not None:
            yield made


def of_run(name: str, run: Json) -> Json | None:
    """The file of a run with its own values; None if the run is not one, or not measured."""
    claim = find_claim(name)
    meaning = meaning_of(claim)
    try:
        scenario = Scenario.from_json(run)
        here = next(iter(places(meaning, claim, scenario)), None)
        if here is None:
            return None
        found = measure(scenario, set(here.values()), parameters_first=False)
    except (InvalidInput, NotExact):
        return None
    values = {k: found[how] for k, how in here.items()}
    values |= {s.name: scenario.parameters[s.name] for s in claim.symbols if s.name in meaning.free}
    return {
        "format": FORMAT,
        "claim": name,
        "statement": statement_of(claim),
        "values": {k: to_lists(as_expression(x)) for k, x in values.items()},
        "measures": here,
        "run": run,
        "origin": None,
    }


def drawn(chance: random.Random, methods: tuple[str, ...]) -> Json:
    """A run of one of the methods, with everything at random."""
    clients, rounds = chance.choice((1, 1, 2, 2, 3, 4)), chance.choice((1, 1, 2, 3, 4, 6, 8))
    often = chance.choice((0.3, 0.5, 0.8, 1, 1))
    plan = [[chance.random() < often for _ in range(clients)] for _ in range(rounds)]
    if chance.random() < 0.5:
        plan[0] = [True] * clients
    for row in plan:
        if not any(row) and chance.random() < 0.8:
            row[chance.randrange(clients)] = True
    late, mixed = chance.random() < 0.4, chance.random() < 0.3
    most = chance.choice((1, 1, 1, 2, 3, 5))
    sizes = [chance.choice(ABOVE) for _ in range(rounds)]
    size = chance.choice(ABOVE if chance.random() < 0.8 else ANY)
    problem, dimension = losses(chance, clients)
    run = {
        "algorithm": chance.choice(methods),
        "settings": {},
        "problem": problem,
        "trace": {
            "delivers": ["".join(str(int(x)) for x in row) for row in plan],
            "started_from": [
                [chance.randint(0, t) if late and x else t for x in row]
                for t, row in enumerate(plan)
            ],
            "local_steps": [
                [(chance.randint(1, most) if mixed else most) * x for x in row] for row in plan
            ],
        },
        "start": [chance.choice(ANY) for _ in range(dimension)],
        "local_step_size": sizes if chance.random() < 0.15 else size,
        "server_step_size": chance.choice(
            ("1", "1", "1", chance.choice(ABOVE), chance.choice(ANY))
        ),
    }
    if chance.random() < 0.1:
        run["relative_noise"] = chance.choice(("1", "1/2", "3"))
    if chance.random() < 0.1:
        run["averaging"] = [chance.choice(("1", "2", "0", "1/2")) for _ in range(rounds)]
    if chance.random() < 0.1:
        shares = [chance.choice(("1/2", "1", "1/3", "0")) for _ in range(clients)]
        run["participation"] = {"kind": "bernoulli", "probabilities": shares}
    return run


def losses(chance: random.Random, clients: int) -> tuple[Json, int]:
    """A problem of one of four kinds, with equal or unequal clients, and its dimension."""
    kind = chance.choice(("quadratic", "quadratic", "clipped", "common", "pieces"))
    dimension = 1 if kind == "pieces" else chance.choice((1, 1, 1, 2))
    alike = chance.random() < 0.5

    def table(numbers: tuple[str, ...], width: int = dimension) -> list[list[str]]:
        rows = [[chance.choice(numbers) for _ in range(width)] for _ in range(clients)]
        return [list(rows[0]) for _ in rows] if alike else rows

    own: Json = {
        "quadratic": lambda: {
            "kind": "quadratic",
            "curvatures": table(BENDS),
            "optima": table(ANY),
        },
        "clipped": lambda: {
            "kind": "clipped",
            "curvatures": table(tuple(x for x in BENDS if x != "0")),
            "centres": table(ANY),
            "bound": chance.choice(ABOVE),
        },
        "common": lambda: {
            "kind": "common-curvature",
            "curvature": chance.choice(BENDS),
            "tilts": table(ANY),
        },
        "pieces": lambda: {
            "kind": "piecewise-quadratic",
            "knots": ["-1", "0", "1"],
            "slopes": table(("-1", "0", "1", "2", "-2", "1/2"), 3),
            "ends": table(("0", "1", "1/2"), 2),
        },
    }[kind]()
    if kind != "pieces":
        own["noise_squared"] = chance.choice(("0", "0", "0", "1", "1/4"))
    own["importance"] = [f"1/{clients}"] * clients
    if clients == 2 and chance.random() < 0.15:
        own["importance"] = chance.choice((["0", "1"], ["1/3", "2/3"]))
    return own, dimension
