"""`fltheory looseness`: the worst case over all functions beside a theorem's bound, along sweeps of
rounds, local steps and staleness."""

from enum import Enum
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson


class Along(Enum):
    """What is varied."""

    ROUNDS = "num_rounds"
    STEPS = "local_steps"
    MAXIMUM = "max_staleness"
    MEAN = "mean_staleness"


NO_NUMBER = 1
"""Exit code when some worst case could not be computed."""
COLUMNS = (
    "theorem",
    "num_rounds",
    "local_steps",
    "max_staleness",
    "mean_staleness",
    "worst_case",
    "bound",
    "ratio",
)
HEAD = (
    "theorem",
    "rounds",
    "local steps",
    "max staleness",
    "mean staleness",
    "worst case",
    "bound",
    "worst/bound",
)


def register(app: typer.Typer) -> None:
    """Add looseness."""

    @command(app, "looseness")
    def looseness(
        theorems: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="[THEOREM]...",
                help="Ids of claims: fedlaavg.thm3, afl.thm2c, "
                "fraboni.thm1.corrected, mifa.thm5.1.corrected; all without any.",
            ),
        ] = None,
        along: Annotated[
            list[Along] | None, typer.Option(help="What is varied; all of them without it.")
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """How far a theorem's bound lies above what can happen at worst, by semidefinite
        programming; exact data, no noise.

        Example: fltheory looseness afl.thm2c --along max_staleness
        """
        from fltheory.ledger.looseness import SWEEPS, THEOREMS, table

        rows = list(
            table(
                theorems or list(THEOREMS),
                [sweep.value for sweep in along] if along else list(SWEEPS),
            )
        )
        tables = []
        for sweep in dict.fromkeys(row["along"] for row in rows):
            chosen = [row for row in rows if row["along"] == sweep]
            tables.append(
                Table(
                    f"along {sweep.replace('_', ' ')}",
                    HEAD,
                    [[_short(row[name]) for name in COLUMNS] for row in chosen],
                )
            )
        return Answer(
            rows,
            tables,
            exit_code=0 if all(row["ratio"] is not None for row in rows) else NO_NUMBER,
        )


def _short(value: str | float | None) -> str:
    return value if isinstance(value, str) else "-" if value is None else f"{value:.5g}"
