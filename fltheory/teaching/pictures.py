"""Terminal demos as plain data: curves, levels, a few lines of text and all numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.core.types import Vector
from fltheory.teaching import anarchic as anarchic_scene
from fltheory.teaching import asynchronous, stragglers
from fltheory.teaching.drift import METHODS, drift

MAX_TEXT = 24
"""Longest fraction written out; longer ones are shown in decimals."""
MAX_SQUARED = 9
"""The same for a squared gradient at the end of a line."""


@dataclass(frozen=True)
class DemoCurve:
    """Points with a name, a colour, and a character for terminals without colours."""

    name: str
    mark: str
    colour: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class DemoPicture:
    """One demo: `levels` are named heights, drawn as dashed lines; `says` are the lines below the
    plot; `data` is for --json.

    `there` shows who is available, as one character per round (optional).
    """

    title: str
    xlabel: str
    curves: tuple[DemoCurve, ...]
    levels: Mapping[str, float]
    says: tuple[str, ...]
    data: Mapping[str, object]
    there: str = ""


def number(value: Fraction | None) -> str:
    """An exact number with enough decimals to tell it from a whole number.

    >>> number(Fraction(14, 15)), number(Fraction(1, 2)), number(None)
    ('14/15 (0.93333)', '1/2 (0.5)', 'none')
    >>> number(Fraction(99999999, 100000000))
    '99999999/100000000 (0.99999999)'
    """
    if value is None:
        return "none"
    if value.denominator == 1:
        return str(value)
    text, short = str(value), f"{float(value):.5g}"
    decimals = f"{float(value):.15g}" if float(short).is_integer() else short
    return f"{text} ({decimals})" if len(text) <= MAX_TEXT else f"about {decimals}"


_LOOKS = {
    "fedavg": ("o", "#D55E00"),
    "fedprox": ("p", "#CC79A7"),
    "sampling": ("i", "#009E73"),
    "mifa": ("m", "#0072B2"),
    "fedlaavg": ("l", "#56B4E9"),
    "identical": ("o", "#D55E00"),
    "timed": ("t", "#0072B2"),
    "fedfix": ("f", "#009E73"),
    "memory": ("m", "#0072B2"),
    "waiting": ("w", "#009E73"),
    "biased": ("o", "#D55E00"),
    "cd-minus": ("o", "#D55E00"),
    "cs-minus": ("s", "#0072B2"),
    "cd-plus": ("c", "#E69F00"),
    "cs-plus": ("b", "#56B4E9"),
}


def _curve(key: str, name: str, y: Iterable[float], x: Sequence[float] | None = None) -> DemoCurve:
    values = [float(value) for value in y]
    return DemoCurve(name, *_LOOKS[key], list(range(len(values))) if x is None else x, values)


def drift_picture(**settings: Any) -> DemoPicture:
    """FedAvg runs round a cycle away from the optimum; methods that coincide are one curve.

    >>> drift_picture(rounds=8).says[0]
    'FedAvg          14/15 (0.93333) at the end of each period, mean 3/4 (0.75)'
    """
    found = drift(**settings)
    together: dict[tuple[float, ...], list[str]] = {}
    for key, one in found["methods"].items():
        together.setdefault(tuple(one["models"]), []).append(key)
    names = {keys[0]: ", ".join(METHODS[key] for key in keys) for keys in together.values()}
    width = max(map(len, names.values()))
    says = []
    for key, name in names.items():
        limit, mean = (found["methods"][key][which] for which in ("limit", "mean"))
        end = (
            "has no limit at this step size"
            if limit is None
            else (
                f"tend{'' if ',' in name else 's'} to the optimum {number(limit)}"
                if limit == mean == found["optimum"]
                else f"{number(limit)} at the end of each period, mean {number(mean)}"
            )
        )
        says.append(f"{name:{width}}  {end}")
    small = (
        "Small steps shrink FedAvg's cycle to its mean; the"
        if "fedavg" in found["methods"] and found["methods"]["fedavg"]["mean"] is not None
        else "The"
    )
    says.append(f"{small} optimum is {number(found['optimum'])}.")
    return DemoPicture(
        "Two clients take turns: FedAvg drifts; does memory?",
        "round",
        tuple(_curve(key, name, found["methods"][key]["models"]) for key, name in names.items()),
        {"optimum": float(found["optimum"])},
        tuple(says),
        found,
        "".join("12"[int(row[1])] for row in found["available"]),
    )


def async_picture(update_times: Vector, **settings: Any) -> DemoPicture:
    """Identical weights lean to the fast client.

    >>> async_picture([1, 2], horizon=6).says[0]
    'IDENTICAL   weights 1, 1; mean weights 2/3, 1/3; 3 points around 0.33333'
    """
    found = asynchronous.clock_curves(update_times, **settings)
    says = []
    for key, one in found.items():
        listed = [", ".join(str(value) for value in one[name]) for name in ("weights", "expected")]
        end = "diverges: the step size is past the stability edge"
        cycle = one["cycle"]
        if one["stable"] and cycle is not None:
            points = len(set(cycle))
            end = f"{points} point{'s' * (points > 1)} around {float(sum(cycle) / len(cycle)):.5g}"
        says.append(
            f"{asynchronous.CURVES[key]:10}  weights {listed[0]}; mean weights {listed[1]}; {end}"
        )
    optima = settings.get("optima") or asynchronous.spaced(0, 1, len(update_times))
    middle = sum((Fraction(x) for x in optima), Fraction(0)) / len(optima)
    return DemoPicture(
        "Who finishes first is heard most",
        "clock time",
        tuple(
            _curve(key, asynchronous.CURVES[key], one["models"], one["times"])
            for key, one in found.items()
        ),
        {"optimum": float(middle)},
        (*says, f"The optimum is {number(middle)}."),
        found,
    )


def stragglers_picture(**settings: Any) -> DemoPicture:
    """Wait, remember or forget.

    >>> stragglers_picture(rounds=30).says[-1]
    'FedAvg forgets: its mean tends to -403/250 (-1.612), the optimum is 0.'
    """
    found = stragglers.stragglers(**settings)
    says = (
        (
            "MIFA remembers: an update in every round; mean staleness"
            f" {found['mean_staleness'][-1]:.4g} (expected {found['expected_mean_staleness']:.4g}),"
            f" largest {found['max_staleness'][-1]}."
        ),
        (
            f"FedAvg waits: {found['updates']} updates; expected wait"
            f" {number(found['expected_wait'])} rounds, at least 1/p_min ="
            f" {number(found['least_wait'])} if all are awaited."
        ),
        f"FedAvg forgets: its mean tends to {number(found['biased_limit'])}, the optimum is 0.",
    )
    return DemoPicture(
        "Wait for stragglers, or remember them",
        "round",
        tuple(_curve(key, stragglers.STRATEGIES[key], y) for key, y in found["models"].items()),
        {"optimum": 0.0},
        says,
        found,
    )


def anarchic_picture(**settings: Any) -> DemoPicture:
    """Two worlds that worker 1 cannot tell apart.

    >>> anarchic_picture(rare=0, rounds=20).says[-1]
    'Worker 2 never arrives: no method can be below sigma_G^2 = 4 in both worlds.'
    """
    found = anarchic_scene.anarchic(**settings)
    names = anarchic_scene.CURVES
    says = []
    for key, one in found["curves"].items():
        floor = one["floor"]
        if one["limit"] is None or floor is None:
            says.append(f"{names[key]}  has no limit")
            continue
        squared = (
            f"= {number(floor)}" if len(str(floor)) <= MAX_SQUARED else f"about {float(floor):.5g}"
        )
        says.append(f"{names[key]}  in the mean {number(one['mean'])}, mean |grad f|^2 {squared}")
    as_told = all(
        (one["floor"] is not None) and (one["floor"] > 0) == key.startswith("cd")
        for key, one in found["curves"].items()
    )
    says.append(
        "Worker 2 never arrives: no method can be below sigma_G^2 ="
        f" {found['dissimilarity_squared']} in both worlds."
        if settings.get("rare") == 0
        else (
            "sigma_G^2 ="
            f" {found['dissimilarity_squared']}"
            f"{'; AFA-CD keeps a floor, AFA-CS has none' if as_told else ''}."
        )
    )
    other = -2 * float(Fraction(settings.get("gap", 1)))
    return DemoPicture(
        "Anarchic workers: two worlds that nobody can tell apart",
        "round",
        tuple(_curve(key, names[key], one["models"]) for key, one in found["curves"].items()),
        {"optimum of A": 0.0, "optimum of B": other},
        tuple(says),
        found,
    )
