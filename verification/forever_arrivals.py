"""Late updates, and methods that average what arrives: arrivals with delays, and two groups that
deliver by turns, with the standard library only.

An arrival of delay d adds -h (grad f(x_{t-d}) + b + w) to the model in the mean over the arrivals
of a round; b is the deviation of its client's gradient and w the mean noise of the round. With one
local step a group of clients is its mean loss; the slopes of groups A and B at x* are b and -b.
"""

from fractions import Fraction as F

from forever_memory import MEMORY
from forever_parts import add, bound_of, edge, line, pairs
from strict_json import NotCheckable, fields, index, need  # type: ignore[import-not-found]

AVERAGING = ("fedavg", "fedsgd", "afa-cd")
"""Methods whose server adds the mean of the deliveries of a round; with one local step alike."""


def arrivals(model, data, h):
    """V = f(x_t) + a form in the last differences d_j; the newest model is the origin."""
    language = fields(data["language"], "the language", ("kind", "bound"))
    bound = index(language["bound"], 31, "delay")
    if data["method"] not in AVERAGING:
        raise NotCheckable("the method does not average the deliveries of a round")
    xs, gs = [f"x{j}" for j in range(1, bound + 1)], [f"g{j}" for j in range(bound + 1)]
    one: dict = {(): F(1)}

    def point(j):
        return line(n=1) if j < 0 else line(**{f"x{j}": 1}) if j else {}

    def at(shift, value):
        vectors = {}
        for j in range(1, bound + 1):
            vectors[f"d{j}"] = add((1, point(j - 1 - shift)), (-1, point(j - shift)))
        return "all", vectors, {"f": value}

    known: list = [(f"f{j}", point(j), line(**{f"g{j}": 1})) for j in range(bound + 1)]
    model["states"]["all"] = (pairs([f"d{j}" for j in range(1, bound + 1)]), {"f": one})
    model["common"] = {"n", "gn", "w", *xs, *gs}
    model["uncorrelated"] = {("w", past) for past in (*xs, *gs, "b")}
    basis = " ".join(["n gn w b", *xs, *gs])
    for d in range(bound + 1):
        step = {"update": add((1, line(n=1)), (h, line(**{f"g{d}": 1})), (h, line(b=1, w=1)))}
        functions = [[("fn", line(n=1), line(gn=1)), *known]]
        model["edges"].append(edge(f"delay {d}", basis, at(0, "f0"), at(1, "fn"), functions, step))
    least = [("g0", "g0", {(): F(-1, 2)})]
    model["bounds"].append(bound_of("all", basis, at(0, "f0"), least, [known], 1, {"f0": one}))
    model["constants"] = ["gains g0", "budgets w", "budgets b"]
    return model


def late(model, data, h):
    """V >= |x - x*|^2 in the last models, if rich also in the gradients there: of the client's
    tilted loss for methods with memory, which use an update of any age; else of the mean loss."""
    language = fields(data["language"], "the language", ("kind", "bound"))
    bound = index(language["bound"], 31, "delay")
    remembered, rich = data["method"] in MEMORY, data["rich"]
    if not remembered and data["method"] not in AVERAGING:
        raise NotCheckable("the method averages neither arrivals nor the latest updates")
    xs, gs = ["x", *(f"x{j}" for j in range(1, bound + 1))], [f"g{j}" for j in range(bound + 1)]
    names, extra, ahead = xs + gs * rich, [] if remembered else ["w", "b"], ["gn"] * rich
    ages = [str(d) for d in range(bound + 1)] if rich and remembered and bound <= 2 else ["all"]
    model["states"] |= dict.fromkeys(ages, (pairs(names), {}))
    model["common"] = {"n", *xs} | (set() if remembered else {*ahead, "w", *gs})
    if not remembered:
        model["uncorrelated"] = {("w", past) for past in (*xs, *gs, "b")}
        model["constants"] = ["budgets w", "budgets b"]
    model["constants"] = [*model["constants"], "constant x x"]

    def at(state, newest, slope, models, slopes):
        moved = {"x": line(**{newest: 1}), "g0": line(**{slope: 1})}
        moved |= {name: line(**{old: 1}) for name, old in zip(xs[1:], models, strict=True)}
        moved |= {name: line(**{old: 1}) for name, old in zip(gs[1:], slopes, strict=True)}
        return state, moved, {}

    def here(state):
        return at(state, "x", "g0", xs[1:], gs[1:])

    known: list = [(f"f{j}", line(**{x: 1}), line(**{gs[j]: 1})) for j, x in enumerate(xs)]
    known += [(None, {}, {})]
    basis = " ".join(["n", *ahead, *extra, *xs, *gs])
    for d in range(bound + 1):
        noise = line(**dict.fromkeys(extra, 1))
        step = {"update": add((1, line(n=1, x=-1)), (h, line(**{gs[d]: 1})), (h, noise))}
        functions = [[*[("fn", line(n=1), line(gn=1)) for _ in ahead], *known]]
        for age in ages:
            name = f"delay {d}" if age == "all" else f"delay {d}, then {age}"
            before = here(age if age == "all" else str(d))
            after = at(age, "n", "gn", xs[:-1], gs[:-1])
            model["edges"].append(edge(name, basis, before, after, functions, step))
    begin, form = at(ages[0], "x", "g0", ["x"] * bound, ["g0"] * bound), [("x", "x", "constant")]
    first = [[known[0], known[-1]]] if rich else []
    model["bounds"].append(bound_of("start", "x g0", begin, form, first, -1))
    least = [("x", "x", {(): F(1)})]
    for age in ages:
        model["bounds"].append(bound_of(age, " ".join(xs + gs), here(age), least, [known]))
    return model


def turns(model, data, h):
    """V in x, b, the gradient u that is used next and w that was used last."""
    word = fields(data["language"], "the language", ("kind", "groups"))["groups"]
    need(isinstance(word, str) and set(word) == {"A", "B"} and len(word) <= 50, "no turns")
    if data["method"] not in AVERAGING:
        raise NotCheckable("the method does not average the deliveries of a round")
    names, size, here = ["x", "b", "u", "w"], len(word), line(x=1)

    def step(place, gradient):
        sign = 1 if word[place % size] == "A" else -1
        return add((-h, line(**{gradient: 1})), (-h * sign, line(b=1)))

    def requests(place, ahead, behind):
        found: dict = {"A": [(None, {}, {})], "B": [(None, {}, {})]}
        if behind:
            past = add((1, here), (-1, step(place - 1, "w")))
            found[word[place - 1]].append(("fw", past, line(w=1)))
        found[word[place]].append(("fu", here, line(u=1)))
        if ahead:
            later = add((1, here), (1, step(place, "u")))
            found[word[(place + 1) % size]].append(("fn", later, line(n=1)))
        return [found["A"], found["B"]]

    def at(state, x, u, w):
        vectors = {"x": x, "b": line(b=1), "u": line(**{u: 1}), "w": line(**{w: 1})}
        return state, vectors, {"u": f"f{u}", "w": f"f{w}"}

    for place in range(size):
        model["states"][str(place)] = (pairs(names), {"u": None, "w": None})
    model["states"]["start"] = ([p for p in pairs(names) if "w" not in p[:2]], {"u": None})
    for place in range(size):
        after = at(str((place + 1) % size), add((1, here), (1, step(place, "u"))), "n", "u")
        for first in (True, False) if place == 0 else (False,):
            name, before = f"place {place}", at(str(place), here, "u", "w")
            if first:
                name, before = "start", at("start", here, "u", "w")
            functions = requests(place, True, not first)
            model["edges"].append(edge(name, "x b u w n", before, after, functions, {}))
    form: list = [("x", "x", "constant"), ("b", "b", "constant")]
    begin, first = at("start", here, "u", "w"), requests(0, False, False)
    model["bounds"].append(bound_of("start", "x b u", begin, form, first, -1))
    form = [("x", "x", {(): F(1)}), ("b", "b", "slack")]
    known = requests(0, False, True)
    model["bounds"].append(bound_of("0", "x b u w", at("0", here, "u", "w"), form, known))
    model["constants"] = ["constant x x", "constant b b", "slack b b"]
    return model
