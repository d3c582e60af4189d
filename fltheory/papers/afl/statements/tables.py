"""The printed accuracies (Tables 2 and 3)."""

import sympy

from fltheory.claims.claim import Claim, Identity, Severity, UpperBound, letter
from fltheory.papers.afl.paper import WHERE, read, repaired

LESS_P = letter("accuracy_at_smaller_p")
MORE_P = letter("accuracy_at_larger_p")
MONOTONE = letter("monotone_series")
VARIANT = letter("variant_accuracy")
BASELINE = letter("baseline_accuracy")
DIFFERENCE = letter("difference")

PLACES = WHERE | {
    "accuracy_at_smaller_p": "test accuracy in Table 2 at one value of p",
    "accuracy_at_larger_p": (
        "test accuracy in Table 2 at the next larger value of p, all else equal"
    ),
    "monotone_series": (
        "number of series of Table 2 in which accuracy never falls as p grows, of 16"
    ),
    "variant_accuracy": "test accuracy of the variant",
    "baseline_accuracy": "test accuracy of its baseline in the same row",
    "difference": "variant less baseline",
}

CLAIMS = (
    Claim(
        "afl.exp.table2.noniid",
        read(
            "Table 2 and the text below it",
            "In every series of Table 2, between every two neighbouring values of p.",
            (
                "As a tendency: in 13 of the 16 series the accuracy never falls as p grows"
                " (afl.exp.table2.series)."
            ),
        ),
        "As the non-i.i.d. level increases (smaller p), the top-1 accuracy decreases.",
        UpperBound(LESS_P, MORE_P),
        where=PLACES,
        severity=Severity.READING,
    ),
    Claim(
        "afl.exp.table2.series",
        repaired("Table 2"),
        "In 13 of the 16 series of Table 2 the accuracy never falls as p grows.",
        Identity(MONOTONE, sympy.Integer(13)),
        where=PLACES,
        corrects="afl.exp.table2.noniid",
    ),
    Claim(
        "afl.exp.table2.differences",
        repaired("Table 2"),
        "No accuracy with asynchrony or dynamic steps differs by more than 0.0267 from the"
        " synchronous one with constant steps.",
        UpperBound(sympy.Abs(DIFFERENCE), sympy.Rational(267, 10000)),
        where=PLACES,
    ),
    Claim(
        "afl.exp.table3.fedprox",
        repaired("Table 3 and the text below it, 'no performance degradation' with FedProx"),
        "In no row of Table 3 does AFL with FedProx lose more than 0.0140 against FedProx.",
        UpperBound(BASELINE - VARIANT, sympy.Rational(140, 10000)),
        where=PLACES,
        note="Ten of 13 rows lose, three gain, by up to 0.0162; the mean loss is 0.0014.",
    ),
    Claim(
        "afl.exp.table3.scaffold",
        repaired("Table 3 and the text below it, 'no obvious degradation' with SCAFFOLD"),
        "In no row of Table 3 does AFL with SCAFFOLD lose more than 0.0279 against SCAFFOLD.",
        UpperBound(BASELINE - VARIANT, sympy.Rational(279, 10000)),
        where=PLACES,
        note="Only the Shakespeare row loses more than 0.0035.",
    ),
    Claim(
        "afl.exp.table3.fedprox-fedavg",
        repaired("Table 3 and the text below it, FedProx 'performs as good as FedAvg does'"),
        "On average over the rows that Tables 2 and 3 share, FedProx differs from FedAvg by"
        " 0.00067.",
        Identity(DIFFERENCE, -sympy.Rational(87, 130000)),
        where=PLACES,
    ),
    Claim(
        "afl.exp.table3.scaffold-cifar",
        read(
            "Table 3 and the text below it",
            '"Does not work well" means that it is below FedProx in every row.',
        ),
        "SCAFFOLD does not work well for the network on CIFAR-10: it is below FedProx in every"
        " row.",
        UpperBound(VARIANT, BASELINE),
        where=PLACES,
    ),
)
