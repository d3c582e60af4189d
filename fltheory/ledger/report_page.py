"""The ledger as one self-contained HTML page: data, style and script in one file, no network."""

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Sequence
from importlib.resources import files

from fltheory.ledger.page_data import page_data
from fltheory.ledger.report_rows import Row

SCRIPTS = ("base.js", "list.js", "map.js", "drawing.js", "card.js", "front.js", "main.js")
"""Parts of the script, in order; they share one scope."""


def as_html(found: Sequence[Row]) -> str:
    """The page. Its policy allows this style, this script and nothing from outside."""
    script = '"use strict";(() => {\n' + "".join(map(_source, SCRIPTS)) + "})();"
    style = re.sub(r"\s*\n\s*", "", _source("page.css"))
    parts = {
        "policy": html.escape(policy(script, style)),
        "style": style,
        "script": script,
        "data": packed(page_data(found)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda hole: parts[hole[1]], _source("page.html"))


def packed(data: object) -> str:
    """Data as compressed JSON in base64; the page unpacks it.

    >>> packed({"a": 1})
    'eNqrVkpUsjKsBQAIKgIJ'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def policy(script: str, style: str) -> str:
    """What the browser may load: this script and this style.

    >>> policy("", "")[:60]
    "default-src 'none'; script-src 'sha256-47DEQpj8HBSa+/TImW+5J"
    """

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; script-src 'sha256-{digest(script)}';"
        f" style-src 'sha256-{digest(style)}'; base-uri 'none'; form-action 'none'"
    )


def _source(name: str) -> str:
    return files("fltheory.ledger").joinpath("assets", name).read_text(encoding="utf-8")
