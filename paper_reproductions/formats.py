"""Pages of results as Markdown and as HTML."""

import html
import re
from typing import Any

Numbers = dict[str, Any]


Block = tuple[str, Any]


def last_command(last: Numbers) -> str:
    """What the last command ran here, and how long it took."""
    kept = (
        f"{last['kept']:,} of them kept from before and not in these times"
        if last["kept"]
        else "none of them kept from before"
    )
    return (
        f"The last command here ({last['size']} size, {last['jobs']} processes,"
        f" {last['began'][:10]}) took **{last['seconds'] / 60:.1f} minutes** by the clock, figures"
        f" and pages included: {len(last['experiments'])} experiments, {last['runs']:,} runs,"
        f" {kept}; {last['cpu_seconds']:,.0f} CPU seconds on {last['device']} ({last['processor']},"
        f" {last['cores']} cores; torch {last['torch']}, Python {last['python']})."
    )


def as_markdown(found: list[Block]) -> str:
    """The page for a repository."""
    parts, first = [], True
    for kind, content in found:
        match kind:
            case "heading":
                parts.append(f"{'#' if first else '##'} {content}\n")
                first = False
            case "list":
                parts.append("\n".join(f"- {item}" for item in content) + "\n")
            case "table":
                header, rows = content
                lines = [header, ["---"] * len(header), *rows]
                parts.append(
                    "\n".join(
                        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                        for line in lines
                    )
                    + "\n"
                )
            case "picture":
                file, words = content
                parts.append(f"![{words}]({file})\n\n*{words}*\n")
            case _:
                parts.append(f"{content}\n")
    return "\n".join(parts)


STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0"
    " 1rem}table{border-collapse:collapse;font-size:14px}td,th{border:1px solid"
    " #8884;padding:.25rem"
    " .5rem;text-align:left;vertical-align:top}img{max-width:100%}figcaption{color:#555}"
)


def as_html(found: list[Block]) -> str:
    """The same page for a browser, without any outside resource but the figure."""

    def text(words: str) -> str:
        return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html.escape(words))

    body, first = [], True
    for kind, content in found:
        match kind:
            case "heading":
                body.append(f"<h{1 if first else 2}>{text(content)}</h{1 if first else 2}>")
                first = False
            case "list":
                body.append(
                    "<ul>" + "".join(f"<li>{text(item)}</li>" for item in content) + "</ul>"
                )
            case "table":
                header, rows = content
                head = "".join(f"<th>{text(cell)}</th>" for cell in header)
                lines = "".join(
                    "<tr>" + "".join(f"<td>{text(cell)}</td>" for cell in row) + "</tr>"
                    for row in rows
                )
                body.append(f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>")
            case "picture":
                file, words = content
                body.append(
                    f'<figure><img src="{html.escape(file)}"'
                    f' alt="{text(words)}"><figcaption>{text(words)}</figcaption></figure>'
                )
            case _:
                body.append(f"<p>{text(content)}</p>")
    title = html.escape(str(found[0][1]))
    return (
        '<!doctype html><html lang="en"><meta'
        f' charset="utf-8"><title>{title}</title><style>{STYLE}</style>{"".join(body)}</html>\n'
    )
