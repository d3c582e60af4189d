"""Methods with memory under windows and patterns, with a potential in the last models, the client's
gradients there and their means, with the standard library only.

x, x1, x2: the last models, newest first; g0, g1, g2: the gradients of the client's tilted loss
there, used or not; v0, v1, v2: the means of these over the clients; n, gn, vn: of the next round.
"""

from forever_memory import moves
from forever_parts import add, bound_of, edge, line, pairs

DEPTH, MOST_MOVES = 2, 12
LISTS = [("n", ["x", "x1", "x2"]), ("gn", ["g0", "g1", "g2"]), ("vn", ["v0", "v1", "v2"])]


def looks_back(data):
    """Whether the rich potential is this one: short silences, and few moves of a client."""
    language = data["language"]
    if language["kind"] not in ("windows", "periodic"):
        return False
    walk, _ = moves(data)
    if language["kind"] == "windows":
        longest = 2 * language["length"] - 2
    else:
        longest = max(map(len, (language["pattern"] * 2).split("1")))
    return longest <= DEPTH and len(walk) <= MOST_MOVES


def age(language, state):
    """How old the gradient is that a client adds in a state."""
    if language["kind"] == "windows":
        return int(state.split(".")[1])
    back, found = language["pattern"], 0
    while state != "first" and back[int(state) - found] == "0":
        found += 1
    return found


def history(model, data, step):
    """V_state >= |x - x*|^2; a client adds -step times an old gradient to the model."""
    language, names = data["language"], [name for _, listed in LISTS for name in listed]
    now, later, begin = {}, {}, {}
    for newest, listed in LISTS:
        for name, before in zip(listed, [newest, *listed], strict=False):
            now[name], later[name] = line(**{name: 1}), line(**{before: 1})
            begin[name] = line(**{listed[0]: 1})
    known: list = [(f"f{x}", now[x], now[g]) for x, g in zip(LISTS[0][1], LISTS[1][1], strict=True)]
    known += [(None, {}, {})]
    functions = [[("fn", line(n=1), line(gn=1)), *known]]
    means = {f"mean v{j}": line(**{f"v{j}": 1, f"g{j}": -1}) for j in range(DEPTH + 1)}
    walk, _ = moves(data)
    states = dict.fromkeys(state for state, *_ in walk)
    model["states"] = dict.fromkeys(states, (pairs(names), {}))
    model["bound_common"] = {name for name in names if name[0] in "xv"}
    model["common"] = {"n", "vn", *model["bound_common"]}
    model["constants"] = ["constant x x"]
    for state, _, ((_, after, _),), phase in walk:
        mark = f" in phase {phase}" if phase else ""
        used = line(**{f"g{age(language, state)}": 1})
        relations = {"update": add((1, line(n=1, x=-1)), (step, used)), **means}
        relations |= {"mean vn": line(vn=1, gn=-1)}
        relations = {f"{name}{mark}": row for name, row in relations.items()}
        basis, name = " ".join(["n gn vn", *names]), f"{state} -> {after}"
        here: tuple = (state, now, {})
        model["edges"].append(edge(name, basis, here, (after, later, {}), functions, relations))
    first: tuple = (walk[0][0], begin, {})
    form, requests = [("x", "x", "constant")], [[known[0], known[-1]]]
    model["bounds"].append(bound_of("start", "x g0 v0", first, form, requests, -1))
    least, basis = [("x", "x", {(): 1})], " ".join(names)
    for state in states:
        here = (state, now, {})
        model["bounds"].append(bound_of(state, basis, here, least, [known], relations=means))
    return model
