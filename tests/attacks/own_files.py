"""Claim files of a user."""

from typing import Any

from fltheory.claims.claim import Claim
from fltheory.papers.claim_files import claims_of


def own(left: str, sign: str, right: str, *assumes: str, **fields: Any) -> Claim:
    entry = {
        "id": "mine.a",
        "says": "A.",
        "left": left,
        "sign": sign,
        "right": right,
        "assumes": list(assumes),
        **fields,
    }
    return claims_of({"paper": {"key": "mine"}, "claim": [entry]})[0]


def flat(text: str) -> str:
    return " ".join(text.split())
