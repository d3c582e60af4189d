"""A paper's letters, written once in plain text ("tau_max", "sigma_G^2", "f(w_1) - f*"), and shown
in Unicode, LaTeX and MathML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "eps": "ε",
    "epsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}
SIGNS = {
    "grad": ("∇", r"\nabla"),
    "sum": ("Σ", r"\textstyle\sum"),
    "infinity": ("∞", r"\infty"),
    "sqrt": ("√", r"\surd"),
    "max": ("max", r"\max"),
    "min": ("min", r"\min"),
    "log": ("log", r"\log"),
}
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
ACCENTS = {
    "bar": ("\u0304", r"\bar", "¯"),
    "tilde": ("\u0303", r"\tilde", "~"),
    "hat": ("\u0302", r"\hat", "^"),
}
NO_ACCENT = {"that", "what", "chat", "That", "What"}
"""English words that look like accented letters."""

BRACKETS = {
    "<": ("⟨", r"\langle "),
    ">": ("⟩", r"\rangle "),
    "{": ("{", r"\{"),
    "}": ("}", r"\}"),
}

_TOKEN = re.compile(
    r"(?P<word>[A-Za-z]+)(?P<prime>'?)(?P<star>\*)?"
    r"(?:(?:_|(?=\d))(?P<sub>\{[^{}]*\}|[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*))?(?P<late>\*)?"
    r"(?:\^(?P<sup>\{[^{}]*\}|\d+\.\d+|[A-Za-z0-9]+))?|(?P<close>[])|>])\^(?P<power>\{[^{}]*\}|\d+\.\d+|[A-Za-z0-9]+)|(?P<other>\d+|\s+|.)"
)


@dataclass(frozen=True)
class _Token:
    """A word with its prime or star, index and exponent, or another piece of text."""

    word: str
    mark: str = ""
    sub: str = ""
    sup: str = ""
    other: str = ""


def _tokens(letter: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(letter):
        if match["other"] is not None:
            yield _Token("", other=match["other"])
        elif match["close"] is not None:
            yield _Token("", other=match["close"], sup=match["power"].strip("{}"))
        else:
            yield _Token(
                match["word"],
                match["prime"] + ("*" if match["star"] or match["late"] else ""),
                (match["sub"] or "").strip("{}"),
                (match["sup"] or "").strip("{}"),
            )


@cache
def is_single(letter: str) -> bool:
    """Whether the letter can stand in a product without brackets.

    >>> [is_single(text) for text in ("tau_max", "|w_1 - w*|", "R(x)", "f_0 - f*", "T-1")]
    [True, True, True, False, False]
    """
    found = list(_tokens(letter))
    if len(found) == 1 and found[0].word:
        return not found[0].sup
    return re.fullmatch(r"\|[^|]*\|(\^\d)?|[A-Za-z]+\([^()]*\)", letter) is not None


@cache
def in_text(letter: str) -> str:
    """The letter in Unicode.

    >>> [in_text(letter) for letter in ("sigma_G^2", "f(w_1) - f*", "taubar_T", "theta_1*", "t0")]
    ['σ_G²', 'f(w_1) - f*', 'τ̄_T', 'θ_1*', 't_0']
    """
    parts = []
    for token in _tokens(letter):
        base = BRACKETS.get(token.other, (token.other,))[0] or _glyph(token.word)
        base += f"_{_braced(_inner(token.sub))}" if token.sub else ""
        base += token.mark
        parts.append(base + _raised(token.sup))
    return "".join(parts).replace("∇ ", "∇")


@cache
def in_latex(letter: str) -> str:
    r"""The letter in LaTeX.

    >>> print(in_latex("taubar_T"), in_latex("f_0 - f*"), in_latex("|grad f|^2"))
    \bar{\tau}_{T} f_{0} - f^{*} |\nabla f|^{2}
    """
    parts = []
    for token in _tokens(letter):
        raised = token.mark + _latex_index(token.sup)
        if not token.word:
            shown = BRACKETS.get(token.other, ("", token.other))[1]
            parts.append(shown + (f"^{{{raised}}}" if raised else ""))
            continue
        parts.append(
            _latex_base(token.word)
            + (f"_{{{_latex_index(token.sub)}}}" if token.sub else "")
            + (f"^{{{raised}}}" if raised else "")
        )
    return "".join(parts)


@cache
def in_mathml(letter: str) -> str:
    """The letter as presentation MathML, without the outer <math>.

    >>> in_mathml("eta_L")
    '<msub><mi>η</mi><mtext>L</mtext></msub>'
    """
    parts = [_mathml_token(token) for token in _tokens(letter)]
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def _mathml_token(token: _Token) -> str:
    if token.word:
        base = _mathml_base(token.word)
    elif token.other.isdigit():
        base = f"<mn>{token.other}</mn>"
    elif not token.other.strip():
        return ""
    else:
        sign = escape(BRACKETS.get(token.other, (token.other,))[0]).replace("-", "−")
        tight = ' lspace="0" rspace="0" stretchy="false"' if sign in "|⟨⟩()[]{}/" else ""
        base = f"<mo{tight}>{sign}</mo>"
    sub, raised = _mathml_index(token.sub), _mathml_index(token.mark + token.sup)
    if sub and raised:
        return f"<msubsup>{base}{sub}{raised}</msubsup>"
    if sub or raised:
        name = "msub" if sub else "msup"
        return f"<{name}>{base}{sub or raised}</{name}>"
    return base


def _mathml_index(index: str) -> str:
    """A word or a number as it is, a formula as one."""
    if re.fullmatch(r"[A-Za-z0-9,]*", index) and not set(re.split(r"[\d,]", index)) & set(GREEK):
        return f"<mtext>{escape(index)}</mtext>" if index else ""
    return in_mathml(index)


def _raised(index: str) -> str:
    if index.isdigit():
        return index.translate(RAISED)
    bare = re.fullmatch(r"\d+\.\d+", index)
    return f"^{index if bare else _braced(_inner(index))}" if index else ""


def _braced(index: str) -> str:
    return index if index.isalnum() else f"{{{index}}}"


def split_accent(word: str) -> tuple[str, str]:
    """A word without its accent, and the accent.

    >>> split_accent("taubar"), split_accent("xhat"), split_accent("that")
    (('tau', 'bar'), ('x', 'hat'), ('that', ''))
    """
    for accent in ACCENTS:
        stem = word.removesuffix(accent)
        if stem != word and (stem in GREEK or len(stem) == 1) and word not in NO_ACCENT:
            return stem, accent
    return word, ""


def _glyph(word: str) -> str:
    stem, accent = split_accent(word)
    shown = GREEK.get(stem, SIGNS.get(stem, (stem,))[0])
    return shown + (ACCENTS[accent][0] if accent else "")


def _inner(index: str) -> str:
    return re.sub(r"[A-Za-z]+", lambda found: _glyph(found[0]), index)


def _latex_base(word: str) -> str:
    stem, accent = split_accent(word)
    if stem in GREEK:
        shown = f"\\{'epsilon' if stem == 'eps' else stem}"
    elif stem in SIGNS:
        shown = SIGNS[stem][1]
    else:
        shown = stem if len(stem) == 1 else rf"\mathrm{{{stem}}}"
    return f"{ACCENTS[accent][1]}{{{shown}}}" if accent else shown


def _latex_index(index: str) -> str:
    return re.sub(r"[A-Za-z]+", lambda found: _latex_base(found[0]), index)


def _mathml_base(word: str) -> str:
    stem, accent = split_accent(word)
    shown = GREEK.get(stem, SIGNS.get(stem, (stem,))[0])
    base = f"<mo>{shown}</mo>" if stem in SIGNS else f"<mi>{escape(shown)}</mi>"
    return f"<mover>{base}<mo>{ACCENTS[accent][2]}</mo></mover>" if accent else base
