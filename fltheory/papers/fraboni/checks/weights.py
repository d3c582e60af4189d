"""Section 2.5 and Assumptions 5 and 7: weights, objectives and residuals, by enumeration and exact
runs."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.event_simulation import ClockRun
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.core.types import Scalar
from fltheory.papers.fraboni.checks.path_run import Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import certain, theorem_runs
from fltheory.papers.fraboni.checks.sampling import Scheme, independent, multinomial, uniform
from fltheory.papers.fraboni.checks.sampling import certain as certain_scheme
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy
from fltheory.traces.weights import policy_weights

F = Fraction
SCHEMES = "all outcomes of one round"


@by_instances(Method.EXACT_RUN, "exact runs with certain and random participation")
def averages() -> Iterator[Instance]:
    """Objectives, types and residuals at 7/3, over runs of every kind (Sections 2.5 and 2.6)."""
    return (objectives(q, F(7, 3)) for q in theorem_runs())


def objectives(q: Quantities, point: Fraction) -> Instance:
    """Objectives, types and residuals on a whole run; each client a type of its own, or the first
    two of one type."""
    s, x = q.setting, q.constant(point)
    mean = sum((q.loss(row, x) for row in q.expected_weights), F(0)) / s.num_rounds
    first = q.expected_weights[0]
    r = [F(1, s.num_clients)] * s.num_clients

    def mismatch(n: int) -> Fraction:
        """chi_n^2."""
        pairs = zip(r, q.shares(n), strict=True)
        return sum(((a - b) ** 2 / b for a, b in pairs if b), F(0))

    def own(n: int) -> Fraction:
        """sum_i share_i (L_i - L_i*) at the optimum of round n."""
        best, parts = q.minimiser(q.expected_weights[n]), (q.shares(n), s.curvatures, s.optima)
        each = zip(*parts, strict=True)
        return sum((share * h * (best - c) ** 2 / 2 for share, h, c in each), F(0))

    def lowest(n: int) -> Fraction:
        """L^n at its optimum, over q(n)."""
        weights = q.expected_weights[n]
        return q.loss(weights, q.constant(q.minimiser(weights))) / q.totals[n]

    def part(n: int, *, present: bool) -> list[Fraction]:
        """The importances of the clients that are present in round n, or absent."""
        pairs = zip(q.expected_weights[n], r, strict=True)
        return [p if bool(w) is present else F(0) for w, p in pairs]

    def absent(n: int) -> Fraction:
        """sum over absent clients of p_i L_i, mean over the local steps."""
        weights = part(n, present=False)
        return q.over_steps(lambda run, k: q.loss(weights, run.virtual[n][k]))

    def not_present(n: int) -> Fraction:
        """L minus the part of the clients that are present, mean over the local steps."""
        here = part(n, present=True)
        return q.over_steps(
            lambda run, k: q.loss(r, run.virtual[n][k]) - q.loss(here, run.virtual[n][k])
        )

    return Instance(
        {
            "mean_of_round_losses": mean,
            "loss_of_mean_weights": q.loss(q.mean_weights, x),
            "sum_over_types": sum([sum(first[:2], F(0)), *first[2:]], F(0)),
            "sum_over_clients": q.totals[0],
            "misrepresentation": q.average(lambda n: mismatch(n) * own(n)),
            "types_present": q.average(lambda n: mismatch(n) * lowest(n)),
            "unrepresented": q.average(absent),
            "loss_of_absent": q.average(not_present),
        },
        s.says,
    )


@by_instances(Method.DATA, "the printed denominator")
def literal_types() -> Iterator[Instance]:
    """Three clients of two types: s_j over (M times s_j), as the printed denominator reads."""
    weights = (F(1, 2), F(1, 2))
    yield Instance(
        {"sum_of_normalised_types": sum(s / sum(s for _ in range(3)) for s in weights)},
        "three clients of two types",
    )


@by_instances(Method.ENUMERATION, "two clients, with and without noise")
def residuals() -> Iterator[Instance]:
    """Two quadratic clients with curvatures, optima and multiplicative or additive noise
    (Section 2.5)."""
    for multiplicative, additive, c, h in product((0, 1), (0, 1), (0, 1), (1, 2)):
        yield Instance(
            residual(h, c, additive=additive, multiplicative=multiplicative),
            f"curvatures 1 and {h}, optima 0 and {c}, additive noise {additive}, multiplicative"
            f" noise {multiplicative}",
        )


def residual(h: int, c: int, *, additive: int, multiplicative: int) -> dict[str, Scalar]:
    """Is Sigma of clients x^2/2 and h (x - c)^2/2 zero, and do their stochastic gradients vanish
    together?"""
    best = F(h * c, 1 + h)
    slopes = (best, h * (best - c))
    noise = sum(F(1, 2) * (g**2 * (1 + multiplicative) + additive) for g in slopes)
    return {
        "residual_is_positive": int(noise > 0),
        "residual_is_zero": int(noise == 0),
        "all_at_rest": int(additive == 0 and all(g == 0 for g in slopes)),
        "losses_differ": int(h != 1 or c != 0 or additive or multiplicative),
    }


def sampled_factors(make: Callable[[int, int], Scheme]) -> Iterator[Instance]:
    """alpha of a sampling scheme for every size, two to four clients (Assumption 5)."""
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


@by_instances(Method.ENUMERATION, SCHEMES)
def uniform_factors() -> Iterator[Instance]:
    """alpha of uniform sampling (Assumption 5)."""
    return sampled_factors(uniform)


@by_instances(Method.ENUMERATION, SCHEMES)
def multinomial_factors() -> Iterator[Instance]:
    """alpha of sampling by equal importances (Assumption 5)."""
    return sampled_factors(lambda clients, size: multinomial(size, [F(1, clients)] * clients))


@by_instances(Method.EVENT_SIMULATION, "FedFix rounds")
def betas() -> Iterator[Instance]:
    """beta of FedFix for three clocks (Theorem 1)."""
    for times, window in (((1, 2), F(1)), ((2, 3, 5), F(2)), ((1, 1), F(1, 2))):
        run = ClockRun(times, FixedWindow(window))
        values = betas_of(run, policy_weights(run.times, run.policy))
        yield Instance(values, f"update times {times}, windows of {window}")


def betas_of(run: ClockRun, weights: Sequence[Fraction]) -> dict[str, Scalar]:
    """alpha = 1: the largest d_i(n) - q_i(n) of six rounds over everybody, and over participants
    (Theorem 1)."""
    cells = [
        (weights[i], weights[i] * (i in group))
        for group in run.groups(6)
        for i in range(run.num_clients)
    ]
    return {
        "printed_beta": max(d - q for d, q in cells),
        "beta_of_participants": max(d - q for d, q in cells if q),
    }


def alphas() -> Iterator[Instance]:
    """Synchronous, single-client and FedFix rounds; sampling of one kind and another
    (Assumption 5)."""
    for scheme in (
        certain_scheme((F(1, 2), F(1, 2))),
        certain_scheme((1, 0)),
        uniform(4, 2),
        multinomial(2, ("1/2", "1/2")),
        independent(("1/2", "1/3")),
    ):
        yield Instance(
            alpha_exists(scheme)
            | {
                "covariance_factor": scheme.covariance_factor,
                "weight_second_moment": scheme.moment(0, 0),
                "expected_weight": scheme.moment(0),
                "variance_excess": scheme.variance_excess,
            },
            scheme.says,
        )


def alpha_exists(scheme: Scheme) -> dict[str, Scalar]:
    """Is there an alpha in (0, 1), and one in [0, 1], for all pairs of clients (Assumption 5)?"""
    factors = scheme.pair_factors()
    is_open = not factors or (len(factors) == 1 and 0 < min(factors) < 1)
    is_closed = not factors or (len(factors) == 1 and 0 <= min(factors) <= 1)
    return {"open_alpha_exists": int(is_open), "closed_alpha_exists": int(is_closed)}


every_scheme = by_instances(Method.ENUMERATION, SCHEMES)(alphas)


@by_instances(Method.ENUMERATION, SCHEMES)
def diagonal() -> Iterator[Instance]:
    """E omega_i^2 of uniform sampling (Assumption 5 with i = j)."""
    return (instance for instance in alphas() if instance.says.startswith("uniform"))


@by_instances(Method.PROBABILITY, SCHEMES)
def coins() -> Iterator[Instance]:
    """Independent participation by chance, each client's update time being 1 or more than the
    window."""
    yield Instance(
        {"variance_excess": independent(("1/2", "1/2")).variance_excess},
        "two clients that finish in time with chance 1/2",
    )


def lengths(stochastic: bool) -> Iterator[Instance]:
    """A client of constant slope 1 with additive noise +-10, then noiseless runs; B bounds |grad L|
    or E |g| (Assumption 7)."""
    size = F(11 + 9, 2)
    common: dict[str, Scalar] = {"local_step_size": F(1, 10), "server_step_size": 1}
    yield Instance(
        common
        | {
            "mean_step_length": F(1, 10) * size,
            "total_weight": 1,
            "local_steps": 1,
            "gradient_bound": size if stochastic else 1,
        },
        "one client of slope 1, gradients 11 and -9",
    )
    policies: tuple[Policy, ...] = (Asynchronous(), FixedWindow(1))
    for policy in policies:
        run = ClockRun((1, 2), policy)
        weights, paths = policy_weights(run.times, policy), certain(run.groups(6))
        q = Quantities(
            Setting("", (1, 1), (0, 1), weights, paths, F(1, 10), local_steps=2, start=5)
        )
        models = [row[0] for row in q.runs[0][1].models]
        for n in q.filled:
            yield Instance(
                common
                | {
                    "mean_step_length": abs(models[n + 1] - models[n]),
                    "total_weight": q.totals[n],
                    "local_steps": 2,
                    "gradient_bound": q.gradient_bound,
                },
                f"{policy}, round {n}",
            )


@by_instances(Method.EXACT_RUN, "one noisy client, then exact runs")
def printed_lengths() -> Iterator[Instance]:
    """E |theta^{n+1} - theta^n| where B bounds |grad L_i| (Assumption 7)."""
    return lengths(stochastic=False)


@by_instances(Method.EXACT_RUN, "one noisy client, then exact runs")
def corrected_lengths() -> Iterator[Instance]:
    """E |theta^{n+1} - theta^n| where B bounds E |g_i| (Assumption 7, corrected)."""
    return lengths(stochastic=True)


CHECKS = (
    Check("fraboni.def.L", averages),
    Check("fraboni.def.types", averages),
    Check("fraboni.def.P", averages),
    Check("fraboni.def.U", averages),
    Check("fraboni.def.types.normalised", literal_types),
    Check("fraboni.def.Sigma", residuals),
    Check("fraboni.def.Sigma.corrected", residuals),
    Check("fraboni.def.alpha", uniform_factors),
    Check("fraboni.def.alpha.multinomial", multinomial_factors),
    Check("fraboni.def.beta", betas),
    Check("fraboni.def.beta.corrected", betas),
    Check("fraboni.fedfix.independence", coins),
    Check("fraboni.ass5", every_scheme),
    Check("fraboni.ass5.corrected", every_scheme),
    Check("fraboni.ass5.diagonal", diagonal),
    Check("fraboni.ass7", printed_lengths),
    Check("fraboni.ass7.corrected", corrected_lengths),
)
