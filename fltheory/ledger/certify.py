"""Recompute stored certificates: python -m fltheory.ledger.certify [PATTERN...]. Checks only read
them."""

import json
import sys
from fnmatch import fnmatch
from types import ModuleType

from fltheory.claims.checks import certified, inequality
from fltheory.claims.claim import Paper
from fltheory.core.durable import replace_text
from fltheory.papers.folders import packages
from fltheory.papers.library import all_claims, modules, papers


def main(wanted: list[str]) -> int:
    """Solve, prove and write; the exit code is the number of cases without a certificate, at most
    100."""
    missing = 0
    for module in modules():
        for proof in (*getattr(module, "PROOFS", ()), *getattr(module, "LEMMAS", ())):
            if not wanted or any(fnmatch(proof.name, pattern) for pattern in wanted):
                missing += not _made(proof, _paper_of(module))
    return min(missing, 100)


def _paper_of(module: ModuleType) -> Paper:
    """The paper whose folder holds a module."""
    return next(
        paper
        for package, paper in zip(packages(), papers().values(), strict=True)
        if module.__name__.startswith(package.__name__)
    )


def _made(proof: certified.Proof | inequality.Lemma, paper: Paper) -> bool:
    """Write the certificate, if one is found; whether it was found."""
    if isinstance(proof, inequality.Lemma):
        found = proof.certificate(all_claims()[proof.claim])
        told, path = (
            f"factor {found['factor']}" if found else "no exact certificate was found",
            inequality.certificate_file(proof.name, paper),
        )
    else:
        from fltheory.analysis.worst_case.answer import worst_case

        answer = worst_case(proof.case, certified=True)
        found, told, path = (
            answer.certificate,
            f"{answer.status.name} {answer.value} {answer.why}",
            certified.certificate_file(proof.name, paper),
        )
    sys.stdout.write(f"{proof.name}: {told}\n")
    if found is not None:
        replace_text(path, json.dumps(found) + "\n", make_folder=True)
    return found is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
