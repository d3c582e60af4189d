"""Why some claims have no counterexample of at most 3 clients and 4 rounds with chosen denominators up to 4: one argument each."""

_STEP = "the printed condition eta_l <= 1/(48 K L), a third of it for rho >= 1, needs eta_l L <= 1/144, below 1/4 * 1/4"
_TURNS = "a limit is taken over a pattern that is seen three times, and two clients in turn make a pattern of 2 rounds"
_CONTRACTS = "and a run that contracts so slowly needs many rounds before a mean over them stands above the bound"

LARGER: dict[str, str] = {
    "afl.thm2": "2 L eta eta_L <= 1 with eta >= 1/4 gives eta_L L <= 2, where local work on convex losses does not grow",
    "afl.thm2.adaptive": "arrivals that depend on the noise add a bias of the order of eta, which shows after many rounds",
    "fedlaavg.sec62.theory": "the claim is about the printed numbers: 1000 clients and 2000 rounds are its only instance",
    "fedlaavg.thm1": _TURNS,
    "fedlaavg.thm1.bias.equal_blocks": _TURNS,
    "fedlaavg.thm1.recursion": _TURNS,
    "fedlaavg.thm3.adaptive": "arrivals that depend on the noise add a bias of the order of the step size, which shows after many rounds",
    "fraboni.cor1": f"{_STEP}, {_CONTRACTS}",
    "fraboni.lem3": "eta_g above 1 is needed, and a step size that keeps the gap's term small beside the drift",
    "fraboni.lem3.q": "the bound 4 q tau times the recent moves fails for total weights q < 1/4 alone",
    "fraboni.lem3.virtual": "eta_g above 1 is needed, and a step size that keeps the gap's term small beside the drift",
    "fraboni.lem4": "it fails through Lemma 3: eta_g above 1 and a step size that keeps the gap's term small beside the drift",
    "fraboni.thm1": f"{_STEP}, {_CONTRACTS}",
    "fraboni.thm1.sampling": f"{_STEP}, {_CONTRACTS}",
    "fraboni.thm3": f"{_STEP}, {_CONTRACTS}",
    "fraboni.thm3.gradient": f"{_STEP}, {_CONTRACTS}",
    "mifa.exp.rate": "the claim is about the released scripts: their step sizes are its only instances, and 1/20 is the simplest of them",
}
"""Claim -> the reason. Conditions on numbers (Theorem 1 and Section 6.2 of FedLaAvg, MIFA's scripts, eta_l <= 1/(48 K L), q < 1/4)
exclude anything smaller; the other reasons say what search shows, and prove nothing."""
