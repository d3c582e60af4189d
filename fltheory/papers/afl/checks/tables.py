"""Tables 2 and 3 as printed (table2.csv, table3.csv), in exact decimals."""

import csv
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import groupby, pairwise, product
from pathlib import Path

from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method

HERE = Path(__file__).parent
VARIANTS = ("sync_const", "sync_dynamic", "async_const", "async_dynamic")
Row = dict[str, str]


def rows(name: str) -> list[Row]:
    """The rows of a printed table."""
    with (HERE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


TABLE2, TABLE3 = rows("table2.csv"), rows("table3.csv")


def label(row: Row) -> str:
    """A row of a table in words."""
    return (
        f"{row['model_dataset']}, p = {row['p']}, {row['workers']} workers, {row['local_steps']}"
        " local steps"
    )


def series() -> Iterator[tuple[str, list[Row]]]:
    """Rows of Table 2 that differ in p only, with each column."""
    labelled = [row for row in TABLE2 if row["p"] != "-"]
    for _, group in groupby(
        labelled, key=lambda row: (row["model_dataset"], row["workers"], row["local_steps"])
    ):
        same = list(group)
        for column in VARIANTS:
            yield column, same


def neighbours() -> Iterator[Instance]:
    """Accuracies at neighbouring values of p in Table 2, all else equal."""
    for column, same in series():
        for a, b in pairwise(same):
            yield Instance(
                {
                    "accuracy_at_smaller_p": Fraction(a[column]),
                    "accuracy_at_larger_p": Fraction(b[column]),
                },
                f"{label(a)}, {column}",
            )


def differences() -> Iterator[Instance]:
    """Each other variant less synchronous FedAvg with constant steps, in Table 2."""
    for row, column in product(TABLE2, VARIANTS[1:]):
        yield Instance(
            {"difference": Fraction(row[column]) - Fraction(row["sync_const"])},
            f"{label(row)}, {column}",
        )


def comparisons(variant: str, baseline: str, dataset: str) -> Iterator[Instance]:
    """Two columns of Table 3 in the rows whose model and data set begin with `dataset`."""
    for row in TABLE3:
        if row["model_dataset"].startswith(dataset):
            accuracies = Fraction(row[variant]), Fraction(row[baseline])
            names = ("variant_accuracy", "baseline_accuracy")
            yield Instance(dict(zip(names, accuracies, strict=True)), label(row))


@by_instances(Method.DATA, covers="all 16 series of Table 2", complete=True)
def monotone() -> Iterator[Instance]:
    """Series of Table 2 in which the accuracy never falls as p grows."""
    count = sum(
        all(Fraction(a[column]) <= Fraction(b[column]) for a, b in pairwise(same))
        for column, same in series()
    )
    yield Instance({"monotone_series": count}, "counted")


def against(variant: str, baseline: str, dataset: str = "") -> Decide:
    """The variant against the baseline, in all rows of Table 3 on one data set or on all."""
    covers = f"{variant} against {baseline}, all rows of Table 3 {dataset}".rstrip()
    check = by_instances(Method.DATA, covers=covers, complete=True)
    return check(partial(comparisons, variant, baseline, dataset))


@by_instances(Method.DATA, covers="mean over the 13 rows that Tables 2 and 3 share", complete=True)
def fedprox_against_fedavg() -> Iterator[Instance]:
    """Table 3's FedProx against Table 2's synchronous FedAvg with constant steps, where both have
    the row."""
    fedavg = {label(row): Fraction(row["sync_const"]) for row in TABLE2}
    gaps = [Fraction(row["FedProx"]) - fedavg[label(row)] for row in TABLE3]
    yield Instance({"difference": sum(gaps) / len(gaps)}, "mean over 13 rows")


NONIID = by_instances(Method.DATA, covers="all neighbouring values of p in Table 2")(neighbours)
DIFFERENCES = by_instances(Method.DATA, covers="all 51 differences in Table 2", complete=True)(
    differences
)
CHECKS = (
    Check("afl.exp.table2.noniid", NONIID),
    Check(
        "afl.exp.table2.series",
        monotone,
        everything="the printed numbers are all that it speaks of",
    ),
    Check(
        "afl.exp.table2.differences",
        DIFFERENCES,
        everything="the printed numbers are all that it speaks of",
    ),
    Check(
        "afl.exp.table3.fedprox",
        against("AFL_FedProx", "FedProx"),
        everything="the printed numbers are all that it speaks of",
    ),
    Check(
        "afl.exp.table3.scaffold",
        against("AFL_SCAFFOLD", "SCAFFOLD"),
        everything="the printed numbers are all that it speaks of",
    ),
    Check(
        "afl.exp.table3.fedprox-fedavg",
        fedprox_against_fedavg,
        everything="the printed numbers are all that it speaks of",
    ),
    Check(
        "afl.exp.table3.scaffold-cifar",
        against("SCAFFOLD", "FedProx", "CNN"),
        everything="the printed numbers are all that it speaks of",
    ),
)
