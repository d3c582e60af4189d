"""Section 3 and 4: the objective, MIFA in its two layouts, and the three variants of FedAvg."""

import sympy

from fltheory.claims.claim import (
    Authorship,
    Claim,
    Identity,
    Source,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import CLIENTS, PAPER, ROUNDS, STEPS
from fltheory.papers.mifa.printed import located

STEP = symbol("local_step_size")
CURVATURES, CENTRES = (
    sympy.symbols("curvature_1:4", positive=True),
    sympy.symbols("centre_1:4", real=True),
)
THREE = {
    f"curvature_{i}": f"h_{i} of client {i}'s loss h_{i}/2 (w - c_{i})^2" for i in (1, 2, 3)
} | {f"centre_{i}": f"c_{i}, where client {i}'s loss is least" for i in (1, 2, 3)}

CLAIMS = located(
    Claim(
        id="mifa.eq1",
        source=Source(PAPER, "Eq. (1)"),
        says=(
            "The objective weighs all clients equally: for three quadratic clients its minimiser is"
            " the curvature-weighted mean of theirs."
        ),
        statement=Identity(
            letter("optimum"),
            sum(h * c for h, c in zip(CURVATURES, CENTRES, strict=True)) / sum(CURVATURES),
        ),
        where=THREE | {"optimum": "w*, the minimiser of f = (1/N) sum_i f_i"},
    ),
    Claim(
        id="mifa.alg1",
        source=Source(PAPER, "Algorithm 1"),
        says=(
            "The update that a device stores is the sum of its local gradients: on a quadratic, K"
            " steps shrink the distance by (1 - eta h)^K."
        ),
        statement=Identity(
            letter("stored_update"),
            (letter("model") - letter("centre"))
            * (1 - (1 - STEP * letter("curvature")) ** STEPS)
            / STEP,
        ),
        where={
            "stored_update": "G^i = (w_t - w^i_{t,K})/eta_t",
            "model": "w_t",
            "centre": "c, where the device's loss is least",
            "curvature": "h of the device's loss h/2 (w - c)^2",
        },
        special_cases=(
            SpecialCase(
                "two steps of 1/2 from 2 towards 0",
                {
                    "model": 2,
                    "centre": 0,
                    "curvature": 1,
                    "local_step_size": "1/2",
                    "local_steps": 2,
                },
                "3",
            ),
        ),
    ),
    Claim(
        id="mifa.alg1.diff",
        source=Source(PAPER, "Section 4, discussion on implementation"),
        says=(
            "The running mean that the server keeps equals the mean of the array of all latest"
            " updates."
        ),
        statement=Identity(letter("running_mean"), letter("mean_of_array")),
        where={
            "running_mean": "Gbar_t, built from differences that the devices send",
            "mean_of_array": "(1/N) sum_i G^i_t",
        },
        note=(
            "A device that has not been active yet must take its previous update to be 0, which the"
            " paper does not say."
        ),
    ),
    Claim(
        id="mifa.alg1.equiv",
        source=Source(PAPER, "Section 4, discussion on implementation"),
        says=(
            "MIFA with a running mean makes the same models as MIFA with an array, whoever is"
            " available, also in the first round."
        ),
        statement=Identity(letter("model_from_running_mean"), letter("model_from_array")),
        where={
            "model_from_running_mean": "w_{t+1} = w_t - eta_t Gbar_t",
            "model_from_array": "w_{t+1} of Algorithm 1",
        },
    ),
    Claim(
        id="mifa.alg1.fedavg",
        source=Source(PAPER, "Section 5, Remark 5.1"),
        says=(
            "When all devices are active, a round of MIFA is a round of FedAvg with full"
            " participation."
        ),
        statement=Identity(letter("model_of_mifa"), letter("model_of_fedavg")),
        where={
            "model_of_mifa": "w_{t+1} of Algorithm 1",
            "model_of_fedavg": "(1/N) sum_i w^i_{t,K}",
        },
    ),
    Claim(
        id="mifa.alg.biased",
        source=Source(PAPER, "Section 3, Biased FedAvg"),
        says=(
            "Biased FedAvg replaces the model by the plain average of the active devices' local"
            " models."
        ),
        statement=Identity(letter("model_of_fedavg"), letter("average_of_local_models")),
        where={
            "model_of_fedavg": "w_{t+1}",
            "average_of_local_models": "(1/|A(t)|) sum over A(t) of w^i_{t,K}",
        },
        note="Undefined in the paper when nobody is active; here the model then stays.",
    ),
    Claim(
        id="mifa.alg.biased.bias",
        source=Source(PAPER, "Section 3, Biased FedAvg"),
        says=(
            "With two devices that come with different chances, independently of each other, biased"
            " FedAvg listens to the first with weight p_1 (1 - p_2/2)."
        ),
        statement=Identity(
            letter("effective_weight"), letter("first_chance") * (1 - letter("second_chance") / 2)
        ),
        where={
            "effective_weight": "E[1{first active}/|A|; A not empty]",
            "first_chance": "p_1",
            "second_chance": "p_2",
        },
        special_cases=(
            SpecialCase(
                "always against every second time",
                {"first_chance": 1, "second_chance": "1/2"},
                "3/4",
            ),
        ),
    ),
    Claim(
        id="mifa.alg.sampling",
        source=Source(PAPER, "Section 3, FedAvg with device sampling"),
        says="Over T rounds, FedAvg that waits for its sample updates the model less than T times.",
        statement=UpperBound(letter("num_updates"), ROUNDS - 1),
        where={"num_updates": "global updates done in these rounds"},
        note=(
            "Strictly less only if some waiting occurs: with everybody always active there is an"
            " update in every round."
        ),
    ),
    Claim(
        id="mifa.alg.sampling.corrected",
        source=Source(PAPER, "Section 3, FedAvg with device sampling", kind=Authorship.OURS),
        says="Over T rounds, FedAvg that waits for its sample updates the model at most T times.",
        statement=UpperBound(letter("num_updates"), ROUNDS),
        where={"num_updates": "global updates done in these rounds"},
        corrects="mifa.alg.sampling",
    ),
    Claim(
        id="mifa.alg.is",
        source=Source(PAPER, "Section 3, FedAvg with importance sampling"),
        says=(
            "Updates divided by the participation probabilities are unbiased: their mean is the"
            " update with everybody."
        ),
        statement=Identity(letter("mean_update"), letter("sum_of_updates") / CLIENTS),
        where={
            "mean_update": "E over availability of (1/N) sum over A of G_i/p_i",
            "sum_of_updates": "sum over all devices of G_i",
        },
        special_cases=(
            SpecialCase("updates 1 and 3", {"sum_of_updates": 4, "num_clients": 2}, "2"),
        ),
    ),
    Claim(
        id="mifa.alg.is.variance",
        source=Source(
            PAPER,
            "Section 3, FedAvg with importance sampling, own computation",
            kind=Authorship.OURS,
        ),
        says=(
            "The price of importance sampling is a variance of (1/N^2) sum_i (1 - p_i)/p_i"
            " |G_i|^2, here for two devices that come independently of each other."
        ),
        statement=Identity(
            letter("update_variance"),
            sum(
                (1 - letter(f"{which}_chance"))
                / letter(f"{which}_chance")
                * letter(f"{which}_update") ** 2
                for which in ("first", "second")
            )
            / CLIENTS**2,
        ),
        where={
            "update_variance": "variance over availability of the update of two devices",
            "first_update": "G_1",
            "second_update": "G_2",
            "first_chance": "p_1",
            "second_chance": "p_2",
        },
        special_cases=(
            SpecialCase(
                "p = 1/2, 1/3 and updates 1, 3",
                {
                    "first_chance": "1/2",
                    "second_chance": "1/3",
                    "first_update": 1,
                    "second_update": 3,
                    "num_clients": 2,
                },
                "19/4",
            ),
        ),
    ),
)
