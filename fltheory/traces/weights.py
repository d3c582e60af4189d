"""Aggregation weights d_i that give every client its importance in the long run, for each waiting
policy.

The mean weight of a client is q_i = (1/W) sum over a balance period of d_i 1[i delivers]. If q_i =
p_i, the method converges to the optimum of the global loss (Fraboni et al., Theorem 3). Update
times are fixed here unless a name says otherwise.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import exp

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exacts, shares
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values
from fltheory.core.types import ExactLike, Json, Vector
from fltheory.traces.balance import Balance, balance, window_cycles
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous
from fltheory.traces.update_times import (
    ExponentialTimes,
    UpdateTimesLike,
    as_update_times,
    fixed_times,
    positive,
)

Weights = tuple[Fraction, ...]


def asynchronous_weights(
    update_times: UpdateTimesLike, *, importance: Vector | None = None
) -> Weights:
    """d_i = (sum_j 1/tau_j) tau_i p_i (Fraboni et al., eq. 12); also correct for exponential times
    with these means.

    >>> [str(weight) for weight in asynchronous_weights([2, 3, 5])]
    ['31/45', '31/30', '31/18']
    """
    times = fixed_times(update_times)
    rate = sum(1 / time for time in times)
    return tuple(
        rate * time * share
        for time, share in zip(times, shares(importance, len(times)), strict=True)
    )


def window_weights(
    update_times: UpdateTimesLike, window: ExactLike, *, importance: Vector | None = None
) -> Weights:
    """d_i = ceil(tau_i / Delta t) p_i (FedFix; Fraboni et al., eq. 14).

    >>> [str(weight) for weight in window_weights([1, 2], 1)]
    ['1/2', '1']
    """
    times = fixed_times(update_times)
    cycles = window_cycles(times, FixedWindow(window).duration)
    return tuple(
        cycle * share for cycle, share in zip(cycles, shares(importance, len(times)), strict=True)
    )


def exponential_window_weights(
    mean_update_times: Vector, window: ExactLike, *, importance: Vector | None = None
) -> tuple[float, ...]:
    """d_i = p_i E ceil(T_i / Delta t) = p_i / (1 - exp(-Delta t / tau_i)): FedFix with exponential
    update times.

    Eq. (14) does not give q_i = p_i in this case. The weights are irrational, so they are floats.

    >>> [round(3 * weight, 3) for weight in exponential_window_weights([1, 2, 5], 1)]
    [1.582, 2.541, 5.517]
    """
    means, duration = positive(mean_update_times, "mean update time"), FixedWindow(window).duration
    importances = shares(importance, len(means))
    return tuple(
        float(share) / (1 - exp(-duration / mean))
        for mean, share in zip(means, importances, strict=True)
    )


def counted_weights(counts: Balance, *, importance: Vector | None = None) -> Weights:
    """d_i = p_i W / (deliveries of i in a balance period): correct for every policy that repeats
    itself, including FedBuff.

    >>> from fltheory.traces.clocks import Buffer
    >>> [str(weight) for weight in counted_weights(balance([2, 3, 5], Buffer(2)))]
    ['1/3', '1/2', '1']
    """
    importances = shares(importance, len(counts.deliveries))
    return tuple(
        share / frequency
        for share, frequency in zip(importances, counts.participation, strict=True)
    )


def identical_weights(num_clients: int) -> Weights:
    """d_i = 1 for all clients (IDENTICAL in Fraboni et al., Sec. 5).

    >>> weight_report([1, 2], Asynchronous(), weights=identical_weights(2)).expected_weights
    (Fraction(2, 3), Fraction(1, 3))
    """
    return (Fraction(1),) * num_clients


def policy_weights(
    update_times: UpdateTimesLike, policy: Policy, *, importance: Vector | None = None
) -> Weights:
    """The weights that Fraboni et al. give for a policy, or `counted_weights` where they give none.

    >>> weights = policy_weights([1, 2], Synchronous(), importance=["1/4", "3/4"])
    >>> [str(weight) for weight in weights]
    ['1/4', '3/4']
    """
    match policy:
        case Synchronous():
            return shares(importance, len(fixed_times(update_times)))
        case Asynchronous():
            return asynchronous_weights(update_times, importance=importance)
        case FixedWindow(duration=duration):
            return window_weights(update_times, duration, importance=importance)
        case _:
            return counted_weights(balance(update_times, policy), importance=importance)


def fair_weights(
    update_times: UpdateTimesLike, policy: Policy, *, importance: Vector | None = None
) -> Weights | tuple[float, ...]:
    """The weights that make a policy fair: exact for fixed times; for exponential ones where the
    theory gives them.

    Exponential times: sync p_i; async eq. (12) as for fixed times; FedFix p_i / (1 - exp(-window /
    mean)), as floats.

    >>> [str(weight) for weight in fair_weights([1, 2], Asynchronous())]
    ['3/4', '3/2']
    """
    times = as_update_times(update_times)
    if not isinstance(times, ExponentialTimes):
        return policy_weights(times, policy, importance=importance)
    match policy:
        case Synchronous() | Asynchronous():
            return policy_weights(times.means, policy, importance=importance)
        case FixedWindow(duration=duration):
            try:
                return exponential_window_weights(times.means, duration, importance=importance)
            except ZeroDivisionError:
                raise InvalidInput(
                    "--window",
                    "be large enough against the update times for weights as floats",
                    "a tiny share",
                ) from None
    raise InvalidInput(
        "--exponential",
        "be left out for fedbuff, whose weights are then unknown: give --weights",
        "--exponential",
    )


@dataclass(frozen=True, repr=False)
class WeightReport:
    """The long-run behaviour of a policy with given weights (Fraboni et al., Table 2).

    - `weights`: d_i
    - `expected_weights`: q_i, the mean of weight times arrival over a balance period
    - `participation`: share of the rounds in which each client delivers
    - `balance_period`: W
    - `max_staleness`: tau
    - `largest_total_weight`: rho = max(1, max_n q(n)), where q(n) is the sum of the weights that
      arrive in round n
    - `covariance_factor`: alpha with E omega_i omega_j = alpha q_i q_j for i != j (Assumption 5)
    - `variance_excess`: beta with E omega_i^2 - alpha q_i^2 <= beta q_i
    - `warm_up`: rounds before the pattern begins to repeat
    """

    weights: Weights
    expected_weights: Weights
    participation: tuple[Fraction, ...]
    balance_period: int
    max_staleness: int
    largest_total_weight: Fraction
    covariance_factor: int
    variance_excess: Fraction
    warm_up: int

    def to_dict(self) -> Json:
        return as_dict(asdict(self))

    def tables(self) -> list[Table]:
        return [named_values("weights", asdict(self))]

    __repr__ = as_text
    _repr_html_ = as_html


def weight_report(
    update_times: UpdateTimesLike,
    policy: Policy,
    *,
    importance: Vector | None = None,
    weights: Sequence[ExactLike] | None = None,
) -> WeightReport:
    """The weights of a policy, or the given ones, and their consequences.

    (alpha, beta) is (0, max d_i) if there are several clients and each round has a single arrival;
    otherwise it is (1, 0), which holds for every deterministic participation. With joint ties, eq.
    (12) gives mean weights that are proportional to the importance but not equal to it.

    >>> report = weight_report([1, 2], Asynchronous(joint_ties=True))
    >>> [str(weight) for weight in report.expected_weights], report.balance_period
    (['3/4', '3/4'], 2)
    """
    counts = balance(update_times, policy)
    chosen = (
        policy_weights(update_times, policy, importance=importance)
        if weights is None
        else exacts(weights, "weight")
    )
    if len(chosen) != len(counts.deliveries):
        raise InvalidInput(
            "weights",
            f"have one entry for each of {len(counts.deliveries)} clients",
            f"{len(chosen)} entries",
        )
    for i, weight in enumerate(chosen):
        if weight < 0:
            raise InvalidInput(f"weight of client {i}", "be at least 0", weight)
    single = len(chosen) > 1 and all(len(group) == 1 for group in counts.groups)
    return WeightReport(
        weights=chosen,
        expected_weights=tuple(
            weight * share for weight, share in zip(chosen, counts.participation, strict=True)
        ),
        participation=counts.participation,
        balance_period=counts.period,
        max_staleness=counts.max_staleness,
        largest_total_weight=max(
            Fraction(1), *(sum((chosen[i] for i in group), Fraction(0)) for group in counts.groups)
        ),
        covariance_factor=0 if single else 1,
        variance_excess=max(chosen) if single else Fraction(0),
        warm_up=counts.warm_up,
    )
