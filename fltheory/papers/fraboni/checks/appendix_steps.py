"""The displays of Appendix A, eq. (18) to (29), step by step on exact runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import chain, product

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Scalar
from fltheory.papers.fraboni.checks.lemmas import KINDS, by_rounds, telling
from fltheory.papers.fraboni.checks.path_run import Row, Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.rough import ROUGH, Law, rough
from fltheory.papers.fraboni.checks.runs import (
    ONE,
    base_settings,
    certain,
    common_values,
    lemma_runs,
)

F = Fraction

DOUBLE_STEP = Setting(
    "one client, two local steps, server step 3",
    weights=(1,),
    paths=certain([(0,)]),
    **(ONE | {"local_step_size": F(1, 12), "server_step_size": 3, "local_steps": 2}),
)


def square(row: Row) -> Fraction:
    """E |row|^2."""
    return Fraction(row @ row)


def first_step(q: Quantities) -> Instance:
    """The first local step of the first round, over all participants (eq. 18)."""
    s = q.setting
    before = q.constant(F(s.start) - q.point)
    moves = [(chance, run.virtual[0][1] - run.virtual[0][0]) for chance, run in q.runs]
    mean = sum((chance * move for chance, move in moves), q.constant(0))
    slope = sum(
        w * s.curvatures[i] * (F(s.start) - s.optima[i])
        for i, w in enumerate(q.expected_weights[0])
    )
    return Instance(
        {
            "distance_after": sum((chance * square(before + move) for chance, move in moves), F(0)),
            "distance_before": before @ before,
            "mean_step_inner": mean @ before,
            "gradient_inner": slope * before[0],
            "mean_squared_step": sum((chance * (move @ move) for chance, move in moves), F(0)),
            "local_step_size": s.local_step_size,
            "server_step_size": s.server_step_size,
        },
        s.says,
    )


@by_instances(Method.EXACT_RUN, "first local steps over all participants")
def first_steps() -> Iterator[Instance]:
    """The first local step of every kind of run (eq. 18, Lemma 2)."""
    return (first_step(Quantities(s)) for s in base_settings(1))


def steps(runs: Sequence[Quantities]) -> Iterator[Instance]:
    """Every local step of every client in every filled round of runs with certain participation
    (eq. 19 to 27)."""
    for q in runs:
        for n, k in product(q.filled, range(q.setting.local_steps)):
            yield from steps_of_round(q, n, k)


def steps_of_round(q: Quantities, n: int, k: int) -> Iterator[Instance]:
    """Local step k of round n: all clients together, then each of them."""
    s, (_, run), shares = q.setting, q.runs[0], q.shares(n)
    virtual, optimum = run.virtual[n][k], q.minimiser(q.expected_weights[n])
    clients = [i for i, share in enumerate(shares) if share]

    def weighted(rows: Mapping[int, Row]) -> Row:
        """sum_i share_i row_i."""
        return sum((shares[i] * row for i, row in rows.items()), q.constant(0))

    def earlier(client: int, against: Sequence[Row]) -> Fraction:
        """k sum_{l<k} |g_i - against|^2."""
        slopes = run.gradients[n][client]
        return k * sum((square(slopes[j] - against[j]) for j in range(k)), F(0))

    mean = [weighted({i: run.gradients[n][i][j] for i in clients}) for j in range(k + 1)]
    late = {i: run.models[run.started[n][i]] - run.models[n] for i in clients}
    apart = {i: run.local[n][i][k] - virtual for i in clients}
    exact = weighted({i: s.curvatures[i] * (virtual - q.constant(s.optima[i])) for i in clients})
    moved = weighted({i: s.curvatures[i] * apart[i] for i in clients})
    nothing = [q.constant(0)] * k
    scaled = [s.server_step_size * q.totals[n] * row for row in mean]
    common = common_values(q) | {
        "step_drift": sum(shares[i] * square(apart[i]) for i in clients),
        "earlier_gradients": sum((shares[i] * earlier(i, nothing) for i in clients), F(0)),
        "round_mean_gradient": square(mean[k]),
        "part_a": 3 * square(moved),
        "part_c": 3 * square(exact),
        "part_b": 3 * sum(shares[i] ** 2 * F(s.noise) ** 2 for i in clients),
        "largest_share": max(shares),
        "normalised_gap": q.excess(q.expected_weights[n], virtual) / q.totals[n],
        "round_noise_squared": q.optimum_noise(n, 2),
    }
    place = f"{s.says}, round {n}, step {k}"
    weighted_late = sum(shares[i] * square(late[i]) for i in clients)
    yield Instance(common | {"mean_model_distance": weighted_late}, f"{place}, all clients")
    for i in clients:
        h, c = s.curvatures[i], s.optima[i]
        parts = h**2 * square(apart[i]) + h**2 * square(virtual - q.constant(optimum))
        own: dict[str, Scalar] = {
            "model_distance": square(late[i]),
            "local_distance": square(apart[i]),
            "gradient_differences": earlier(i, mean),
            "scaled_gradient_differences": earlier(i, scaled),
            "client_squared_gradient": square(run.gradients[n][i][k]),
            "three_parts": 3 * (parts + (h * (optimum - c)) ** 2 + F(s.noise) ** 2),
        }
        yield Instance(common | own, f"{place}, client {i}")


def with_symbols(claim: Claim, instances: Iterable[Instance]) -> Iterator[Instance]:
    """Those instances that speak of all symbols of the claim."""
    names = {s.name for s in claim.symbols}
    return (instance for instance in instances if names <= set(instance.values))


@cache
def lemma_steps() -> tuple[Instance, ...]:
    """Every local step of the lemma runs with certain participation, a double step first."""
    return tuple(steps([Quantities(DOUBLE_STEP), *(q for q in lemma_runs() if not q.is_random)]))


def by_steps(first: Sequence[Instance], claim: Claim) -> Evidence:
    """Simplest suspects first, then every local step that speaks of the claim's symbols (eq. 19 to
    27)."""
    instances = chain(first, lemma_steps())
    return check_instances(
        claim,
        telling(claim, with_symbols(claim, instances)),
        method=Method.EXACT_RUN,
        covers=f"local steps of exact runs with certain participation: {KINDS}",
    )


def rough_step(law: Law = ROUGH) -> Instance:
    """A rough client whose local model is 1 while the virtual model is 2."""
    second, mean = sum(p * h**2 for p, h in law), sum(p * h for p, h in law)
    return Instance(
        {
            "smoothness": 1,
            "part_a": 3 * second,
            "step_drift": 1,
            "part_b": 3 * (second - mean**2) * 4,
            "largest_share": 1,
            "normalised_gap": F(4, 2),
            "round_noise_squared": 0,
        },
        "one client with rough batches, local model 1, virtual model 2",
    )


def prefix_sums(whole: bool, claim: Claim) -> Evidence:
    """sum_k k times an inner sum, the whole one or that of the first k numbers (eq. 23)."""

    def instances() -> Iterator[Instance]:
        for count in range(1, 5):
            for x in product(range(3), repeat=count):
                inner = [sum(x) if whole else sum(x[:k]) for k in range(count)]
                total = sum(k * inner[k] for k in range(count))
                yield Instance(
                    {
                        "weighted_prefix_sums": total,
                        "first_sum": sum(x[:-1]),
                        "number_of_steps": count,
                    },
                    f"x = {x}",
                )

    return check_instances(
        claim,
        telling(claim, instances()),
        method=Method.ENUMERATION,
        covers="all sequences of up to four numbers from {0, 1, 2}",
    )


def fed_sequences(claim: Claim) -> Evidence:
    """Sequences that satisfy the hypothesis with equality, for every input of zeros and ones."""

    def instances() -> Iterator[Instance]:
        for delay, inputs in product((1, 2, 3), product((0, 1), repeat=7)):
            values: list[Fraction] = []
            for given in inputs:
                values.append(F(1, 2 * delay) * sum(values[-delay:], F(0)) + given)
            yield Instance(
                {"mean_sequence": sum(values, F(0)) / 7, "mean_input": F(sum(inputs), 7)},
                f"tau = {delay}, B = {inputs}",
            )

    return check_instances(
        claim,
        telling(claim, instances()),
        method=Method.ENUMERATION,
        covers="all inputs of seven zeros and ones, tau up to 3, tau A = 1/2",
    )


plain, with_rough_step = partial(by_steps, ()), partial(by_steps, (rough_step(),))
inner_sum, whole_sum = partial(prefix_sums, False), partial(prefix_sums, True)

CHECKS = (
    Check("fraboni.eq18", first_steps),
    Check("fraboni.lem2.display", first_steps),
    Check("fraboni.lem2.display.corrected", first_steps),
    Check("fraboni.eq19", plain),
    Check("fraboni.eq19.corrected", plain),
    Check("fraboni.eq20", plain),
    Check("fraboni.eq20.corrected", plain),
    Check("fraboni.eq21", plain),
    Check("fraboni.eq24", plain),
    Check("fraboni.eq27", plain),
    Check("fraboni.eq25", with_rough_step),
    Check("fraboni.eq26", with_rough_step),
    Check("fraboni.eq25.corrected", plain),
    Check("fraboni.eq26.corrected", plain),
    Check("fraboni.eq22", partial(by_rounds, (rough(),))),
    Check("fraboni.eq22.corrected", partial(by_rounds, ())),
    Check("fraboni.eq23", whole_sum),
    Check("fraboni.eq23.corrected", inner_sum),
    Check("fraboni.eq23.sharp", inner_sum),
    Check("fraboni.eq29", fed_sequences),
)
