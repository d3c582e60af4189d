"""What a worst-case certificate is about: its method, run again over the rows of the file, with the
standard library only.

`statement` derives the sentence that is printed as proved: the gradients of the file must be free
unknown vectors, and the method of the case, run on them, must visit the points of the file and no
others. What the file says of itself is never used.
"""

import sys
from fractions import Fraction as F
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from certificate_grammar import (  # type: ignore[import-not-found]
    CONDITIONS,
    LATER,
    TEXTS,
    conditions,
)
from replay_runs import ALGORITHMS, run
from strict_json import (  # type: ignore[import-not-found]
    NotCheckable,
    fields,
    index,
    items,
    need,
    number,
)

NEEDED = {
    "weights": ("async", "sync", "fedfix", "fedbuff"),
    "probabilities": ("importance-sampling",),
    "full_local_steps": ("partial-work",),
    "proximal_strength": ("fedprox",),
}
"""Settings, and the ends of the names of the methods that need them."""
IN_CASE = [
    "algorithm",
    "settings",
    "trace",
    "local_step_size",
    "server_step_size",
    "importance",
    "by_class",
    "smoothness",
    "strong_convexity",
    "convex",
    "conditions",
    "metric",
    "weights",
]


def statement(data):
    """The sentence that the rows and the case of a checked certificate give."""
    high, low = number(data["smoothness"]), number(data["lowest_curvature"])
    kind = "convex" if low >= 0 else "smooth"
    known = [
        f"{CONDITIONS[name]} <= {number(text)}"
        for name, text in sorted(data["conditions"].items())
        if text is not None
    ]
    about = f"{kind} functions with curvature in [{low}, {high}]; {', '.join(known)}"
    if "case" not in data:
        raise NotCheckable("the file names no method, so nothing says what its points are")
    return f"{TEXTS[data['metric']]}, {_derived(data, data['case'])}; {about}"


def _derived(data, case):
    """The method of the case in words, if the rows of the file are those of its run."""
    fields(case, "the case", IN_CASE, ("virtual",))
    trace = fields(case["trace"], "the trace", ("delivers", "started_from", "local_steps"))
    need(type(case.get("virtual", False)) is bool, "virtual is no truth")
    if case["algorithm"] not in ALGORITHMS or case.get("virtual"):
        raise NotCheckable("the method or the virtual models of the case are not known here")
    plan, clients = items(trace["delivers"], "the trace"), len(trace["delivers"][0])
    for name in ("delivers", "started_from", "local_steps"):
        items(trace[name], name, len(plan))
        need(all(len(line) == clients > 0 for line in trace[name]), f"{name} is no table")
    for t, line in enumerate(plan):
        need(isinstance(line, str) and set(line) <= {"0", "1"}, "delivers holds other signs")
        for i in range(clients):
            index(trace["started_from"][t][i], t + 1, "started_from")
            index(trace["local_steps"][t][i], 10_000, "local_steps")
    _same_question(data, case)
    _settings(case)
    groups = _groups(case, clients)
    _free_gradients(data, groups)
    importance = ["1"] * clients
    if case["importance"] is not None:
        importance = items(case["importance"], "importance", clients)
    shares = [sum(number(importance[i]) for i in group) for group in groups]
    total = sum(shares)
    need(
        [number(c["share"]) for c in data["classes"]] == [s / total for s in shares],
        "the shares are not those of the case",
    )
    _same_points(data, case, groups)
    sizes = case["local_step_size"]
    return (
        f"{case['algorithm']}, {len(plan)} round{'s' * (len(plan) > 1)},"
        f" {clients} client{'s' * (clients > 1)}, local step size"
        f"{f's {sizes[0]}, ...' if isinstance(sizes, list) else f' {sizes}'}, server step size"
        f" {case['server_step_size']}, with the trace, settings and weights of the file"
    )


def _settings(case):
    """A method has the settings that it needs and no others."""
    name, given = (
        case["algorithm"],
        fields(case["settings"], "settings", (), [*NEEDED, "importance"]),
    )
    told = {key for key, value in given.items() if value is not None} - {"importance"}
    needs = {key for key, which in NEEDED.items() if name.endswith(which)}
    need(told == needs, f"the settings are not those of {name}")


def _same_question(data, case):
    need(type(case["convex"]) is bool and type(case["by_class"]) is bool, "convex is no truth")
    low = number(case["strong_convexity"]) if case["convex"] else -number(case["smoothness"])
    known = dict(case["conditions"])
    if known.pop("gradient_noise_squared", None):
        raise NotCheckable("the case has noise")
    conditions(known)
    if known["heterogeneity"] is not None and number(known["heterogeneity"]) == 0:
        known["heterogeneity"] = None
    need(
        known == data["conditions"]
        and case["metric"] == data["metric"]
        and number(case["smoothness"]) == number(data["smoothness"])
        and low == number(data["lowest_curvature"])
        and case["convex"] == data["has_optimum"],
        "the class, the conditions or the metric are not those of the case",
    )


def _groups(case, clients):
    """Clients with the same trace, settings and importance, in the order of their first member."""
    tables = [list(zip(*case["trace"][name], strict=True)) for name in case["trace"]]
    lists = [*case["settings"].values(), case["importance"]]
    for given in lists:
        need(
            not (isinstance(given, list) and given and isinstance(given[0], list)),
            "a setting is a table",
        )
    tables += [given for given in lists if isinstance(given, list) and len(given) == clients]
    found: dict = {}
    for i in range(clients):
        alike = tuple(str(table[i]) for table in tables) if case["by_class"] else i
        found.setdefault(alike, []).append(i)
    return list(found.values())


def _free_gradients(data, groups):
    """Every gradient is an unknown vector of its own: the mean of its class, and the deviation of a
    member in a class of several."""
    need(len(groups) == len(data["classes"]), "the classes are not those of the case")
    blocks, free = iter(range(1, len(groups) + 1)), []
    common = data["has_optimum"] and not any(c["records"][0]["gradient"] for c in data["classes"])
    alone = sum(map(len, groups)) == 1  # the optimum of a single client has gradient 0
    need(
        not common or alone or number(data["case"]["conditions"]["heterogeneity"] or "1") == 0,
        "all gradients are 0 at the optimum",
    )
    for c, (one, group) in enumerate(zip(data["classes"], groups, strict=True)):
        own = next(blocks) if len(group) > 1 else 0
        need(one["block"] == own, "the blocks are not those of the case")
        for r, record in enumerate(one["records"]):
            found, owners = record["gradient"], [0] + [own] * bool(own)
            if r == 0 and data["has_optimum"]:
                if common:
                    continue
                if c == len(groups) - 1:  # given by the others, which an optimum makes sure of
                    owners, found = (
                        owners[1:],
                        {k: x for k, x in found.items() if data["owners"][int(k)]},
                    )
            need(
                sorted(data["owners"][int(k)] for k in found) == owners
                and all(number(x) == 1 for x in found.values()),
                "a gradient is not an unknown vector of its own",
            )
            free += found
    first = data["first_model"]
    need(len(first) == data["has_optimum"], "the first model is no unknown vector")
    need(all(number(x) == 1 for x in first.values()), "the first model is no unknown vector")
    free += first
    need(sorted(map(int, free)) == [*range(len(data["owners"]))], "an unknown vector is used twice")


def _same_points(data, case, groups):
    """Run the method over the rows: gradients are those of the records at the points it visits."""
    size, owners = len(data["owners"]), data["owners"]
    of = {i: c for c, group in enumerate(groups) for i in group}

    def dense(entries):
        return tuple(number(entries.get(str(k), "0")) for k in range(size))

    records = [
        {dense(r["point"]): (n, dense(r["gradient"])) for n, r in enumerate(c["records"])}
        for c in data["classes"]
    ]
    need(
        all(
            len(found) == len(c["records"])
            for found, c in zip(records, data["classes"], strict=True)
        ),
        "a point occurs twice in a class",
    )
    visited: set = {(c, 0) for c in range(len(groups)) if data["has_optimum"]}

    def gradient(i, point):
        need(tuple(point) in records[of[i]], "the run visits a point that is not in the file")
        n, found = records[of[i]][tuple(point)]
        visited.add((of[i], n))
        return list(found)

    start = [str(x) for x in dense(data["first_model"])]
    means = [k for k, owner in enumerate(owners) if owner == 0]
    models = run({**case, "start": start}, gradient=gradient, means=means)
    wanted = _wanted(case, len(models))
    rows = [
        tuple(sum(w * m[k] for w, m in zip(line, models, strict=True)) for k in range(size))
        for line in wanted
    ]
    places = [[records[c].get(point, (None,))[0] for c in range(len(groups))] for point in rows]
    need(
        places == data["points"] and [number(w) for w in data["weights"]] == [*wanted.values()],
        "the points are not those of the metric",
    )
    gap = data["conditions"]["loss_gap"] is not None
    unit = tuple(F(s == 0) for s in range(len(models)))
    need(data["start"] == ([*wanted].index(unit) if gap else None), "start is another point")
    visited |= {(c, r) for point in places for c, r in enumerate(point)}
    need(len(visited) == sum(map(len, records)), "a record is at a point of no use")


def _wanted(case, count):
    """Weights over the models of each point of the metric or a condition, with its own weight."""
    loss = case["metric"] in ("LOSS", "MEAN_LOSS")
    given = case["weights"]
    weights = (
        [F(t == count - 1) if loss else F(t < count - 1) for t in range(count)]
        if given is None
        else [number(w) for w in items(given, "weights of the case", count)]
    )
    need(min(weights) >= 0 < sum(weights), "the weights of the case are no weights")
    weights = [w / sum(weights) for w in weights]
    units = [tuple(F(s == t) for s in range(count)) for t in range(count)]
    found = (
        {tuple(weights): F(1)}
        if case["metric"] == "LOSS"
        else {units[t]: w for t, w in enumerate(weights) if w}
    )
    if case["conditions"]["loss_gap"] is not None:
        found.setdefault(units[0], F(0))
    if any(case["conditions"].get(name) is not None for name in LATER):
        for t in range(count - 1):
            found.setdefault(units[t], F(0))
    return found
