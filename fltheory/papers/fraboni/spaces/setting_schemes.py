"""Where the sampling lemmas may fail: schemes of one round."""

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.papers.fraboni.checks.application_schemes import chosen_by_loss, doubled_sample
from fltheory.papers.fraboni.checks.lemma1 import aggregate, single_weight, with_printed_beta
from fltheory.papers.fraboni.checks.sampling import multinomial, uniform
from fltheory.papers.fraboni.checks.weights import alpha_exists
from fltheory.papers.fraboni.spaces.drawing import F, scheme, shares
from fltheory.papers.fraboni.spaces.named import space_of

KINDS = {
    "fraboni.def.omega": ("uniform", "independent", "certain"),
    "fraboni.lem1.excess": ("uniform", "independent", "certain"),
    "fraboni.ass5.diagonal": ("uniform",),
    "fraboni.fedfix.independence": ("independent",),
    "fraboni.app.unbiased.beta": ("uniform", "multinomial"),
}
"""Kinds of scheme that a claim speaks of; all kinds without an entry."""

PRINTED = ("fraboni.lem1.excess",)
"""Claims that take beta as Theorem 1 defines it."""

EQUAL = ("fraboni.app.unbiased.beta",)
"""Claims that speak of clients of equal importance."""


def _scheme(choices: Choices, claim: Claim) -> Instance:
    """A scheme of one round with vectors; the values that the claim names."""
    every = ("uniform", "multinomial", "independent", "certain")
    drawn = scheme(choices, kinds=KINDS.get(claim.id, every), equal=claim.id in EQUAL)
    if not any(drawn.moment(i) for i in drawn.clients):
        choices.reject("somebody has a weight")
    client = choices.whole(0, len(drawn.clients) - 1)
    if len(drawn.pair_factors()) > 1:
        choices.reject("Assumption 5: all pairs agree on alpha")
    vectors = [choices.number(-3, 3, max_denominator=2) for _ in drawn.clients]
    return Instance(
        {
            **aggregate(drawn, vectors).values,
            **(with_printed_beta if claim.id in PRINTED else single_weight)(drawn, client).values,
            **alpha_exists(drawn),
        },
        drawn.says,
    )


def _sampling(choices: Choices, claim: Claim) -> Instance:
    """alpha of uniform and of multinomial sampling of any size."""
    clients = choices.whole(2, 4)
    size = choices.whole(1, clients)
    make = (
        uniform(clients, size)
        if claim.id == "fraboni.def.alpha"
        else multinomial(size, [F(1, clients)] * clients)
    )
    return Instance(
        {
            "covariance_factor": make.covariance_factor,
            "num_clients": clients,
            "clients_per_round": size,
        },
        make.says,
    )


def _doubled(choices: Choices, claim: Claim) -> Instance:
    """alpha of multinomial sampling of m and of 2 m clients."""
    size, importance = choices.whole(1, 3), shares(choices, 2)
    return Instance(
        doubled_sample(size, importance), f"multinomial sampling of {size} and {2 * size}"
    )


def _highest_loss(choices: Choices, claim: Claim) -> Instance:
    """Clients chosen by their loss after a step with fair-coin noise: power of choice, one of
    two."""
    optima, noise = [choices.number(-2, 2) for _ in range(2)], choices.number(0, 1)
    drawn = chosen_by_loss(optima, noise)
    if len(drawn.pair_factors()) > 1:
        choices.reject("Assumption 5: all pairs agree on alpha")
    return Instance({"variance_excess": drawn.variance_excess}, drawn.says)


SPACES = (
    space_of(
        "schemes",
        "One round of certain, sampled or independent participation with any importances and"
        " vectors.",
        _scheme,
        "lem1 lem1.excess lem1.sign lem1.remark lem1.remark.corrected eq16 eq17 def.omega ass5"
        " ass5.corrected ass5.diagonal fedfix.independence app.unbiased.beta",
    ),
    space_of(
        "sampling",
        "Uniform and multinomial sampling of any size.",
        _sampling,
        "def.alpha def.alpha.multinomial",
    ),
    space_of(
        "doubled",
        "Multinomial sampling of m and 2 m clients.",
        _doubled,
        "app.unbiased.alpha",
    ),
    space_of(
        "highest-loss",
        "The client with the higher loss after a noisy step.",
        _highest_loss,
        "app.biased",
    ),
)
