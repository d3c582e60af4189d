"""`fltheory rates`: measured exponents beside the claimed ones."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson, counts


def register(app: typer.Typer) -> None:
    @command(app, "rates")
    def rates(
        algorithm: Annotated[str | None, typer.Option(help="An algorithm, or the claim whose step sizes it takes; all without it.")] = None,
        versus: Annotated[str | None, typer.Option(help="N, K, T, staleness, m or M; all that the claim speaks of without it.")] = None,
        grid: Annotated[str | None, typer.Option(help="Values of the variable, such as 1000,2000,4000.")] = None,
        rounds: Annotated[int | None, typer.Option(min=2, help="Rounds, where another variable is varied.")] = None,
        clients: Annotated[int | None, typer.Option(min=1, help="Clients, where another variable is varied.")] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Slope of a paper's quantity in one variable, by exact moments, with a bias check instead of blind trust in a fit.

        Example: fltheory rates --algorithm mifa --versus T
        """
        from fltheory.rates import measure_rate
        from fltheory.regimes import REGIMES, find_regime

        chosen = REGIMES if algorithm is None else (find_regime(algorithm),)
        changes = {name: value for name, value in (("num_rounds", rounds), ("num_clients", clients)) if value is not None}
        found = []
        for regime in chosen:
            for variable in [versus] if versus is not None else list(regime.claimed):
                base = replace(regime.base_for(variable), **changes) if variable in regime.claimed else None
                found.append(measure_rate(regime, variable, grid=None if grid is None else counts(grid, "--grid"), base=base))
        return Answer([_data(rate) for rate in found], [_table(found)])


def _data(rate: Any) -> dict[str, Any]:
    slope = rate.slope
    return {
        "claim": rate.claim, "versus": rate.versus, "claimed": rate.claimed, "exponent": slope.exponent,
        "interval": [slope.low, slope.high],
        "says": slope.says, "plain_fit": slope.plain, "local_slopes": list(slope.local), "shift": slope.shift,
        "shifted_slopes": list(slope.shifted), "values": list(rate.values), "quantities": list(rate.quantities), "engine": "moments",
    }


def _table(found: list[Any]) -> Table:
    rows = [
        (rate.claim, rate.versus, f"{rate.claimed:g}", "-" if rate.slope.exponent is None else f"{rate.slope.exponent:.4f}",
         rate.slope.says, ", ".join(f"{s:.3f}" for s in rate.slope.local))
        for rate in found
    ]
    return Table("exponents by exact moments", ("claim", "versus", "claimed", "measured", "bias check", "local slopes"), rows)
