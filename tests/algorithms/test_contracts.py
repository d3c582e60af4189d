"""What every algorithm promises, for every member of the open folder."""

import pytest

import fltheory.algorithms
from fltheory.core.registry import members
from tests.algorithms.contracts import CONTRACTS, Contract, meet

ALGORITHMS = members(fltheory.algorithms)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_keeps_the_contract(name: str, contract: Contract) -> None:
    meet(contract, ALGORITHMS[name].build)
