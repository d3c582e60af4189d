# Each target does its own set-up in .venv; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
BIN := $(VENV)/bin

export OMP_NUM_THREADS := 1

PEERS := $(patsubst benchmarks/environments/%.txt,benchmarks/.envs/%/.ready,$(wildcard benchmarks/environments/*.txt))

.PHONY: verify attack test lint bench figures figures-data docs notebooks demo faults fuzz mutants clean

verify: $(READY)
	$(BIN)/fltheory verify --full
	$(BIN)/fltheory report -o build/ledger.html

# Search for counterexamples to every claim; a killed campaign goes on where it was. ATTACK=--record writes the outcome down.
attack: $(READY)
	mkdir -p build
	$(BIN)/fltheory attack all --attempts 600 --jobs 2 --store build/attacks --summary build/attacks.md $(ATTACK)

test: lint
	$(BIN)/python -m pytest -n 2

lint: $(READY)
	$(BIN)/ruff check fltheory verification tests figures benchmarks docs paper_reproductions
	$(BIN)/mypy

# Pictures from the recorded numbers in figures/data; figures-data computes those numbers anew, from exact runs and the ledger.
figures: $(READY)
	$(BIN)/python -m figures

figures-data: $(READY)
	$(BIN)/python -m figures --data

# The teaching page anew, one file for any browser; it changes with its sources and with the ledger.
demo: $(READY)
	$(BIN)/fltheory demo --export docs/demo.html

# The site, in build/site; notebooks runs the notebooks and stores what they print.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

notebooks: $(READY)
	$(BIN)/python -m docs.execute

# Kill -9 the processes of a sweep at random moments; every cell must be there once and right. FAULTS=--record writes faults.md.
faults: $(READY)
	$(BIN)/python -m tests.campaigns.faults $(FAULTS)

# 100,000 fuzzed inputs for every reader of users' files. FUZZ=--record writes fuzz.md, FUZZ='--stale --record' what has changed since.
fuzz: $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[fuzz]'
	$(BIN)/python -m tests.campaigns.fuzz $(FUZZ)

# Does a test fail when the core's code is changed? (Not `python -m tests.campaigns.attacker`, which changes claims.) MUTANTS='MODULE --record' for one, recorded.
mutants: $(READY)
	$(BIN)/python -m tests.campaigns.code_mutants $(MUTANTS)

# MNIST=folder uses its four files instead of synthetic data of the same shape; a peer that cannot be installed is left out.
bench: $(READY) $(PEERS)
	$(BIN)/python benchmarks/run.py $(if $(MNIST),--data $(MNIST))
	$(BIN)/python -m benchmarks.worst_case

benchmarks/.envs/%/.ready: benchmarks/environments/%.txt
	$(PYTHON) -m venv benchmarks/.envs/$*
	-benchmarks/.envs/$*/bin/python -m pip install --quiet --requirement $<
	touch $@

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
