"""True inequalities, identities and orders between formulas, with random constants."""

import random
from fractions import Fraction

from tests.campaigns.sound.theorems import Fields, slack

KINDS = {"a": "positive", "b": "positive", "c": "positive"}
WHERE = {"a": "a positive number", "b": "another one", "c": "a third one"}


def _formula(left: str, sign: str, right: str, assumes: list[str] | None = None) -> Fields:
    own = {x for x in KINDS if any(x in _words(t) for t in (left, right, *(assumes or [])))}
    fields: Fields = {"left": left, "sign": sign, "right": right, "assumes": assumes or []}
    if own:
        fields |= {"where": {x: WHERE[x] for x in own}, "kinds": {x: KINDS[x] for x in own}}
    return fields


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())


def _number(rng: random.Random) -> str:
    return str(Fraction(rng.randint(1, 12), rng.randint(1, 6)))


def inequalities(rng: random.Random) -> Fields:
    """Young, Bernoulli, means, roots, logarithms, tuned steps."""
    k, q = _number(rng), slack(rng)
    left, right, own = rng.choice(
        (
            ("2*a*b", f"a^2/({k}) + ({k})*b^2", []),
            ("(a + b)^2", f"(1 + {k})*a^2 + (1 + 1/({k}))*b^2", []),
            ("(1 - a)^num_rounds", "exp(-a*num_rounds)", ["a <= 1"]),
            ("1 - a*num_rounds", "(1 - a)^num_rounds", ["a <= 1"]),
            ("sqrt(a + b)", f"{q}*(sqrt(a) + sqrt(b))", []),
            (f"log(1 + ({k})*a)", f"{q}*({k})*a", []),
            ("sqrt(a*b)", f"{q}*(a + b)/2", []),
            ("2*sqrt(a*b)", f"a*({k}) + b/({k})", []),
            ("3*a*b*c", "a^3 + b^3 + c^3", []),
            ("min(a, b)", "sqrt(a*b)", []),
            ("max(a, b)", f"{q}*(a + b)", []),
            ("ceil(num_clients/local_steps)", "(num_clients + local_steps - 1)/local_steps", []),
            (
                "(num_clients - clients_per_round)/(clients_per_round*(num_clients - 1))",
                "1/clients_per_round",
                ["num_clients >= 2", "clients_per_round <= num_clients"],
            ),
            (
                "a/(min(1/c, sqrt(a/(b*num_rounds)))*num_rounds)"
                " + b*min(1/c, sqrt(a/(b*num_rounds)))",
                f"{q}*(2*sqrt(a*b/num_rounds) + c*a/num_rounds)",
                [],
            ),
            (
                "abs(1 - local_step_size*strong_convexity)",
                "exp(-local_step_size*strong_convexity)",
                ["local_step_size*smoothness <= 1", "strong_convexity <= smoothness"],
            ),
        )
    )
    return _formula(left, "<=", right, own)


def identities(rng: random.Random) -> Fields:
    """Algebra with random coefficients."""
    k, m = _number(rng), _number(rng)
    left, right = rng.choice(
        (
            (f"({k}*a + {m}*b)^2", f"({k})^2*a^2 + 2*({k})*({m})*a*b + ({m})^2*b^2"),
            (f"({k}*a - b)*({k}*a + b)", f"({k})^2*a^2 - b^2"),
            (f"1/a - 1/(a + {k})", f"({k})/(a*(a + {k}))"),
            ("a/b + b/a", "(a^2 + b^2)/(a*b)"),
            (f"log(a^2*b)*({k})", f"({k})*(2*log(a) + log(b))"),
            ("exp(a + b)", "exp(a)*exp(b)"),
            ("max(a, b) + min(a, b)", "a + b"),
        )
    )
    return _formula(left, "=", right)


def orders(rng: random.Random) -> Fields:
    """Monomials: after N^i K^j rounds a power of N^i K^j/T is bounded."""
    i, j, m = rng.randint(0, 4), rng.randint(0, 4), rng.choice(("1/2", "1", "3/2", "2"))
    p, q = rng.randint(0, 2), rng.randint(0, 2)
    base = f"num_clients^{p}*local_steps^{q}*a^2/sqrt(num_rounds)"
    left = f"{base}*(num_clients^{i}*local_steps^{j}/num_rounds)^({m})"
    own = [f"num_rounds >= {slack(rng)}*num_clients^{i}*local_steps^{j}"]
    return _formula(left, "O", base, own)


def sums_of_orders(rng: random.Random) -> Fields:
    """A sum is of the order of its largest term."""
    k = _number(rng)
    left, right, own = rng.choice(
        (
            (f"a + {k}*sqrt(a*b)", "a + b", []),
            (f"({k})*a/num_rounds + b/sqrt(num_rounds)", "(a + b)/sqrt(num_rounds)", []),
            ("log(num_rounds)/num_rounds", "1/sqrt(num_rounds)", ["num_rounds >= 2"]),
            ("(a + b)^2", f"({k})*(a^2 + b^2)", []),
            ("num_clients/(num_clients + num_rounds)", "num_clients/num_rounds", []),
        )
    )
    return _formula(left, "O", right, own)
