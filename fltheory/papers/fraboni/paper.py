"""The paper, the letters that its claims share, and the one way in which they are stated."""

from fltheory.claims.claim import (
    Assumption,
    Authorship,
    Claim,
    Paper,
    Severity,
    Source,
    SpecialCase,
    Statement,
    letter,
)
from fltheory.core.types import Symbol
from fltheory.core.vocabulary import symbol
from fltheory.papers.fraboni.printed import FORMULAS, GRADES, OURS, READINGS

PAPER = Paper(
    key="fraboni",
    title=(
        "A General Theory for Federated Optimization with Asynchronous and Heterogeneous Clients"
        " Updates"
    ),
    authors="Yann Fraboni and Richard Vidal and Laetitia Kameni and Marco Lorenzi",
    year=2023,
    venue="Journal of Machine Learning Research 24",
    name="Fraboni et al.",
    entry="article",
    citation={"journal": "Journal of Machine Learning Research", "volume": "24"},
    version="author version hal-03720629v1 of 12 July 2022, with its appendix",
    letters={
        "num_clients": "M",
        "num_rounds": "N",
        "local_steps": "K",
        "clients_per_round": "m",
        "started_from": "rho_i(n)",
        "staleness": "n - rho_i(n)",
        "max_staleness": "tau",
        "importance": "p_i",
        "aggregation_weight": "d_i(n)",
        "expected_weight": "q_i(n)",
        "balance_period": "W",
        "update_time": "T_i = tau_i",
        "round_duration": "Delta t^n",
        "local_step_size": "eta_l",
        "server_step_size": "eta_g",
        "smoothness": "L",
        "strong_convexity": "0",
        "gradient_bound": "B",
        "dissimilarity": "R, chi^2",
        "initial_distance": "|theta^0 - theta*|",
        "mean_loss_gap": "(1/NK) sum E L(theta^{n,k}) - L*",
    },
)

N, K, M = symbol("num_rounds"), symbol("local_steps"), symbol("num_clients")
LOCAL, SERVER, L = symbol("local_step_size"), symbol("server_step_size"), symbol("smoothness")
STALENESS, W, B = symbol("max_staleness"), symbol("balance_period"), symbol("gradient_bound")
SHARE, WEIGHT, MEAN_WEIGHT = (
    symbol("importance"),
    symbol("aggregation_weight"),
    symbol("expected_weight"),
)
TIME, DURATION = symbol("update_time"), symbol("round_duration")
STEP = SERVER * LOCAL
"""The paper's eta tilde."""

MEANINGS: dict[str, str] = {}
"""What each letter of this paper stands for, by name; filled by `word`, read by `claim`."""


def word(name: str, says: str, **assumptions: bool) -> Symbol:
    """A symbol that only this paper uses, with its meaning in plain words."""
    MEANINGS[name] = says
    return letter(name, **assumptions)


ALPHA = word(
    "covariance_factor",
    "alpha of Assumption 5: E omega_i omega_j = alpha q_i q_j for two clients",
    nonnegative=True,
)
BETA = word(
    "variance_excess",
    "beta: E omega_i^2 - alpha q_i^2 <= beta q_i; for weights that are d_i or 0 it is the largest"
    " d_i - alpha q_i of a participant",
    nonnegative=True,
)
RHO = word(
    "largest_total_weight",
    "rho = max(1, largest sum of expected weights of a round)",
    positive=True,
)
KAPPA = word(
    "virtual_factor",
    "kappa = max over rounds of max(1, 1 - 2 eta_g q + alpha eta_g^2 q^2) + eta_g^2 beta q, with"
    " alpha = 1, beta = 0 where participation is certain; then it is 1 as long as eta_g q(n) <= 2",
    positive=True,
)
REPEATS = word(
    "shared_steps",
    "local steps under one random choice of participants: K, or 1 where participation is certain",
    positive=True,
)
TOTAL = word(
    "total_weight", "q(n), the sum of the clients' expected weights in a round", positive=True
)
LEAST_TOTAL = word(
    "least_total_weight", "min q(n), the least total weight of a round", positive=True
)
MEAN_TOTAL = word("mean_total_weight", "qbar, sum of the mean weights q_i", nonnegative=True)
SPREAD = word(
    "objective_spread",
    "R({L^n}): how far the rounds' objectives are apart at the common optimum",
    nonnegative=True,
)
NOISE1 = word(
    "round_optimum_noise",
    "Sigma_1: mean over rounds of E |stochastic gradient|^2 at the round's optimum",
    nonnegative=True,
)
NOISE2 = word(
    "round_optimum_noise_squared",
    "Sigma_2: the same with squared normalised weights",
    nonnegative=True,
)
NOISE = word(
    "optimum_noise",
    "Sigma: sum_i q_i E |stochastic gradient of client i at the common optimum|^2",
    nonnegative=True,
)
START = word(
    "initial_distance_squared",
    "|theta^0 - thetabar|^2, squared distance of the start from the optimum of the mean objective",
    nonnegative=True,
)
GAP = word(
    "mean_round_gap",
    "E Zbar(N): mean over rounds and local steps of E L^n(theta^{n,k}) - L^n(thetabar^n)",
    nonnegative=True,
)

AT_REST = {
    "mean_round_gap": SPREAD + MEAN_TOTAL * L * START / 2,
    "mean_server_gap": SPREAD + MEAN_TOTAL * L * START / 2,
    "mean_objective_gap": MEAN_TOTAL * L * START / 2,
    "mean_server_objective_gap": MEAN_TOTAL * L * START / 2,
    "mean_loss_gap": L * START / 2,
}
"""What the left sides are at most if the model never moves, by Assumption 1."""

DRIFT_SQUARED = 6 * LOCAL**2 * (K - 1) ** 2 * L**2
"""The paper's D."""
DELAYED_STEP = STEP + 16 * RHO * L * STEP**2 * K**2 * STALENESS**2
"""The paper's eta tilde + nu eta tilde^2 K^2 tau^2 with nu = 16 rho L (A.4)."""


def claim(
    name: str,
    place: str,
    says: str,
    statement: Statement,
    *,
    kind: Authorship = Authorship.PRINTED,
    formula: str = "",
    reading: str = "",
    alternatives: tuple[str, ...] = (),
    corrects: str | None = None,
    note: str = "",
    assumes: tuple[Assumption, ...] = (),
    special_cases: tuple[SpecialCase, ...] = (),
    severity: Severity | None = None,
    proof: str = "",
    to_cite: bool = False,
) -> Claim:
    """A claim of this paper; the meanings of its letters and what is printed are looked up, and
    `corrects` is the short name of the printed claim."""
    if kind is Authorship.PRINTED and name in READINGS:
        kind, (reading, alternatives) = Authorship.READ, READINGS[name]
    elif kind is Authorship.PRINTED and name in OURS:
        kind = Authorship.OURS
    letters = statement.left.free_symbols | statement.right.free_symbols
    where = {s.name: MEANINGS[s.name] for s in letters if s.name in MEANINGS}
    return Claim(
        f"{PAPER.key}.{name}",
        Source(PAPER, place, kind, formula or FORMULAS.get(name, ""), reading, alternatives),
        says,
        statement,
        assumes,
        special_cases,
        where,
        f"{PAPER.key}.{corrects}" if corrects else None,
        note,
        severity=severity or GRADES.get(name),
        proof=proof,
        trivial=AT_REST.get(str(statement.left)),
        to_cite=to_cite,
    )
