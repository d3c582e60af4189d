"""What certificates for every horizon are about, with the standard library only: the methods, the
automaton of a generic client and its rows, declared here anew, and the sentence that is proved.

Units: smoothness 1, step h = eta L.
"""

from fractions import Fraction as F

from forever_arrivals import AVERAGING, arrivals, late, turns
from forever_box import box
from forever_history import history, looks_back
from forever_memory import ARRIVALS, MEMORY, ONE_STEP, memory, memory_gradient
from forever_weighted import CLOCKED, share_of, weighted
from strict_json import NotCheckable, index, need, number  # type: ignore[import-not-found]

FORMAT, LARGEST = "fltheory forever certificate 1", 1 << 24
QUESTION = [
    "format",
    "method",
    "settings",
    "language",
    "smoothness",
    "lowest_curvature",
    "step_size",
    "local_steps",
    "target",
    "all_steps",
    "rich",
    "rate",
]


def rows(data) -> dict:
    """The model of a question: states, edges, bounds, common vectors."""
    high, low = number(data["smoothness"]), number(data["lowest_curvature"])
    need(high > 0 and (0 <= low < high or low == -high), "no class of functions")
    h = number(data["step_size"]) * high
    need(h > 0, "the step size is not positive")
    steps = index(data["local_steps"], 21, "local_steps")
    need(steps >= 1 and type(data["rich"]) is bool, "local_steps or rich")
    if data["settings"] or data["method"] not in {**MEMORY, **ARRIVALS, **CLOCKED}:
        raise NotCheckable("the method is not declared here")
    need(steps == 1 or data["method"] not in ONE_STEP, "the method is declared for one local step")
    language = data["language"]
    need(isinstance(language, dict), "the language is no object")
    model = {
        "box": (),
        "lowest": {(): low / high},
        "scale": {(): F(1)},
        "base": {},
        "given": {},
        "relation_scale": {(): F(1)},
        "common": set(),
        "bound_common": set(),
        "uncorrelated": (),
        "rate": {(): number(data["rate"])},
        "constants": [],
        "states": {},
        "edges": [],
        "bounds": [],
    }
    kind = (language.get("kind"), data["target"])
    if data["method"] in CLOCKED:
        need(kind[1] == "distance" and data["all_steps"] is None, "no such question")
        need(low > 0 and 0 < number(data["rate"]) < 1, "no rate below 1 of a strongly convex loss")
        return weighted(model, data, h, steps)
    if data["all_steps"] is not None:
        need(kind == ("staleness", "distance") and steps == 1 and not data["rich"], "no box")
        return box(model, data, h, low / high)
    if kind in [(name, "distance") for name in ("staleness", "windows", "periodic", "bernoulli")]:
        need(low > 0 and 0 < number(data["rate"]) < 1, "no rate below 1 of a strongly convex loss")
        if data["rich"] and steps == 1 and looks_back(data):
            return history(model, data, h)
        return memory(model, data, h, steps)
    if kind == ("turns", "distance"):
        need(low > 0 and 0 < number(data["rate"]) < 1 and not data["rich"] and steps == 1, "turns")
        return turns(model, data, h)
    if kind == ("delays", "distance"):
        need(low > 0 and 0 < number(data["rate"]) < 1 and steps == 1, "no such rate or question")
        return late(model, data, h)
    if kind == ("delays", "gradient"):
        need(number(data["rate"]) == 1 and not data["rich"] and steps == 1, "no such question")
        return arrivals(model, data, h)
    if kind == ("staleness", "gradient"):
        need(number(data["rate"]) == 1 and not data["rich"] and steps == 1, "no such question")
        return memory_gradient(model, data, h)
    raise NotCheckable("the language or the target is not declared here")


def availability(data):
    """What clients do, in words."""
    language = data["language"]
    kind = language["kind"]
    if kind == "delays" and data["method"] in MEMORY:
        first = "in every round the latest update of every client was computed at a model of at"
        return f"{first} most {language['bound']} rounds before"
    if kind == "windows":
        first = "everybody delivers in round 0 and then every client exactly once in each window of"
        return f"{first} {language['length']} rounds"
    if kind == "periodic":
        first = "everybody delivers in round 0 and then every client repeats the pattern"
        return f"{first} {language['pattern']} (1: it delivers), shifted in its own way"
    if kind == "bernoulli":
        first = "everybody delivers in round 0 and then each client in each round with probability"
        return f"{first} {language['chance']}, independently of the past"
    if kind == "delays":
        first = "somebody delivers in every round and each delivery was computed at a model of at"
        return f"{first} most {language['bound']} rounds before"
    if kind == "turns":
        return f"two groups of N/2 clients deliver by turns, {language['groups']} repeated"
    if not language["bound"]:
        return "every client delivers in every round"
    then = "and everybody delivers first"
    if language["cold"]:
        then = "also before its first delivery"
    return f"every client is silent for at most {language['bound']} rounds in a row, {then}"


def noise_floor(data, h, rate, later, both):
    """What noise e_i of variance 1/N adds to E |x - x*|^2. A client of age a pays per round for
    2 h <later x_{t+1} + (both - later) x_t, e_i>, and its noise moved the model by psi_a at most;
    the dearest walk is 0, 1, ..., tau, again and again. New noise alone costs h^2."""
    tau, psi, total = data["language"]["bound"], F(0), F(0)
    if not tau and not data["rich"]:
        return h**2 / (1 - rate)
    for _ in range(tau + 1):
        total = total * rate + abs(later) * (1 + h * psi) + abs(both) * psi
        psi = psi * (1 + h) + 1
    return 2 * h**2 * total / (1 - rate ** (tau + 1))


def sentence(data, constants):
    """What the numbers of a checked certificate prove, in words."""

    def value(name, otherwise=0):
        return constants.get(name, {}).get((), F(otherwise))

    def lasting(share):
        text = f" + {value('budgets w') / share} s^2/m + {value('budgets b') / share} z^2"
        text += ", s^2 the largest variance of a gradient, m the least number of deliveries in"
        return f"{text} a round, z the largest |grad f_i - grad f|"

    high, low = number(data["smoothness"]), number(data["lowest_curvature"])
    eta, rate, steps = number(data["step_size"]), number(data["rate"]), data["local_steps"]
    convex = "mu-strongly convex" if low > 0 else "convex" if low == 0 else "not necessarily convex"
    curved = f", mu = {low}" if low > 0 else ""
    late = data["language"]["kind"] == "delays" and data["method"] in AVERAGING
    noise = "independently noisy " if late else "exact "
    every, share = "", "mean |grad f_i(x*)|^2"
    if data["language"]["kind"] == "turns":
        every = f" that are multiples of {len(data['language']['groups'])}"
        share = "|grad f_A(x*)|^2 of a group's mean loss"
    when, mean = availability(data), "E " * (late or data["language"]["kind"] == "bernoulli")
    weights = ""
    if data["method"] in CLOCKED:
        weights = f" with weights {1 / share_of(data['language'])}/N"
    told = (
        f"{data['method']}{weights}"
        f" with {steps} local step{'s' * (steps > 1)} of constant size {eta} and"
        f" {noise}gradients, for all numbers of clients, all {high}-smooth {convex} losses"
        f" f_i{curved}, all traces in which {when}, and all T{every}: "
    )
    if data["target"] == "gradient":
        gain = value("gains g0" if late else "gains v")
        need(gain > 0, "nothing is gained")
        factor = eta * high / gain
        told += f"(1/T) sum_{{t<T}} {'E ' * late}|grad f(x_t)|^2 <= {factor} (f(x_0) - inf f)"
        told += f"/({eta} T)"
        told += lasting(gain) if late else ""
        return f"{told} (constant about {float(factor):.6g})"
    if data["all_steps"] is not None:
        size = f"constant size {eta}"
        fall = "never growing" if data["all_steps"]["falling"] else "constant"
        told = told.replace(size, f"sizes eta_t <= {eta}, {fall},").replace("mu = ", "mu <= ")
        return f"{told}|x_T - x*|^2 <= prod_{{t<T}} (1 - {rate} eta_t mu) |x_0 - x*|^2"
    noisy = ""
    if data["language"]["kind"] == "staleness" and steps == 1 and not data["language"]["cold"]:
        y = {v: number(data["relations"].get("update", {}).get(v, "0")) for v in "nx"}
        factor = noise_floor(data, eta * high, rate, y["n"], y["n"] + y["x"]) / high**2
        noisy = "; with additive independent noise of variance s^2, in expectation and with at most"
        noisy += f" {float(factor * (1 + F(1, 10**9))):.9g} s^2/N more"
    if data["language"]["kind"] == "delays":
        told += f"{mean}|x_T - x*|^2 <= ({rate})^T {max(value('constant x x'), F(1))}"
        told += f" |x_0 - x*|^2{lasting((1 - rate) * high**2) if late else ''}"
        return f"{told} (rate about {float(rate):.9g} per round)"
    start = max(value("constant x x", 1), F(1))
    spread = (value("constant b b")) / high**2
    floor = (value("budgets b") / (1 - rate) + value("slack b b")) / high**2
    told += f"{mean}|x_T - x*|^2 <= ({rate})^T ({start} |x_0 - x*|^2"
    told += f" + {spread} D)" if spread else ")"
    told += f" + {floor} D" if floor else ""
    told += f", D = {share}" if spread or floor else ""
    return f"{told}{noisy} (rate about {float(rate):.9g} per round)"
