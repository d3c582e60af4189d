"""What the tests of arithmetic certificates share."""

import json
from pathlib import Path

import pytest

from fltheory.analysis.arithmetic.checker import proved
from fltheory.claims.checks.arithmetic import certificate_file
from fltheory.core.errors import InvalidInput
from fltheory.ledger.arithmetic import all_sketches, statements_file
from fltheory.papers import find_claim
from verification import check_arithmetic as standalone

VERIFICATION = Path(__file__).parents[2] / "verification"

SKETCHES = all_sketches()
STATEMENTS = {
    line["claim"]: line
    for line in map(json.loads, statements_file().read_text("utf-8").splitlines())
}


def stored(claim_id):
    claim = find_claim(claim_id)
    return json.loads(certificate_file(claim_id, claim.source.paper).read_text("utf-8"))


def refused(data, sketch, said):
    """Both checkers refuse it, with a reason."""
    with pytest.raises(InvalidInput):
        proved(data, sketch, said)
    line = {**said.to_json(), "model": json.loads(json.dumps(sketch.meaning()))}
    with pytest.raises(ValueError, match=" "):
        standalone.proved(data, line, STATEMENTS)
    return True


def accepted(data, sketch, said):
    """Both checkers accept it."""
    assert proved(data, sketch, said) == len(data["facts"])
    standalone.proved(
        data, {**said.to_json(), "model": json.loads(json.dumps(sketch.meaning()))}, STATEMENTS
    )
    return True
