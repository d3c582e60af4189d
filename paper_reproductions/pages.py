"""The comparison page of an experiment, in Markdown and in HTML, from its record alone."""

from collections.abc import Sequence

from paper_reproductions.claims import ERROR, MOST_SEEDS, SUMMARIES
from paper_reproductions.drawing import LABELS, caption
from paper_reproductions.formats import Block, Numbers, last_command

BENCHMARK_IS = "MIFA, one seed, 12 steps of batch 100, softmax regression on MNIST"
LARGE_GAP = 0.02
"""Differences from a printed accuracy beyond this need an explanation."""


def blocks(record: Numbers, figure: str | None) -> list[Block]:
    """The page as (kind, content): heading, text, list, table (header and rows), picture (file and
    caption)."""
    found: list[Block] = [
        ("heading", record["title"]),
        ("text", f"{record['place']}. {record['says']} Size: {record['size']}, {_seeds(record)}."),
        ("text", "Data: " + "; ".join(record["data"]) + "."),
    ]
    if figure is not None:
        found.append(("picture", (figure, caption(record))))
    if record["claims"]:
        found += [
            ("heading", "What the paper says of it"),
            ("table", _claims(record)),
            ("text", _how_decided(record)),
        ]
    if record["published"]:
        found += [
            ("heading", "Printed numbers beside ours"),
            ("table", _published(record)),
            ("text", _gaps(record["published"])),
        ]
    if record["remarks"]:
        found += [("heading", "Remarks on this outcome"), ("list", record["remarks"])]
    found += [
        ("heading", "Deviations"),
        ("list", record["deviations"] or ["none known"]),
        ("heading", "Runs"),
        ("table", _runs(record)),
        ("text", _speed(record)),
    ]
    return found


def _seeds(record: Numbers) -> str:
    first, many = record["first_seed"], record["seeds"]
    return f"{many} seeds ({first} to {first + many - 1})" if many > 1 else f"one seed ({first})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _claims(record: Numbers) -> tuple[Sequence[str], list[list[str]]]:
    rows = []
    panels = {panel["name"]: panel["title"] for panel in record["panels"]}
    titles = {
        (panel["name"], series["name"]): series["title"]
        for panel in record["panels"]
        for series in panel["series"]
    }
    for claim in record["claims"]:
        terms = " ".join(
            f"{'+' if c > 0 else '-'}"
            f" {'' if abs(c) == 1 else f'{abs(c):g} '}‘{titles[panel, series]}’ ({panels[panel]})"
            for c, panel, series in claim["terms"]
        )
        wanted = f"{'above' if claim['kind'] == 'positive' else 'within'} {claim['margin']:g}"
        interval = (
            "-" if claim["interval"] is None else " to ".join(map(_number, claim["interval"]))
        )
        outcome = f"**{claim['outcome']}**" + _doubt(claim)
        contrast = f"{LABELS[claim['measure']]}, {SUMMARIES[claim['at']]}: {terms} {wanted}"
        chance = _number(claim["sign_flip"]) + (f"; {claim['note']}" if claim["note"] else "")
        rows.append(
            [claim["says"], outcome, contrast, f"{_number(claim['mean'])} ({interval})", chance]
        )
    return ("claim", "outcome", "contrast", "mean (95% interval)", "p"), rows


def _doubt(claim: Numbers) -> str:
    """What weakens an outcome: that it does not hold together with all others, or how many seeds
    would decide it."""
    if claim["outcome"] != "undecided":
        return "" if claim["together"] == claim["outcome"] else " (by itself)"
    if claim["interval"] is None:
        return ""
    needed = claim["seeds_needed"]
    return (
        f" (about {needed} seeds would decide)" if needed else f" (not with {MOST_SEEDS:,} seeds)"
    )


def _how_decided(record: Numbers) -> str:
    """The words and the statistics behind the outcomes."""
    claims = record["claims"]
    together = sum(claim["outcome"] == claim["together"] != "undecided" for claim in claims)
    decided = sum(claim["outcome"] != "undecided" for claim in claims)
    return (
        "Contrasts are paired over seeds, and margins were set beforehand. Supported: the 95%"
        " interval of the mean contrast (Student's t, which takes the seeds' contrasts for normal)"
        " lies where the claim says. Not supported: it lies wholly on the other side, so that in"
        " this setting the contrary is seen. Undecided: it reaches both sides, so that this many"
        " seeds show neither; in brackets how many would, if mean and spread stayed. Each interval"
        f" is for one claim; with those for all {len(claims)} at once (Bonferroni,"
        f" {1 - ERROR / len(claims):.3%} each) {together} of the {decided} decided claims stay"
        " decided, others hold by themselves only. p is the exact one-sided sign-flip p-value,"
        f" which takes contrasts for symmetric only and is at least 1/2^{record['seeds']} here."
    )


def _published(record: Numbers) -> tuple[Sequence[str], list[list[str]]]:
    header = (
        "row",
        "column",
        "printed",
        "ours (sd)",
        "one run, 95%",
        "last tenth",
        "best round",
        "ours - printed",
    )
    rows = [
        [
            ", ".join(f"{k} {v}" for k, v in one["row"].items()),
            one["column"],
            f"{one['printed']:.4f}",
            f"{one['ours']:.4f} ({_number(one['spread'])})",
            " to ".join(f"{end:.4f}" for end in one["single"] or ()) or "-",
            f"{one['tail']:.4f}",
            f"{one['best']:.4f}",
            f"{one['difference']:+.4f}" + (" *" if abs(one["difference"]) > LARGE_GAP else ""),
        ]
        for one in record["published"]
    ]
    return header, rows


def _gaps(rows: list[Numbers]) -> str:
    large = [one for one in rows if abs(one["difference"]) > LARGE_GAP]
    mean = sum(one["difference"] for one in rows) / len(rows)
    inside = [
        one
        for one in large
        if one["single"] and one["single"][0] <= one["printed"] <= one["single"][1]
    ]
    told = (
        f"{len(large)} of {len(rows)} cells differ by more than {LARGE_GAP} (marked *); the mean"
        f" difference is {mean:+.4f}."
    )
    for reading, words in (("tail", "the mean over its last tenth"), ("best", "its best round")):
        gaps = [one[reading] - one["printed"] for one in rows]
        many = sum(abs(gap) > LARGE_GAP for gap in gaps)
        told += (
            f" Reading of each run {words} instead, {many} do, by {sum(gaps) / len(gaps):+.4f} in"
            " the mean."
        )
    return told + (
        f" In {len(inside)} of the {len(large)} the printed number lies where one further run of"
        " ours would end with probability 95% (Student's t)."
        if large
        else ""
    )


def _runs(record: Numbers) -> tuple[Sequence[str], list[list[str]]]:
    common = None
    for panel in record["panels"]:
        for series in panel["series"]:
            items = {(k, str(v)) for k, v in series["changed"].items()}
            common = items if common is None else common & items
    shared = dict(sorted(common or set()))
    header = (
        "panel",
        "series",
        "own settings",
        *(f"final {LABELS[m]}" for m in record["draw"]),
        "updates/run",
    )
    rows = [
        [
            "all",
            "all",
            ", ".join(f"{k} = {v}" for k, v in shared.items() if k != "measures"),
            *("" for _ in record["draw"]),
            "",
        ]
    ]
    for panel in record["panels"]:
        for series in panel["series"]:
            own = ", ".join(
                f"{k} = {v}"
                for k, v in series["changed"].items()
                if k not in shared and k != "measures"
            )
            if series["tuning"]:
                tried = ", ".join(
                    f"{step}: {'diverged' if loss is None else loss}"
                    for step, loss in series["tuning"].items()
                )
                own = "; ".join(filter(None, [own, f"final loss by step size {tried}"]))
            finals = []
            for measure in record["draw"]:
                ends = [curve[-1] for curve in series["measures"][measure] if curve]
                finals.append(
                    f"{sum(ends) / len(ends):.4f}"
                    + (f", {series['diverged']} diverged" if series["diverged"] else "")
                )
            rows.append(
                [
                    panel["title"],
                    series["title"],
                    own,
                    *finals,
                    f"{series['client_updates'] / record['seeds']:.0f}",
                ]
            )
    return header, rows


def _speed(record: Numbers) -> str:
    timing = record["timing"]
    told = (
        f"{record['client_updates']:,} client updates in {timing['running']:,} CPU seconds on"
        f" {timing['device']} without evaluation: {timing['client_updates_per_second']:,} per"
        " second"
    )
    if timing["benchmark"]:
        told += f"; the engine's own benchmark ({BENCHMARK_IS}) has {timing['benchmark']:,}"
    return f"{told}. {timing['whole']:,} CPU seconds with reading and evaluation."


def index(records: list[Numbers], last: Numbers | None = None) -> list[Block]:
    """All experiments of a folder: what became of their claims, how far printed numbers are off,
    and what it and the last command cost."""
    rows, cells = [], dict[str, float]()
    for record in records:
        outcomes = [claim["outcome"] for claim in record["claims"]]
        counts = (
            ", ".join(
                f"{outcomes.count(outcome)} {outcome}"
                for outcome in dict.fromkeys(sorted(outcomes, reverse=True))
            )
            or "-"
        )
        gaps = [abs(one["difference"]) for one in record["published"]]
        printed = (
            f"{sum(gap <= LARGE_GAP for gap in gaps)} of {len(gaps)} within {LARGE_GAP}"
            if gaps
            else "-"
        )
        folder, timing = f"{record['experiment']}-{record['size']}", record["timing"]
        size = f"{record['size']}, {record['seeds']} seed{'s' * (record['seeds'] > 1)}"
        beside = (
            f" ({timing['client_updates_per_second'] / timing['benchmark']:.2f})"
            if timing["benchmark"]
            else ""
        )
        rows.append(
            [
                f"[{record['experiment']}]({folder}/README.md)",
                record["place"],
                size,
                counts,
                printed,
                f"{timing['client_updates_per_second']:,.0f}{beside}",
                f"{timing['whole']:,.0f}",
            ]
        )
        cells |= timing["cells"]
    header = (
        "experiment",
        "place",
        "size",
        "claims",
        "printed numbers",
        "client updates per CPU second (benchmark = 1)",
        "CPU seconds",
    )
    benchmark = next((record["timing"]["benchmark"] for record in records), None)
    beside = f"; the engine's own benchmark ({BENCHMARK_IS}) has {benchmark:,}" if benchmark else ""
    found: list[Block] = [("heading", "Results"), ("table", (header, rows))]
    if last is not None:
        found.append(("text", last_command(last)))
    return [
        *found,
        (
            "text",
            (
                f"{sum(cells.values()):,.0f} CPU seconds in all, reading and evaluation included,"
                f" runs that experiments share counted once. Rates are without evaluation{beside}."
                " Each page has the figure, the statistics and the deviations."
            ),
        ),
    ]
