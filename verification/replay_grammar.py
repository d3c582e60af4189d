"""The closed grammar of counterexample files: fields, types, ranges, sizes. Standard library only.

A file gives an instance and no meaning, so every part is read here before it is used: a run cannot
start from models of the future, and no field, row or number is left over.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_roots import parsed  # type: ignore[import-not-found]
from strict_json import fields, index, items, need, number  # type: ignore[import-not-found]

FORMAT = "fltheory counterexample 1"
NEEDED = ("format", "claim", "statement", "values", "measures")
TEXTS = ("says", "left", "right", "found")
MOST_CELLS = 20_000
MOST_ROUNDS = 400
MOST_STEPS = 100
OPERATIONS = {"+", "*", "^", "max", "min", "abs", "exp", "log", "ceiling", "floor"}
TABLES = {
    "quadratic": ("curvatures", "optima"),
    "clipped": ("curvatures", "centres"),
    "common-curvature": ("tilts",),
    "piecewise-quadratic": ("slopes", "ends"),
}
NUMBERS = {
    "quadratic": (),
    "clipped": ("bound",),
    "common-curvature": ("curvature",),
    "piecewise-quadratic": (),
}
LAW = ("kind", "probabilities", "stays", "clients_per_round", "groups")
LAWS = ("bernoulli", "uniform", "cyclic", "markov")
SETTINGS = ("weights", "probabilities", "importance", "proximal_strength", "full_local_steps")


def grammar(data):
    """Refuse what is no counterexample file."""
    fields(data, "the file", NEEDED, (*TEXTS, "run", "origin"))
    need(data["format"] == FORMAT, "not a counterexample of this format")
    need(isinstance(data["claim"], str), "claim is no text")
    for name in TEXTS:
        need(isinstance(data.get(name, ""), str), f"{name} is no text")
    fields(data["statement"], "the statement", ("left", "sign", "right"))
    need(isinstance(data["values"], dict), "values are no object")
    for node in data["values"].values():
        formula_grammar(node)
    need(
        isinstance(data["measures"], dict)
        and all(isinstance(how, str) for how in data["measures"].values()),
        "measures are no texts",
    )
    run, origin = data.get("run"), data.get("origin")
    need(run is None or origin is None, "the file has a run and an origin")
    need(origin is None or isinstance(origin, dict), "the origin is no object")
    if run is not None:
        run_grammar(run)


def formula_grammar(node, depth=0):
    """Refuse a formula that is too deep or of unknown parts; returns the number of its parts."""
    need(depth <= 40, "a formula is too deep")
    if isinstance(node, str):
        return number(node) is not None
    if isinstance(node, dict):
        fields(node, "a symbol", ("symbol",))
        return need(isinstance(node["symbol"], str), "a symbol is no text") is None
    items(node, "a formula")
    need(len(node) > 1 and isinstance(node[0], str), "a formula has no operation")
    need(node[0] in OPERATIONS, f"{node[0][:40]!r} is no operation")
    need(node[0] != "^" or len(node) == 3, "a power has not one exponent")
    parts = 1 + sum(formula_grammar(part, depth + 1) for part in node[1:])
    need(parts <= 5000, "a formula has too many parts")
    return parts


def run_grammar(run):
    """Refuse a run that is not complete and possible."""
    names = ("algorithm", "settings", "problem", "trace", "start", "local_step_size")
    chance = ("participation", "relative_noise", "averaging")
    fields(run, "the run", (*names, "server_step_size", "parameters"), chance)
    need(isinstance(run["algorithm"], str), "algorithm is no text")
    trace = fields(run["trace"], "the trace", ("delivers", "started_from", "local_steps"))
    plan = items(trace["delivers"], "delivers")
    need(plan and all(isinstance(row, str) and row for row in plan), "delivers has no rows")
    clients, rounds = len(plan[0]), len(plan)
    need(rounds <= MOST_ROUNDS and clients * rounds <= MOST_CELLS, "the run is too long")
    need(
        all(len(row) == clients and set(row) <= {"0", "1"} for row in plan),
        "delivers has rows that are not of 0 and 1",
    )
    for t, begun in enumerate(items(trace["started_from"], "started_from", rounds)):
        for model in items(begun, "a row of started_from", clients):
            index(model, t + 1, "a model to start from")
    total = 0
    for t, counts in enumerate(items(trace["local_steps"], "local_steps", rounds)):
        for i, count in enumerate(items(counts, "a row of local_steps", clients)):
            index(count, MOST_STEPS + 1, "local steps")
            need((count > 0) == (plan[t][i] == "1"), "local steps without a delivery, or none")
            total += count
    need(total <= MOST_CELLS, "the run has too many local steps")
    size = _problem(run["problem"], clients)
    for entry in items(run["start"], "start", size):
        number(entry)
    steps = run["local_step_size"]
    for entry in items(steps, "local_step_size", rounds) if isinstance(steps, list) else [steps]:
        real(entry)
    number(run["server_step_size"])
    _settings(run["settings"], clients)
    if "participation" in run:
        _law(run["participation"], clients)
        late = any(s != t for t, row in enumerate(trace["started_from"]) for s in row)
        need(not late, "random participation with delays")
    need(number(run.get("relative_noise", "0")) >= 0, "relative_noise is negative")
    for entry in items(run["averaging"], "averaging", rounds) if "averaging" in run else ():
        real(entry)
    need(isinstance(run["parameters"], dict), "parameters are no object")
    for entry in run["parameters"].values():
        number(entry)


def real(entry):
    """Refuse what is no fraction and no number with roots."""
    return parsed(entry) if isinstance(entry, str) and "sqrt" in entry else number(entry)


def _law(law, clients):
    """Check a law of participation."""
    fields(law, "participation", ("kind",), LAW)
    need(law["kind"] in LAWS, "participation of an unknown kind")
    chances = ("probabilities", "stays")[: {"bernoulli": 1, "markov": 2}.get(law["kind"], 0)]
    for name in ("probabilities", "stays"):
        told = items(law.get(name, []), name, clients if name in chances else None)
        need(all(0 <= number(p) <= 1 for p in told), f"{name} that are no chances")
    drawn, groups = law.get("clients_per_round", 0), law.get("groups", 1)
    index(drawn, clients + 1, "clients_per_round")
    index(groups, clients + 1, "groups")
    need(groups > 0 and clients % groups == 0, "groups that do not divide the clients")
    if law["kind"] == "markov":
        pairs = zip(law["probabilities"], law["stays"], strict=True)
        need(all(number(p) or number(q) != 1 for p, q in pairs), "a client that never moves")
    need(bool(chances) or 1 <= drawn <= clients // groups, "clients_per_round do not fit")


def _problem(problem, clients):
    """Check a problem; the number of its coordinates."""
    need(isinstance(problem, dict), "the problem is no object")
    kind = problem.get("kind")
    need(isinstance(kind, str) and kind in TABLES, f"no standalone replay for problem {kind!r}")
    pieces = kind == "piecewise-quadratic"
    needed = ("kind", "importance", *TABLES[kind], *NUMBERS[kind], *("knots",) * pieces)
    fields(problem, "the problem", needed, ("noise_squared",))
    sizes = set()
    if pieces:
        knots = [number(x) for x in items(problem["knots"], "knots")]
        need(1 < len(knots) <= 100 and knots == sorted(set(knots)), "knots that do not grow")
    for name in TABLES[kind]:
        for row in items(problem[name], name, clients):
            count = len(items(row, f"a row of {name}"))
            fits = count == (2 if name == "ends" else len(knots)) if pieces else True
            need(fits, f"a row of {name} is too long or too short")
            sizes.add(1 if pieces else count)
            for entry in row:
                number(entry)
    need(len(sizes) == 1 and 0 < min(sizes) <= 20, "clients have different coordinates")
    shares = [number(x) for x in items(problem["importance"], "importance", clients)]
    need(min(shares) >= 0 and sum(shares) == 1, "importance does not sum to 1")
    need(number(problem.get("noise_squared", "0")) >= 0, "noise_squared is negative")
    need(kind != "clipped" or number(problem["bound"]) > 0, "bound is not positive")
    need(
        kind != "clipped" or all(number(h) for row in problem["curvatures"] for h in row),
        "a curvature is 0",
    )
    return sizes.pop()


def _settings(settings, clients):
    fields(settings, "settings", (), SETTINGS)
    for name, value in settings.items():
        single = name in ("proximal_strength", "full_local_steps")
        if value is None or (isinstance(value, list) and not value and not single):
            continue
        entries = [value] if single else items(value, name, clients)
        need(all(number(entry) >= 0 for entry in entries), f"{name} is negative")
