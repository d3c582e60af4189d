"""Section 2.5 and Assumptions 5 and 7: weights, objectives and residuals, by enumeration and exact
runs."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import product

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.event_simulation import ClockRun
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fraboni.checks.quantities import Quantities, Setting
from fltheory.papers.fraboni.checks.runs import certain, theorem_runs
from fltheory.papers.fraboni.checks.sampling import Scheme, independent, multinomial, uniform
from fltheory.papers.fraboni.checks.sampling import certain as certain_scheme
from fltheory.traces.clocks import Asynchronous, FixedWindow
from fltheory.traces.weights import policy_weights

F = Fraction


@cache
def averages() -> tuple[Instance, ...]:
    return tuple(_averages())


def _averages() -> Iterator[Instance]:
    return (objectives(q, F(7, 3)) for q in theorem_runs())


def objectives(q: Quantities, point: Fraction) -> Instance:
    """Objectives, types and residuals on a whole run; each client a type of its own, or the first
    two of one type."""
    s, x = q.setting, q._constant(point)
    mean = sum((q.loss(row, x) for row in q.expected_weights), F(0)) / s.num_rounds
    first = q.expected_weights[0]
    merged = [sum(first[:2], F(0)), *first[2:]]
    r = [F(1, s.num_clients)] * s.num_clients
    mismatch = {
        n: sum((a - b) ** 2 / b for a, b in zip(r, q.shares(n), strict=True) if b) for n in q.filled
    }
    best = {n: q.minimiser(q.expected_weights[n]) for n in q.filled}
    own = {
        n: sum(
            share * h * (best[n] - c) ** 2 / 2
            for share, h, c in zip(q.shares(n), s.curvatures, s.optima, strict=True)
        )
        for n in q.filled
    }
    lowest = {
        n: q.loss(q.expected_weights[n], q._constant(best[n])) / q.totals[n] for n in q.filled
    }
    absent = {
        n: [int(not w) * p for w, p in zip(q.expected_weights[n], r, strict=True)] for n in q.filled
    }
    here = {
        n: [int(w > 0) * p for w, p in zip(q.expected_weights[n], r, strict=True)] for n in q.filled
    }
    return Instance(
        {
            "mean_of_round_losses": mean,
            "loss_of_mean_weights": q.loss(q.mean_weights, x),
            "sum_over_types": sum(merged, F(0)),
            "sum_over_clients": q.totals[0],
            "misrepresentation": q.average(lambda n, m=mismatch, o=own: m[n] * o[n]),
            "types_present": q.average(lambda n, m=mismatch, low=lowest: m[n] * low[n]),
            "unrepresented": q.average(
                lambda n, q=q, a=absent: q.over_steps(
                    lambda run, k: q.loss(a[n], run.virtual[n][k])
                )
            ),
            "loss_of_absent": q.average(
                lambda n, q=q, h=here, r=r: q.over_steps(
                    lambda run, k: q.loss(r, run.virtual[n][k]) - q.loss(h[n], run.virtual[n][k])
                )
            ),
        },
        s.says,
    )


def literal_types() -> Iterator[Instance]:
    """Three clients of two types: s_j over (M times s_j), as the printed denominator reads."""
    weights = (F(1, 2), F(1, 2))
    yield Instance(
        {"sum_of_normalised_types": sum(s / sum(s for _ in range(3)) for s in weights)},
        "three clients of two types",
    )


def residuals() -> Iterator[Instance]:
    """Two quadratic clients with curvatures, optima and multiplicative or additive noise."""
    for multiplicative, additive, c, h in product((0, 1), (0, 1), (0, 1), (1, 2)):
        best = F(h * c, 1 + h)
        slopes = (best, h * (best - c))
        noise = sum(F(1, 2) * (g**2 * (1 + multiplicative) + additive) for g in slopes)
        rests = additive == 0 and all(g == 0 for g in slopes)
        yield Instance(
            {
                "residual_is_positive": int(noise > 0),
                "residual_is_zero": int(noise == 0),
                "all_at_rest": int(rests),
                "losses_differ": int(h != 1 or c != 0 or additive or multiplicative),
            },
            f"curvatures 1 and {h}, optima 0 and {c}, additive noise {additive}, multiplicative"
            f" noise {multiplicative}",
        )


def sampled_factors(make: Callable[[int, int], Scheme]) -> Iterator[Instance]:
    for clients in (2, 3, 4):
        for size in range(1, clients + 1):
            yield Instance(
                {
                    "covariance_factor": make(clients, size).covariance_factor,
                    "num_clients": clients,
                    "clients_per_round": size,
                },
                f"{size} of {clients}",
            )


def by_importance(clients: int, size: int) -> Scheme:
    return multinomial(size, [F(1, clients)] * clients)


def betas() -> Iterator[Instance]:
    """FedFix with alpha = 1: d_i(n) - q_i(n) over everybody, and over participants."""
    for times, window in (((1, 2), 1), ((2, 3, 5), 2), ((1, 1), F(1, 2))):
        run = ClockRun(times, FixedWindow(window))
        weights = policy_weights(run.times, run.policy)
        cells = [
            (weights[i], weights[i] * (i in group))
            for group in run.groups(6)
            for i in range(run.num_clients)
        ]
        yield Instance(
            {
                "printed_beta": max(d - q for d, q in cells),
                "beta_of_participants": max(d - q for d, q in cells if q),
            },
            f"update times {times}, windows of {window}",
        )


def alphas() -> Iterator[Instance]:
    """Synchronous, single-client and FedFix rounds; sampling of one kind and another."""
    fixed = (certain_scheme((F(1, 2), F(1, 2))), certain_scheme((1, 0)))
    for scheme in (
        *fixed,
        uniform(4, 2),
        multinomial(2, ("1/2", "1/2")),
        independent(("1/2", "1/3")),
    ):
        factors = scheme.pair_factors()
        is_open = len(factors) == 0 or (len(factors) == 1 and 0 < min(factors) < 1)
        is_closed = len(factors) == 0 or (len(factors) == 1 and 0 <= min(factors) <= 1)
        yield Instance(
            {
                "open_alpha_exists": int(is_open),
                "closed_alpha_exists": int(is_closed),
                "covariance_factor": scheme.covariance_factor,
                "weight_second_moment": scheme.moment(0, 0),
                "expected_weight": scheme.moment(0),
                "variance_excess": scheme.variance_excess,
            },
            scheme.says,
        )


def diagonal() -> Iterator[Instance]:
    return (instance for instance in alphas() if instance.says.startswith("uniform"))


def coins() -> Iterator[Instance]:
    """Independent participation by chance, each client's update time being 1 or more than the
    window."""
    yield Instance(
        {"variance_excess": independent(("1/2", "1/2")).variance_excess},
        "two clients that finish in time with chance 1/2",
    )


def lengths(stochastic: bool) -> Iterator[Instance]:
    """A client of constant slope 1 with additive noise +-10, then noiseless runs; B bounds |grad L|
    or E |g|."""
    slopes = (F(1) + 10, F(1) - 10)
    size = sum(abs(g) for g in slopes) / 2
    yield Instance(
        {
            "mean_step_length": F(1, 10) * size,
            "local_step_size": F(1, 10),
            "server_step_size": 1,
            "total_weight": 1,
            "local_steps": 1,
            "gradient_bound": size if stochastic else 1,
        },
        "one client of slope 1, gradients 11 and -9",
    )
    for policy in (Asynchronous(), FixedWindow(1)):
        run = ClockRun((1, 2), policy)
        weights, paths = policy_weights(run.times, policy), certain(run.groups(6))
        q = Quantities(
            Setting("", (1, 1), (0, 1), weights, paths, F(1, 10), local_steps=2, start=5)
        )
        models = [row[0] for row in q.runs[0][1].models]
        for n in q.filled:
            yield Instance(
                {
                    "mean_step_length": abs(models[n + 1] - models[n]),
                    "local_step_size": F(1, 10),
                    "server_step_size": 1,
                    "total_weight": q.totals[n],
                    "local_steps": 2,
                    "gradient_bound": q.gradient_bound,
                },
                f"{policy}, round {n}",
            )


def listed(
    instances: Callable[[], Iterable[Instance]], method: Method, covers: str, claim: Claim
) -> Evidence:
    return check_instances(claim, instances(), method=method, covers=covers)


RUNS, SCHEMES = "exact runs with certain and random participation", "all outcomes of one round"
CHECKS = (
    *(
        Check(f"fraboni.{name}", partial(listed, averages, Method.EXACT_RUN, RUNS))
        for name in ("def.L", "def.types", "def.P", "def.U")
    ),
    Check(
        "fraboni.def.types.normalised",
        partial(listed, literal_types, Method.DATA, "the printed denominator"),
    ),
    *(
        Check(
            f"fraboni.{name}",
            partial(listed, residuals, Method.ENUMERATION, "two clients, with and without noise"),
        )
        for name in ("def.Sigma", "def.Sigma.corrected")
    ),
    Check(
        "fraboni.def.alpha",
        partial(listed, partial(sampled_factors, uniform), Method.ENUMERATION, SCHEMES),
    ),
    Check(
        "fraboni.def.alpha.multinomial",
        partial(listed, partial(sampled_factors, by_importance), Method.ENUMERATION, SCHEMES),
    ),
    *(
        Check(f"fraboni.{name}", partial(listed, betas, Method.EVENT_SIMULATION, "FedFix rounds"))
        for name in ("def.beta", "def.beta.corrected")
    ),
    Check("fraboni.fedfix.independence", partial(listed, coins, Method.PROBABILITY, SCHEMES)),
    *(
        Check(f"fraboni.{name}", partial(listed, alphas, Method.ENUMERATION, SCHEMES))
        for name in ("ass5", "ass5.corrected")
    ),
    Check("fraboni.ass5.diagonal", partial(listed, diagonal, Method.ENUMERATION, SCHEMES)),
    Check(
        "fraboni.ass7",
        partial(
            listed, partial(lengths, False), Method.EXACT_RUN, "one noisy client, then exact runs"
        ),
    ),
    Check(
        "fraboni.ass7.corrected",
        partial(
            listed, partial(lengths, True), Method.EXACT_RUN, "one noisy client, then exact runs"
        ),
    ),
)
