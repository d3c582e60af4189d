"""Example 1 for other methods: FedProx, several local steps, Ruan et al. (Appendix A), and the
stability of FedLaAvg."""

import sympy

from fltheory.claims.claim import Claim, Identity, Severity, SpecialCase, UpperBound, letter
from fltheory.papers.fedlaavg.paper import GAMMA, C, corrected, printed, read
from fltheory.papers.fedlaavg.statements.example1 import BLOCKS, LIMIT, OPTIMUM, T1, T2, closed_form

MU = letter("proximal_strength", nonnegative=True)
A = 1 - GAMMA
TRACE, DETERMINANT = letter("trace_of_period"), letter("determinant_of_period")
RADIUS = letter("spectral_radius", nonnegative=True)
LOCAL_CONTRACTION = (1 - GAMMA * (2 + MU)) ** C
PROX_CONTRACTION = LOCAL_CONTRACTION + (1 - LOCAL_CONTRACTION) * MU / (2 + MU)
EQUIVALENT_STEP = (1 - (1 - 2 * GAMMA) ** C) / 2

VARIANT = BLOCKS | {
    "proximal_strength": "mu, weight of FedProx's proximal term",
    "limit_at_period_end": "limit of the model at period ends",
}
PERIOD = BLOCKS | {
    "trace_of_period": (
        "trace of the linear map of one period of FedLaAvg on (model, stored point), once both"
        " clients are known"
    ),
    "determinant_of_period": "its determinant",
    "spectral_radius": "its spectral radius",
}
TRACE_FORMULA = 1 + A ** (T1 + T2 - 2) * (1 + A) ** 2 - 2 * A ** (T1 - 1) - 2 * A ** (T2 - 1)
DETERMINANT_FORMULA = GAMMA**2 * A ** (T1 + T2 - 2)


def _prox(strength: str, equals: str) -> SpecialCase:
    values = {
        "first_block": 1,
        "second_block": 3,
        "first_optimum": 0,
        "second_optimum": 1,
        "local_step_size": "1/100",
        "local_steps": 10,
        "proximal_strength": strength,
    }
    return SpecialCase(f"ten local steps of 1/100, proximal strength {strength}", values, equals)


CLAIMS = (
    Claim(
        id="fedlaavg.ex1.variants",
        source=corrected("Section 6.1.2, baselines on Example 1"),
        says=(
            "On Example 1, FedProx and FedAvg with several local steps, of sizes below 1/(2 + mu),"
            " end up where Theorem 1 says, with another contraction per round."
        ),
        statement=Identity(LIMIT, closed_form(PROX_CONTRACTION)),
        where=VARIANT,
        special_cases=(
            _prox("0", "0.819981981"),
            _prox("1/100", "0.819950808"),
            _prox("1", "0.816944881"),
        ),
        note=(
            "mu = 0 is FedAvg with C local steps; FedProx hardly differs from it, as in the paper's"
            " Figure 4."
        ),
    ),
    Claim(
        id="fedlaavg.ex1.variants.fedlaavg",
        source=corrected("Algorithm 2 on Example 1"),
        says=(
            "On Example 1, FedLaAvg with C local steps follows FedLaAvg with one local step of size"
            " (1 - (1 - 2 gamma)^C)/2."
        ),
        statement=Identity(letter("model_with_local_steps"), letter("model_with_one_step")),
        where={
            "model_with_local_steps": (
                "server model after some rounds with C local steps of size gamma"
            ),
            "model_with_one_step": (
                "server model after as many rounds with one local step of the equivalent size"
            ),
        },
    ),
    Claim(
        id="fedlaavg.ex1.variants.step",
        source=corrected("Algorithm 2 on Example 1"),
        says=(
            "C local steps of size gamma on (x - e)^2 move as far as one step of size (1 - (1 - 2"
            " gamma)^C)/2."
        ),
        statement=Identity(letter("equivalent_step_size"), EQUIVALENT_STEP),
        where={"equivalent_step_size": "size of the single step that ends at the same point"},
        special_cases=(
            SpecialCase(
                "three steps of 1/20", {"local_step_size": "1/20", "local_steps": 3}, "271/2000"
            ),
            SpecialCase(
                "the paper's ten steps of 0.01",
                {"local_step_size": "1/100", "local_steps": 10},
                "0.0914636",
            ),
        ),
    ),
    Claim(
        id="fedlaavg.ex1.limit",
        source=read(
            "Section 4.1: FedLaAvg converges in Example 1",
            "At a constant step size in (0, 1), not only at 1/(2 sqrt T); there it is stable"
            " (fedlaavg.ex1.stability).",
        ),
        says=(
            "On Example 1, FedLaAvg with a constant step size in (0, 1) tends to the optimum, not"
            " only near it."
        ),
        statement=Identity(LIMIT, OPTIMUM),
        where=VARIANT,
    ),
    Claim(
        id="fedlaavg.ex1.stability",
        source=corrected("Theorem 2, stability of FedLaAvg on Example 1"),
        says=(
            "On Example 1 the period map of FedLaAvg has spectral radius at most 1 for every"
            " constant step size in (0, 1) and all block lengths; below 1, so that it converges, by"
            " Jury's conditions."
        ),
        statement=UpperBound(RADIUS, sympy.S.One),
        where=PERIOD,
        note=(
            "Jury's conditions on the trace and the determinant, with strict signs: "
            "fedlaavg.ex1.stability.low, .high and .determinant."
        ),
    ),
    Claim(
        id="fedlaavg.ex1.stability.determinant",
        source=corrected("Theorem 2, stability of FedLaAvg on Example 1"),
        says=(
            "The period map of FedLaAvg on Example 1 has determinant gamma^2 (1 - gamma)^(t1 + t2 -"
            " 2), which is below 1."
        ),
        statement=Identity(DETERMINANT, DETERMINANT_FORMULA),
        where=PERIOD,
    ),
    Claim(
        id="fedlaavg.ex1.stability.trace",
        source=corrected("Theorem 2, stability of FedLaAvg on Example 1"),
        says=(
            "The trace of the period map of FedLaAvg on Example 1 has a closed form in the step"
            " size and the block lengths."
        ),
        statement=Identity(TRACE, TRACE_FORMULA),
        where=PERIOD,
    ),
    Claim(
        id="fedlaavg.ex1.stability.low",
        source=corrected("Theorem 2, stability of FedLaAvg on Example 1, Jury's first condition"),
        says=(
            "1 - trace + determinant of the period map is 2 a^(t1-1) + 2 a^(t2-1) - 4 a^(t1+t2-1) >"
            " 0, with a = 1 - gamma in (0, 1)."
        ),
        statement=Identity(
            1 - TRACE + DETERMINANT, 2 * A ** (T1 - 1) + 2 * A ** (T2 - 1) - 4 * A ** (T1 + T2 - 1)
        ),
        where=PERIOD,
    ),
    Claim(
        id="fedlaavg.ex1.stability.high",
        source=corrected("Theorem 2, stability of FedLaAvg on Example 1, Jury's second condition"),
        says=(
            "1 + trace + determinant of the period map is 2 (1 - a^(t1-1)) (1 - a^(t2-1)) + 2"
            " a^(t1+t2) > 0, a = 1 - gamma in (0, 1)."
        ),
        statement=Identity(
            1 + TRACE + DETERMINANT,
            2 * (1 - A ** (T1 - 1)) * (1 - A ** (T2 - 1)) + 2 * A ** (T1 + T2),
        ),
        where=PERIOD,
    ),
    Claim(
        id="fedlaavg.ex1.stability.slow",
        source=corrected("Section 6 defaults on Example 1"),
        says=(
            "For small gamma and gamma t_i = s_i, a period of FedLaAvg on Example 1 shrinks errors"
            " by |(1 - 2 e^-s1) (1 - 2 e^-s2)|."
        ),
        statement=Identity(
            letter("scaled_radius"),
            sympy.Abs(
                (1 - 2 * sympy.exp(-letter("first_scaled_block", positive=True)))
                * (1 - 2 * sympy.exp(-letter("second_scaled_block", positive=True)))
            ),
        ),
        where={
            "scaled_radius": (
                "limit of the spectral radius of one period as the step size vanishes with gamma"
                " t_i = s_i fixed"
            ),
            "first_scaled_block": "s1 = gamma t1",
            "second_scaled_block": "s2 = gamma t2",
        },
        note=(
            "For long blocks this is close to 1: with the paper's learning rate 0.01, C = 10 and E"
            " = 100, FedLaAvg oscillates almost like FedAvg."
        ),
    ),
    Claim(
        id="fedlaavg.appA",
        source=printed(
            "Appendix A",
            "M_R = sum_r E[z_r] = R in Example 1, so the bias term M_R/R does not vanish",
        ),
        says=(
            "On Example 1 the bias term M_R/R of Ruan et al. is 1: in every round one client"
            " contributes nothing."
        ),
        statement=Identity(letter("bias_rate"), sympy.S.One),
        where={
            "bias_rate": (
                "M_R/R, the share of rounds in which the clients' expected contributions differ"
            )
        },
    ),
    Claim(
        id="fedlaavg.appA.absent",
        source=printed(
            "Appendix A: s_i^r = 1 with probability 1",
            "in Example 1 one client is always unavailable, i.e. s_i^r = 1 with probability 1",
        ),
        says="On Example 1 the client that is away does one local step in every round.",
        statement=Identity(letter("steps_of_absent_client"), sympy.S.One),
        where={"steps_of_absent_client": "s_i^r of the client that is not available"},
        note="A slip: it does none, s_i^r = 0, and the conclusion M_R = R is right.",
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.appA.indicator",
        source=printed(
            "Appendix A: z_r = p_i",
            "if a single client has s_i^r = 0 with probability p_i > 0, then z_r = p_i",
        ),
        says=(
            "If one client is away with probability p_i, the bias indicator z_r of Ruan et al."
            " equals p_i."
        ),
        statement=Identity(letter("bias_indicator"), letter("absence_probability")),
        where={
            "bias_indicator": (
                "z_r: 1 if the expected contributions E[w_i^r s_i^r]/w_i differ among clients,"
                " else 0"
            ),
            "absence_probability": "p_i, chance that the client is away",
        },
        note="By its own definition z_r is 0 or 1; here it is 1.",
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.appA.limit",
        source=corrected("Appendix A on Example 1"),
        says=(
            "On Example 1, for step sizes in (0, 1), the rescaling of Ruan et al. ends up where"
            " Theorem 1 says, with contraction 1 - gamma per round."
        ),
        statement=Identity(LIMIT, closed_form(1 - GAMMA)),
        where=VARIANT,
        special_cases=(
            SpecialCase(
                "blocks of 1 and 3 rounds, step size 1/4",
                {
                    "first_block": 1,
                    "second_block": 3,
                    "first_optimum": 0,
                    "second_optimum": 1,
                    "local_step_size": "1/4",
                },
                "148/175",
            ),
        ),
    ),
)
