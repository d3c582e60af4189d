"""Theorem 1: where FedAvg ends up on Example 1, and the steps of its proof."""

import sympy

from fltheory.claims.claim import Claim, Identity, Severity, SpecialCase, letter
from fltheory.papers.fedlaavg.paper import EXACT, EXAMPLE, corrected, printed, read
from fltheory.papers.fedlaavg.statements.example1 import (
    AFTER,
    BEFORE,
    BLOCK_MODELS,
    BLOCKS,
    E1,
    E2,
    LIMIT,
    OPTIMUM,
    SMALL_STEP_VALUE,
    T1,
    T2,
    Q,
    closed_form,
)


def at_blocks(first: int, second: int, step_size: str, equals: str) -> SpecialCase:
    """The known answer for two blocks of these lengths and the optima 0 and 1."""
    values = {
        "first_block": first,
        "second_block": second,
        "first_optimum": 0,
        "second_optimum": 1,
        "local_step_size": step_size,
    }
    return SpecialCase(
        f"blocks of {first} and {second} rounds, step size {step_size}", values, equals
    )


CLAIMS = (
    Claim(
        id="fedlaavg.thm1",
        source=read(
            "Theorem 1",
            (
                "The limit over the periods is taken first, then the step size vanishes, as in its"
                " proof: lim k, then lim gamma to 0+."
            ),
            "At a fixed step size the ends of periods tend elsewhere: fedlaavg.thm1.closed.",
        ),
        says=(
            "On Example 1, FedAvg's model at the ends of periods tends to the average of the optima"
            " weighted by availability, as first the periods go on and then the step size vanishes."
        ),
        statement=Identity(letter("iterated_limit"), SMALL_STEP_VALUE),
        where=BLOCKS
        | {
            "iterated_limit": (
                "limit, as the step size tends to 0, of the limit of x^{k(t1+t2)} over the periods"
            )
        },
        assumes=(EXAMPLE, EXACT),
        note="How far it is from the optimum: fedlaavg.thm1.bias. At a fixed step size:"
        " fedlaavg.thm1.closed.",
        proof="docs/proofs/fedlaavg.md#theorem-1-the-limit",
    ),
    Claim(
        id="fedlaavg.thm1.fixed",
        source=read(
            "Theorem 1, read for a fixed step size",
            (
                "The limit is taken at the ends of periods, at one small enough step size that"
                " stays fixed."
            ),
            "As the step size vanishes, as its proof takes the limit: true (fedlaavg.thm1).",
            "The mean of the models over a period, at a fixed step size in (0, 1): true.",
        ),
        says=(
            "On Example 1, FedAvg with a small enough step size converges to the average of the"
            " optima weighted by availability."
        ),
        statement=Identity(LIMIT, SMALL_STEP_VALUE),
        where=BLOCKS,
        note=(
            "True at the ends of periods only in the limit of vanishing step sizes: see"
            " fedlaavg.thm1.closed and fedlaavg.thm1.limit. FedAvg runs round a cycle; its mean"
            " over a period is this average at every step size in (0, 1)."
        ),
        severity=Severity.READING,
    ),
    Claim(
        id="fedlaavg.thm1.closed",
        source=corrected("Theorem 1, closed form from its proof"),
        says=(
            "On Example 1, for step sizes in (0, 1), FedAvg's model at the end of a period tends to"
            " a point that depends on the step size."
        ),
        statement=Identity(LIMIT, closed_form(Q)),
        where=BLOCKS,
        corrects="fedlaavg.thm1.fixed",
        special_cases=(
            at_blocks(1, 3, "1/4", "14/15"),
            at_blocks(1, 3, "1/8", "148/175"),
            at_blocks(1, 3, "1/16", "1352/1695"),
            at_blocks(1, 1, "1/4", "2/3"),
            at_blocks(2, 1, "1/4", "4/7"),
            at_blocks(3, 1, "1/4", "8/15"),
            at_blocks(2, 3, "1/8", "592/781"),
            at_blocks(5, 5, "1/10", "3125/4149"),
            at_blocks(1, 3, "1/100", "367550/485199"),
            at_blocks(1, 1, "1/2", "1"),
            at_blocks(1, 3, "3/4", "6/5"),
        ),
        proof="docs/proofs/fedlaavg.md#theorem-1-the-limit",
    ),
    Claim(
        id="fedlaavg.thm1.periods",
        source=printed(
            "Proof of Theorem 1, formula for x^{k(t1+t2)}",
            "x^{k(t1+t2)} = (1 - 2 gamma)^{(t1+t2)k} x^0 + (1 - (1 - 2 gamma)^{(t1+t2)k}) X",
        ),
        says=(
            "For step sizes in (0, 1), after k periods FedAvg's model is a mix of the start and the"
            " limit, and the start's share is the k-th power of one period's."
        ),
        statement=Identity(
            AFTER,
            Q ** ((T1 + T2) * letter("periods", integer=True, nonnegative=True)) * BEFORE
            + (1 - Q ** ((T1 + T2) * letter("periods", integer=True, nonnegative=True)))
            * closed_form(Q),
        ),
        where=BLOCK_MODELS
        | {
            "periods": "k, number of periods",
            "model_before_block": "x^0",
            "model_after_block": "x^{k(t1+t2)}",
        },
    ),
    Claim(
        id="fedlaavg.thm1.eq1",
        source=printed(
            "Eq. (1)",
            "x^{k(t1+t2)+t1} = (1 - 2 gamma)^{t1} (x^{k(t1+t2)} - e_1) + e_1",
        ),
        says="A block of rounds with client 1 alone moves the model towards e1 geometrically.",
        statement=Identity(AFTER, Q**T1 * (BEFORE - E1) + E1),
        where=BLOCK_MODELS,
    ),
    Claim(
        id="fedlaavg.thm1.eq2",
        source=printed(
            "Eq. (2)",
            "x^{(k+1)(t1+t2)} = (1 - 2 gamma)^{t2} (x^{k(t1+t2)+t1} - e_2) + e_2",
        ),
        says="A block of rounds with client 2 alone moves the model towards e2 geometrically.",
        statement=Identity(AFTER, Q**T2 * (BEFORE - E2) + E2),
        where=BLOCK_MODELS,
    ),
    Claim(
        id="fedlaavg.thm1.limit",
        source=printed(
            "Proof of Theorem 1, by L'Hopital's rule",
            "lim_{gamma -> 0+} X = (t_1 e_1 + t_2 e_2)/(t_1 + t_2)",
        ),
        says=(
            "As the step size vanishes, FedAvg's limit on Example 1 tends to the average of the"
            " optima weighted by availability."
        ),
        statement=Identity(letter("vanishing_step_limit"), SMALL_STEP_VALUE),
        where=BLOCKS
        | {
            "vanishing_step_limit": (
                "limit, as the step size tends to 0, of FedAvg's limit at period ends"
            )
        },
        special_cases=(
            SpecialCase(
                "blocks of 1 and 3 rounds",
                {"first_block": 1, "second_block": 3, "first_optimum": 0, "second_optimum": 1},
                "3/4",
            ),
        ),
    ),
    Claim(
        id="fedlaavg.thm1.slope",
        source=corrected("Theorem 1, first order in the step size"),
        says=(
            "FedAvg's limit on Example 1 leaves its small-step value at a rate proportional to t1"
            " t2 (e2 - e1)."
        ),
        statement=Identity(letter("slope"), T1 * T2 * (E2 - E1) / (T1 + T2)),
        where=BLOCKS | {"slope": "derivative of FedAvg's limit in the step size, at step size 0"},
    ),
    Claim(
        id="fedlaavg.thm1.stepsize",
        source=corrected("Proof of Theorem 1: convergence if gamma < 1/2"),
        says=(
            "One period of FedAvg on Example 1 multiplies distances by |1 - 2 gamma|^(t1+t2), so it"
            " forgets its start exactly for gamma in (0, 1)."
        ),
        statement=Identity(letter("spectral_radius"), abs(Q) ** (T1 + T2)),
        where=BLOCKS
        | {"spectral_radius": "factor by which one period shrinks the distance to the limit"},
        note=(
            "The paper asks for gamma < 1/2 and forgets gamma > 0: sufficient, not necessary. |1 -"
            " 2 gamma| < 1 is the exact condition for a limit that does not depend on the start; at"
            " gamma = 1 and with even blocks every period ends where it began."
        ),
        special_cases=(
            SpecialCase(
                "step size 1 never contracts",
                {"first_block": 1, "second_block": 1, "local_step_size": 1},
                "1",
            ),
            SpecialCase(
                "3/4 contracts",
                {"first_block": 1, "second_block": 3, "local_step_size": "3/4"},
                "1/16",
            ),
        ),
    ),
    Claim(
        id="fedlaavg.thm1.bias",
        source=printed(
            "Theorem 1, distance to the optimum",
            "(t_1 e_1 + t_2 e_2)/(t_1 + t_2) can be arbitrarily far from x* = (e_1 + e_2)/2; "
            "they are equal only when e_1 = e_2 or t_1 = t_2",
        ),
        says=(
            "The small-step limit of FedAvg on Example 1 misses the optimum by |e1 - e2| |t1 - t2|"
            " / (2 (t1 + t2))."
        ),
        statement=Identity(
            letter("bias", nonnegative=True), abs(E1 - E2) * abs(T1 - T2) / (2 * (T1 + T2))
        ),
        where=BLOCKS | {"bias": "distance of the small-step limit from the optimum (e1 + e2)/2"},
        special_cases=(
            SpecialCase(
                "blocks of 1 and 3 rounds",
                {"first_block": 1, "second_block": 3, "first_optimum": 0, "second_optimum": 1},
                "1/4",
            ),
        ),
    ),
    Claim(
        id="fedlaavg.thm1.bias.fixed",
        source=corrected("Theorem 1, distance to the optimum at a fixed step size"),
        says=(
            "For step sizes in (0, 1), FedAvg's limit on Example 1 is the optimum exactly when e1 ="
            " e2 or 2 q^t2 = 1 + q^(t1+t2), with q = 1 - 2 gamma."
        ),
        statement=Identity(
            2 * (LIMIT - OPTIMUM) * (1 - Q ** (T1 + T2)),
            (E1 - E2) * (2 * Q**T2 - 1 - Q ** (T1 + T2)),
        ),
        where=BLOCKS,
        special_cases=(
            SpecialCase(
                "blocks of 2 and 1 rounds at step size (3 - sqrt 5)/4 meet the optimum",
                {
                    "first_block": 2,
                    "second_block": 1,
                    "first_optimum": 0,
                    "second_optimum": 1,
                    "local_step_size": (3 - sympy.sqrt(5)) / 4,
                },
                "0",
            ),
        ),
    ),
)
