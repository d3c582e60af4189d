"""Terms of the proofs of Theorems 3 and 4 on runs of two rounds under every outcome of the noise:
everybody works from x_0, then the first worker from x_1 while the others are stale."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Method
from fltheory.core.types import Scalar
from fltheory.papers.afl.checks.general_arrivals import old_models
from fltheory.papers.afl.checks.path_terms import largest_local_step
from fltheory.papers.afl.checks.paths import Exact, Gradient, clipped, linear, mean, work


def second_round(
    gradients: Sequence[Gradient],
    *,
    steps: int,
    size: Fraction,
    server: Fraction,
    start: Fraction,
    noise: Exact = 1,
) -> dict[str, Fraction]:
    """Expectations in the round t = 1 of AFA-CS, in which worker 1 is fresh and all others one
    round old; their paths from x_1, which nobody runs, have noise of their own."""
    workers, step = len(gradients), size * server
    draws = 2 * workers * steps if noise else 0
    rows = []
    for signs in product((-noise, noise), repeat=draws) if draws else [(0,) * 2 * workers * steps]:
        parts = [signs[k * steps : (k + 1) * steps] for k in range(2 * workers)]
        old = [work(f, start, size, n) for f, n in zip(gradients, parts, strict=False)]
        model = start - step * sum((w.update for w in old), Fraction(0)) / workers
        new = [work(f, model, size, n) for f, n in zip(gradients, parts[workers:], strict=True)]
        used = [new[0], *old[1:]]
        move = -step * sum((w.update for w in used), Fraction(0)) / workers
        slope = sum((f(model) for f in gradients), Fraction(0)) / workers
        gaps = [(f(model) - w.exact) ** 2 for f, w in zip(gradients, new, strict=True)]
        old_gaps = [(f(start) - w.exact) ** 2 for f, w in zip(gradients, old, strict=True)]
        changes = [(a.exact - b.exact) ** 2 for a, b in zip(new, old, strict=True)]
        path = sum((w.exact for w in used), Fraction(0)) / workers
        lag = (model - start) ** 2
        rows.append(
            {
                "slope_along_move": slope * move,
                "squared_gradient": slope**2,
                "squared_move": move**2,
                "sum_of_stale_changes": sum(changes[1:], Fraction(0)),
                "sum_of_path_gaps": sum(gaps, Fraction(0)),
                "squared_deviation": (slope - path) ** 2,
                "sum_of_lags": (workers - 1) * lag,
                "sum_of_used_gaps": gaps[0] + sum(old_gaps[1:], Fraction(0)),
                "stale_change": changes[-1],
                "path_gap": gaps[-1],
                "old_path_gap": old_gaps[-1],
                "sum_of_increments": lag,
            }
        )
    return {name: mean([row[name] for row in rows]) for name in rows[0]}


def round_values(
    gradients: Sequence[Gradient],
    *,
    apart: Exact,
    steps: int,
    size: Fraction,
    server: Fraction,
    start: Fraction,
    noise: Exact,
) -> dict[str, Scalar]:
    """All symbols of the terms, for losses of smoothness 1."""
    found = second_round(gradients, steps=steps, size=size, server=server, start=start, noise=noise)
    return {
        **found,
        "num_clients": len(gradients),
        "fresh_entries": 1,
        "max_delay": 1,
        "local_steps": steps,
        "local_step_size": size,
        "server_step_size": server,
        "smoothness": 1,
        "gradient_noise": noise,
        "dissimilarity": apart,
    }


FAMILIES: dict[str, tuple[Exact, tuple[Gradient, ...]]] = {
    "convex": (1, (linear(1, 1), linear(1, -1))),
    "concave": (2, (linear(-1, 2), linear(-1, -2))),
    "equal clipped": (0, (clipped(1), clipped(1))),
    "three": (1, (linear(1, 1), linear(1, 0), linear(1, -1))),
}
"""sigma_G and gradients."""


@by_instances(
    Method.ENUMERATION,
    covers="two rounds of two or three workers, all signs of the noise, K = 1 and 2, convex,"
    " concave and clipped losses, step sizes up to the largest that eq. (9) allows",
)
def rounds() -> Iterator[Instance]:
    """The terms in the second round, in which all workers but one are stale."""
    for (name, (apart, gradients)), steps, noise in product(FAMILIES.items(), (1, 2), (0, 1)):
        if len(gradients) > 2 and steps > 1 and noise:
            continue
        size = largest_local_step(2) if steps == 2 else Fraction(1, 2)
        for server, start in product((Fraction(1), Fraction(1, 4)), (Fraction(1), Fraction(0))):
            values = round_values(
                gradients,
                apart=apart,
                steps=steps,
                size=size,
                server=server,
                start=start,
                noise=noise,
            )
            yield Instance(values, f"{name}, K = {steps}, noise {noise}, x_0 = {start}")


def too_small(claim: Claim) -> Claim:
    """A falsehood: the left side is below itself by one."""
    return claim.planted(right=claim.statement.left - 1)


TERMS = ("afl.thm3.a3", "afl.thm4.a1", "afl.thm4.a2", "afl.thm4.c1", "afl.thm4.c2")
CHECKS = (
    *(Check(term, rounds, plant=too_small) for term in TERMS),
    Check("afl.thm3.b9", old_models((0, 1, 2))),
    Check("afl.thm3.b9c", old_models((0, 1, 2))),
)
