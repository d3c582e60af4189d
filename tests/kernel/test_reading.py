"""A sceptic reads at most 80 lines to know what a theorem says.

These are the head of its file, the hypotheses of its section, the statement, and the records that
they name. README.md has the definitions.
"""

import re
import sys
from pathlib import Path

KERNEL = Path(__file__).parents[2] / "verification" / "kernel"
sys.path.insert(0, str(KERNEL))
import kernel_record  # noqa: E402

LONGEST = 80
RECORD = re.compile(r"^Record (\w+)\b.*?^\}\.$", re.S | re.M)
HYPOTHESIS = re.compile(r"^(?:Context|Variables?|Hypothes[ie]s)\b.*?\.$", re.S | re.M)
SECTION = re.compile(r"^(Section|End) (\w+)\.$", re.M)
COMMON = {"Space", "Problem", "Law"}


def without_comments(text: str) -> str:
    return re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)


def open_sections(text: str) -> str:
    """A text without the sections that it closes."""
    begun: list[tuple[str, int]] = []
    closed: list[tuple[int, int]] = []
    for mark in SECTION.finditer(text):
        if mark[1] == "Section":
            begun.append((mark[2], mark.start()))
        elif begun and begun[-1][0] == mark[2]:
            closed.append((begun.pop()[1], mark.end()))
    outer = [c for c in closed if not any(a < c[0] and c[1] < b for a, b in closed)]
    for begin, end in sorted(outer, reverse=True):
        text = text[:begin] + text[end:]
    return text


def to_read(name: str, module: str, texts: dict[str, str]) -> dict[str, int]:
    """Lines to read, by what they are."""
    text = texts[module]
    at = re.search(rf"^Theorem {name}\b", text, re.M)
    head = re.match(r"\(\*\*.*?\*\)", text, re.S)
    assert at is not None, name
    assert head is not None, module
    statement = text[at.start() : text.index("Proof.", at.start())]
    before = without_comments(open_sections(text[: at.start()]))
    hypotheses = "\n".join(HYPOTHESIS.findall(before))
    records = {
        found[1]: found[0]
        for other in kernel_record.needs(module, texts)
        for found in RECORD.finditer(texts[other])
        if found[1] not in COMMON
    }
    parts = {"head": head[0], "hypotheses": hypotheses, "statement": statement}
    named = set(re.findall(r"\w+", hypotheses + statement)) & set(records)
    parts |= {record: records[record] for record in named}
    return {part: sum(1 for line in t.splitlines() if line.strip()) for part, t in parts.items()}


def test_eighty_lines_say_what_a_theorem_says():
    texts = kernel_record.sources()
    for entry in kernel_record.theorems():
        found = to_read(entry["name"], entry["module"], texts)
        assert sum(found.values()) <= LONGEST, (entry["name"], found)


def test_a_theorem_that_hides_in_a_long_record_is_noticed():
    texts = kernel_record.sources()
    texts["CrossDevice"] = texts["CrossDevice"].replace(
        "  arrivals : nat -> nat;", "  arrivals : nat -> nat;\n" + "  more : nat;\n" * LONGEST
    )
    assert sum(to_read("afl_thm2c", "AflTheorem2", texts).values()) > LONGEST
