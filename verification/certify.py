"""Make the stored certificates anew: python -m verification.certify [PATTERN...]; checks themselves only read them."""

import json
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from fltheory.checks import certified, inequality
from fltheory.papers import all_claims, modules


def main(wanted: list[str]) -> int:
    """Solve, prove and write; the number of cases for which no certificate was found is the exit code."""
    import verification

    missing = 0
    for module in modules(verification):
        for proof in (*getattr(module, "PROOFS", ()), *getattr(module, "LEMMAS", ())):
            if not wanted or any(fnmatch(proof.name, pattern) for pattern in wanted):
                missing += not _made(proof)
    return min(missing, 100)


def _made(proof: Any) -> bool:
    """Whether a certificate was found, which is then kept."""
    if isinstance(proof, inequality.Lemma):
        found = proof.certificate(all_claims()[proof.claim])
        told, path = f"factor {found['factor']}" if found else "no exact certificate was found", inequality.certificate_file(proof.name)
    else:
        from fltheory.worst_case.answer import worst_case

        answer = worst_case(proof.case, certified=True)
        found, told, path = answer.certificate, f"{answer.status.name} {answer.value} {answer.why}", certified.certificate_file(proof.name)
    sys.stdout.write(f"{proof.name}: {told}\n")
    if found is not None:
        _write(path, found)
    return found is not None


def _write(path: Path, data: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
