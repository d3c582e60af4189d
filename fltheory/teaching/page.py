"""The page as one self-contained file of sources and data, with a policy that allows only those."""

import hashlib
import html
import json
import re
import zlib
from base64 import b64encode, b85encode
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

from fltheory.core.errors import InvalidInput
from fltheory.teaching import forever, theorems
from fltheory.teaching.instances import explanations, instances

MODULES = (
    "core/inflate.js",
    "core/fraction.js",
    "core/arithmetic.js",
    "core/doubles.js",
    "core/linear.js",
    "core/methods.js",
    "core/floats.js",
    "core/philox.js",
    "view/dom.js",
    "view/palette.js",
    "view/controls.js",
    "view/cards.js",
    "view/curves.js",
    "view/patch.js",
    "view/words.js",
    "view/marks.js",
    "view/ticks.js",
    "view/plot.js",
    "view/cause.js",
    "view/map.js",
    "view/files.js",
    "view/exports.js",
    "view/hand.js",
    "view/asked.js",
    "view/player.js",
    "view/explain.js",
    "view/screen.js",
    "view/line.js",
    "scenes/because.js",
    "scenes/turns.js",
    "scenes/drift.js",
    "scenes/edge.js",
    "scenes/times.js",
    "scenes/clocks.js",
    "scenes/stragglers.js",
    "scenes/anarchic.js",
    "scenes/replay.js",
    "scenes/written.js",
    "scenes/sides.js",
    "scenes/counterexample.js",
    "scenes/forever.js",
    "scenes/theorems.js",
    "view/page.js",
)
"""Sources of the page's script; a module comes after those that it imports."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "[^"]+";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.M)
_COMMENT = re.compile(r"^ *//.*\n", re.M)
_INDENT = re.compile(r"^ +", re.M)


def source(name: str) -> str:
    """The text of one source file."""
    return (
        files("fltheory.teaching").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")
    )


def module(text: str) -> str:
    """A JavaScript module as one statement that defines its exports; imports refer to earlier
    statements.

    Comments and indentation are removed: no string of the sources spans two lines.

    >>> module('import { a } from "./a.js";\\nconst b = 1;\\nexport const c = a + b;\\n')
    'const { c } = (() => {\\nconst b = 1;\\nconst c = a + b;\\nreturn { c };\\n})();\\n'
    """
    exported = _EXPORT.findall(text)
    body = _INDENT.sub("", _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", text))))
    return (
        f"const {{ {', '.join(exported)} }} = (() => {{\n{body}return {{ {', '.join(exported)}"
        " };\n})();\n"
    )


def font() -> str:
    """The font of the formulas, in base 64 (`docs/math_font.py` makes it)."""
    return b64encode(
        files("fltheory.teaching").joinpath("assets", "formulas.woff").read_bytes()
    ).decode()


def style() -> str:
    """The style sheet without white space; its strings contain no brace and no semicolon."""
    text = re.sub(r" ?([{};]) ?", r"\1", re.sub(r"\n *", " ", source("style.css")))
    return text.replace("FONT", font(), 1)


def sources() -> dict[str, str]:
    """The modules by name, in order."""
    return {name: source(name) for name in MODULES}


def script(modules: dict[str, str]) -> str:
    """All modules as one classic script, which runs at once where it is put; every imported name
    must be exported by an earlier module."""
    known: set[str] = set()
    for name, text in modules.items():
        wanted = {
            part.strip()
            for found in re.findall(r"^import \{([^}]*)\}", text, re.M)
            for part in found.split(",")
            if part.strip()
        }
        exported = _EXPORT.findall(text)
        if wanted - known:
            raise InvalidInput(
                f"module {name}",
                "import what an earlier module exports",
                ", ".join(sorted(wanted - known)),
            )
        if known & set(exported):
            raise InvalidInput(
                f"module {name}",
                "export names that no earlier module exports",
                ", ".join(sorted(known & set(exported))),
            )
        known |= set(exported)
    return '\n(() => {\n"use strict";\n' + "".join(map(module, modules.values())) + "})();\n"


def beginning() -> str:
    """What unpacks and runs the script: the only one that the file holds as it is written."""
    return "\n" + module(source("core/inflate.js")) + _COMMENT.sub("", source("begin.js"))


def policy(scripts: Iterable[str], style_text: str) -> str:
    """Content-Security-Policy: only these scripts, this style, its font, and images made by the
    page."""
    allowed = " ".join(f"'{_digest(text)}'" for text in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src '{_digest(style_text)}'; font-src"
        " data:; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode()


def pointed_to() -> list[str]:
    """The claims in the lists `why` of the scenes."""
    listed = [
        found[1]
        for name in MODULES
        if (found := re.search(r"^  why: (\[[^\]]*\])", source(name), re.M))
    ]
    return [claim for text in listed for claim in json.loads(text)]


@cache
def data() -> str:
    """The page's data from the ledger, as JSON: each claim's explanation beside its counterexample
    (similar texts compress well), and what the scenes of theorems need."""
    found = instances()
    recorded = {instance["id"]: instance for instance in found}
    told = {
        claim: [text, recorded.get(claim)]
        for claim, text in explanations([*pointed_to(), *theorems.listed()], found).items()
    }
    whole = {"claims": told, "forever": forever.recorded(), "theorems": theorems.recorded()}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=4)
def packed(text: str) -> str:
    """A text as its number of bytes and, on a second line, its raw deflate in base 85
    (core/inflate.js reverses it).

    Commas replace "<", so that no part can be read as markup.

    >>> packed("a" * 100).split()[0]
    '100'
    """
    whole = text.encode()
    press = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    digits = b85encode(press.compress(whole) + press.flush(), pad=True).decode()
    return f"{len(whole)}\n{digits.replace('<', ',')}"


def page(modules: dict[str, str] | None = None) -> str:
    """The whole page, with its own modules or with given ones."""
    code, first = script(modules or sources()), beginning()
    parts = {"style": style(), "script": first, "code": packed(code), "data": packed(data())}
    parts["policy"] = html.escape(policy((first, code), parts["style"]), quote=True)
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], source("template.html"))


def page_policy() -> str:
    """The page's policy, for the server to send as well."""
    return policy((beginning(), script(sources())), style()) + "; frame-ancestors 'none'"
