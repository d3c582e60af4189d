"""Section 4 and Appendix C: schemes with exact probabilities, and events of simulated clocks."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.event_simulation import ClockRun, clock_instances
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Scalar
from fltheory.papers.fraboni.checks.clock_facts import rounds_until
from fltheory.papers.fraboni.checks.sampling import Scheme, multinomial, uniform
from fltheory.papers.fraboni.paper import DURATION, SHARE, TIME
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous, simulate_clock
from fltheory.traces.trace_statistics import max_delay
from fltheory.traces.update_times import ExponentialTimes

F = Fraction


@by_instances(Method.EVENT_SIMULATION, "one client that is always heard")
def single_client() -> Iterator[Instance]:
    """tau of one client (Appendix C.1)."""
    policies: tuple[Policy, ...] = (Synchronous(), Asynchronous())
    for policy in policies:
        staleness = ClockRun((1,), policy).counted.max_staleness
        yield Instance({"max_staleness": staleness}, str(policy))


@by_instances(Method.ENUMERATION, "all outcomes of multinomial sampling")
def doublings() -> Iterator[Instance]:
    """alpha of multinomial sampling of m and of 2 m clients (Appendix C.2)."""
    for m in (2, 3):
        values = doubled_sample(m, (F(1, 2), F(1, 2)))
        yield Instance(values, f"multinomial sampling of {m} and {2 * m}")


def doubled_sample(size: int, importance: Sequence[Fraction]) -> dict[str, Scalar]:
    """alpha of multinomial sampling of `size` clients, and of twice as many."""
    once, twice = (multinomial(m, importance).covariance_factor for m in (size, 2 * size))
    return {"factor": once, "factor_at_double": twice}


@by_instances(Method.ENUMERATION, "all outcomes of samples of up to five clients")
def equal_samples() -> Iterator[Instance]:
    """beta of m of M clients of equal importance, uniform and multinomial (Appendix C.2)."""
    sizes = [(clients, m) for clients in range(2, 6) for m in range(1, clients + 1)]
    for clients, m in sizes:
        for scheme in (uniform(clients, m), multinomial(m, (F(1, clients),) * clients)):
            yield Instance({"variance_excess": scheme.variance_excess}, scheme.says)


@by_instances(Method.ENUMERATION, "a fair coin as gradient noise")
def highest_loss() -> Iterator[Instance]:
    """beta of selection by loss, model 0 after a noisy step to 1/10 or -1/10 (Appendix C.3)."""
    scheme = chosen_by_loss((F(1), F(-1)), F(1, 10))
    yield Instance({"variance_excess": scheme.variance_excess}, scheme.says)


def chosen_by_loss(optima: Sequence[Fraction], noise: Fraction) -> Scheme:
    """The one of two clients that is farther from the model, which is +-noise by a fair coin."""
    outcomes = []
    for model in (noise, -noise):
        losses = [(model - c) ** 2 / 2 for c in optima]
        chosen = losses.index(max(losses))
        outcomes.append((F(1, 2), tuple(F(int(i == chosen)) for i in range(2))))
    return Scheme(
        "the client with the higher loss after a noisy step", tuple(outcomes), (F(1, 2), F(1, 2))
    )


def races(claim: Claim) -> Evidence:
    """A client of rate r against all others together, of rate s: it wins a round with chance int r
    exp(-r t) exp(-s t) dt."""
    rate, others, time = (sympy.Symbol(name, positive=True) for name in ("rate", "others", "time"))
    wins = sympy.integrate(rate * sympy.exp(-(rate + others) * time), (time, 0, sympy.oo))
    weight = (rate + others) / rate * SHARE
    return check_symbolic(
        claim,
        derived={"expected_weight": wins * weight},
        covers="any number of clients, any means, every round",
    )


def windows_of_an_exponential(claim: Claim) -> Evidence:
    """Without memory: one window, and with chance exp(-Delta t / tau) the wait begins anew."""
    mean = sympy.Symbol("mean", positive=True)
    solved = sympy.solve(sympy.Eq(mean, 1 + sympy.exp(-DURATION / TIME) * mean), mean)[0]
    return check_symbolic(
        claim, derived={"mean_rounds": solved}, covers="any mean update time and window"
    )


@by_instances(Method.PROBABILITY, "exact chances of exponential times")
def unlike() -> Iterator[Instance]:
    """Two clients with different mean update times under FedFix (Section 4.1)."""
    for other in (2, 5):
        yield Instance(
            {"update_time": 1, "other_update_time": other, "round_duration": 1},
            f"means 1 and {other}, windows of 1",
        )


@by_instances(Method.EVENT_SIMULATION, "exponential times drawn with seed 1")
def long_waits() -> Iterator[Instance]:
    """tau of an asynchronous run with exponential update times, and the bound for fixed ones
    (Section 4.1)."""
    yield Instance(delays_of((1, 2, 5), num_rounds=300, seed=1), "means 1, 2, 5, 300 rounds")


def delays_of(means: tuple[int, ...], *, num_rounds: int, seed: int) -> dict[str, Scalar]:
    """tau with exponential update times of these means, and sum_j ceil(tau_M / tau_j) - 1."""
    times = ExponentialTimes(means)
    trace = simulate_clock(times, Asynchronous(), num_rounds=num_rounds, seed=seed).trace
    return {
        "max_staleness": max_delay(trace),
        "sum_of_ceilings": sum(-(-max(means) // t) for t in means) - 1,
    }


@by_instances(Method.EVENT_SIMULATION, "windows as long as the slowest client")
def long_windows() -> Iterator[Instance]:
    """The largest number of clients in a round of FedFix with Delta t >= tau_M (Section 4.4)."""

    def observe(run: ClockRun) -> list[dict[str, Scalar]]:
        most = max(len(group) for group in run.groups(6))
        return [{"most_deliverers": most, "num_clients": run.num_clients}]

    clocks = [((1, 2), FixedWindow(2)), ((2, 3, 5), FixedWindow(5)), ((2, 3, 5), FixedWindow(7))]
    return clock_instances(clocks, observe)


@by_instances(Method.EVENT_SIMULATION, "rounds counted until time 60")
def round_ratios() -> Iterator[Instance]:
    """Rounds of FedFix per round of synchronous FedAvg (Section 4.4)."""

    def observe(run: ClockRun) -> list[dict[str, Scalar]]:
        assert isinstance(run.policy, FixedWindow)
        waiting = rounds_until(ClockRun(run.times, Synchronous()), F(60), 70)
        return [
            {
                "fedfix_round_ratio": F(rounds_until(run, F(60), 200), waiting),
                "slowest_time": max(run.times),
                "round_duration": run.policy.duration,
            }
        ]

    windows = (F(1), F(2), F(1, 2))
    clocks = [(times, FixedWindow(w)) for times in ((1, 2), (2, 3, 5)) for w in windows]
    return clock_instances(clocks, observe)


CHECKS = (
    Check("fraboni.app.centralized", single_client),
    Check("fraboni.app.centralized.corrected", single_client),
    Check("fraboni.app.unbiased.alpha", doublings),
    Check("fraboni.app.unbiased.beta", equal_samples),
    Check("fraboni.app.biased", highest_loss),
    Check(
        "fraboni.exponential.async",
        races,
        everything="an identity in the client's rate, the others' total rate and the importance",
    ),
    Check("fraboni.exponential.fedfix", unlike),
    Check(
        "fraboni.exponential.fedfix.corrected",
        windows_of_an_exponential,
        everything="a sum in closed form, for every mean update time and window",
    ),
    Check("fraboni.exponential.delay", long_waits),
    Check("fraboni.fedfix.async", long_windows),
    Check("fraboni.fedfix.sync", long_windows),
    Check("fraboni.fedfix.rate", round_ratios),
)
