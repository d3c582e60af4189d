"""Where this paper's definitions, Table 2 and sampling lemmas may fail: clocks under every policy,
schemes of one round."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import islice
from math import lcm
from typing import Any

from fltheory.claims.checks.event_simulation import ClockRun
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.scoring import worst
from fltheory.claims.spaces.space import Space
from fltheory.papers import find_claim
from fltheory.papers.fraboni.checks import definitions, table2
from fltheory.papers.fraboni.checks.lemmas import aggregate, single_weight
from fltheory.papers.fraboni.checks.sampling import Scheme, multinomial, uniform
from fltheory.papers.fraboni.spaces.drawing import F, scheme, shares, times
from fltheory.traces.clocks import (
    Asynchronous,
    Buffer,
    FixedWindow,
    Policy,
    Synchronous,
    simulate_clock,
)
from fltheory.traces.trace_statistics import balance_period, max_delay
from fltheory.traces.update_times import ExponentialTimes
from fltheory.traces.weights import asynchronous_weights

Values = dict[str, Any]
Observe = Callable[[ClockRun], Iterable[Mapping[str, Any]]]
LONGEST_PERIOD = 120


def _policy(choices: Choices, kind: str, given: tuple[Fraction, ...]) -> Policy:
    options: dict[str, Callable[[], Policy]] = {
        "sync": Synchronous,
        "async_": Asynchronous,
        "whole_async": Asynchronous,
        "joint": lambda: Asynchronous(joint_ties=True),
        "fedfix": lambda: FixedWindow(choices.number(F(1, 2), 5, max_denominator=3)),
        "Synchronous": Synchronous,
        "buffer": lambda: Buffer(choices.whole(1, len(given))),
    }
    return options["fedfix" if kind.startswith("fedfix") else kind]()


def _clock(choices: Choices, kinds: tuple[str, ...], *, least: int = 1, most: int = 4) -> ClockRun:
    """A drawn clock whose pattern repeats soon enough to be counted."""
    kind = choices.choice(kinds)
    several = kind == "fedfix_spreads"
    given = times(
        choices, least=max(least, 2 if several else 1), most=most, whole=kind == "whole_async"
    )
    run = ClockRun(given, _policy(choices, kind, given))
    if run.counted.period > LONGEST_PERIOD:
        choices.reject("the pattern repeats within 120 rounds")
    choices.require(any(run.groups(6)), "somebody delivers")
    return run


def _whole_rounds(row: Mapping[str, Any]) -> bool:
    """A training time with fixed windows is meant to end with a round."""
    return (
        "training_time" not in row
        or "round_duration" not in row
        or (row["training_time"] / row["round_duration"]).denominator == 1
    )


def _searched(run: ClockRun) -> Iterable[Mapping[str, Any]]:
    """The shortest window in which every client always delivers equally often, over all aligned
    windows of the repeating pattern."""
    period = run.counted.period
    if run.counted.warm_up or period > 40:
        return ()
    groups = run.groups(period)

    def balanced(window: int) -> bool:
        starts = range(0, lcm(window, period), window)
        counts = [
            [
                sum(i in groups[n % period] for n in range(s, s + window))
                for i in range(run.num_clients)
            ]
            for s in starts
        ]
        return all(row == counts[0] for row in counts)

    return [
        {
            "balance_period": period,
            "window_by_search": next(w for w in range(1, period + 1) if balanced(w)),
        }
    ]


def _all_seen(run: ClockRun) -> Iterable[Mapping[str, Any]]:
    """Excesses are looked at over 20 rounds, in which everybody must deliver."""
    return table2.excesses(run) if run.counted.period <= 20 else ()


def observing(
    kinds: tuple[str, ...], observe: Observe, *, least: int = 1, most: int = 4
) -> Callable[[Choices, Claim], Instance]:
    """Draw a clock, and take the row of what is observed on it that comes closest to contradicting
    the claim."""

    def draw(choices: Choices, claim: Claim) -> Instance:
        run = _clock(choices, kinds, least=least, most=most)
        names = {s.name for s in claim.symbols}
        rows = [
            Instance(row, f"update times {tuple(map(str, run.times))} under {run.policy}")
            for row in islice(observe(run), 400)
            if names <= set(row) and _whole_rounds(row)
        ]
        if not rows:
            choices.reject("the clock shows what the claim speaks of")
        return worst(claim, rows)

    return draw


def _of_clock(kinds: Any) -> tuple[str, ...]:
    named = {Synchronous: "sync", Asynchronous: "async_", FixedWindow: "fedfix", Buffer: "buffer"}
    return tuple(named[kind] for kind in kinds) or ("sync", "async_", "joint", "fedfix", "buffer")


@cache
def symbols_of(*names: str) -> frozenset[str]:
    """The symbols of these claims."""
    return frozenset(s.name for name in names for s in find_claim(f"fraboni.{name}").symbols)


def _by_observation() -> list[Space]:
    """One space for each way of looking at a clock: those of Table 2 and those of the
    definitions."""
    found = []
    for name, clocks, look in table2.PLAN:
        observe = _all_seen if look is table2.excesses else look
        found.append(
            Space(
                f"fraboni.{name}",
                "Up to four clients with any small update times.",
                symbols_of(name) | FACTS,
                observing((clocks.__name__,), observe),
                (f"fraboni.{name}",),
            )
        )
    for name, kinds, look, _ in definitions.BY_EVENTS:
        draw = observing(
            _of_clock(kinds), _searched if name == "def.W" else look, most=3
        )  # the losses of the definitions are those of three clients
        found.append(
            Space(
                f"fraboni.{name}",
                "Up to four clients with any small update times under the policies.",
                symbols_of(name),
                draw,
                (f"fraboni.{name}",),
            )
        )
    return found


FACTS = frozenset(
    {
        "num_clients",
        "sum_of_rates",
        "common_multiple",
        "slowest_time",
        "fastest_time",
        "sum_of_ceilings",
    }
)


def _crowds(run: ClockRun) -> list[Values]:
    groups = run.groups(12)
    return [
        {
            "least_deliverers": min(map(len, groups)),
            "most_deliverers": max(map(len, groups)),
            "num_clients": run.num_clients,
            "max_staleness": run.counted.max_staleness,
        }
    ]


def _long_windows(choices: Choices, claim: Claim) -> Instance:
    """FedFix with windows at least as long as the slowest client, and rounds counted until a common
    time."""
    given = times(choices, most=3)
    run = ClockRun(given, FixedWindow(max(given) + choices.choice((0, 1, 2))))
    return Instance(_crowds(run)[0], f"update times {tuple(map(str, given))}, {run.policy}")


def _round_ratio(choices: Choices, claim: Claim) -> Instance:
    """Rounds of FedFix and of synchronous waiting within a time that is a multiple of both round
    lengths."""
    given, duration = times(choices, most=3, whole=True), F(1, choices.whole(1, 3))
    slowest = max(given)
    limit = slowest * choices.whole(1, 4)
    fixed = (
        sum(
            event.time <= limit
            for event in ClockRun(given, FixedWindow(duration)).events(int(limit / duration) + 2)
        )
        - 1
    )
    waiting = (
        sum(
            event.time <= limit
            for event in ClockRun(given, Synchronous()).events(int(limit / slowest) + 2)
        )
        - 1
    )
    return Instance(
        {
            "fedfix_round_ratio": F(fixed, waiting),
            "slowest_time": slowest,
            "round_duration": duration,
        },
        f"{given}, {duration}",
    )


def _single(choices: Choices, claim: Claim) -> Instance:
    run = ClockRun((choices.number(F(1, 2), 5),), choices.choice([Synchronous(), Asynchronous()]))
    return Instance({"max_staleness": run.counted.max_staleness}, f"one client under {run.policy}")


def _exponential(choices: Choices, claim: Claim) -> Instance:
    """Exponential update times with these means, drawn with a seed."""
    means = tuple(choices.whole(1, 5) for _ in range(choices.whole(2, 3)))
    trace = simulate_clock(
        ExponentialTimes(means),
        Asynchronous(),
        num_rounds=choices.whole(1, 300),
        seed=choices.whole(0, 9),
    ).trace
    slowest = max(means)
    return Instance(
        {
            "max_staleness": max_delay(trace),
            "sum_of_ceilings": sum(-(-slowest // t) for t in means) - 1,
        },
        f"means {means}",
    )


def _finite(choices: Choices, claim: Claim) -> Instance:
    """An asynchronous run that stops after whole windows, at least two, in which everybody
    delivers."""
    run = _clock(choices, ("whole_async",))
    rounds = choices.whole(2, 40)
    trace = run.trace(rounds)
    window = balance_period(trace)
    if window > rounds // 2 or not trace.delivers.any(axis=0).all():
        choices.reject("the run has two whole windows")
    return Instance(
        table2.facts(run) | {"window_of_finite_run": window},
        f"update times {run.times}, {rounds} rounds",
    )


def _largest_weight(choices: Choices, claim: Claim) -> Instance:
    given = times(choices, least=2)
    importance = shares(choices, len(given))
    return Instance(
        table2.facts(ClockRun(given, Asynchronous()))
        | {
            "largest_aggregation_weight": max(asynchronous_weights(given, importance=importance)),
            "largest_importance": max(importance),
            "variance_excess": max(asynchronous_weights(given)),
        },
        f"update times {tuple(map(str, given))}, importance {importance}",
    )


def _betas(choices: Choices, claim: Claim) -> Instance:
    """FedFix with alpha = 1: d_i(n) - q_i(n) over everybody, and over participants."""
    run = _clock(choices, ("fedfix",))
    weights = run.needed_weights()
    cells = [
        (weights[i], weights[i] * (i in group))
        for group in run.groups(6)
        for i in range(run.num_clients)
    ]
    here = [d - q for d, q in cells if q]
    if not here:
        choices.reject("somebody delivers")
    return Instance(
        {"printed_beta": max(d - q for d, q in cells), "beta_of_participants": max(here)},
        f"{run.times}, {run.policy}",
    )


def _scheme(choices: Choices, claim: Claim) -> Instance:
    """A scheme of one round with vectors; the values that the claim names."""
    kinds = {
        "fraboni.def.omega": ("uniform", "independent", "certain"),
        "fraboni.ass5.diagonal": ("uniform",),
        "fraboni.fedfix.independence": ("independent",),
        "fraboni.app.unbiased.beta": ("uniform", "multinomial"),
    }
    drawn = scheme(
        choices, kinds=kinds.get(claim.id, ("uniform", "multinomial", "independent", "certain"))
    )
    if not any(drawn.moment(i) for i in drawn.clients):
        choices.reject("somebody has a weight")
    client = choices.whole(0, len(drawn.clients) - 1)
    factors = drawn.pair_factors()
    if len(factors) > 1:
        choices.reject("Assumption 5: all pairs agree on alpha")
    values = dict(
        aggregate(drawn, [choices.number(-3, 3, max_denominator=2) for _ in drawn.clients]).values
    )
    inside = len(factors) == 0 or 0 < min(factors) < 1
    closed = len(factors) == 0 or 0 <= min(factors) <= 1
    return Instance(
        values
        | dict(single_weight(drawn, client).values)
        | {
            "open_alpha_exists": int(inside),
            "closed_alpha_exists": int(closed),
        },
        drawn.says,
    )


def _sampling(choices: Choices, claim: Claim) -> Instance:
    clients = choices.whole(2, 4)
    size = choices.whole(1, clients)
    make = (
        uniform(clients, size)
        if claim.id == "fraboni.def.alpha"
        else multinomial(size, [F(1, clients)] * clients)
    )
    return Instance(
        {
            "covariance_factor": make.covariance_factor,
            "num_clients": clients,
            "clients_per_round": size,
        },
        make.says,
    )


def _doubled(choices: Choices, claim: Claim) -> Instance:
    size, importance = choices.whole(1, 3), shares(choices, 2)
    factors = [multinomial(m, importance).covariance_factor for m in (size, 2 * size)]
    return Instance(
        {"factor": factors[0], "factor_at_double": factors[1]},
        f"multinomial sampling of {size} and {2 * size}",
    )


def _highest_loss(choices: Choices, claim: Claim) -> Instance:
    """Clients chosen by their loss after a step with fair-coin noise: power of choice, one of
    two."""
    optima, noise = [choices.number(-2, 2) for _ in range(2)], choices.number(0, 1)
    outcomes = []
    for model in (noise, -noise):
        costs = [(model - c) ** 2 / 2 for c in optima]
        chosen = costs.index(max(costs))
        outcomes.append((F(1, 2), tuple(F(int(i == chosen)) for i in range(2))))
    drawn = Scheme(
        "the client with the higher loss after a noisy step", tuple(outcomes), (F(1, 2), F(1, 2))
    )
    if len(drawn.pair_factors()) > 1:
        choices.reject("Assumption 5: all pairs agree on alpha")
    return Instance({"variance_excess": drawn.variance_excess}, drawn.says)


def space_of(
    name: str, says: str, draw: Callable[[Choices, Claim], Instance], *claims: str
) -> Space:
    """A space for the named claims of this paper, which gives a value to all their symbols."""
    return Space(
        f"fraboni.{name}",
        says,
        symbols_of(*claims),
        draw,
        tuple(f"fraboni.{claim}" for claim in claims),
    )


SPACES = (
    *_by_observation(),
    space_of(
        "empty-rounds",
        "Two or more clients under any policy.",
        observing(("sync", "async_", "fedfix"), _crowds, least=2),
        "fedfix.empty",
    ),
    space_of(
        "long-windows",
        "FedFix with windows as long as the slowest client.",
        _long_windows,
        "fedfix.async",
        "fedfix.sync",
    ),
    space_of(
        "round-ratio",
        "FedFix against waiting for all, counted on events.",
        _round_ratio,
        "fedfix.rate",
    ),
    space_of(
        "single",
        "One client that is always heard.",
        _single,
        "app.centralized",
        "app.centralized.corrected",
    ),
    space_of(
        "exponential",
        "Exponential update times with two or three means.",
        _exponential,
        "exponential.delay",
    ),
    space_of("finite", "Asynchronous runs of at least two whole windows.", _finite, "W.finite"),
    space_of(
        "largest-weight",
        "Asynchronous FedAvg with any times and importances.",
        _largest_weight,
        "tab2.beta.bound",
        "tab2.beta.bound.corrected",
        "lr.beta",
    ),
    space_of("betas", "FedFix rounds.", _betas, "def.beta", "def.beta.corrected"),
    space_of(
        "schemes",
        "One round of certain, sampled or independent participation with any importances and"
        " vectors.",
        _scheme,
        "lem1",
        "lem1.excess",
        "lem1.sign",
        "lem1.remark",
        "lem1.remark.corrected",
        "eq16",
        "eq17",
        "def.omega",
        "ass5",
        "ass5.corrected",
        "ass5.diagonal",
        "fedfix.independence",
        "app.unbiased.beta",
    ),
    space_of(
        "sampling",
        "Uniform and multinomial sampling of any size.",
        _sampling,
        "def.alpha",
        "def.alpha.multinomial",
    ),
    space_of(
        "doubled", "Multinomial sampling of m and 2 m clients.", _doubled, "app.unbiased.alpha"
    ),
    space_of(
        "highest-loss",
        "The client with the higher loss after a noisy step.",
        _highest_loss,
        "app.biased",
    ),
)
