"""Example 1 in formulas: one engine round at a time, blocks by induction, periods as composed
affine maps."""

from collections.abc import Callable
from dataclasses import replace

import sympy

from fltheory.algorithms.fedavg import FedAvg
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.simulate import simulate
from fltheory.papers import find_claim
from fltheory.papers.fedlaavg.paper import GAMMA
from fltheory.papers.fedlaavg.statements.example1 import BEFORE, E1, E2
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

Formula = Callable[[sympy.Expr], sympy.Expr]

ROWS = ([[1, 0]], [[0, 1]])
PROBLEM = Quadratic((2, 2), (E1, E2))


def one_round(client: int, model: sympy.Expr) -> sympy.Expr:
    """The engine's FedAvg round with one client alone, on formulas."""
    run = simulate(
        FedAvg(),
        PROBLEM,
        Trace.fresh(ROWS[client]),
        start=model,
        local_step_size=GAMMA,
        arithmetic=SYMBOLIC,
    )
    after: sympy.Expr = run.models[1, 0]
    return after


def by_induction(
    claim: Claim,
    counter: sympy.Symbol,
    *,
    first: int,
    base: sympy.Expr,
    advance: Formula,
    covers: str,
) -> Evidence:
    """Prove left = right(counter): right(first) is `base`, and `advance` takes right(counter) to
    right(counter + 1)."""
    right = claim.statement.right
    name = str(claim.statement.left)
    start = check_symbolic(
        claim.planted(right=right.subs(counter, first)),
        derived={name: base},
        covers=f"{covers}: base",
    )
    if start.verdict is not Verdict.PROVED:
        return start
    following = claim.planted(right=right.subs(counter, counter + 1))
    step = check_symbolic(following, derived={name: advance(right)}, covers=f"{covers}: step")
    return replace(step, scenario=covers) if step.verdict is Verdict.PROVED else step


def block(client: int, model: sympy.Expr) -> sympy.Expr:
    """A whole block, by the formula of eq. (1) or (2), which have proofs of their own."""
    formula: sympy.Expr = find_claim(f"fedlaavg.thm1.eq{client + 1}").statement.right.subs(
        BEFORE, model
    )
    return formula


def period(model: sympy.Expr) -> sympy.Expr:
    """Client 1's block, then client 2's."""
    return block(1, block(0, model))


def fixed_point(formula: sympy.Expr) -> sympy.Expr:
    """The solution of x = formula(x), which is affine in x = BEFORE."""
    return formula.subs(BEFORE, 0) / (1 - sympy.diff(formula, BEFORE))


def block_is_geometric(client: int, length: sympy.Symbol) -> Callable[[Claim], Evidence]:
    """The check of eq. (1) or (2): one engine round is the base, and one more engine round the
    step."""

    def decide(claim: Claim) -> Evidence:
        return by_induction(
            claim,
            length,
            first=1,
            base=one_round(client, BEFORE),
            advance=lambda model: one_round(client, model),
            covers=(
                f"all blocks of client {client + 1}, all step sizes, optima and models, by"
                " induction on the rounds"
            ),
        )

    return decide
