"""The printed accuracies (Tables 2 and 3)."""

import sympy

from fltheory.claims.claim import Claim, Identity, LowerBound, Severity, UpperBound, letter
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
        read(
            "Table 3 and the text below it",
            "In every row AFL with FedProx is at least as accurate as FedProx.",
            (
                "Up to small differences: no row loses more than 0.014 and three of 13 gain, by up"
                " to 0.0162."
            ),
        ),
        "There is no performance degradation in AFL with FedProx as the worker's optimiser.",
        LowerBound(VARIANT, BASELINE),
        where=PLACES,
        severity=Severity.READING,
    ),
    Claim(
        "afl.exp.table3.scaffold",
        read(
            "Table 3 and the text below it",
            '"No obvious degradation" means that no row loses more than 0.02; the number is ours.',
            (
                "With any threshold from 0.0279 on it holds: only the Shakespeare row loses more"
                " than 0.0035."
            ),
        ),
        "There is no obvious degradation (read: none above 0.02) in AFL with SCAFFOLD as the"
        " worker's optimiser.",
        LowerBound(VARIANT, BASELINE - sympy.Rational(1, 50)),
        where=PLACES,
        note=(
            'The paper gives no number for "obvious"; the threshold 0.02 is ours. With any'
            " threshold below 0.0279, the loss of the Shakespeare row, the claim is refuted, from"
            " 0.0035 on by that row alone; from 0.0279 on it holds."
        ),
        severity=Severity.READING,
    ),
    Claim(
        "afl.exp.table3.fedprox-fedavg",
        read(
            "Table 3 and the text below it",
            (
                '"As well as" means that the mean difference over the rows is at most 0.001; the'
                " number is ours."
            ),
            "With a threshold below 0.00067, the mean difference, it is false.",
        ),
        "FedProx performs as well as FedAvg: on average over the rows the two differ by less than"
        " 0.001.",
        UpperBound(sympy.Abs(DIFFERENCE), sympy.Rational(1, 1000)),
        where=PLACES,
        note=(
            "The threshold 0.001 is ours; the mean difference is 0.00067, so that a threshold below"
            " that would refute the claim."
        ),
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
