"""Examples 1 and 2: clients with quadratic losses that take turns, and where the model ends up."""

import sympy

from fltheory.claims.claim import Assumption, Authorship, Identity, SpecialCase
from fltheory.claims.condition import formula_assumption
from fltheory.papers.fraboni.paper import LOCAL, SHARE, K, claim, word

T1 = word("first_optimum", "theta_1*, where the loss of the first client (or data type) is least")
T2 = word("second_optimum", "theta_2*, where the loss of the second client (or data type) is least")
Q1 = word(
    "first_weight",
    "q_1: the weight with which client 1's update is added, in even rounds",
    positive=True,
)
Q2 = word(
    "second_weight",
    "q_2: the weight with which client 2's update is added, in odd rounds",
    positive=True,
)
MOVE = word(
    "local_move",
    "phi = 1 - (1 - eta_l)^K: the fraction of the way to its own optimum that a client goes in K"
    " local steps",
    positive=True,
)
LIMIT = word(
    "limit",
    "what the model tends to (by the paper at all rounds; where that differs, at even rounds)",
)
EVEN = word("even_limit", "what the model tends to at even rounds, before client 1 is heard")
ODD = word("odd_limit", "what the model tends to at odd rounds, before client 2 is heard")
MEAN = word("cycle_mean", "mean of the two points between which the model ends up moving")
GAP = word("cycle_gap", "the model's limit at odd rounds minus its limit at even rounds")
RECURRING = word(
    "recurring_model",
    "a value to which the model comes back again and again, for ever; if it converges, its limit",
)
NOW, NEXT, AFTER = (
    word(name, says)
    for name, says in (
        ("model_now", "theta^n"),
        ("model_next", "theta^{n+1}"),
        ("model_after_next", "theta^{n+2}"),
    )
)
FRACTION = word(
    "covered_fraction",
    "fraction of the way to its own optimum that K local steps go, run step by step",
)
RADIUS = word(
    "spectral_radius", "factor by which the error shrinks over two rounds, in the long run"
)
CONDITION = word("condition_holds", "1 where the stated condition on the weights holds, else 0")
REACHES = word(
    "limit_is_optimum",
    "1 where, for small steps, the model tends to the optimum of the federated loss, else 0",
)
FIRST_VALUE = word("first_stated_value", "the value that the example first gives to a weight")
SECOND_VALUE = word("second_stated_value", "the value that it then gives to the same weight")
MEAN_OF_TWO = word("mean_of_two_rounds", "mean of a client's weight over an even and an odd round")

A, B = Q1 * MOVE, Q2 * MOVE
PLAIN_MEAN = (Q1 * T1 + Q2 * T2) / (Q1 + Q2)
STORY = (
    "Two clients with losses (theta - theta_i*)^2 / 2 take turns; each always works on the last"
    " model it received, which is one round old when it is used."
)


def _case(says: str, weights: tuple[int, int], move: str, equals: str) -> SpecialCase:
    values = {
        "first_optimum": 0,
        "second_optimum": 1,
        "first_weight": weights[0],
        "second_weight": weights[1],
        "local_move": move,
    }
    return SpecialCase(says, values, equals)


CONDITION_STABLE = (sympy.Lt(A * B, 1), sympy.Lt(-1, (1 - A) * (1 - B)))
STABLE = formula_assumption(
    "ex2.stable",
    "phi > 0, a b < 1 and (1 - a)(1 - b) > -1 with a = q_1 phi, b = q_2 phi",
    *CONDITION_STABLE,
)
STABLE_EQUAL = Assumption(
    "ex2.stable-equal", "0 < q phi < 1, where q is the weight of both clients", lambda s: None
)
CONDITION_MOVE = sympy.Lt(MOVE, 1)
PART_OF_THE_WAY = formula_assumption("ex1.move", "0 < phi < 1", CONDITION_MOVE)
CONDITION_STABLE_FRESH = (
    sympy.Lt((1 - A) * (1 - B), 1),
    sympy.Lt(-1, (1 - A) * (1 - B)),
)
STABLE_FRESH = formula_assumption(
    "ex2.stable-fresh", "|(1 - a)(1 - b)| < 1", *CONDITION_STABLE_FRESH
)

CLAIMS = (
    claim(
        "ex1",
        "Example 1",
        "Four clients of two data types that deliver in turn: the model converges to the optimum of"
        " the federated loss.",
        Identity(RECURRING, (T1 + T2) / 2),
        note=(
            "Odd clients are used in odd rounds, even clients in even rounds, so each round hears"
            " both data types fairly, but with work that is one round old. The paper solves"
            " theta^{n+2} - theta^{n+1} + phi theta^n = phi theta* and concludes convergence. That"
            " needs 0 < phi < 1: with step size 1 (where a client reaches its own optimum at once)"
            " the model runs through six values for ever, and with a step size between 1 and 2 and"
            " an odd number of local steps it diverges, although each client alone would converge."
        ),
    ),
    claim(
        "ex1.corrected",
        "Example 1 with its missing condition",
        "In Example 1 the model converges to the optimum when 0 < phi < 1.",
        Identity(LIMIT, (T1 + T2) / 2),
        kind=Authorship.OURS,
        assumes=(PART_OF_THE_WAY,),
        corrects="ex1",
        note=(
            "0 < phi < 1 means a step size below 1, or between 1 and 2 with an even number of local"
            " steps."
        ),
    ),
    claim(
        "ex1.radius",
        "Example 1, rate",
        "In Example 1 two rounds shrink the error by the squared larger root of z^2 - z + phi.",
        Identity(
            RADIUS,
            sympy.Max(sympy.sqrt(MOVE), (1 + sympy.sqrt(sympy.Max(0, 1 - 4 * MOVE))) / 2) ** 2,
        ),
        kind=Authorship.OURS,
        special_cases=(
            SpecialCase("the best phi", {"local_move": "1/4"}, "1/4"),
            SpecialCase("the six-cycle", {"local_move": 1}, "1"),
            SpecialCase("divergence", {"local_move": "3/2"}, "3/2"),
        ),
    ),
    claim(
        "ex1.phi",
        "Example 1, clients update",
        "K local steps go the fraction 1 - (1 - eta_l)^K of the way to the client's optimum.",
        Identity(FRACTION, 1 - (1 - LOCAL) ** K),
    ),
    claim(
        "eq8",
        "Example 1, eq. (8)",
        "In Example 1 the models satisfy theta^{n+2} - theta^{n+1} + phi theta^n = phi theta*.",
        Identity(AFTER - NEXT + MOVE * NOW, MOVE * (T1 + T2) / 2),
    ),
    claim(
        "ex1.weights",
        "Example 1, list of weights",
        "The weights that Example 1 lists are consistent.",
        Identity(FIRST_VALUE, SECOND_VALUE),
        note=(
            "The list gives q_2^{2n} the value 1/2 and the value 0; odd clients should be the ones"
            " with 0 in even rounds."
        ),
    ),
    claim(
        "ex1.weights.corrected",
        "Example 1, weights as meant",
        "Over an even and an odd round every client has its importance as mean weight.",
        Identity(MEAN_OF_TWO, SHARE),
        kind=Authorship.OURS,
        corrects="ex1.weights",
    ),
    claim(
        "ex2",
        "Example 2",
        "Two clients that take turns: the model converges to the average of their optima, weighted"
        " by q_1 and q_2.",
        Identity(LIMIT, PLAIN_MEAN),
        note=(
            f"{STORY} Its local work takes it the fraction phi = 1 - (1 - eta_l)^K of the way from"
            " there to its own optimum. The model does not converge at all: it ends up moving to"
            " and fro between two points, one after each client's turn. With equal weights and phi"
            " = 1/2 these lie 3/5 and 2/5 of the way from client 1's optimum to client 2's, where"
            " the paper has one point at 1/2. Only as phi goes to 0 do both points tend to the"
            " printed average (ex2.small_steps); exactly they are ex2.even and ex2.odd."
        ),
    ),
    claim(
        "ex2.even",
        "Example 2, exact limit at even rounds",
        "Where it is stable, at even rounds the model of Example 2 tends to a weighted average that"
        " leans towards client 2, who was heard last.",
        Identity(EVEN, (A * T1 + B * (1 + A) * T2) / (A + B + A * B)),
        kind=Authorship.OURS,
        assumes=(STABLE,),
        proof="docs/proofs/fraboni.md#examples",
        corrects="ex2",
        note=STORY,
        special_cases=(
            _case("equal weights, phi = 1/2", (1, 1), "1/2", "3/5"),
            _case("weights 1 and 3, phi = 1/10", (1, 3), "1/10", "33/43"),
        ),
    ),
    claim(
        "ex2.odd",
        "Example 2, exact limit at odd rounds",
        "Where it is stable, at odd rounds the model of Example 2 tends to a weighted average that"
        " leans towards client 1, who was heard last.",
        Identity(ODD, (A * (1 + B) * T1 + B * T2) / (A + B + A * B)),
        kind=Authorship.OURS,
        assumes=(STABLE,),
        proof="docs/proofs/fraboni.md#examples",
        corrects="ex2",
        note=STORY,
        special_cases=(
            _case("equal weights, phi = 1/2", (1, 1), "1/2", "2/5"),
            _case("weights 1 and 3, phi = 1/10", (1, 3), "1/10", "30/43"),
        ),
    ),
    claim(
        "ex2.gap",
        "Example 2, distance of the two limits",
        "Where the model ends up at them, the two points of Example 2 are of the order of phi"
        " apart.",
        Identity(GAP, A * B * (T1 - T2) / (A + B + A * B)),
        kind=Authorship.OURS,
        assumes=(STABLE,),
    ),
    claim(
        "ex2.mean",
        "Example 2, mean of the two limits",
        "With equal weights, where the model ends up at the two points, their mean is the printed"
        " limit exactly.",
        Identity(MEAN, (T1 + T2) / 2),
        kind=Authorship.OURS,
        assumes=(STABLE_EQUAL,),
    ),
    claim(
        "ex2.fresh_even",
        "Example 2 without delay, even rounds",
        "If work started from the newest model, a stable run would tend to this point at even"
        " rounds.",
        Identity(EVEN, (A * (1 - B) * T1 + B * T2) / (A + B - A * B)),
        kind=Authorship.OURS,
        assumes=(STABLE_FRESH,),
        special_cases=(_case("equal weights, phi = 1/2", (1, 1), "1/2", "2/3"),),
    ),
    claim(
        "ex2.fresh_odd",
        "Example 2 without delay, odd rounds",
        "If work started from the newest model, a stable run would tend to this point at odd"
        " rounds.",
        Identity(ODD, (A * T1 + B * (1 - A) * T2) / (A + B - A * B)),
        kind=Authorship.OURS,
        assumes=(STABLE_FRESH,),
        special_cases=(_case("equal weights, phi = 1/2", (1, 1), "1/2", "1/3"),),
    ),
    claim(
        "ex2.small_steps",
        "Example 2 for small steps",
        "As phi goes to 0, both points of Example 2 tend to the printed average.",
        Identity(LIMIT, PLAIN_MEAN),
        kind=Authorship.OURS,
        corrects="ex2",
    ),
    claim(
        "ex2.stable",
        "Example 2, stability",
        "For positive weights and phi > 0, Example 2's two points attract the model exactly when"
        " ab < 1 and (1-a)(1-b) > -1, a = q_1 phi, b = q_2 phi.",
        Identity(
            word("is_stable", "1 where the model tends to its two points from every start, else 0"),
            CONDITION,
        ),
        kind=Authorship.OURS,
    ),
    claim(
        "ex2.iff",
        "Example 2, last line",
        "Example 2 reaches the optimum if and only if each client's normalised weight averages to"
        " its importance over two rounds.",
        Identity(CONDITION, REACHES),
        note=(
            "False: normalised round by round the weights are always 1 and 0, so the condition"
            " holds for all q_1, q_2; yet weights 1 and 3 lead to 3/4."
        ),
    ),
    claim(
        "ex2.iff.corrected",
        "Example 2, last line corrected",
        "For small steps and clients whose optima differ, Example 2 reaches the optimum if and only"
        " if the weights, normalised over the window, equal the importances.",
        Identity(CONDITION, REACHES),
        kind=Authorship.OURS,
        corrects="ex2.iff",
    ),
)
