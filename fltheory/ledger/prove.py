"""Let the proof assistant check the theorem of a claim, or say that it is recorded only."""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from fltheory.claims.checks.kernel import how_to_check, kernel_folder, kernel_theorems
from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.core.results import Table, as_dict, as_html
from fltheory.core.types import Json
from fltheory.ledger.coq import formal_theorems
from fltheory.papers import find_claim

SECONDS = 1800


@dataclass(frozen=True, repr=False)
class KernelAnswer:
    """Whether the record fits the claim and its sources (`fits`), what Coq said if it was asked
    (`checked`, None if not), and the story in words."""

    claim: str
    fits: bool
    checked: bool | None
    says: str

    def to_dict(self) -> Json:
        return as_dict(asdict(self))

    def tables(self) -> list[Table]:
        return [Table(self.claim, (), [(self.says,)])]

    def __repr__(self) -> str:
        return self.says

    _repr_html_ = as_html

    @property
    def holds(self) -> bool:
        """Nothing speaks against the proof."""
        return self.fits and self.checked is not False


def prove(claim_id: str, *, coq: bool = True) -> KernelAnswer:
    """Check the theorem of a claim with Coq; without Coq compare the record with claim and
    sources.

    >>> prove("afl.thm2c", coq=False).fits
    True
    """
    claim = find_claim(claim_id)
    entry = kernel_theorems(claim.source.paper).get(claim_id)
    formal = next((one for one in formal_theorems() if one.claim == claim_id), None)
    if entry is None or formal is None:
        rule = "have a theorem that the proof assistant has checked"
        raise InvalidInput("claim to prove", rule, claim_id)
    found = formal.decide(claim)
    if found.verdict is not Verdict.PROVED:
        return KernelAnswer(claim_id, False, None, f"not proved: {found.note}")
    program = kernel_folder(claim.source.paper) / "prove.py"
    told, checked = "Recorded, not checked here: Coq 8.16 is not installed.", None
    if not coq:
        told = "Recorded, not checked here."
    elif shutil.which("coqc") is not None and program.exists():
        checked, told = _by_coq(program, claim_id)
    return KernelAnswer(claim_id, True, checked, f"{found.note}\n{how_to_check(claim)}\n{told}")


def _by_coq(program: Path, claim_id: str) -> tuple[bool, str]:
    """What Coq says of the theorem of a claim."""
    with tempfile.TemporaryDirectory() as build:
        done = subprocess.run(
            [sys.executable, str(program), "--build", build, claim_id],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    return done.returncode == 0, (done.stdout + done.stderr).strip()
