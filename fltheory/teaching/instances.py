"""The page's data from the ledger: refuted claims with their counterexamples, and explanations."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fltheory import algorithms
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.core.prose import prose_in_text
from fltheory.core.registry import members
from fltheory.core.vocabulary import WORDS
from fltheory.engine.traits import PLAYED_ON_PAGE
from fltheory.ledger import runner
from fltheory.ledger.claim_letters import meanings
from fltheory.ledger.counterexamples import read_file
from fltheory.ledger.explain import explanation, recorded_counterexample
from fltheory.ledger.explanation import as_text
from fltheory.ledger.lines import verdicts
from fltheory.papers import all_claims, find_claim

Record = dict[str, Any]
"""A JSON record of the ledger, checked when it was read."""

KEPT = ("measures", "values", "found")

FOLLOWED = {
    "model",
    "local_step_size",
    "mean_squared_gradient",
    "min_squared_gradient",
    "initial_loss_gap",
    "initial_distance",
    "weighted_loss_gap",
    "limit",
    "limit_error",
    "undivided",
}
"""Measures that the page recomputes when the start or the step size changes (`model` and
`undivided` with the number of a round)."""

EXPECTED = {
    "mean_squared_gradient",
    "min_squared_gradient",
    "initial_loss_gap",
    "initial_distance",
    "local_step_size",
}
"""Those of FOLLOWED that the page can also average over gradient noise, for one local step and
affine gradients."""

FIXED = {
    "num_clients",
    "num_rounds",
    "local_steps",
    "clients_per_round",
    "max_staleness",
    "mean_staleness",
    "mean_client_max_staleness",
    "max_delay",
    "fresh_entries",
    "availability_window",
    "staleness_bound",
    "server_step_size",
    "smoothness",
    "strong_convexity",
    "gradient_noise",
    "gradient_bound",
    "dissimilarity",
    "dissimilarity_at_optimum",
    "optimum",
    "weight",
}
"""Measures that depend on neither."""


def instances() -> list[Record]:
    """Counterexamples with both sides as in the ledger, and with their run if it has one coordinate
    and a method of the page."""
    claims = all_claims()
    played = {name for name, m in members(algorithms).items() if PLAYED_ON_PAGE in m.facts}
    lines = {
        line.evidence.claim: line.evidence
        for line in runner.recorded()
        if line.evidence.verdict is Verdict.REFUTED
    }
    found = []
    for claim_id, evidence in sorted(lines.items()):
        file = runner.counterexample_file(claim_id)
        if not file.exists():
            continue
        claim, data = claims[claim_id], dict(Record({**read_file(file)}))
        run, statement = data.get("run"), data["statement"]
        if run is not None and (run["algorithm"] not in played or len(run["start"]) != 1):
            run = None
        found.append(
            {
                "id": claim_id,
                "says": prose_in_text(claim.says),
                "short": _short(prose_in_text(claim.says)),
                "letters": _letters(claim),
                "place": (
                    f"{claim.source.paper.title} ({claim.source.paper.year}), {claim.source.place}"
                ),
                "paper": claim.source.paper.key,
                "run": run,
                "sign": statement["sign"],
                "left": statement["left"],
                "right": statement["right"],
                "ledger": {"left": evidence.left, "right": evidence.right},
                "verdict": evidence.verdict.name,
                "live": run is not None and _followed(run, data["measures"]),
                "corrected": [other.id for other in claims.values() if other.corrects == claim_id],
                **{name: data[name] for name in KEPT if name in data},
                **_of_order(data),
            }
        )
    return found


def _followed(run: Record, measures: Mapping[str, str]) -> bool:
    """Whether the page can recompute all measures when the start or the step size changes."""
    if (
        not {how.split(":")[0] for how in measures.values()}
        <= (EXPECTED if _noisy(run) else FOLLOWED) | FIXED
    ):
        return False
    return not (
        _noisy(run)
        and (run["problem"]["kind"] == "clipped" or max(map(max, run["trace"]["local_steps"])) > 1)
    )


def _of_order(data: Record) -> Record:
    """Extra data of a claim of order, refuted by a ratio that grows with one of its symbols;
    constants without a value are 1."""
    statement, values = data["statement"], data["values"]
    if statement["sign"] != "= O of":
        return {"grows": None}
    grows = data["right"].removeprefix("grows without bound as ").removesuffix(" grows")
    free = {
        name
        for node in (statement["left"], statement["right"], *values.values())
        for name in _symbols(node)
    } - set(values)
    return {
        "grows": grows,
        "ledger": {"left": data["left"].removeprefix("ratio "), "right": "any constant"},
        "values": values | dict.fromkeys(sorted(free - {grows}), "1"),
    }


def _symbols(node: object) -> set[str]:
    if isinstance(node, list):
        return {name for part in node[1:] for name in _symbols(part)}
    return {node["symbol"]} if isinstance(node, dict) else set()


def _noisy(run: Record) -> bool:
    return bool(run["problem"]["noise_squared"] != "0")


GREEK = {
    "eta": "η",
    "sigma": "σ",
    "tau": "τ",
    "mu": "μ",
    "nu": "ν",
    "gamma": "γ",
    "Delta": "Δ",
    "delta": "δ",
    "alpha": "α",
    "beta": "β",
    "rho": "ρ",
    "epsilon": "ε",
    "theta": "θ",
    "lambda": "λ",
}


def plain_letter(letter: str) -> str | None:
    """A letter without LaTeX, its index after an underscore; None if it is more than a letter.

    >>> [plain_letter(text) for text in (r"\\eta_l", r"\\bar{\\tau}", r"\\tau_{\\max}", "f^*")]
    ['η_l', 'τ̄', 'τ_max', None]
    """
    found = re.fullmatch(r"(?:\\bar\{)?\\?(\w+?)\}?(?:_\{?\\?(\w+)\}?)?", letter)
    if found is None:
        return None
    base = GREEK.get(found[1], found[1]) + ("\u0304" if letter.startswith("\\bar") else "")
    return base + (f"_{GREEK.get(found[2], found[2])}" if found[2] else "")


def _letters(claim: Claim) -> dict[str, str]:
    """Letters of the vocabulary for the symbols of a claim to which it gives no meaning of its
    own."""
    known = {word.name: plain_letter(word.letter) for word in WORDS}
    return {
        name: letter
        for name in meanings(claim)
        if name not in claim.where and (letter := known.get(name))
    }


def _short(sentence: str, length: int = 70) -> str:
    return sentence if len(sentence) <= length else sentence[: length - 1].rsplit(" ", 1)[0] + " …"


def explanations(pointed: Iterable[str], found: Sequence[Record]) -> dict[str, str]:
    """The output of `fltheory explain` for every claim that the page refers to: those of its
    scenes, its instances and their corrections."""
    claims, lines = all_claims(), runner.recorded()
    verdict_of = verdicts(lines)
    wanted = (
        set(pointed)
        | {instance["id"] for instance in found}
        | {claim for instance in found for claim in instance["corrected"]}
    )
    told = {}
    for claim_id in sorted(wanted):
        claim = find_claim(claim_id)
        own = [line for line in lines if line.evidence.claim == claim_id]
        related = [other for other in claims.values() if other.corrects == claim_id]
        told[claim_id] = as_text(
            explanation(
                claim,
                own,
                related,
                recorded_counterexample(claim),
                verdict_of=verdict_of,
                in_clone=True,
            )
        )
    return told
