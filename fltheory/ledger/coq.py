"""Write the sides and conditions of claims as Coq definitions: python -m fltheory.ledger.coq.

The result is verification/kernel/Claims_PAPER.v; the theorems of that folder are stated about it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from fltheory.claims.checks.kernel import FormalTheorem, kernel_folder, statements_module
from fltheory.claims.claim import Paper
from fltheory.claims.coq import definitions
from fltheory.core.durable import replace_text
from fltheory.papers import find_claim, modules

HEAD = """(** * Statements of the claims of the paper {key}

    Sides and conditions of claims, written by `python -m fltheory.ledger.coq` from the claims' own
    expressions: not to be edited by hand. Arguments are implicit and named by the vocabulary. *)
From Coq Require Import Reals.
From FL Require Import Numbers.
Open Scope R_scope.
"""


def formal_theorems() -> Iterator[FormalTheorem]:
    """All claims that a theorem proves, in the order of the papers' modules (their FORMAL)."""
    for module in modules():
        yield from getattr(module, "FORMAL", ())


def statements() -> dict[Path, str]:
    """The text of every file of statements."""
    by_paper: dict[str, tuple[Paper, list[str]]] = {}
    for formal in sorted(formal_theorems(), key=lambda one: one.claim):
        claim = find_claim(formal.claim)
        _, told = by_paper.setdefault(claim.source.paper.key, (claim.source.paper, []))
        told.append(definitions(claim, formal.conditions))
    return {
        kernel_folder(paper) / f"{statements_module(paper)}.v": "\n".join(
            [HEAD.format(key=paper.key), "\n\n".join(told), ""]
        )
        for paper, told in by_paper.values()
    }


def main() -> int:
    """Write the files that have changed."""
    for file, text in statements().items():
        if not file.exists() or file.read_text("utf-8") != text:
            replace_text(file, text, make_folder=True)
            sys.stdout.write(f"written: {file}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
