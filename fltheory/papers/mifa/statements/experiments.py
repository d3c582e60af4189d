"""Section 7: what the experiments claim, as far as it can be decided without training a network."""

import sympy

from fltheory.claims.claim import (
    Authorship,
    Claim,
    Identity,
    LowerBound,
    Source,
    SpecialCase,
    letter,
)
from fltheory.papers.mifa.paper import PAPER
from fltheory.papers.mifa.printed import located

MIN_CHANCE = letter("min_probability", positive=True)
CHANCE_OF_LABEL = letter("least_chance", positive=True)
LABELS = {
    "min_probability": "p_min",
    "least_chance": "smallest probability over all pairs of labels",
}
WAITING = {
    "expected_wait": "exact mean rounds per update of FedAvg that samples S of the 100 devices",
    "mean_inverse_chance": "(1/N) sum_i 1/p_i of these devices",
}
EFFECTIVE = [letter(f"effective_weight_{i}", positive=True) for i in (1, 2, 3, 4)]
CENTRES = [letter(f"centre_{i}") for i in (1, 2, 3, 4)]

CLAIMS = located(
    Claim(
        id="mifa.exp.probabilities",
        source=Source(PAPER, "Section 7, p_i"),
        says=(
            "With p_i = p_min min(j, k)/9 + (1 - p_min), the parameter p_min is the lower bound of"
            " the participation probabilities."
        ),
        statement=Identity(CHANCE_OF_LABEL, MIN_CHANCE),
        where=LABELS,
        note=(
            "A misprint: the printed formula has the lower bound 1 - p_min. The released code has"
            " p_min + (1 - p_min) min(j, k)/9."
        ),
    ),
    Claim(
        id="mifa.exp.probabilities.corrected",
        source=Source(PAPER, "Section 7, p_i", kind=Authorship.OURS),
        says=(
            "With p_i = p_min + (1 - p_min) min(j, k)/9, the smallest participation probability is"
            " p_min."
        ),
        statement=Identity(CHANCE_OF_LABEL, MIN_CHANCE),
        where=LABELS,
        corrects="mifa.exp.probabilities",
    ),
    Claim(
        id="mifa.exp.seeds",
        source=Source(PAPER, "Section 7, five random seeds"),
        says=(
            "The runs with different random seeds draw their availability independently: no two of"
            " them share a draw."
        ),
        statement=Identity(letter("shared_rounds"), sympy.Integer(0)),
        where={
            "shared_rounds": (
                "rounds of a 200-round run whose availability seed also occurs in the run with"
                " another seed"
            )
        },
        note=(
            "The released code seeds round r of run s with r (s + 1), as read by an independent"
            " audit; which code made the figures is unknown."
        ),
    ),
    Claim(
        id="mifa.exp.schedule",
        source=Source(PAPER, "Section 7, learning rate"),
        says=(
            "The experiments verify the theory: their step sizes eta_0/t are those of Theorem 5.1,"
            " for which eta_0 K mu tends to 4."
        ),
        statement=Identity(
            letter("first_step_size") * letter("steps_per_round") * letter("weight_decay"),
            sympy.Integer(4),
        ),
        where={
            "first_step_size": "eta_0",
            "steps_per_round": "K: two epochs of the local data in batches of 100",
            "weight_decay": "the strong convexity that the penalty gives to logistic regression",
        },
        note=(
            "They are more than three thousand times shorter, so no rate 1/T of Theorem 5.1 can be"
            " looked for in these runs."
        ),
    ),
    Claim(
        id="mifa.exp.network",
        source=Source(PAPER, "Section 7, CIFAR-10 with LeNet-5"),
        says=(
            "The network of the CIFAR-10 experiments is LeNet-5: the network that the released"
            " scripts name has as many parameters."
        ),
        statement=Identity(letter("script_parameters"), letter("lenet_parameters")),
        where={
            "script_parameters": (
                "weights and biases of the network that the scripts name: two convolutions, one"
                " hidden layer"
            ),
            "lenet_parameters": "weights and biases of LeNet-5 for three colour channels",
        },
        note=(
            "The scripts were read by an independent audit; which network made the figures is"
            " unknown."
        ),
    ),
    Claim(
        id="mifa.exp.rate",
        source=Source(PAPER, "Section 7, eta_0 = 0.1 in all the experiments"),
        says="The initial step size is 0.1 in all the experiments.",
        statement=Identity(letter("script_step_size"), sympy.Rational(1, 10)),
        where={"script_step_size": "initial step size of a released script"},
        note=(
            "The scripts, as read by an independent audit, have 0.01 for MNIST and 0.05 to 0.08 for"
            " CIFAR-10; which of them made the figures is unknown."
        ),
    ),
    Claim(
        id="mifa.exp.1",
        source=Source(PAPER, "Section 7, FedAvg with device sampling"),
        says=(
            "FedAvg that samples devices is slowed down more than MIFA: its mean wait exceeds"
            " MIFA's noise factor 2 mean(1/p_i) - 1."
        ),
        statement=LowerBound(
            letter("expected_wait", positive=True),
            2 * letter("mean_inverse_chance", positive=True) - 1,
        ),
        where=WAITING,
        special_cases=(
            SpecialCase(
                "the released MNIST partition, p_min = 1/10",
                {"mean_inverse_chance": "4.346865"},
                "7.69",
            ),
        ),
    ),
    Claim(
        id="mifa.exp.2",
        source=Source(PAPER, "Section 7, biased FedAvg"),
        says=(
            "Biased FedAvg ends at the average of the optima weighted by effective weights, so a"
            " gap remains."
        ),
        statement=Identity(
            letter("residual_gap"),
            (
                sum(w * c for w, c in zip(EFFECTIVE, CENTRES, strict=True)) / sum(EFFECTIVE)
                - sum(CENTRES) / 4
            )
            ** 2
            / 2,
        ),
        where={f"effective_weight_{i}": f"E[1{{device {i} active}}/|A|]" for i in (1, 2, 3, 4)}
        | {f"centre_{i}": f"minimiser of device {i}'s loss (w - c)^2/2" for i in (1, 2, 3, 4)}
        | {"residual_gap": "f - f* at the point where the mean step of biased FedAvg vanishes"},
    ),
    Claim(
        id="mifa.exp.3",
        source=Source(PAPER, "Section 7, MIFA"),
        says=(
            "MIFA converges without bias: on quadratics with one exact local step, any repeating"
            " availability and eta L (tau_max + 1) < 2 it ends at the optimum."
        ),
        statement=Identity(letter("limit"), letter("optimum")),
        where={
            "limit": "limit of MIFA's model at the end of a period",
            "optimum": "w*, the minimiser of the global loss",
        },
    ),
)
