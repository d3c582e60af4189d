"""Section 2: every definition got in two ways, one of them by events and plain arithmetic."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.event_simulation import ClockRun, clock_instances
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import ExactLike, Scalar, Values
from fltheory.engine.simulate import simulate, simulate_virtual
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.clocks import Asynchronous, Buffer, FixedWindow, Policy, Synchronous
from fltheory.traces.trace_statistics import max_delay
from fltheory.traces.weights import counted_weights, policy_weights

F = Fraction
CLOCKS: tuple[Sequence[ExactLike], ...] = ((1, 2), (2, 3, 5), (1, 1, 3), (F(1, 2), F(2, 3)))
POLICIES: tuple[Policy, ...] = (
    Synchronous(),
    Asynchronous(),
    Asynchronous(joint_ties=True),
    FixedWindow(1),
    FixedWindow(F(3, 2)),
    Buffer(2),
)
Clock = tuple[Sequence[ExactLike], Policy]
"""Update times and a waiting policy."""
Observe = Callable[[ClockRun], Iterable[Values]]
"""What is read off the simulated events of a clock."""
CURVATURES, OPTIMA = (F(1), F(1, 2), F(3, 2)), (F(0), F(1), F(3))


def clocks(*kinds: type) -> Iterator[Clock]:
    """Every list of update times under every policy, or under policies of these kinds."""
    return (
        (times, policy)
        for times, policy in product(CLOCKS, POLICIES)
        if not kinds or isinstance(policy, kinds)
    )


def local_work(start: Fraction, h: Fraction, c: Fraction, size: Fraction, steps: int) -> Fraction:
    """Where a client's gradient steps lead, in closed form: c + (1 - size h)^steps (start - c)."""
    return c + (1 - size * h) ** steps * (start - c)


def replay(
    run: ClockRun,
    weights: Sequence[Fraction],
    *,
    rounds: int,
    size: Fraction,
    server: Fraction,
    steps: int,
) -> Fraction:
    """Algorithm 1 client by client: each has a model and the time at which it got it; the server
    waits, adds up and sends back."""
    now, model = F(0), F(2)
    held = [(now, model)] * run.num_clients
    for _ in range(rounds):
        left = [time - (now - got) for time, (got, _) in zip(run.times, held, strict=True)]
        order = sorted(range(run.num_clients), key=lambda i: (left[i], i))
        match run.policy:
            case Synchronous():
                wait, chosen = max(left), order
            case Asynchronous(joint_ties=together):
                wait = min(left)
                chosen = [i for i in order if left[i] == wait] if together else order[:1]
            case FixedWindow(duration=wait):
                chosen = [i for i in order if left[i] <= wait]
            case Buffer(size=many):
                chosen = order[:many]
                wait = left[chosen[-1]]
        moved = sum(
            (
                weights[i]
                * (local_work(held[i][1], CURVATURES[i], OPTIMA[i], size, steps) - held[i][1])
                for i in chosen
            ),
            F(0),
        )
        now, model = now + wait, model + server * moved
        for i in chosen:
            held[i] = (now, model)
    return model


def replays(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """The same run by trace and by replay."""
    for steps, server in ((1, F(1)), (3, F(1, 2))):
        count, size = 9, F(1, 10)
        weights = tuple(F(i + 1, 2) for i in range(run.num_clients))
        problem = Quadratic(CURVATURES[: run.num_clients], OPTIMA[: run.num_clients])
        trace = run.trace(count, local_steps=steps)
        models = simulate(
            WeightedAggregation(weights),
            problem,
            trace,
            start=2,
            local_step_size=size,
            server_step_size=server,
        ).models
        yield {
            "final_model": models[-1, 0],
            "replayed_model": replay(
                run, weights, rounds=count, size=size, server=server, steps=steps
            ),
        }


def steps_of(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Models and virtual models against contributions and gradients in closed form."""
    count, steps, size, server = 6, 2, F(1, 10), F(3, 2)
    n_clients = run.num_clients
    weights = tuple(F(i + 1, 2) for i in range(n_clients))
    trace = run.trace(count, local_steps=steps)
    virtual = simulate_virtual(
        WeightedAggregation(weights),
        Quadratic(CURVATURES[:n_clients], OPTIMA[:n_clients]),
        trace,
        start=2,
        local_step_size=size,
        server_step_size=server,
    )[..., 0]
    models = [virtual[n, 0] for n in range(count)] + [virtual[-1, -1]]
    received = [0] * n_clients
    for n, group in enumerate(run.groups(count)):
        at = {
            i: [
                local_work(models[received[i]], CURVATURES[i], OPTIMA[i], size, k)
                for k in range(steps + 1)
            ]
            for i in group
        }
        contribution = sum((weights[i] * (at[i][-1] - at[i][0]) for i in group), F(0))
        for k in range(steps):
            slopes = sum((weights[i] * CURVATURES[i] * (at[i][k] - OPTIMA[i]) for i in group), F(0))
            yield {
                "model_now": models[n],
                "model_next": models[n + 1],
                "weighted_contributions": contribution,
                "server_step_size": server,
                "local_step_size": size,
                "virtual_model": virtual[n, k],
                "virtual_next": virtual[n, k + 1],
                "weighted_gradients": slopes,
            }
        for i in group:
            received[i] = n + 1


def timings(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Times of deliveries and of models, remaining times, received models and their ages, all
    counted on events."""
    timed, events = run.timed(8), run.events(8)
    received, counts, elapsed = [0] * run.num_clients, [0] * run.num_clients, F(0)
    groups, stalest = [event.clients for event in events[1:]], max_delay(timed.trace)
    oldest = max(n - _last(groups, i, n) for n in range(8) for i in range(run.num_clients))
    for n in range(8):
        queue = {client: finish - events[n].time for finish, client in events[n].queue}
        group = events[n + 1].clients
        for i, time in enumerate(run.times):
            counts[i] += i in group
            after = n + 1 if i in group else received[i]
            yield {
                "update_time": time,
                "remaining_time": queue[i],
                "time_since_reception": timed.times[n] - timed.times[received[i]],
                "delivers": int(i in group),
                "next_round": n + 1,
                "received_before": received[i],
                "received_after": _last(groups, i, n + 1),
                "elapsed_time": elapsed,
                "time_of_model": events[n].time,
                "largest_age": oldest,
                "max_staleness": stalest,
                "deliverers": len(group),
                "clients_done": sum(left <= timed.durations[n] for left in queue.values()),
            }
            received[i] = after
        elapsed += timed.durations[n]


def _last(groups: Sequence[Sequence[int]], client: int, index: int) -> int:
    """Largest m <= index such that the client delivered in round m - 1, else 0."""
    return max((m for m in range(1, index + 1) if client in groups[m - 1]), default=0)


def deliveries(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """The time of every delivery of each client, and its number (Section 2.2)."""
    counts = [0] * run.num_clients
    for event in run.events(12)[1:]:
        for i in event.clients:
            counts[i] += 1
            yield {
                "delivery_time": event.time,
                "deliveries": counts[i],
                "update_time": run.times[i],
            }


def shares(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """Mean weights over the first rounds, and over windows for weights by counts; participation
    counted on events."""
    weights, groups = policy_weights(run.times, run.policy), run.groups(10)
    counted, period = counted_weights(run.counted), run.counted.period
    later = run.groups(run.counted.warm_up + period)[run.counted.warm_up :]
    for i in range(run.num_clients):
        frequency = F(sum(i in group for group in groups), 10)
        mean = sum((weights[i] for group in groups if i in group), F(0)) / 10
        yield {
            "aggregation_weight": weights[i],
            "participation": frequency,
            "expected_weight": mean,
        }
        by_counts = sum((counted[i] for group in later if i in group), F(0)) / period
        yield {"expected_weight": by_counts, "importance": F(1, run.num_clients)}


def search(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """All windows tried on three whole periods."""
    if run.counted.warm_up:
        return
    period = run.counted.period
    groups = run.groups(6 * period)

    def balanced(window: int) -> bool:
        starts = range(0, 6 * period - window + 1, window)
        counts = [
            [sum(i in g for g in groups[s : s + window]) for i in range(run.num_clients)]
            for s in starts
        ]
        return all(row == counts[0] for row in counts)

    yield {
        "balance_period": period,
        "window_by_search": next(w for w in range(1, period + 1) if balanced(w)),
    }


def crowds(run: ClockRun) -> Iterator[dict[str, Scalar]]:
    """The smallest number of clients that deliver in a round (Section 2.5)."""
    groups = run.groups(12)
    yield {"least_deliverers": min(len(group) for group in groups)}


@by_instances(Method.EVENT_SIMULATION, "two equal clients under each policy")
def equal_clients() -> Iterator[Instance]:
    """Rounds of two equal clients; FedFix with windows of half their time leaves some empty
    (Section 2.5)."""
    policies = (Synchronous(), Asynchronous(), FixedWindow(F(1, 2)))
    return clock_instances([((1, 1), policy) for policy in policies], crowds)


@cache
def observed(kinds: tuple[type, ...], observe: Observe) -> tuple[Instance, ...]:
    """What is observed on every clock under policies of these kinds."""
    return tuple(clock_instances(clocks(*kinds), observe))


def simulated(
    kinds: tuple[type, ...], observe: Observe, names: tuple[str, ...], claim: Claim
) -> Evidence:
    """The claim on everything observed that has these names (Section 2)."""
    found = (i for i in observed(kinds, observe) if set(names) <= set(i.values))
    return check_instances(
        claim,
        found,
        method=Method.EVENT_SIMULATION,
        covers="four lists of update times under each policy, exact times",
    )


BY_EVENTS: tuple[tuple[str, tuple[type, ...], Observe, tuple[str, ...]], ...] = (
    ("def.dt", (), timings, ()),
    ("def.Tn", (), timings, ()),
    ("def.rho", (), timings, ()),
    ("def.tau", (), timings, ()),
    ("def.S", (Synchronous, FixedWindow), timings, ()),
    ("def.T", (Asynchronous,), deliveries, ()),
    ("def.agg", (), steps_of, ()),
    ("def.virtual", (), steps_of, ()),
    ("alg1", (), replays, ()),
    ("def.q", (), shares, ("participation",)),
    ("fedbuff.weights", (Buffer,), shares, ("importance",)),
    ("def.W", (), search, ()),
)
CHECKS = (
    *(
        Check(f"fraboni.{name}", partial(simulated, kinds, observe, names))
        for name, kinds, observe, names in BY_EVENTS
    ),
    Check("fraboni.fedfix.empty", equal_clients),
)
