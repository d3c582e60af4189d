"""Lemmas 1-7, Corollary 2 and eq. (37): staleness, noise and drift."""

from fltheory.claims.claim import (
    Claim,
    Identity,
    LowerBound,
    Severity,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.papers.fedlaavg.paper import (
    BOUNDED,
    GAMMA,
    LEMMA_1,
    METHOD,
    NOISE,
    OBLIVIOUS,
    SAMPLES,
    SIGMA,
    SMOOTH,
    WINDOW,
    G,
    L,
    corrected,
    printed,
    read,
)
from fltheory.papers.fedlaavg.statements.steps import WORDS, X

STALENESS = letter("worst_staleness", integer=True, nonnegative=True)
STALE_WORDS = {
    "worst_staleness": (
        "max (t - T_i^t) over clients and rounds, T_i^t = 0 before the first participation"
    )
}
CHANGE, APART = letter("squared_change"), letter("iterations_apart", integer=True, nonnegative=True)
CHANGE_WORDS = {
    "squared_change": "E |grad f(x^{t-1}) - grad f(x^{t0-1})|^2",
    "iterations_apart": "t - t0",
}
MOMENT_WORDS = {
    "gradient_second_moment": "E |g_i^t|^2",
    "noise_second_moment": "E |g_i^t - grad f_i|^2 at the point of g_i^t",
}
DRIFT = UpperBound(CHANGE, APART**2 * L**2 * GAMMA**2 * G**2)
ADDITIVE = Identity(X["noise_of_sum"], X["sum_of_noises"])


ANY_AVAILABILITY = (
    "The proof that Coq has checked takes participation as fixed; as a draw is fair given all that"
    " was drawn before, availability that reacts to earlier draws changes nothing here."
)


def _worst(clients: int, used: int, window: int, equals: str) -> SpecialCase:
    values = {"num_clients": clients, "clients_per_round": used, "availability_window": window}
    return SpecialCase(f"N={clients}, K={used}, E={window}", values, equals)


CLAIMS = (
    Claim(
        id="fedlaavg.lem1",
        source=printed(
            "Lemma 1",
            "t - T_i^t <= I for all t, i, where I = ceil(N/K) E - 1",
        ),
        says=(
            "Under FedLaAvg's selection no client's latest participation is more than I = ceil(N/K)"
            " E - 1 rounds old."
        ),
        statement=UpperBound(STALENESS, LEMMA_1),
        where=STALE_WORDS,
        assumes=(WINDOW,),
        special_cases=(
            _worst(3, 1, 3, "8"),
            _worst(3, 2, 3, "5"),
            _worst(4, 2, 3, "5"),
            _worst(4, 3, 3, "5"),
            _worst(5, 2, 2, "5"),
            _worst(7, 7, 1, "0"),
        ),
        note=(
            "Holds from the cold start, for any way to break ties, and when fewer than K clients"
            " are available."
        ),
        proof="docs/proofs/fedlaavg.md#lemma-1",
    ),
    Claim(
        id="fedlaavg.lem1.tight",
        source=corrected("Lemma 1, sharpness"),
        says=(
            "Lemma 1 cannot be improved: everybody available exactly every E rounds makes some"
            " client I rounds stale, for all N, K and E."
        ),
        statement=LowerBound(STALENESS, LEMMA_1),
        where=STALE_WORDS,
        assumes=(WINDOW,),
        proof="docs/proofs/fedlaavg.md#lemma-1",
    ),
    Claim(
        id="fedlaavg.lem2",
        source=printed(
            "Lemma 2, first part",
            "E|g_i^t|^2 <= G^2 for all i, t",
        ),
        says="Each stochastic gradient along the run has second moment at most G^2.",
        statement=UpperBound(letter("gradient_second_moment"), G**2),
        where=MOMENT_WORDS,
        assumes=(METHOD, SAMPLES, BOUNDED),
        note=ANY_AVAILABILITY,
    ),
    Claim(
        id="fedlaavg.lem2.noise",
        source=printed(
            "Lemma 2, second part",
            "E|g_i^t - grad f_i(x^{t-1})|^2 <= sigma^2 for all i, t",
        ),
        says=(
            "Each stochastic gradient along the run has variance at most sigma^2 around the"
            " gradient at its point."
        ),
        statement=UpperBound(letter("noise_second_moment"), SIGMA**2),
        where=MOMENT_WORDS,
        assumes=(METHOD, SAMPLES, NOISE),
        note=ANY_AVAILABILITY,
    ),
    Claim(
        id="fedlaavg.lem3",
        source=printed(
            "Lemma 3",
            "E|sum_i (g_i^{T_i^t} - grad f_i(x^{T_i^t-1}))|^2 = sum_i E|g_i^{T_i^t} - grad "
            "f_i(x^{T_i^t-1})|^2",
        ),
        says=(
            "The noises of the clients' latest gradients are uncorrelated: the variance of their"
            " sum is the sum of their variances."
        ),
        statement=ADDITIVE,
        where=WORDS,
        assumes=(METHOD, SAMPLES, OBLIVIOUS),
        note=(
            "The noise of a client that has not taken part counts as 0. False if availability may"
            " react to the noise: fedlaavg.lem3.adaptive."
        ),
    ),
    Claim(
        id="fedlaavg.lem3.adaptive",
        source=read(
            "Lemma 3 with Section 1: available clients may follow any time-varying distribution",
            (
                '"Any time-varying distribution" allows availability that reacts to the noise'
                " drawn so far."
            ),
            "Availability does not depend on the gradient noise: then it is fedlaavg.lem3.",
        ),
        says=(
            "The noises of the clients' latest gradients are uncorrelated even if availability"
            " reacts to the noise drawn so far."
        ),
        statement=ADDITIVE,
        where=WORDS,
        note=(
            "The proof conditions on the latest participations, which are then random. The missing"
            " hypothesis: availability is independent of the noise."
        ),
        severity=Severity.READING,
    ),
    Claim(
        id="fedlaavg.lem4",
        source=printed(
            "Lemma 4",
            "E|grad f_i(x^{t-1}) - grad f_i(x^{t0-1})|^2 <= (t - t0)^2 L^2 gamma^2 G^2",
        ),
        says=(
            "A client's gradient changes between two iterations by at most L gamma G for each"
            " iteration, in mean square."
        ),
        statement=DRIFT,
        where=CHANGE_WORDS,
        assumes=(METHOD, SMOOTH, SAMPLES, BOUNDED, OBLIVIOUS),
        note=(
            "With several local steps it holds for the virtual iterates, not for the local models."
        ),
    ),
    Claim(
        id="fedlaavg.cor2",
        source=printed(
            "Corollary 2",
            "E|grad f(x^{t-1}) - grad f(x^{t0-1})|^2 <= (t - t0)^2 L^2 gamma^2 G^2",
        ),
        says=(
            "The global gradient changes between two iterations by at most L gamma G for each"
            " iteration, in mean square."
        ),
        statement=DRIFT,
        where=CHANGE_WORDS,
        assumes=(METHOD, SMOOTH, SAMPLES, BOUNDED, OBLIVIOUS),
    ),
    Claim(
        id="fedlaavg.eq37",
        source=printed(
            "Eq. (37)",
            "E<grad f(x^{t-1}), (1/N) sum g_i^{T_i^t}> = E<grad f(x^{t-1}), (1/N) sum grad "
            "f_i(x^{t-1})> with full participation",
        ),
        says=(
            "With full participation the update has, in expectation, the global gradient's inner"
            " product with itself."
        ),
        statement=Identity(X["now_times_update"], X["squared_gradient"]),
        where=WORDS,
        assumes=(METHOD, SAMPLES),
    ),
    Claim(
        id="fedlaavg.eq37.norm",
        source=printed(
            "After eq. (37): the norm of the second vector is bounded by O(1/N)",
            "the norm of the second vector is bounded by O(1/N)",
        ),
        says="The mean noise of N independent clients has norm of order 1/N.",
        statement=UpperBound(
            letter("root_mean_square_noise"),
            SIGMA / letter("num_clients", integer=True, positive=True),
        ),
        where={"root_mean_square_noise": "square root of E |(1/N) sum_i n_i|^2"},
        note=(
            "Its square is at most sigma^2/N, so the norm is of order 1/sqrt N; the conclusion"
            " O(1/sqrt N) there is right."
        ),
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.eq37.norm.corrected",
        source=corrected("After eq. (37), squared norm"),
        says="The mean noise of N independent clients has norm at most sigma / sqrt N.",
        statement=UpperBound(
            letter("root_mean_square_noise") ** 2,
            SIGMA**2 / letter("num_clients", integer=True, positive=True),
        ),
        where={"root_mean_square_noise": "square root of E |(1/N) sum_i n_i|^2"},
        corrects="fedlaavg.eq37.norm",
    ),
    Claim(
        id="fedlaavg.lem5",
        source=printed(
            "Lemma 5",
            "r - R_i^r <= I for all r, i",
        ),
        says=(
            "With availability counted in rounds, no client's latest participation is more than I ="
            " ceil(N/K) E - 1 rounds old."
        ),
        statement=UpperBound(STALENESS, LEMMA_1),
        where=STALE_WORDS,
        assumes=(WINDOW,),
        proof="docs/proofs/fedlaavg.md#lemma-1",
    ),
    Claim(
        id="fedlaavg.lem6",
        source=printed(
            "Lemma 6, first part",
            "E|g_i^t|^2 <= G^2 for all i, t, at local models",
        ),
        says="Each stochastic gradient at a local model has second moment at most G^2.",
        statement=UpperBound(letter("gradient_second_moment"), G**2),
        where=MOMENT_WORDS,
        assumes=(METHOD, SAMPLES, BOUNDED),
        note=ANY_AVAILABILITY,
    ),
    Claim(
        id="fedlaavg.lem6.noise",
        source=printed(
            "Lemma 6, second part",
            "E|g_i^t - grad f_i(x_i^{t-1})|^2 <= sigma^2 for all i, t",
        ),
        says="Each stochastic gradient at a local model has variance at most sigma^2.",
        statement=UpperBound(letter("noise_second_moment"), SIGMA**2),
        where=MOMENT_WORDS,
        assumes=(METHOD, SAMPLES, NOISE),
        note=ANY_AVAILABILITY,
    ),
    Claim(
        id="fedlaavg.lem7",
        source=printed(
            "Lemma 7",
            "E|sum_i n_i|^2 = sum_i E|n_i|^2 for the noises n_i of the gradients of index R_i C "
            "- r C + t",
        ),
        says=(
            "With local steps, the noises of the latest gradients of the same local step are"
            " uncorrelated among clients."
        ),
        statement=ADDITIVE,
        where=WORDS,
        assumes=(METHOD, SAMPLES, OBLIVIOUS),
    ),
)
