"""Pages of the site that are made from the project itself: the ledger, the API and the gallery (a
hook of mkdocs)."""

import html
import re
import tomllib
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.api import api_pages, page_names
from fltheory.claims.evidence import Method
from fltheory.ledger.lines import read
from fltheory.ledger.notation import statement_mathml
from fltheory.ledger.report_rows import Row, rows, totals
from fltheory.ledger.runner import ledger_file
from fltheory.papers import all_claims, papers

ROOT = Path(__file__).parent.parent


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the sections of the navigation that are made: one page per paper, one per folder."""
    proofs = {paper: f"proofs/{key}.md" for key, paper in papers().items()}
    made: dict[str, list[str | dict[str, str]]] = {
        "ledger/": ["ledger/index.md", *(f"ledger/{paper}.md" for paper in papers())],
        "proofs/": [
            {paper.short_name: page}
            for paper, page in proofs.items()
            if (ROOT / "docs" / page).exists()
        ],
        "api/": ["api/index.md", *({name: f"api/{name}.md"} for name in page_names(ROOT))],
    }
    config.nav = [
        {title: made.get(place, place) for title, place in entry.items()}
        for entry in config.nav or ()
    ]
    return config


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the table of kernel-checked theorems into its page."""
    return markdown.replace("<!-- theorems -->", theorem_table())


def theorem_table() -> str:
    """One row per theorem of verification/kernel, as its .toml file describes it."""
    told = ["| theorem | claims | says | needs |", "|---|---|---|---|"]
    for file in sorted((ROOT / "verification" / "kernel").glob("*.toml")):
        for entry in tomllib.loads(file.read_text("utf-8")).get("theorem", []):
            cells = (
                f"`{entry['name']}` in {file.stem}.v",
                ", ".join(f"`{claim}`" for claim in entry["claims"]) or "none",
                entry["says"],
                "; ".join(entry["hypotheses"]) or "nothing beyond the record",
            )
            told.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(told)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is generated to what is written."""
    found = rows(list(all_claims().values()), read(ledger_file()))
    pages = {
        "ledger/index.md": ledger_index(found),
        **api_pages(ROOT),
        "gallery.md": gallery(),
    }
    pages |= {
        f"ledger/{paper}.md": paper_page(
            [row for row in found if row.claim.source.paper.key == paper]
        )
        for paper in papers()
    }
    for uri, content in pages.items():
        files.append(File.generated(config, uri, content=content))
    for picture in sorted((ROOT / "figures").glob("*.png")):
        files.append(
            File.generated(config, f"figures/{picture.name}", content=picture.read_bytes())
        )
    return files


def ledger_index(found: list[Row]) -> str:
    """How many claims of each paper have which verdict."""
    verdicts = sorted({row.verdict for row in found})
    table = [
        "| paper | claims | " + " | ".join(verdicts) + " |",
        "|---" * (len(verdicts) + 2) + "|",
    ]
    for paper in papers():
        mine = [row for row in found if row.claim.source.paper.key == paper]
        counts = [str(sum(row.verdict == v for row in mine)) for v in verdicts]
        table.append(
            f"| [{mine[0].claim.source.paper.title}]({paper}.md) | {len(mine)} | "
            + " | ".join(counts)
            + " |"
        )
    return (
        f"# Ledger\n\n{totals(found)}.\n\n"
        + "\n".join(table)
        + "\n\nThe same from the command line: `fltheory verify`, "
        "`fltheory explain CLAIM`, `fltheory report -o ledger.html`.\n"
    )


def paper_page(mine: list[Row]) -> str:
    """Every claim of one paper: sentence, formula, verdict, evidence, counterexample."""
    paper = mine[0].claim.source.paper
    parts = [f"# {paper.title}\n\n{paper.authors} ({paper.year}), {paper.venue}. {totals(mine)}.\n"]
    return "\n".join(parts + [claim_text(row) for row in mine])


def claim_text(row: Row) -> str:
    told = row.told
    origin = told.source.rpartition("), ")[2] + f": {told.authorship}"
    heading = f"## {row.claim.id}: {row.verdict} {{ #{row.claim.id} }}"
    parts = [
        f"{heading}\n",
        f"{text(told.says)} *{text(origin)}.*\n",
        statement_mathml(row.claim) + "\n",
    ]
    for assumption in told.assumptions:
        stated = "" if assumption["stated_in_the_paper"] else " (**not stated in the paper**)"
        parts.append(f"- assumes: {text(assumption['says'])}{stated}")
    parts += [f"\n{text(told.note)}\n"] if told.note else [""]
    for line in told.evidence:
        sides = f"; left {text(line['left'])}, right {text(line['right'])}" if line["left"] else ""
        parts.append(
            f"- {line['verdict']} by {Method[line['method']].value}:"
            f" {text(line['scenario'])}{sides}"
        )
    if told.counterexample:
        parts.append(f"\nReplay it: `fltheory replay {told.id}`\n")
    return "\n".join(parts) + "\n"


def text(value: str) -> str:
    """Plain text, safe inside Markdown."""
    return re.sub(r"([\\`*_\[\]#|])", r"\\\1", html.escape(" ".join(value.split()), quote=False))


def gallery() -> str:
    """figures/README.md, with its pictures beside it and links to files of the repository left
    out."""
    written = (ROOT / "figures/README.md").read_text(encoding="utf-8")
    written = re.sub(r"\]\(([\w-]+\.png)\)", r"](figures/\1)", written)
    return re.sub(r" \(\[data\]\(.*?\), \[svg\]\(.*?\)\)", "", written)
