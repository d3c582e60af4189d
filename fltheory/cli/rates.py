"""`fltheory rates`: measured exponents beside the claimed ones."""

from enum import Enum
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson, counts
from fltheory.core.errors import InvalidInput


class Engine(Enum):
    """How the quantity is found."""

    MOMENTS = "moments"
    SAMPLES = "samples"


def register(app: typer.Typer) -> None:
    @command(app, "rates")
    def rates(
        algorithm: Annotated[
            str | None,
            typer.Option(
                help="An algorithm, or the claim whose step sizes it takes; all without it."
            ),
        ] = None,
        versus: Annotated[
            str | None,
            typer.Option(
                help="N, K, T, staleness, m or M; all that the claim speaks of without it."
            ),
        ] = None,
        engine: Annotated[
            Engine, typer.Option(help="Exact moments, or samples with their own interval.")
        ] = Engine.MOMENTS,
        grid: Annotated[
            str | None,
            typer.Option(
                help="Values of the variable, such as 1000,2000,4000, instead of doubling."
            ),
        ] = None,
        rounds: Annotated[
            int | None,
            typer.Option(
                min=2,
                help="Rounds, where another variable takes the values of a grid; "
                "without it 1000, or what the theorem asks for.",
            ),
        ] = None,
        clients: Annotated[
            int | None,
            typer.Option(min=1, help="Clients, where another variable takes the values of a grid."),
        ] = None,
        runs: Annotated[
            int, typer.Option(min=2, max=1_000_000, help="Runs per value, for samples.")
        ] = 400,
        as_json: AsJson = False,
    ) -> Answer:
        """Slope of a paper's quantity in one variable, with a bias check instead of blind trust in
        a fit.

        Sizes are doubled until the local slopes are settled, or a budget ends: "not yet
        asymptotic". With --grid, --rounds, --clients or samples, one grid at one size is looked at
        instead.

        Example: fltheory rates --algorithm mifa --versus T
        """
        from fltheory.analysis.rates import measure_rate
        from fltheory.papers import find_regime, regimes

        chosen = regimes() if algorithm is None else (find_regime(algorithm),)
        pairs = [
            (regime, variable)
            for regime in chosen
            for variable in ([versus] if versus is not None else regime.claimed)
        ]
        if engine is Engine.SAMPLES or not grid is rounds is clients is None:
            return _fits(pairs, engine, grid, rounds, clients, runs)
        found = [
            measure_rate(regime, variable, arrivals=arrivals)
            for regime, variable in pairs
            for arrivals in regime.arrivals_for(variable)
        ]
        rows = [
            (
                *_head(rate, in_turn=rate.arrivals is not None),
                rate.says,
                _slopes(rate),
                "-" if rate.versus == "T" else str(rate.rounds[-1]),
            )
            for rate in found
        ]
        return Answer(
            [
                {
                    **_data(rate),
                    "rounds": list(rate.rounds),
                    "clients_used_per_round": rate.arrivals,
                }
                for rate in found
            ],
            [
                Table(
                    "exponents by exact moments",
                    (*HEAD, "bias check", "local slopes", "rounds"),
                    rows,
                )
            ],
        )


def _fits(
    pairs: list[Any],
    engine: Engine,
    grid: str | None,
    rounds: int | None,
    clients: int | None,
    runs: int,
) -> Answer:
    """One grid for each pair of a regime and a variable."""
    from dataclasses import replace

    from fltheory.analysis.rate_fits import fit_rate, least_rounds
    from fltheory.analysis.rates import FIRST_VALUES
    from fltheory.analysis.sizes import RunSize

    found = []
    for regime, variable in pairs:
        usual = FIRST_VALUES[-1] if variable == "m" else RunSize.num_clients
        base = RunSize(
            num_clients=clients or usual,
            num_rounds=rounds or RunSize.num_rounds,
            local_steps=regime.local_steps,
        )
        values = FIRST_VALUES if grid is None else counts(grid, "--grid")
        if rounds is None:
            base = replace(
                base, num_rounds=max(base.num_rounds, *least_rounds(regime, variable, values, base))
            )
        if variable == "T" and grid is None:
            values = tuple(base.num_rounds * value for value in FIRST_VALUES)
        if variable == "m" and max(values) > base.num_clients:
            raise InvalidInput(
                "--grid",
                f"use at most {base.num_clients} clients per round (--clients has more)",
                max(values),
            )
        found.append(
            fit_rate(
                regime,
                variable,
                grid=values,
                base=base,
                runs=runs if engine is Engine.SAMPLES else None,
            )
        )
    rows = [(*_head(fit), fit.says, _slopes(fit), _plain(fit)) for fit in found]
    data = [
        {
            **_data(fit),
            "plain_fit": fit.plain,
            "sampling_interval": fit.sampling_interval,
            "errors": fit.errors,
        }
        for fit in found
    ]
    source = "exact moments" if engine is Engine.MOMENTS else f"{runs} samples per value"
    return Answer(
        data,
        [
            Table(
                f"exponents by {source}",
                (*HEAD, "bias check", "local slopes", "one line through all"),
                rows,
            )
        ],
    )


HEAD = ("claim", "versus", "claimed", "measured")


def _head(found: Any, *, in_turn: bool = False) -> tuple[str, ...]:
    return (
        found.claim,
        found.versus + "\nin turn" * in_turn,
        str(found.claimed),
        "-" if found.exponent is None else f"{found.exponent:.4f}",
    )


def _slopes(found: Any) -> str:
    return ", ".join(f"{slope:.3f}" for slope in found.trend.slopes)


def _plain(fit: Any) -> str:
    if fit.sampling_interval is None:
        return f"{fit.plain:.3f}"
    low, high = fit.sampling_interval
    return f"{fit.plain:.3f} in [{low:.3f}, {high:.3f}]"


def _data(found: Any) -> dict[str, Any]:
    return {
        "claim": found.claim,
        "versus": found.versus,
        "claimed": str(found.claimed),
        "exponent": found.exponent,
        "says": found.says,
        "local_slopes": list(found.trend.slopes),
        "extrapolated": found.trend.limit,
        "values": list(found.values),
        "quantities": list(found.quantities),
    }
