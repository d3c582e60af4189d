"""The advice as tables of text."""

from fractions import Fraction

from fltheory.core.results import Table
from fltheory.fleet.answer_rows import ProofRow
from fltheory.fleet.recommend import NEAR
from fltheory.fleet.report import GuaranteeRow, PredictionRow, Report
from fltheory.fleet.words import counted


def advice_tables(told: Report) -> list[Table]:
    """Constants, statistics, predictions, bounds and theorems as tables."""
    basis = str(told["availability"]["basis"])
    stats = [
        (name.replace("_", " "), _number(value))
        for name, value in told["availability"].items()
        if name != "basis"
    ]
    rows = [
        (
            p["method"],
            (
                "never"
                if p["rounds"] is None
                else f"{p['rounds']}{' (log repeated)' if p['repeats_log'] else ''}"
            ),
            "-" if p["seconds"] is None else f"{p['seconds']:.0f}",
            step_of(p),
            error_of(p),
            _number(p["floor"]),
        )
        for p in told["predictions"]
    ]
    unit = "updates" if told["log"]["deliveries"] else "rounds"
    certified = [(g["method"], step_of(g), _number(g["gap_at_most"])) for g in told["guarantees"]]
    guaranteed = [
        Table(
            f"gap after {counted(held['rounds'])} of {', '.join(held['clients'])} from round"
            f" {held['first_round']} on, for all losses with these curvatures, without noise"
            f" ({held['basis']})",
            ("method", "step size", "at most"),
            certified,
        )
        for held in told["guarantees"][:1]
    ]
    theorems = [
        (
            f"{r['method']}\n{r['claim']}\n{r['ledger']}",
            "yes" if r["applies"] else "no",
            "\n".join(
                [
                    f"step size: {r['step_size']}",
                    *(
                        f"fails: {c['says']}: {c['where']}"
                        for c in r["conditions"]
                        if c["holds"] is False
                    ),
                ]
            ),
        )
        for r in told["theorems"]
    ]
    return [
        Table(told["recommendation"], (), formula_rows(told)),
        *(
            [Table("over all settings of what was not given", ROBUST, robust_rows(told))]
            if told["robustness"] and told["robustness"][0]["settings"] > 1
            else []
        ),
        Table(
            f"predictions ({told['predictions'][0]['basis']}). {told['log']['horizon']}",
            ("method", unit, "seconds", "step size", "error", "floor"),
            rows,
        ),
        *guaranteed,
        Table("theorems", ("theorem", "applies", "on this log"), theorems),
        Table(
            f"the log ({basis})",
            (),
            [
                ("clients", str(told["log"]["clients"])),
                ("rounds", str(told["log"]["rounds"])),
                *stats,
            ],
        ),
        Table(
            "what this follows from", ("constant", "value", "source", "meaning"), input_rows(told)
        ),
    ]


ROBUST = ("method", "fastest in", f"within {NEAR - 1:.0%} in", "mean factor", "worst factor")


def robust_rows(told: Report) -> list[tuple[str, ...]]:
    """How each method does over all settings."""
    return [
        (
            one["method"],
            f"{one['fastest']} of {one['settings']}",
            f"{one['nearly_fastest']} of {one['settings']}",
            f"{one['mean_factor']:.3g}",
            f"{one['worst_factor']:.3g}",
        )
        for one in told["robustness"]
    ]


def formula_rows(told: Report) -> list[tuple[str, str]]:
    """The recommended method in a few lines of Python."""
    return [("the server", "\n".join(told["recommended"]["python"]))]


def input_rows(told: Report) -> list[tuple[str, str, str, str]]:
    """One row per constant: its name, value, source and meaning."""
    return [
        (one["name"].replace("_", " "), one["value"], one["source"], one["says"])
        for one in told["inputs"]
    ]


def step_of(entry: PredictionRow | GuaranteeRow | ProofRow) -> str:
    """A step size as a multiple of 1/L and as a number."""
    if entry["step_size"] is None:
        return "-"
    times = float(Fraction(entry["step_size_times_smoothness"] or 0))
    return f"{times:.3g}/L = {float(Fraction(entry['step_size'])):.3g}"


def error_of(prediction: PredictionRow) -> str:
    """The stated error of a prediction, in words."""
    return (
        "exact" if not prediction["error_at_most"] else f"within {prediction['error_at_most']:.0%}"
    )


def _number(value: object) -> str:
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
