"""Where AFL's statements about its experiments may fail: arrivals with any shares, images and local
steps of any size, every row of the tables."""

from fractions import Fraction

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given, space_of
from fltheory.papers.afl.checks.experiments import SHARES, flattened, race_probability
from fltheory.papers.afl.checks.tables import comparisons, differences, neighbours
from fltheory.papers.afl.spaces.conditions import restated
from fltheory.traces.selection import inclusion_probabilities


def _inclusions(choices: Choices, claim: Claim) -> Drawn:
    """Successive sampling with any shares, or the paper's ten for what it prints of them."""
    parts = choices.many(lambda: choices.whole(1, 5), choices.whole(1, 4))
    printed = claim.id == "afl.exp.incl.bias"
    shares = SHARES if printed else tuple(Fraction(p, sum(parts)) for p in parts)
    size = choices.whole(1, 5 if printed else len(shares))
    worker, known = choices.whole(0, len(shares) - 1), inclusion_probabilities(shares, size)
    order = sorted(known)
    half = len(known) // 2
    return {
        "inclusion_probability": known[worker],
        "printed_share": shares[worker],
        "clients_per_round": size,
        "sum_of_inclusions": sum(known),
        "heavy_inclusion": known[0],
        "race_probability": 0 if printed else race_probability(shares, size, worker),
        "light_inclusion": known[-1],
        "dissimilarity": 1,
        "worst_bias": (sum(order[half:]) - sum(order[:half])) / size,
    }


def _sizes(choices: Choices, claim: Claim) -> Drawn:
    """Images of side 32 (any side for the correction) with any padding; local steps 1 to 2c."""
    side = choices.whole(16, 40) if claim.id.endswith("corrected") else 32
    padding, half = choices.whole(0, 2), choices.whole(1, 50)
    return {
        "flattened_size": flattened(side, padding),
        "image_side": side,
        "padding": padding,
        "c": half,
        "mean_local_steps": Fraction(sum(range(1, 2 * half + 1)), 2 * half),
    }


def _tables(choices: Choices, claim: Claim) -> Instance:
    """A row, or two neighbouring ones, of the printed tables."""
    if claim.id == "afl.exp.table2.noniid":
        return choices.choice(list(neighbours()))
    if claim.id == "afl.exp.table2.differences":
        return choices.choice(list(differences()))
    variant, baseline, only = {
        "afl.exp.table3.fedprox": ("AFL_FedProx", "FedProx", ""),
        "afl.exp.table3.scaffold": ("AFL_SCAFFOLD", "SCAFFOLD", ""),
    }.get(claim.id, ("SCAFFOLD", "FedProx", "CNN"))
    return choices.choice(list(comparisons(variant, baseline, only)))


SPACES = restated(
    (
        given(
            "Successive sampling with any shares.",
            "inclusion_probability printed_share clients_per_round sum_of_inclusions "
            "race_probability heavy_inclusion light_inclusion dissimilarity worst_bias",
            ("afl.exp.incl*",),
            _inclusions,
        ),
        given(
            "Images and local steps of any size.",
            "flattened_size image_side padding c mean_local_steps",
            ("afl.exp.table1*", "afl.exp.dynamic"),
            _sizes,
        ),
        space_of(
            "afl tables",
            "Every row of the printed tables.",
            "accuracy_at_smaller_p accuracy_at_larger_p difference variant_accuracy"
            " baseline_accuracy",
            _tables,
            (
                "afl.exp.table2.noniid",
                "afl.exp.table2.differences",
                "afl.exp.table3.fedprox",
                "afl.exp.table3.scaffold",
                "afl.exp.table3.scaffold-cifar",
            ),
        ),
    )
)
