"""Bounds over a whole class of functions: check stored certificates, and try to break the bound by
exact runs of the same methods."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import sympy

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.proof import verify
from fltheory.analysis.worst_case.question import Metric, Question
from fltheory.claims.checks.bound_on_run import check_on_runs, unmet
from fltheory.claims.claim import Claim, Paper, UpperBound, evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.measures import measure
from fltheory.claims.record import record_folder
from fltheory.claims.scenario import Scenario
from fltheory.claims.trivial import trivial_bound
from fltheory.core.enclosure import Comparison, as_expression, compare, shown
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Scalar

MEASURED = {
    Metric.MEAN_SQUARED_GRADIENT: "mean_squared_gradient",
    Metric.MIN_SQUARED_GRADIENT: "min_squared_gradient",
}
"""The symbol of a claim that a metric bounds."""


@dataclass(frozen=True)
class Proof:
    """A worst case whose certificate is kept under `name`.

    The scenario is one member of the class. It fixes the method, the trace and the step sizes; the
    claim's assumptions are decided on it, and its exact run bounds the worst case from below.
    """

    name: str
    scenario: Scenario
    question: Question

    @property
    def case(self) -> Case:
        """The case whose certificate this is."""
        run = self.scenario
        return Case(
            run.algorithm,
            run.trace,
            self.question,
            run.local_step_size,
            run.server_step_size,
            run.settings,
        ).compact()


def certificate_file(name: str, paper: Paper) -> Path:
    """Where a certificate is kept."""
    return record_folder(paper) / "certificates" / f"{name}.json"


def check_certified(claim: Claim, proofs: Iterable[Proof], *, covers: str) -> Evidence:
    """CERTIFIED if every stored certificate is correct, is about its case, and proves a bound of at
    most the claim's right side.

    REFUTED if an exact run breaks the bound; UNDECIDED if a certificate is missing or proves a
    bound above the right side.
    """
    if not isinstance(claim.statement, UpperBound):
        raise InvalidInput(
            f"claim {claim.id}",
            "be an upper bound for certificates",
            type(claim.statement).__name__,
        )
    listed = list(proofs)
    tried = check_on_runs(
        claim, [proof.scenario for proof in listed], covers=covers, method=Method.SDP
    )
    if tried.verdict is not Verdict.SUPPORTED:
        return tried
    tightest: tuple[sympy.Expr, sympy.Expr, sympy.Expr] | None = None
    trivial = ""
    for proof in listed:
        bound, why = _proved(proof, claim.source.paper)
        failing = unmet(claim, proof.scenario)
        if bound is None or failing:
            return Evidence(
                claim.id,
                Method.SDP,
                Verdict.UNDECIDED,
                covers,
                note=f"{proof.name}: {why or ', '.join(failing)}",
            )
        values = _values(claim, proof, bound)
        left, right = (
            evaluate(claim.statement.left, values),
            evaluate(claim.statement.right, values),
        )
        if compare(left, right) not in (Comparison.BELOW, Comparison.EQUAL):
            return Evidence(
                claim.id,
                Method.SDP,
                Verdict.UNDECIDED,
                covers,
                shown(left),
                shown(right),
                note=f"{proof.name}: the certified bound is not below the right side",
            )
        if tightest is None or compare(left / right, tightest[0]) is Comparison.ABOVE:
            tightest, known = (left / right, left, right), trivial_bound(claim, values)
            trivial = "" if known is None else shown(known)
    if tightest is None:
        return Evidence(
            claim.id, Method.SDP, Verdict.UNDECIDED, covers, note="no certificate is named"
        )
    ratio, left, right = tightest
    reached = f"an exact run reaches {_decimal(tried.looseness)}"
    note = (
        f"{len(listed)} certificates; left/right is at most {float(ratio):.6f} over the class;"
        f" {reached}"
    )
    return Evidence(
        claim.id,
        Method.SDP,
        Verdict.CERTIFIED,
        covers,
        shown(left),
        shown(right),
        f"{float(ratio):.9f}",
        note,
        scope=tried.scope,
        trivial=trivial,
    )


def _proved(proof: Proof, paper: Paper) -> tuple[Fraction | None, str]:
    """The bound that the stored certificate proves for the case at hand, or why there is none."""
    path = certificate_file(proof.name, paper)
    if not path.exists():
        return None, "no certificate is stored"
    data = json.loads(path.read_text(encoding="utf-8"))
    if data.get("case") != proof.case.to_json():
        return None, "the stored certificate is about another case"
    try:
        return verify(data), ""
    except InvalidInput as reason:
        return None, str(reason)


def _values(claim: Claim, proof: Proof, bound: Fraction) -> dict[str, Scalar]:
    """Values of the claim's symbols: those that the class and the conditions fix, the certified
    bound, and the others measured on the scenario."""
    known, functions = proof.question.conditions, proof.question.functions
    actual = measure(proof.scenario, ["initial_loss_gap"])["initial_loss_gap"]
    if known.loss_gap is not None and actual > known.loss_gap:
        raise InvalidInput(
            f"scenario of {proof.name}",
            f"have a loss gap of at most {known.loss_gap} at the start",
            actual,
        )
    fixed: dict[str, Scalar] = {
        "smoothness": functions.smoothness,
        MEASURED[proof.question.metric]: bound,
    }
    if known.loss_gap is not None:
        fixed["initial_loss_gap"] = known.loss_gap
    if known.gradient_bound_squared is not None:
        fixed["gradient_bound"] = sympy.sqrt(as_expression(known.gradient_bound_squared))
    names = {symbol.name for symbol in claim.symbols}
    if "dissimilarity" in names and proof.scenario.trace.num_clients > 1:
        raise InvalidInput(
            f"certificate {proof.name}",
            "be about one client where a claim bounds the dissimilarity",
            "several clients",
        )
    return measure(proof.scenario, names - set(fixed)) | fixed


def _decimal(text: str) -> str:
    value = sympy.Rational(text.split("about ")[-1].rstrip(")")) if text else sympy.S.Zero
    return f"{float(value):.6f}"
