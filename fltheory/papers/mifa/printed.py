"""What the paper prints, claim by claim: its formula in its own letters, how an informal sentence
is read, and how bad it is where a claim is false."""

from dataclasses import replace

from fltheory.claims.claim import Authorship, Claim, Severity
from fltheory.papers.mifa.paper import PAPER

FORMULAS = {
    "D": "D = (1/N) sum_i |grad f_i(w*)|^2",
    "TS": "T(S) >= 1/min{p_i : i in S}",
    "TS.average": "E_S[T(S)] >= (1/p_min) S/N",
    "alg.biased": "w_{t+1} = direct average of the local updates of the active devices",
    "alg.is": "local updates weighted by the reciprocal of the participation probabilities",
    "alg1": "G^i_t = (w_t - w^i_{t,K})/eta_t if i in A(t), else G^i_{t-1}",
    "alg1.diff": "Gbar_t = Gbar_{t-1} + (1/N) sum_{i in A(t)} (G^i_t - G^i_{t'_i})",
    "alg1.equiv": "w_{t+1} = w_t - eta_t Gbar_t in place of w_t - (eta_t/N) sum_i G^i_t",
    "alg1.fedavg": "tau(t,i) = 0 for all i and t: FedAvg with full device participation",
    "ass.BGD": "Thm. V, B^2 = 2 of [18]; that G^2 is 2 D then is understood",
    "def5.1": "tau(t,i) = 0 if i is active at round t, else tau(t-1,i) + 1",
    "eq1": "f(w) = (1/N) sum_i f_i(w)",
    "eq2": "T_eps(MIFA) = O~((1/N) sum_i (1/p_i) sigma^2/(mu N K eps))",
    "eq3": "E[T_eps] >= (S/N)(1/p_min) O~(sigma^2/(mu S K eps)) = O~(sigma^2/(p_min mu N K eps))",
    "eq3.updates": "R_eps = O~(sigma^2/(mu S K eps)) for both FedAvg and SCAFFOLD",
    "exp.probabilities": "p_i = p_min min(j,k)/9 + (1 - p_min); p_min controls the lower bound",
    "intro.nonconvex": "O(sqrt((nubar + 1)/(N K T)))",
    "intro.rates": "O((taubar_T + 1)/(N K T))",
    "prop5.1": "E[f(w_T) - f(w*)] >= c0 taubar_T sigma^2/(mu N K T)",
    "prop5.1.matching": "the first term in Theorem 5.1 is minimax optimal by the lower bound",
    "prop6.1": "E|grad f(w_T)|^2 >= c0 sqrt(nubar L sigma^2 (f(w_0) - f*)/(N K T))",
    "prop6.1.matching": "when sigma sqrt(f(w_0)-f*) ~ sigma^2 + f(w_0) - f*, Theorem 6.1 is tight",
    "prop6.1.middle": "E[|grad f(w_T)|^2] >= E[|grad f(w_T)|]^2",
    "related.rate": "O(sqrt(nubar/(N K T)) sigma^2)",
    "rem5.1": "O(sigma^2/(mu K N T) + L (sigma^2/K + D + L^2 |w_1 - w*|^2)/(mu^2 T^2))",
    "rem6.1": "O(sqrt(L/(T K N)) (f(w_1) - f* + sigma^2) + (K-1) N L (beta + sigma^2/K)/T)",
    "taustats": "taubar_T = (1/(N (T-1))) sum_{t=1}^{T-1} sum_i tau(t,i)",
    "thm5.1": (
        "O((taubar_T + 1) sigma^2/(mu N K T) + (tau_max,T^2 A1 + (K-1)^2 A2 + A3)/(mu^2 T^2))"
    ),
    "thm5.1.W": "W_T = sum_{t=1}^T (t + a - 1)(t + a - 2)",
    "thm5.2": "tau(t,i) <= O((1/p_i)(log(N t/delta) + 1)) for all t and i simultaneously",
    "thm5.2.1": "Assumption 4 holds if t0 = Omega((1/p_min) log(b N/(p_min delta)))",
    "thm5.2.2": "tau_max,T <= O((1/p_min)(log(T N/delta) + 1))",
    "thm5.3": "taubar_T <= ((1/N) sum_i 1/p_i) O(1 + log(1/delta))",
    "thm6.1": (
        "O(sqrt((1 + nubar) L/(T K N)) (f(w_1) - f* + sigma^2) + (A4 + A5)/T) for the least"
        " E|grad f(w_t)|^2"
    ),
}  # fmt: skip
"""By the claim's id without the paper's key."""

READINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "alg.sampling": (
        "`over T communication rounds, the global model is updated less than T times due to"
        " waiting`: also where nobody has to wait",
        ("where somebody has to wait it is true; at most T in all cases: alg.sampling.corrected",),
    ),
    "thm5.1.necessary": (
        "`for MIFA to converge, we require tau_max,T = o(T)`: without it some run keeps its gap",
        ("the bound of Theorem 5.1 needs it: it holds tau_max,T^2/T^2",),
    ),
    "alg.biased.bias": (
        "`induces bias`: the devices' effective weights differ from 1/N",
        (),
    ),
    "ass4.growth": (
        "`allows for arbitrary device availability sequences with tau_max,T = O(T)`: with one t0"
        " for all horizons",
        ("with a t0 that may grow with T, as the next sentence of the paper allows, it is true",),
    ),
    "eq3.average": (
        "`only depends on the average of 1/p_i`: equal averages give equal expected gaps",
        ("as a statement on the leading term it is true: mifa.eq3.average.corrected",),
    ),
    "eq3.comparison": (
        "`more vulnerable to stragglers`: waiting for all devices never needs fewer rounds",
        (
            "for four or more devices of equal chance it is true (mifa.eq3.comparison.corrected);"
            " for three of small chance p it is not, for they wait 11/(6 p) on average",
        ),
    ),
    "eq3.necessary": (
        "Eq. (3) as a lower bound on the rounds that FedAvg needs",
        ("as the product of the mean wait with the order of the updates it is true: mifa.eq3",),
    ),
    "exp.1": (
        "`makes progress relatively slowly`: its mean wait exceeds MIFA's noise factor",
        (),
    ),
    "exp.2": ("`is biased`: its limit on quadratics is not the optimum", ()),
    "exp.3": ("`converges without bias`: its limit on quadratics is the optimum", ()),
    "exp.network": (
        "the network that the released scripts name is the LeNet-5 of the text",
        ("the figures were made with LeNet-5 and the released scripts are of another time",),
    ),
    "exp.rate": (
        "the released scripts use the 0.1 of the text",
        ("the figures were made with 0.1 and the released scripts are of another time",),
    ),
    "exp.schedule": (
        "`to verify our theoretical results`: with the step sizes of Theorem 5.1",
        ("the experiments illustrate the method, at step sizes outside the theorem",),
    ),
    "exp.seeds": (
        "`5 different random seeds` draw independent availability",
        ("the seeds differ in initial weights and batches, as they do",),
    ),
    "prop5.1.every": (
        "the availability is given, and the bound is claimed for it, whatever it is",
        ("the adversary chooses the availability as well: true, mifa.prop5.1",),
    ),
    "prop6.1.every": (
        "the availability is given, and the bound is claimed for it, whatever it is",
        ("the adversary chooses the availability as well: mifa.prop6.1",),
    ),
    "rem5.1.match": (
        "`matching the rate up to logarithmic terms`: every term, the initial error included",
        ("the noise and the dissimilarity terms match up to logarithms",),
    ),
    "rem5.2": ("`any update would be biased`: the update lacks the silent device's share", ()),
    "thm5.1.constant": (
        "the O of Theorem 5.1 hides one number for all t0 above 0",
        ("for t0 >= 1 one number suffices: mifa.thm5.1.terms",),
    ),
    "thm5.1.dominance": (
        "`when T = Omega(N K (tau_max,T^2 + t0^2)/(taubar + 1)), the first term dominates`: for"
        " every t0 above 0, with problem constants of order 1",
        ("for t0 >= 1 it is true, because A2 is then at most of the order of t0^2",),
    ),
    "thm5.1.adaptive": (
        "`arbitrary` and `adversarial` availability may react to the gradient noise",
        ("an availability that is fixed before the run, as E_xi suggests: mifa.thm5.1.terms",),
    ),
    "thm6.1.adaptive": (
        "`arbitrary` and `adversarial` availability may react to the gradient noise",
        ("an availability that is fixed before the run, as E_xi suggests: mifa.thm6.1",),
    ),
}

OURS = ("ass4", "ass6", "ass7", "ass8", "def5.2")
"""Consequences of an assumption or a definition that the paper does not spell out."""

SEVERITIES = {
    Severity.THEOREM: "eq3.updates",
    Severity.SLIP: ("exp.probabilities prop5.1.matching prop6.1.matching related.rate"),
    Severity.READING: (
        "alg.sampling ass4.growth eq3.average eq3.comparison eq3.necessary exp.network exp.rate"
        " exp.schedule"
        " exp.seeds prop5.1.every prop6.1.every rem5.1.match thm5.1.constant thm5.1.adaptive"
        " thm5.1.dominance"
        " thm6.1.adaptive"
    ),
}
GRADES = {name: grade for grade, names in SEVERITIES.items() for name in names.split()}


def located(*claims: Claim) -> tuple[Claim, ...]:
    """The claims with their formulas, readings and severities."""
    return tuple(map(_located, claims))


def _located(claim: Claim) -> Claim:
    name, source = claim.id.removeprefix(f"{PAPER.key}."), claim.source
    if name in READINGS:
        reading, alternatives = READINGS[name]
        source = replace(source, kind=Authorship.READ, reading=reading, alternatives=alternatives)
    elif name in OURS:
        source = replace(source, kind=Authorship.OURS)
    elif name in FORMULAS:
        source = replace(source, formula=FORMULAS[name])
    return replace(claim, source=source, severity=claim.severity or GRADES.get(name))
