"""Methods with memory: the generic client of languages of availability, with the standard library
only.

A client with memory adds -h u to the model in every round, u = the sum of the gradients of its last
local work, divided by the number of local steps for some methods. Its function is tilted by b, its
gradient at the optimum, so that gradients q vanish there; b has mean zero over the clients.
"""

from fractions import Fraction as F

from forever_parts import add, bound_of, edge, line, pairs
from strict_json import NotCheckable, fields, index, need, number  # type: ignore[import-not-found]

MEMORY = {"mifa": False, "mifa-difference": False, "fedlaavg": False, "afa-cs": True}
"""Methods that keep every client's latest update; whether it is divided by the local steps."""
ARRIVALS = {"fedavg": False, "afa-cd": True, "fedsgd": False}
"""Methods that average what is delivered; without silent clients that is the mean over all."""
ONE_STEP = ("scaffold", "afa-cd-scaffold", "afa-cs-scaffold", "sequential-sgd")
"""Methods that do the same with one local step, where their corrections add up to zero."""
ARRIVALS |= dict.fromkeys(ONE_STEP, False)


def staleness(tau):
    """(state, fresh, [(chance, state, fresh)], phase): the age grows, or the client delivers."""
    ages = [(a, b) for a in range(tau + 1) for b in sorted({0, a + 1}) if b <= tau]
    return [(str(a), not a, [(F(1), str(b), not b)], "") for a, b in ages]


def windows(size):
    """Once in each window: states are phase and age; the first round ends a window."""
    found, todo = [], [(size - 1, 0)]
    for phase, age in todo:
        after = (phase + 1) % size
        heard = after > 0 and age < after
        deliver, wait = not heard, heard or after + 1 < size
        for new in [(after, 0)] * deliver + [(after, age + 1)] * wait:
            todo += [new] * (new not in todo)
            place = [(F(1), f"{after}.{new[1]}", new[1] == 0)]
            found.append((f"{phase}.{age}", age == 0, place, str(phase)))
    return found


def periodic(word):
    """Everybody first, then each client from any place of the pattern on."""
    places = [[(F(1), str(k), c == "1")] for k, c in enumerate(word)]
    found = [("first", True, place, "") for place in places]
    for k, c in enumerate(word):
        found.append((str(k), c == "1", places[(k + 1) % len(word)], ""))
    return found


def bernoulli(chance):
    after = [(chance, "0", True), (1 - chance, "silent", False)]
    return [("0", True, after, ""), ("silent", False, after, "")]


def moves(data):
    """The moves for a method with memory."""
    found, cold = walk_of(data)
    if data["method"] not in MEMORY and any(not fresh for _, fresh, *_ in found):
        raise NotCheckable("the method has no memory of silent clients")
    return found, cold


def walk_of(data):
    """The moves of the language of a file, and the bound of a cold start, 0 if it is warm."""
    language = data["language"]
    if language["kind"] == "staleness":
        fields(language, "the language", ("kind", "bound", "cold"))
        tau = index(language["bound"], 201, "staleness")
        need(type(language["cold"]) is bool and not (language["cold"] and not tau), "cold")
        found, cold = staleness(tau), tau if language["cold"] else 0
    elif language["kind"] == "windows":
        fields(language, "the language", ("kind", "length"))
        size = index(language["length"], 21, "window")
        need(size > 0, "a window has no rounds")
        found, cold = windows(size), 0
    elif language["kind"] == "periodic":
        word = fields(language, "the language", ("kind", "pattern"))["pattern"]
        need(isinstance(word, str) and set(word) == {"0", "1"} and len(word) <= 50, "a pattern")
        found, cold = periodic(word), 0
    else:
        chance = number(fields(language, "the language", ("kind", "chance"))["chance"])
        need(0 < chance < 1, "the chance is not between 0 and 1")
        found, cold = bernoulli(chance), 0
    return found, cold


def memory(model, data, h, steps):
    """V_state >= |x - x*|^2 - slack |b|^2 for methods with memory."""
    walk, cold = moves(data)
    fixed = data["language"]["kind"] == "staleness" and not data["rich"]
    divided = {**MEMORY, **ARRIVALS}[data["method"]]
    rich, tilted, share = data["rich"], steps > 1, F(1, steps if divided else 1)
    need(not (rich and tilted), "rich is for one local step")
    names = [f"q{k}" for k in range(steps)]
    slope = line(b=1) if tilted else {}  # with one local step b is left out: its mean is zero
    free, one = ["x", "s", "u", *(["b"] if tilted else [])], {(): F(1)}
    tail = " ".join([*names, *(["b"] if tilted else [])])
    update = add((share, line(**dict.fromkeys(names, 1))), (share * steps, slope))
    heights = {"f": None} if rich else {}

    def path(s):
        at, found = line(**{s: 1}), []
        for k, q in enumerate(names):
            found.append((f"f{k}", at, line(**{q: 1})))
            at = add((1, at), (-h, line(**{q: 1})), (-h, slope))
        return [*found, (None, {}, {})]

    def at(state, fresh, x, s):
        ahead = fresh and x == "n"
        u = line(gn=1) if ahead else update
        vectors = {"x": line(**{x: 1}), "s": line(**{s: 1}), "u": u, "b": slope}
        return state, vectors, {"f": "fn" if ahead else "f0"}

    model["common"] = {"n", "x"}
    known = {state: fresh for state, fresh, *_ in walk}
    for state, fresh in known.items():
        form = pairs(["x", "u"] if rich else ["x"]) if fresh else pairs(free)
        model["states"][state] = ([("x", "x", one)] if fresh and fixed else form, heights)
    for state, fresh, after, phase in walk:
        s, mark = "x" if fresh else "s", f" in phase {phase}" if phase else ""
        ahead = [("fn", line(n=1), line(gn=1))] if rich and any(new for *_, new in after) else []
        relations = {f"update{mark}": add((1, line(n=1, x=-1)), (h, update))}
        relations |= {f"slopes{mark}": slope} if tilted else {}
        places = [(chance, at(name, new, "n", s)) for chance, name, new in after]
        name, basis = f"{state} -> {after[0][1]}", f"n x s gn {tail}"
        before, functions = at(state, fresh, "x", s), [[*path(s), *ahead]]
        model["edges"].append(edge(name, basis, before, places, functions, relations))
    least = [("x", "x", one), *([("b", "b", "slack")] if tilted else [])]
    if not fixed:
        here, form = at(walk[0][0], True, "x", "x"), [("x", "x", "constant")]
        model["bounds"].append(bound_of("start", f"x {tail}", here, form, [path("x")], -1))
    for state, fresh in known.items():
        s = "x" if fresh else "s"
        here, functions = at(state, fresh, "x", s), [] if fresh and not rich else [path(s)]
        model["bounds"].append(bound_of(state, f"x s {tail}", here, least, functions))
    if cold:
        relations = {"update": line(n=1, x=-1) if tilted else line(n=1, x=-1, b=-h * share)}
        relations |= {"slopes": slope} if tilted else {}
        silent(model, cold, relations, at("0", True, "n", "x"), rich)
    model["constants"] = [f"{kind} {v} {v}" for kind in ("slack", "constant") for v in "xb"]
    model["constants"] += ["budgets b"] if tilted else []
    return model


def silent(model, tau, relations, heard, rich):
    """Clients that have not delivered yet add nothing to the model; then they are heard."""
    ahead = [[("fn", line(n=1), line(gn=1)), (None, {}, {})]] if rich else []
    for c in range(tau):
        model["states"][f"cold {c}"] = (pairs(["x", "b"]), {})
        old, new = ({"x": line(**{x: 1}), "b": line(b=1)} for x in "xn")
        here: tuple = (f"cold {c}", old, {})
        model["edges"].append(edge(f"cold {c} -> 0", "n x b gn", here, heard, ahead, relations))
        if c + 1 < tau:
            later: tuple = (f"cold {c + 1}", new, {})
            name = f"cold {c} -> cold {c + 1}"
            model["edges"].append(edge(name, "n x b", here, later, [], relations))
        least = [("x", "x", {(): F(1)})]
        model["bounds"].append(bound_of(f"cold {c}", "x b", here, least))
    form = [("x", "x", "constant"), ("b", "b", "constant")]
    here = ("cold 0", {"x": line(x=1), "b": line(b=1)}, {})
    model["bounds"].append(bound_of("cold start", "x b", here, form, [], -1))


def memory_gradient(model, data, h):
    """V_state >= f - |grad f|^2/2 in the mean; every round gains a multiple of |grad f(x)|^2. The
    newest model is the origin; v = grad f(x) is common."""
    walk, cold = moves(data)
    need(data["language"]["kind"] == "staleness" and not cold, "no such potential")
    tau = data["language"]["bound"]
    one: dict = {(): F(1)}
    mean = {"mean": line(v=1, t=-1)}
    forms = [("d", "d", None), ("d", "u", None), ("u", "u", None), ("d", "g", None)]
    model["common"], model["bound_common"], model["constants"] = {"n", "v"}, {"v"}, ["gains v"]
    for a in range(tau + 1):
        heights: dict = {"t": None, "s": None} if a else {"t": one}
        model["states"][str(a)] = (forms if a else [], heights)
    own: dict = {"d": line(s=-1), "u": line(t=1, g=-1), "g": line(g=1)}

    def here(a):
        return str(a), own, {"t": "ft", "s": "fs"}

    def known(a):
        return [("ft", {}, line(t=1)), *([("fs", line(s=1), line(g=1))] if a else [])]

    for a, b in [(int(move[0]), int(move[2][0][1])) for move in walk]:
        old, past = "g" if a else "t", line(s=1) if a else {}
        vectors = {
            "d": add((1, line(n=1)), (-1, past)),
            "u": line(gn=1, **{old: -1}),
            "g": line(**{old: 1}),
        }
        after: tuple = (str(b), vectors, {"t": "fn", "s": "fs" if a else "ft"})
        relations = {"update": line(n=1, **{old: h}), **mean}
        functions = [[("fn", line(n=1), line(gn=1)), *known(a)]]
        model["edges"].append(
            edge(f"{a} -> {b}", "n v t gn s g", here(a), after, functions, relations)
        )
    for a in range(tau + 1):
        form = [("v", "v", {(): F(-1, 2)})]
        functions = [known(a)] if a else []
        model["bounds"].append(
            bound_of(str(a), "v t s g", here(a), form, functions, 1, {"ft": one}, mean)
        )
    return model
