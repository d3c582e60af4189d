"""Methods without memory that add deliveries with the weights 1/(N q), where q is the share of the
rounds in which a client delivers, with the standard library only.

A delivery adds -(h/q) times the sum of the client's local gradients; a silent client adds nothing.
A client of a clocked method works on the model s that it received after its last delivery. Under
windows and patterns all know what the slopes b moved the model since the period began:
c = mean of (h K/q) (deliveries in this period - q * its rounds) b; e is the same a round later.
"""

from fractions import Fraction as F

from forever_memory import walk_of
from forever_parts import add, bound_of, edge, line, pairs
from strict_json import NotCheckable, need, number  # type: ignore[import-not-found]

CLOCKED = {"importance-sampling": False, "sync": True, "async": True, "fedfix": True}
CLOCKED["fedbuff"] = True


def share_of(language):
    """The part of the rounds in which a client delivers."""
    if language["kind"] == "bernoulli":
        return number(language["chance"])
    if language["kind"] == "windows":
        return F(1, language["length"])
    if language["kind"] == "periodic":
        return F(language["pattern"].count("1"), len(language["pattern"]))
    raise NotCheckable("clients have no known share of the rounds")


def ahead(language, states):
    """Deliveries before a round since its period began, less a number that all clients share."""
    if language["kind"] == "bernoulli":
        return {}
    if language["kind"] == "windows":
        ages = {state: [int(part) for part in state.split(".")] for state in states}
        return {state: F(0 < age <= phase) for state, (phase, age) in ages.items()}
    word = language["pattern"]
    found = {"first": F(0)}
    for k in range(len(word)):
        found[str(k)] = word[:k].count("1") - k * share_of(language)
    return found


def weighted(model, data, h, steps):
    """V in x, b, under windows and patterns c, and for a clocked method s; V >= |x - x*|^2 -
    slack |b|^2."""
    walk, cold = walk_of(data)
    need(not cold and not data["rich"], "a cold start or a rich potential")
    late, weight = CLOCKED[data["method"]], 1 / share_of(data["language"])
    known = dict.fromkeys(state for state, *_ in walk)
    lead, names = ahead(data["language"], known), [f"q{k}" for k in range(steps)]
    free = ["x", *(["s"] if late else []), "b", *(["c"] if lead else [])]
    slope, at, path = line(b=1), line(**{"s" if late else "x": 1}), []
    for k, q in enumerate(names):
        path.append((f"f{k}", at, line(**{q: 1})))
        at = add((1, at), (-h, line(**{q: 1})), (-h, slope))
    update = add((weight, line(**dict.fromkeys(names, 1))), (steps * weight, slope))

    def place(state, x, s, c="c"):
        vectors = {"x": line(**{x: 1}), "s": line(**{s: 1}), "b": slope}
        return state, vectors | ({"c": line(**{c: 1}) if c else {}} if lead else {}), {}

    def drift(state, c):
        return line(b=h * steps * weight * lead[state], **{c: -1})

    model["common"] = {"n", "x", "c", "e"} if lead else {"n", "x"}
    model["bound_common"] = {"x", "c"} if lead else {"x"}
    for state in known:
        model["states"][state] = (pairs(free), {})
    for state, fresh, after, phase in walk:
        mark, moved = f" in phase {phase}" if phase else "", line(n=1, x=-1)
        relations = {f"update{mark}": add((1, moved), (h, update)) if fresh else moved}
        relations[f"slopes{mark}"] = slope
        if lead:
            relations[f"drift{mark}"] = drift(state, "c")
            relations[f"later drift{mark}"] = drift(after[0][1], "e")
        new = "n" if fresh else "s"
        places = [(chance, place(name, "n", new, "e")) for chance, name, _ in after]
        functions = [[*path, (None, {}, {})]] if fresh else []
        name, basis = f"{state} -> {after[0][1]}", " ".join(["n x s b c e", *names])
        before = place(state, "x", "s")
        model["edges"].append(edge(name, basis, before, places, functions, relations))
    begin = place(walk[0][0], "x", "x", "")  # the first round ends a period
    form: list = [("x", "x", "constant"), ("b", "b", "constant")]
    model["bounds"].append(bound_of("start", "x b", begin, form, [], -1))
    form = [("x", "x", {(): F(1)}), ("b", "b", "slack")]
    for state in known:
        here, means = place(state, "x", "s"), {"drift": drift(state, "c")} if lead else {}
        model["bounds"].append(bound_of(state, "x s b c", here, form, relations=means))
    model["constants"] = ["budgets b", "slack b b", "constant x x", "constant b b"]
    return model
