"""Methods without memory that add deliveries with the weights 1/(N q), where q is the share of the
rounds in which a client delivers, with the standard library only.

A delivery adds -(h/q) times the sum of the client's local gradients; a silent client adds nothing.
A client of a clocked method works on the model s that it received after its last delivery.
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


def weighted(model, data, h, steps):
    """V in x, b and, for a clocked method, s; V >= |x - x*|^2 - slack |b|^2."""
    walk, cold = walk_of(data)
    need(not cold and not data["rich"], "a cold start or a rich potential")
    late, weight = CLOCKED[data["method"]], 1 / share_of(data["language"])
    names, free = [f"q{k}" for k in range(steps)], ["x", "s", "b"] if late else ["x", "b"]
    slope, at, path = line(b=1), line(**{"s" if late else "x": 1}), []
    for k, q in enumerate(names):
        path.append((f"f{k}", at, line(**{q: 1})))
        at = add((1, at), (-h, line(**{q: 1})), (-h, slope))
    update = add((weight, line(**dict.fromkeys(names, 1))), (steps * weight, slope))

    def place(state, x, s):
        return state, {"x": line(**{x: 1}), "s": line(**{s: 1}), "b": slope}, {}

    model["common"] = {"n", "x"}
    known = dict.fromkeys(state for state, *_ in walk)
    for state in known:
        model["states"][state] = (pairs(free), {})
    for state, fresh, after, phase in walk:
        mark, moved = f" in phase {phase}" if phase else "", line(n=1, x=-1)
        relations = {f"update{mark}": add((1, moved), (h, update)) if fresh else moved}
        relations[f"slopes{mark}"] = slope
        places = [(chance, place(name, "n", "n" if fresh else "s")) for chance, name, _ in after]
        functions = [[*path, (None, {}, {})]] if fresh else []
        name, basis = f"{state} -> {after[0][1]}", " ".join(["n x s b", *names])
        before = place(state, "x", "s")
        model["edges"].append(edge(name, basis, before, places, functions, relations))
    form: list = [("x", "x", "constant"), ("b", "b", "constant")]
    model["bounds"].append(bound_of("start", "x b", place(walk[0][0], "x", "x"), form, [], -1))
    form = [("x", "x", {(): F(1)}), ("b", "b", "slack")]
    for state in known:
        model["bounds"].append(bound_of(state, "x s b", place(state, "x", "s"), form))
    model["constants"] = ["budgets b", "slack b b", "constant x x", "constant b b"]
    return model
