"""All step sizes and condition numbers of a box at once, for methods with memory and one local
step, with the standard library only.

The parameters are eta in [0, largest step] and mu in [0, largest mu], with L = 1. Vectors: x, the
newest model; D = (x_{t+1} - x_t)/eta; d = (x_t - x_s)/eta, s the last delivery; g, the gradient
there. V = |x|^2 + forms in x_t - x_s, eta g and g. The factor of the distance is 1 - theta eta mu.
"""

from fractions import Fraction as F

from forever_memory import ARRIVALS, MEMORY
from forever_parts import bound_of, edge
from strict_json import NotCheckable, fields, index, need, number  # type: ignore[import-not-found]

ONE: dict = {(0, 0): F(1)}
ETA: dict = {(1, 0): F(1)}
MU: dict = {(0, 1): F(1)}
OLD_STEPS = ("fedlaavg",)
"""Methods that remember an update with the step size of its own round."""


def box(model, data, h, low):
    """Every move, with the next step at both ends of [0, eta] where it may fall."""
    language = fields(data["language"], "the language", ("kind", "bound", "cold"))
    tau = index(language["bound"], 201, "staleness")
    falling = fields(data["all_steps"], "all_steps", ("falling",))["falling"]
    need(language["cold"] is False and type(falling) is bool, "a cold start, or no truth")
    if data["method"] not in (MEMORY if tau else {**MEMORY, **ARRIVALS}):
        raise NotCheckable("the method has no memory of silent clients")
    need(not (falling and tau and data["method"] in OLD_STEPS), "old updates keep their step size")
    theta = number(data["rate"])
    need(0 < theta <= 1 and 0 < h * low < 1, "no factor below 1 in the whole box")
    model["box"] = ((F(0), h), (F(0), low))
    model["lowest"], model["rate"] = MU, {(0, 0): F(1), (1, 1): -theta}
    model["scale"], model["base"] = {(1, 1): F(1)}, {(1, 0): F(1), (1, 1): F(-1)}
    model["given"], model["relation_scale"] = {"x": ONE}, ONE
    model["common"] = {"x", "D"}

    def vectors(x, d, eta):
        return {"x": x, "d": d, "g": {"g": ONE}, "eg": {"g": eta} if eta else {}}

    free = [("x", "x", ONE), ("d", "d", None), ("d", "eg", None), ("g", "eg", None)]
    relations = {"update": {"D": ETA, "g": ETA}}
    for a in range(tau + 1):
        model["states"][str(a)] = (free if a else free[:1], {})
        here: tuple = (str(a), vectors({"x": ONE}, {"d": ETA}, ETA), {})
        past = {"x": ONE, "d": {(1, 0): F(-1)}} if a else {"x": ONE}
        functions = [[("f", past, {"g": ONE}), (None, {}, {})]]
        grown = {"D": ETA, "d": ETA} if a else {"D": ETA}
        for b in [0, a + 1] if a < tau else [0]:
            for end in (ETA, {}) if falling and b else (ETA,):
                after: tuple = (str(b), vectors({"x": ONE, "D": ETA}, grown, end), {})
                name = f"{a} -> {b}{'' if end else ', next step 0'}"
                known = "x D d g" if a else "x D g"
                model["edges"].append(edge(name, known, here, after, functions, relations))
        if a:
            at: tuple = (str(a), vectors({"x": ONE}, {"d": ONE}, ETA), {})
            model["bounds"].append(bound_of(str(a), "x d g", at, [("x", "x", ONE)]))
    return model
