"""A certificate proves its bound for its own case; the package refuses a proof about another
case."""

import json
from fractions import Fraction as F
from pathlib import Path

import pytest

from fltheory.analysis.worst_case.proof import verify
from fltheory.core.errors import InvalidInput
from tests.analysis.hand_proofs import edited
from verification.check_certificate import check

STORED = Path(__file__).parents[2] / "verification" / "certificates"


@pytest.mark.parametrize(
    "name",
    [
        "afl-simple-delay0-rounds3",
        "fedlaavg-everyone-steps1-1over10",
        "fedlaavg-turns-steps1-1over10",
    ],
)
def test_a_stored_certificate_proves_its_bound_for_its_own_case(name):
    data = json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))
    assert check(data) == verify(data) == F(data["bound"])
    assert isinstance(verify(data), F)


def test_a_proof_about_another_case_is_refused_by_the_package():
    data = json.loads((STORED / "afl-simple-delay0-rounds1.json").read_text(encoding="utf-8"))
    with pytest.raises(
        InvalidInput,
        match=(
            r"^certificate must prove its bound, got the multipliers do not prove the stated bound$"
        ),
    ):
        verify(edited(data, bound="1/2"))
    for change, name in (
        ({"metric": "MIN_SQUARED_GRADIENT"}, "metric"),
        ({"smoothness": "2"}, "smoothness"),
    ):
        with pytest.raises(
            InvalidInput,
            match=(
                f"^{name} in a certificate must be what the method itself gives, got something"
                " else$"
            ),
        ):
            verify(edited(data, case=data["case"] | change))
    with pytest.raises(InvalidInput):
        verify({name: value for name, value in data.items() if name != "case"})


def test_what_is_no_certificate_is_refused_by_name():
    with pytest.raises(InvalidInput, match=r"^certificate must be"):
        verify(["no", "object"])


def test_a_case_whose_rows_are_too_long_to_write_is_refused_by_name():
    data = json.loads((STORED / "afl-simple-delay0-rounds3.json").read_text(encoding="utf-8"))
    size = f"{10**3900 + 1}/7"
    long = data["case"] | {"local_step_size": size, "server_step_size": size}
    with pytest.raises(
        InvalidInput,
        match=r"^case of a certificate must give rows of short numbers, got longer ones$",
    ):
        verify(edited(data, case=long))
