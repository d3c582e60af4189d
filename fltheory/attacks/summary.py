"""The summary of a campaign as Markdown: what broke, what the ledger says about it, which findings
were reproduced, and how small the counterexamples are."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from fltheory.attacks.entries import AttackEntry
from fltheory.attacks.minimize.size import MOST_CLIENTS, MOST_DENOMINATOR, MOST_ROUNDS
from fltheory.claims.claim import Finding
from fltheory.claims.evidence import Verdict
from fltheory.core.words import counted
from fltheory.ledger import lines as ledger
from fltheory.ledger import runner
from fltheory.papers import modules

Verdicts = Mapping[str, Verdict]

FREE_SHARE, LONG_CAMPAIGN = 0.7, 60.0
"""Least share of a core that each process has on a free machine, and the seconds from which a
campaign is long enough to measure it."""


def all_findings() -> dict[str, Finding]:
    """The findings of the papers' audits, by names such as `mifa E3`."""
    return {
        f"{module.__name__.split('.')[-2]} {number}": finding
        for module in modules()
        for number, finding in getattr(module, "FINDINGS", {}).items()
    }


def as_markdown(
    entries: Sequence[AttackEntry],
    *,
    wall: float,
    seed: int,
    attempts: int,
    jobs: int,
    verdicts: Verdicts | None = None,
) -> str:
    """The whole summary; `verdicts` are those of the ledger by default."""
    known = ledger.verdicts(runner.recorded()) if verdicts is None else verdicts
    counts = Counter(entry["verdict"] for entry in entries)
    spent, instances = (
        sum(entry["seconds"] for entry in entries),
        sum(entry["instances"] for entry in entries),
    )
    told = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    parts = [
        "# Attacks on every claim",
        "",
        (
            f"Seed {seed}, at most {counted(attempts, 'attempt')} per claim, {jobs} at a time:"
            f" {counted(len(entries), 'claim')}, {counted(instances, 'admissible instance')},"
            f" {spent:.0f} s of processor time, {wall / 60:.1f} minutes by the clock. {told}."
        ),
        "",
        *machine(entries, wall=wall, jobs=jobs),
        "Every instance was found by search alone: no stored instance is a start.",
    ]
    for title, lines in (
        ("Attacks that failed", failed(entries)),
        ("Against the ledger", against_ledger(entries, known)),
        ("Findings", findings_again(entries, known)),
        ("Sizes of counterexamples", sizes(entries)),
        ("Nothing to search", untried(entries)),
    ):
        parts += ["", f"## {title}", "", *(lines or ["None."])]
    return "\n".join(parts) + "\n"


def machine(entries: Sequence[AttackEntry], *, wall: float, jobs: int) -> list[str]:
    """Remarks on the elapsed time: the share of a core that each process had, and the number of
    resumed attacks."""
    spent, lines = sum(entry["seconds"] for entry in entries), []
    share = spent / (jobs * wall) if wall else 1.0
    if share < FREE_SHARE and wall > LONG_CAMPAIGN:
        alone = spent / jobs / FREE_SHARE / 60
        lines = [
            (
                f"Each process had {100 * share:.0f} % of a core: the machine was shared or paused;"
                f" {jobs} free cores would have taken about {alone:.0f} minutes."
            ),
            "",
        ]
    resumed = sum(bool(entry.get("resumed")) for entry in entries)
    if resumed:
        lines += [
            (
                f"{counted(resumed, 'attack')} went on from stored states, whose time is not"
                " counted here."
            ),
            "",
        ]
    return lines


def failed(entries: Iterable[AttackEntry]) -> list[str]:
    """Attacks that ended with an error."""
    return [f"- `{entry['id']}`: {entry['note']}" for entry in entries if entry["failed"]]


def against_ledger(entries: Iterable[AttackEntry], known: Verdicts) -> list[str]:
    """How many of the claims that the ledger refutes broke, which did not and why, and which others
    broke."""
    by_id = {entry["id"]: entry for entry in entries}
    wrong = [name for name in by_id if known.get(name) is Verdict.REFUTED]
    missed = [name for name in wrong if by_id[name]["verdict"] != "REFUTED"]
    beyond = [
        name
        for name, entry in by_id.items()
        if entry["verdict"] == "REFUTED" and known.get(name) is not Verdict.REFUTED
    ]
    lines = [
        f"Of {counted(len(wrong), 'claim')} that the ledger refutes, {len(wrong) - len(missed)}"
        " broke."
    ]
    lines += [
        f"- not broken: `{name}`: {by_id[name]['note'] or by_id[name]['verdict']}"
        for name in missed
    ]
    for name in beyond:
        verdict = known[name].name if name in known else "without a verdict"
        lines.append(
            f"- broke, though {verdict} in the ledger: `{name}`: {by_id[name]['where'][:200]}"
        )
    return lines


def findings_again(entries: Iterable[AttackEntry], known: Verdicts) -> list[str]:
    """Which findings were reproduced, and the refuted claims of the others that did not break."""
    attacked = {entry["id"]: entry["verdict"] for entry in entries}
    broke = {name for name, verdict in attacked.items() if verdict == "REFUTED"}
    rows, again, without = [], 0, []
    for name, finding in all_findings().items():
        if not any(claim in attacked for claim in finding.claims):
            continue
        wrong = [
            claim
            for claim in finding.claims
            if known.get(claim) is Verdict.REFUTED and claim in attacked
        ]
        missed = [claim for claim in wrong if claim not in broke]
        if not wrong:
            without.append(name)
        elif missed:
            rows.append(
                f"- {name}: not {', '.join(f'`{claim}`' for claim in missed)} (of {len(wrong)})"
            )
        else:
            again += 1
    total = again + len(rows)
    return [
        (
            f"Of {counted(total, 'finding')} that rest on refuted claims, {again} were found again"
            " whole."
        ),
        *rows,
        f"Findings without a refuted claim, so nothing to break: {', '.join(without) or 'none'}.",
    ]


def sizes(entries: Iterable[AttackEntry]) -> list[str]:
    """How many counterexamples are small, and why the others are not."""
    broke = [entry for entry in entries if entry["verdict"] == "REFUTED"]
    single = [entry for entry in broke if entry["size"] is not None]
    large = [entry for entry in single if entry["exceeded"]]
    chosen = [entry for entry in large if _only_computed(entry)]
    small, paths = len(single) - len(large), len(broke) - len(single)
    lines = [
        (
            f"{small} of {counted(len(single), 'counterexample')} have at most {MOST_CLIENTS}"
            f" clients, {MOST_ROUNDS} rounds and denominators up to {MOST_DENOMINATOR} in all of"
            f" their numbers; {len(chosen)} more have so in the numbers that were chosen, and"
            f" larger denominators in what is computed from them. {counted(paths, 'order')} broke"
            " along paths."
        ),
        "",
        "| larger | exceeds | chosen denominators up to | smallest found | why not smaller |",
        "|---|---|---|---|---|",
    ]
    return lines + [
        f"| `{e['id']}` | {', '.join(e['exceeded'])} | {size['drawn_denominator']} |"
        f" {e['where'][:120]} | {_why(e)} |"
        for e in large
        if (size := e["size"]) is not None
    ]


def reasons() -> dict[str, str]:
    """Why a claim has no small counterexample, from LARGER of the papers."""
    return {
        claim: why for module in modules() for claim, why in getattr(module, "LARGER", {}).items()
    }


def _why(entry: AttackEntry) -> str:
    return (
        "large in computed numbers alone"
        if _only_computed(entry)
        else reasons().get(entry["id"], "not known")
    )


def _only_computed(entry: AttackEntry) -> bool:
    size = entry["size"]
    return size is not None and (
        size["clients"] <= MOST_CLIENTS
        and size["rounds"] <= MOST_ROUNDS
        and size["drawn_denominator"] <= MOST_DENOMINATOR
    )


def untried(entries: Iterable[AttackEntry]) -> list[str]:
    """Claims that were not decided."""
    return [
        f"- `{entry['id']}`: {entry['note']}"
        for entry in entries
        if entry["verdict"] == "UNDECIDED" and not entry["failed"]
    ]
