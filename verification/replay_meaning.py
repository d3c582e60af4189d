"""What the symbols of a claim measure (claims.jsonl), and the conditions of claims by their names.

The file of a counterexample has no say in this. A condition that is not known here makes a file not
checkable. Standard library only; written from the papers, no code of the package.
"""

import sys
from fractions import Fraction as F
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import number
from strict_json import NotCheckable, fields, parse  # type: ignore[import-not-found]

CLAIMS = Path(__file__).resolve().parent / "claims.jsonl"
FIELDS = (
    "claim",
    "says",
    "statement",
    "kinds",
    "methods",
    "measures",
    "requires",
    "free",
    "origins",
    "conditions",
    "assumes",
    "hypotheses",
    "customs",
    "over_clients",
)
AT_MOST = (
    ("clients_per_round", "num_clients"),
    ("mean_staleness", "max_staleness"),
    ("staleness", "max_staleness"),
    ("strong_convexity", "smoothness"),
    ("gradient_noise", "gradient_bound"),
    ("mean_client_max_staleness", "max_staleness"),
)


def claims(path=CLAIMS):
    """The claims whose symbols have a meaning here, by id."""
    with open(path, encoding="utf-8") as file:
        found = [parse(line) for line in file.read(1 << 24).split("\n") if line]
    return {fields(claim, "a claim", FIELDS)["claim"]: claim for claim in found}


def places(claim, run):
    """For every place of the run at which the claim speaks, the quantity behind each symbol."""
    measures = claim["measures"]
    if not any(how.startswith(("model:t", "undivided:t", "latest:")) for how in measures.values()):
        return [measures]
    plan, found = run["trace"]["delivers"], []
    for t in range(1, min(len(plan), 64) + 1):
        last = [
            max((s for s in range(1, t + 1) if plan[s - 1][i] == "1"), default=0) for i in (0, 1)
        ]
        for pair in (last, last[::-1]):
            known = {
                "model:t": f"model:{t}",
                "undivided:t": f"undivided:{t}",
                "model:t-1": f"model:{t - 1}",
                "latest:0": f"model:{pair[0]}",
                "latest:1": f"model:{pair[1]}",
            }
            found.append({name: known.get(how, how) for name, how in measures.items()})
    return found


def of_kind(value, kind):
    """Is the value one that the symbol may take?"""
    if "integer" in kind and not (isinstance(value, F) and value.denominator == 1):
        return False
    if "positive" in kind:
        return value > 0
    return "nonnegative" not in kind or value >= 0


class Run:
    """A run as the conditions see it: its data, and its measured quantities by name."""

    def __init__(self, spec, measure, given):
        self.spec, self.measure, self.given = spec, measure, given
        self.problem, self.trace = spec["problem"], spec["trace"]
        self.plan, self.steps = self.trace["delivers"], self.trace["local_steps"]
        self.constant = isinstance(spec["local_step_size"], str)

    def get(self, name):
        value = self.measure(name)
        if value is None:
            raise NotCheckable(f"{name} is not measured here")
        return value

    @property
    def quadratic(self):
        return self.problem["kind"] == "quadratic"

    def curvatures(self):
        return [number(h) for row in self.problem["curvatures"] for h in row]

    def equal(self):
        return len({number(x) for x in self.problem["importance"]}) == 1

    def fresh(self):
        return all(
            row[i] == "0" or begun == t
            for t, row in enumerate(self.plan)
            for i, begun in enumerate(self.trace["started_from"][t])
        )

    def single(self):
        return max(map(max, self.steps)) == 1

    def server(self):
        return number(self.spec["server_step_size"])

    def size(self):
        if not self.constant:
            raise NotCheckable("the step size changes")
        return number(self.spec["local_step_size"])

    def afl(self):
        """L, K, tau, the local step size and the effective step size."""
        smooth, steps, late = (self.get(n) for n in ("smoothness", "local_steps", "max_delay"))
        return smooth, steps, late, self.size(), self.size() * self.server()


def _equal_curvatures(r):
    if r.problem["kind"] == "common-curvature":
        return True
    if r.quadratic:
        return len({tuple(map(number, row)) for row in r.problem["curvatures"]}) == 1
    raise NotCheckable("the dissimilarity of these losses is not known here")


def _thm2_b(r):
    smooth, _, late, _, step = r.afl()
    return 2 * smooth * step + 3 * (late * smooth * step) ** 2 <= 1


def _thm2_a(r):
    smooth, steps, late, local, _ = r.afl()
    return 180 * (local * steps * smooth) ** 2 * late < 1


def _small_drift(r):
    smooth, steps, _, local, _ = r.afl()
    return 6 * (2 * steps**2 - 3 * steps + 1) * (smooth * local) ** 2 <= 1


def _thm3(r):
    smooth, steps, late, local, _ = r.afl()
    if not all(set(row) == {"1"} for row in r.plan):
        raise NotCheckable("arrivals that are not all sure")
    return 120 * (steps * smooth * local) ** 2 * late < 1  # rho = 0 if all arrive


def _sizes(r):
    return r.size() ** 2 * len(r.plan) == 1 and r.server() ** 2 == r.get("clients_per_round")


def _condition(r):
    return (r.get("smoothness") / r.get("strong_convexity")) ** 3


def _algorithm_1(r):
    return r.equal() and len({k for row in r.steps for k in row if k}) == 1


def _first_round(r):
    return set(r.plan[0]) == {"1"}


def _slow_growth(r):
    last: dict[int, int] = {}
    gap, begun = r.given.get("initial_gap"), r.trace["started_from"]
    if gap is None or gap <= 0 or not _first_round(r):
        return False
    for t, row in enumerate(r.plan):
        last |= {i: begun[t][i] for i, cell in enumerate(row) if cell == "1"}
        over = max(t - s for s in last.values()) - gap
        if over > 0 and over**2 * 1600 * _condition(r) > (t + 1) ** 2:
            return False
    return True


def _schedule(r):
    gap, offset = r.given.get("initial_gap"), r.given.get("step_offset")
    if gap is None or offset is None or r.constant:
        return False
    scale = r.get("strong_convexity") * r.get("local_steps")
    sizes = [number(x) for x in r.spec["local_step_size"]]
    return (
        offset**2 == max(F(100), 40 * gap) ** 2 * _condition(r)
        and all(x == 4 / (scale * (t + 1 + offset)) for t, x in enumerate(sizes))
        and r.server() == 1
    )


def _example_1(r):
    return (
        r.quadratic
        and set(r.curvatures()) == {F(2)}
        and len(r.plan[0]) == 2
        and r.spec["start"][1:] == []
        and number(r.problem.get("noise_squared", "0")) == 0
        and r.equal()
        and all(row.count("1") == 1 for row in r.plan)
        and r.single()
        and r.fresh()
        and r.server() == 1
        and r.size() > 0
    )


def _whole_periods(r):
    rows = "".join(row[0] for row in r.plan)
    first = len(rows) - len(rows.lstrip("1"))
    second = len(rows) - first - len(rows[first:].lstrip("0"))
    period = "1" * first + "0" * second
    return first > 0 < second and rows == period * (len(rows) // len(period))


def _plain(r):
    everybody = all(set(row) == {"1"} for row in r.plan)
    quiet = number(r.problem.get("noise_squared", "0")) == 0
    return everybody and quiet and r.single() and r.fresh() and r.server() == 1


def _two_in_turn(r):
    begun = r.trace["started_from"]
    return (
        r.quadratic
        and set(r.curvatures()) == {F(1)}
        and number(r.problem.get("noise_squared", "0")) == 0
        and len(r.plan) % 2 == 0
        and r.plan == ["10", "01"] * (len(r.plan) // 2)
        and all(begun[t][t % 2] == max(t - 1, 0) for t in range(1, len(r.plan)))
        and r.single()
    )


def _strongly_convex(r):
    return r.quadratic and min(r.curvatures()) > 0


def _always(r):
    return True


CONDITIONS = {
    "afl.asm1": _always,
    "afl.asm2": _always,
    "afl.asm3": _equal_curvatures,
    "afl.def.problem": Run.equal,
    "afl.constant-steps": lambda r: r.constant,
    "afl.arrivals": lambda r: all("1" in row for row in r.plan),
    "afl.cor1.steps": _sizes,
    "afl.thm2.a": _thm2_a,
    "afl.thm2.b": _thm2_b,
    "afl.uniform-arrivals": lambda r: all(set(row) == {"1"} for row in r.plan),
    "afl.small-drift": _small_drift,
    "afl.thm3.iii": _thm3,
    "mifa.alg1": _algorithm_1,
    "mifa.ass1": _always,
    "mifa.ass2": _always,
    "mifa.ass3": _strongly_convex,
    "mifa.ass4": _slow_growth,
    "mifa.first": _first_round,
    "mifa.steps": _schedule,
    "fedlaavg.example_1": _example_1,
    "fedlaavg.whole_periods": _whole_periods,
    "fedlaavg.small_step": lambda r: 0 < 2 * r.size() <= 1,
    "fedlaavg.root_step": lambda r: 4 * r.size() ** 2 * len(r.plan) == 1,
    "fedlaavg.plain": _plain,
    "fraboni.two_in_turn": _two_in_turn,
}
"""Conditions on a run, by the ids under which claims.jsonl names them."""

KEPT = {
    "fedlaavg.method": None,
    "fedlaavg.smooth": None,
    "fedlaavg.noise": None,
    "fedlaavg.bounded": None,
    "fedlaavg.samples": None,
    "fedlaavg.window": None,
    "fedlaavg.one_step": lambda found: found["local_steps"] == 1,
    "fedlaavg.step_below_half": lambda found: (
        0 < 2 * found["local_step_size"] * found["smoothness"] < 1
    ),
    "smooth": None,
    "convex": None,
    "unbiased": None,
    "learning-rate": None,
    "finite-delay": None,
    "covariance": None,
}
"""Conditions on the data of an origin; None if every origin that claims.jsonl allows keeps it."""
