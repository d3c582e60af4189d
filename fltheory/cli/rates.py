"""`fltheory rates`: measured exponents beside the claimed ones."""

from dataclasses import replace
from enum import Enum
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson, counts


class Engine(Enum):
    """How the quantity is found."""

    MOMENTS = "moments"
    SAMPLES = "samples"


def register(app: typer.Typer) -> None:
    @command(app, "rates")
    def rates(
        algorithm: Annotated[str | None, typer.Option(help="An algorithm, or the claim whose step sizes it takes; all without it.")] = None,
        versus: Annotated[str | None, typer.Option(help="N, K, T, staleness, m or M; all that the claim speaks of without it.")] = None,
        grid: Annotated[str | None, typer.Option(help="Values of the variable, such as 1000,2000,4000.")] = None,
        rounds: Annotated[int | None, typer.Option(min=2, help="Rounds, where another variable is varied.")] = None,
        clients: Annotated[int | None, typer.Option(min=1, help="Clients, where another variable is varied.")] = None,
        engine: Annotated[Engine, typer.Option(help="Exact moments, or samples with their own interval.")] = Engine.MOMENTS,
        runs: Annotated[int, typer.Option(min=2, help="Runs per point, for samples.")] = 400,
        as_json: AsJson = False,
    ) -> Answer:
        """Slope of a paper's quantity in one variable, with a bias check instead of blind trust in a fit.

        Example: fltheory rates --algorithm mifa --versus T
        """
        from fltheory.rates import measure_rate
        from fltheory.regimes import REGIMES, find_regime

        chosen = REGIMES if algorithm is None else (find_regime(algorithm),)
        changes = {name: value for name, value in (("num_rounds", rounds), ("num_clients", clients)) if value is not None}
        found = []
        for regime in chosen:
            for variable in [versus] if versus is not None else list(regime.claimed):
                points = None if grid is None else counts(grid, "--grid")
                for base in regime.bases_for(variable):
                    found.append(measure_rate(regime, variable, grid=points, base=replace(base, **changes),
                                              runs=runs if engine is Engine.SAMPLES else None))
        return Answer([_data(rate) for rate in found], [_table(found)])


def _data(rate: Any) -> dict[str, Any]:
    slope = rate.slope
    return {
        "claim": rate.claim, "versus": rate.versus, "claimed": str(rate.claimed), "exponent": slope.exponent,
        "interval": [slope.low, slope.high],
        "says": slope.says, "plain_fit": slope.plain, "local_slopes": list(slope.local), "shift": slope.shift,
        "shifted_slopes": list(slope.shifted), "values": list(rate.values), "quantities": list(rate.quantities),
        "engine": "moments" if rate.errors is None else "samples", "sampling_interval": rate.sampling_interval,
    }


def _table(found: list[Any]) -> Table:
    rows = [
        (rate.claim, rate.versus, str(rate.claimed), "-" if rate.slope.exponent is None else f"{rate.slope.exponent:.4f}",
         rate.slope.says, ", ".join(f"{s:.3f}" for s in rate.slope.local))
        for rate in found
    ]
    engine = "exact moments" if found[0].errors is None else "samples"
    return Table(f"exponents by {engine}", ("claim", "versus", "claimed", "measured", "bias check", "local slopes"), rows)
