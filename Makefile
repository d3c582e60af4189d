# Each target sets up what it needs in .venv; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
BIN := $(VENV)/bin

export OMP_NUM_THREADS := 1
# Compile each module once, not anew in every process that a test starts.
export PYTHONDONTWRITEBYTECODE :=

PEERS := $(patsubst benchmarks/environments/%.txt,benchmarks/.envs/%/.ready,$(wildcard benchmarks/environments/*.txt))

.PHONY: verify test tests quick lint types format coverage record attack figures figures-data demo docs notebooks reproduce \
        certificates flower prove differential faults storing forge fuzz mutants attacker power bench wheel wheel-trial clean

# Main job: decide every claim, compare with the record, write build/ledger.html.
verify: $(READY)
	$(BIN)/fltheory verify --full
	$(BIN)/fltheory report -o build/ledger.html

# All tests: format, lint and types beside every test and doctest.
test: $(READY)
	$(MAKE) --no-print-directory -j 2 lint tests

tests: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Inner loop: tests that are neither slow nor in a browser.
quick: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not browser" tests

lint: $(READY)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

coverage: $(READY)
	$(BIN)/python -m pytest -n 2 --cov=fltheory --cov-report=term --cov-report=html:build/coverage

# Bring everything that is derived up to date: ledger, certificates' checks, attack records, figures, page, docs, README totals.
record: $(READY)
	$(BIN)/fltheory verify --full --record
	$(MAKE) attack ATTACK=--record
	$(MAKE) figures-data figures demo notebooks
	$(BIN)/python -m docs.totals

# Train on digits with real Flower clients, ask for advice, train better; curves in build/flower.
flower: $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[flower]'
	$(BIN)/python -m docs.flower build/flower

# Search for counterexamples to every claim; an interrupted campaign resumes. ATTACK=--record writes the outcome down.
attack: $(READY)
	mkdir -p build
	$(BIN)/fltheory attack all --attempts 600 --jobs 2 --store build/attacks --summary build/attacks.md $(ATTACK)

# Solve and prove the stored certificates anew. CERTIFY='PATTERN...' for some.
certificates: $(READY)
	$(BIN)/python -m fltheory.ledger.certify $(CERTIFY)

# Check the theorems of verification/kernel with Coq (Debian's package, installed if it is missing). PROVE=--mutants plants falsehoods.
prove:
	$(PYTHON) verification/kernel/prove.py $(PROVE)

# Pictures from the recorded numbers in figures/data; figures-data computes those numbers from exact runs and the ledger.
figures: $(READY)
	$(BIN)/python -m figures

figures-data: $(READY)
	$(BIN)/python -m figures --data

# The teaching page: one file for any browser.
demo: $(READY)
	$(BIN)/fltheory demo --export docs/demo.html

# The site, in build/site; notebooks runs the notebooks and stores what they print.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

notebooks: $(READY)
	$(BIN)/python -m docs.execute

# The papers' experiments. REPRODUCE='mifa-figure2-mnist --small --data-dir ~/data' for one of them.
reproduce: $(READY)
	$(BIN)/python -m paper_reproductions run $(or $(REPRODUCE),--list)

# Kill -9 the processes of a sweep at random moments; every cell must be there once and right. FAULTS=--record writes faults.md.
faults: $(READY)
	$(BIN)/python -m tests.campaigns.faults $(FAULTS)

# 100,000 forgeries of false statements for every checker; none may be accepted. FORGE=--record writes forge.md.
forge: $(READY)
	$(BIN)/python -m tests.campaigns.forge $(FORGE)

# Kill -9, full disks and two writers while records are written; nothing may be lost. STORING=--record writes storing.md.
storing: $(READY)
	$(BIN)/python -m tests.campaigns.storing $(STORING)

# Random runs by the library and by independent programs in plain fractions. DIFFERENTIAL=--record writes differential.md.
differential: $(READY)
	$(BIN)/python -m tests.campaigns.differential $(DIFFERENTIAL)

# 100,000 fuzzed inputs for every reader of users' files. FUZZ=--record writes fuzz.md, FUZZ='--stale --record' what has changed since.
fuzz: $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[fuzz]'
	$(BIN)/python -m tests.campaigns.fuzz $(FUZZ)

# Mutation testing of the core's code. MUTANTS='MODULE --record' for one module, recorded.
mutants: $(READY)
	$(BIN)/python -m tests.campaigns.code_mutants $(MUTANTS)

# Power of the attacker on planted falsehoods. ATTACKER='--held-out --summary FILE.md' and the like.
attacker: $(READY)
	$(BIN)/python -m tests.campaigns.attacker $(ATTACKER)

# The same on theorems of other papers, true and with planted errors. POWER=--record writes power.md beside the claims.
power: $(READY)
	$(BIN)/python -m tests.campaigns.attacker.outside.power $(POWER)

# MNIST=folder uses its four files instead of synthetic data of the same shape; a peer that cannot be installed is left out.
bench: $(READY) $(PEERS)
	$(BIN)/python benchmarks/run.py $(if $(MNIST),--data $(MNIST))
	$(BIN)/python -m benchmarks.worst_case
	$(BIN)/python -m benchmarks.worst_case_grid
	$(BIN)/python -m benchmarks.sampler
	$(BIN)/python -m benchmarks.forever
	$(BIN)/python -m benchmarks.forever_peers
	$(BIN)/python -m benchmarks.readme

benchmarks/.envs/%/.ready: benchmarks/environments/%.txt
	$(PYTHON) -m venv benchmarks/.envs/$*
	-benchmarks/.envs/$*/bin/python -m pip install --quiet --requirement $<
	touch $@

wheel: $(READY)
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

# Install the wheel with pip in fresh environments outside the checkout, without extras and with all, and try the README's commands.
wheel-trial: wheel
	$(PYTHON) -m tests.house.wheel_trial dist/*.whl

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
