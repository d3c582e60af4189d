"""Make the stored certificates anew: python -m verification.certify [NAME...]; checks themselves only read them."""

import json
import sys

from fltheory.checks.certified import certificate_file
from fltheory.papers import modules


def main(wanted: list[str]) -> int:
    """Solve, prove and write; the number of cases for which no certificate was found is the exit code."""
    import verification
    from fltheory.worst_case.answer import worst_case

    missing = 0
    for module in modules(verification):
        for proof in getattr(module, "PROOFS", ()):
            if wanted and proof.name not in wanted:
                continue
            found = worst_case(proof.case, certified=True)
            missing += found.certificate is None
            sys.stdout.write(f"{proof.name}: {found.status.name} {found.value} {found.why}\n")
            if found.certificate is not None:
                path = certificate_file(proof.name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(json.dumps(found.certificate) + "\n", encoding="utf-8")
    return missing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
