"""A mixin for strategies of Flower that writes the log which `fltheory advise` reads."""

import csv
from pathlib import Path
from typing import Any

from flwr.common import Parameters, Scalar

from fltheory.core.plain import csv_cell
from fltheory.flower.strategies import Failed, Fitted, name_of

HEADER = ("round", "client", "active", "num_examples")


class LogsRounds:
    """Put it before the strategy: `class Logged(LogsRounds, FedAvg)`, then `Logged(log="a.csv")`.

    One row per round and client: `active` is 1 if its result came, 0 if it was selected and
    failed, as far as Flower tells which client that was. Rows are on disk when a round ends.
    """

    def __init__(self, *positional: Any, log: str | Path, **options: Any) -> None:
        super().__init__(*positional, **options)
        self.log = Path(log)
        with self.log.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerow(HEADER)

    def aggregate_fit(
        self, server_round: int, results: Fitted, failures: Failed
    ) -> tuple[Parameters | None, dict[str, Scalar]]:
        """Write the rows of the round, then do what the strategy does."""
        rows = [(name_of(*one), 1, one[1].num_examples) for one in results]
        rows += [(name_of(*one), 0, 0) for one in failures if isinstance(one, tuple)]
        with self.log.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            for name, active, examples in rows:
                told = examples if active else ""
                writer.writerow([server_round, csv_cell(name), active, told])
        done: tuple[Parameters | None, dict[str, Scalar]] = super().aggregate_fit(  # type: ignore[misc]
            server_round, results, failures
        )
        return done
