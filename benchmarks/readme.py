"""`python -m benchmarks.readme`: write the recorded numbers into benchmarks/README.md, between
their marks; with --check, fail if they are not what the results say."""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.worst_case_grid import FAMILIES, exponent

HERE = Path(__file__).parent
README = HERE / "README.md"
MARKED = re.compile(r"(<!-- results -->\n).*?(\n<!-- end of results -->)", re.DOTALL)

RATES = {
    "logistic": "softmax 784 x 10",
    "seeds": "softmax 784 x 10, as many seeds",
    "quadratic": "quadratics",
    "network": "networks",
}
"""Kinds of run.py and what they compute."""

MACHINE = ("operations", "numbers")
"""Units of what a machine can do: no contender."""


def read(name: str) -> Any:
    """A recorded result, or None where there is none."""
    path = HERE / "results" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def rates(name: str, says: str) -> Iterator[str]:
    """Each contender beside the first of its group: work per CPU second and its ratio."""
    first: dict[str, tuple[str, float]] = {}
    for one in (read(name) or {"results": []})["results"]:
        if one["unit"] in MACHINE:
            continue
        group, _, who = one["name"].rpartition(": ")
        if one["per_cpu_second"] is None:
            yield f"| {says} | {one['name']} | not measured | |"
            continue
        first.setdefault(group, (who, one["per_cpu_second"]))
        ours, rate = first[group]
        ratio = "" if ours == who else f"{rate / one['per_cpu_second']:.2f}"
        yield f"| {says} | {one['name']} | {one['per_cpu_second']:,.4g} {one['unit']} | {ratio} |"


def shares() -> Iterator[str]:
    """How much of the speed of a matrix product softmax regression reaches."""
    logistic = read("logistic")
    rate = {one["name"]: one["per_cpu_second"] for one in logistic["results"]}
    part = logistic["textbook_operations"] / rate["float32 matrix product"]
    told = ", ".join(
        f"MIFA, {seeds} {rate[f'fltheory MIFA, {seeds}'] * part:.0%}"
        for seeds in ("16 seeds", "1 seed")
    )
    yield f"Share of the float32 GEMM peak in softmax regression, textbook operations: {told}."


def spans() -> Iterator[str]:
    """Ratios of peers' CPU time to ours, smallest and largest, and growth exponents."""
    if (cases := read("worst_case")) is not None:
        ratios = [one["pepit_seconds"] / one["seconds"] for one in cases["results"]]
        yield (
            f"Worst cases, {len(ratios)} common cases: PEPit takes {min(ratios):.1f} to"
            f" {max(ratios):.0f} times as long."
        )
    if (grid := read("worst_case_grid")) is not None:
        for name, family in FAMILIES.items():
            rows = [row for row in grid["results"] if row["family"] == name]
            if rows:
                yield growth(family.says, rows)
    if (samples := read("sampler")) is not None:
        for peer in ("NumPy", "numba"):
            found = [
                one["cpu_seconds"][peer] / one["cpu_seconds"]["fltheory"]
                for one in samples["results"]
            ]
            yield (
                f"Samples on quadratics, {len(found)} sizes: a loop in {peer} takes"
                f" {min(found):.1f} to {max(found):.1f} times as long."
            )
    if (frames := read("page_frames")) is not None:
        medians = [one["cpu_ms"]["median"] for one in frames["states"].values()]
        late = [one["cpu_ms"]["p95"] for one in frames["states"].values()]
        yield (
            f"Teaching page, {len(medians)} states: main-thread CPU per move of a slider is"
            f" {min(medians)} to {max(medians)} ms in the median, {min(late)} to {max(late)} ms at"
            f" the 95th percentile, of {frames['frame_ms']} ms in a frame (load"
            f" {frames['load_average']})."
        )


def growth(says: str, rows: list[dict[str, Any]]) -> str:
    """The largest size, how often an answer is accurate, ratios and exponents."""
    accurate = sum(row["status"] == "NUMERICAL" for row in rows)
    ratios = [
        min(row[key] for key in ("pepit seconds", "autolyap seconds") if key in row)
        / row["ours seconds"]
        for row in rows
        if "pepit seconds" in row or "autolyap seconds" in row
    ]
    slopes = ", ".join(
        f"{who} {slope:.1f}"
        for who, key in (("ours", "ours"), ("PEPit", "pepit"), ("AutoLyap", "autolyap"))
        if (slope := exponent(rows, key)) is not None
    )
    return (
        f"Worst cases of {says} to {max(row['size'] for row in rows)}: {accurate} of {len(rows)}"
        f" answered to 1e-7; the faster peer takes {min(ratios):.1f} to {max(ratios):.0f} times as"
        f" long where it was asked ({len(ratios)} sizes); growth exponents: {slopes}."
    )


def lines() -> Iterable[str]:
    """All recorded numbers."""
    yield "| work | contender | per CPU second | first of its group is faster by |"
    yield "|---|---|---|---|"
    for name, says in RATES.items():
        yield from rates(name, says)
    yield ""
    for told in (*shares(), *spans()):
        yield f"- {told}"


def with_results(text: str) -> str:
    """The page with the numbers of the recorded results."""
    written, count = MARKED.subn(lambda found: found[1] + "\n".join(lines()) + found[2], text)
    if count != 1:
        raise ValueError("benchmarks/README.md must have the marks of the results once")
    return written


if __name__ == "__main__":
    now = README.read_text(encoding="utf-8")
    if "--check" in sys.argv[1:]:
        sys.exit(0 if now == with_results(now) else "run python -m benchmarks.readme")
    README.write_text(with_results(now), encoding="utf-8")
