"""The summary of a campaign against planted falsehoods, as Markdown, from what `python -m
tests.campaigns.attacker -o` writes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from fltheory.core.words import counted

Entry = Mapping[str, Any]


def as_markdown(data: Mapping[str, Any], *, seed: int, seconds: float) -> str:
    """Share refuted, time, by kind and by paper, and every survivor with the reason."""
    entries: Sequence[Entry] = data["attacks"]
    spent = [entry["seconds"] for entry in entries]
    tries = [entry["attempts"] for entry in entries if entry["refuted"]]
    lines = [
        f"# Planted falsehoods: the {data['set']} set",
        "",
        (
            f"**{data['refuted']} of {counted(data['mutants'], 'mutant')} refuted"
            f" ({100 * data['share']:.1f} %)** by search alone, seed {seed}, at most {seconds:g}"
            f" CPU seconds each: {sum(spent):.0f} CPU seconds in all, median {median(spent):.2f},"
            f" longest {max(spent):.1f}; median {median(tries or [0]):.0f} attempts, most"
            f" {max(tries, default=0)}."
        ),
    ]
    for title, key in (
        ("kind", lambda e: e["operator"]),
        ("paper", lambda e: e["of"].split(".")[0]),
    ):
        all_of, broken = (
            Counter(map(key, entries)),
            Counter(key(e) for e in entries if e["refuted"]),
        )
        lines += ["", f"| {title} | mutants | refuted |", "|---|---|---|"]
        lines += [f"| {name} | {count} | {broken[name]} |" for name, count in all_of.most_common()]
    survivors = [
        f"- `{e['id']}` ({e['why']}): {counted(e['attempts'], 'attempt')}; {e['reason']}"
        for e in data["survivors"]
    ]
    return "\n".join([*lines, "", "## Survivors", "", *(survivors or ["None."])]) + "\n"
