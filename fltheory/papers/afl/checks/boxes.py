"""Algorithms 2 and 3: the boxes as printed, and the rounds that the proofs need."""

from collections.abc import Iterator

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import Decide
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Values
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.paper import LOCAL, SERVER
from fltheory.papers.afl.statements.setting import SLOPE, START, TILTS
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace


def box(algorithm: str) -> Decide:
    """x -> x - eta G with eta = 3, eta_L = 1/1000 on x^2/2: eta eta_L = 3/1000 is far inside the
    theorems' conditions."""

    def decide(claim: Claim) -> Evidence:
        runs = (
            Scenario(
                algorithm,
                Quadratic((1,), (0,)),
                Trace.fresh([[1]] * rounds),
                start=1,
                local_step_size="1/1000",
                server_step_size=3000,
                parameters={"box_server_step": 3},
            )
            for rounds in range(1, 9)
        )
        return check_on_runs(
            claim,
            runs,
            covers=(
                "x^2/2, one worker, one local step, no delay, no noise, eta = 3, eta_L = 1/1000, T"
                " = 1..8"
            ),
        )

    return decide


def one_round(claim: Claim) -> Evidence:
    """Symbolic runs of one round; K is a number in each, everything else a symbol."""

    def cases() -> Iterator[Values]:
        for steps in range(1, 5):
            run = simulate(
                AfaCrossDevice(),
                Quadratic((SLOPE,), (0,)),
                Trace.fresh([[1]], local_steps=steps),
                start=START,
                local_step_size=LOCAL,
                server_step_size=SERVER,
                arithmetic=SYMBOLIC,
            )
            yield {"model_after_round": run.models[1, 0], "local_steps": steps}

    return check_symbolic_cases(
        claim,
        cases(),
        covers="symbolic runs with K = 1..4 local steps, any step sizes, curvature and start",
    )


def skipped_round(claim: Claim) -> Evidence:
    """Symbolic run of AFA-CS on h x^2/2 + b_i x: client 2 skips the second round."""
    problem = Quadratic((SLOPE, SLOPE), (-TILTS[0] / SLOPE, -TILTS[1] / SLOPE))
    run = simulate(
        AfaCrossSilo(),
        problem,
        Trace.fresh([[1, 1], [1, 0]]),
        start=START,
        local_step_size=LOCAL,
        server_step_size=SERVER,
        arithmetic=SYMBOLIC,
    )
    return check_symbolic(
        claim,
        derived={"model_after_round": run.models[2, 0]},
        covers="symbolic run of two rounds with two clients",
    )


CHECKS = (
    Check("afl.alg2", box("afa-cd")),
    Check("afl.alg2.proof", one_round),
    Check("afl.alg3", box("afa-cs")),
    Check(
        "afl.alg3.proof",
        skipped_round,
        everything="it speaks of two rounds of two clients; an identity in all its symbols",
    ),
)
