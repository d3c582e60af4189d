# Each target does its own set-up in .venv; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
BIN := $(VENV)/bin

export OMP_NUM_THREADS := 1

.PHONY: verify test lint clean

verify: $(READY)
	$(BIN)/fltheory verify --full
	$(BIN)/fltheory report -o build/ledger.html

test: lint
	$(BIN)/python -m pytest -n 2

lint: $(READY)
	$(BIN)/ruff check fltheory verification tests
	$(BIN)/mypy

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
