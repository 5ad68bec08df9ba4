# `make play` runs the games and `make test` runs all checks. The other targets are parts of them, or for developers.
.DEFAULT_GOAL := help
PYTHON := .venv/bin/python
RUNTIME := .venv/.runtime
LAB := .venv/.lab
DEV := .venv/.dev
TIMES := 1
ON_ALL_CORES := -n auto --maxprocesses 4 --dist worksteal

$(RUNTIME) $(LAB) $(DEV): | heal

.PHONY: help heal play test setup lab web web-check lint types imports unit soak screenshots bench bench-house bench-strangers wire reference lock clean

help:            ## list the targets
	@grep -hE '^[a-z-]+: .*##|^[a-z-]+:  *##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

play: setup      ## set up, run the games and print their address
	@scripts/web
	@.venv/bin/roundhouse play $(OPTIONS)

test: heal $(DEV) ## set up, then check style, types, imports and screens, and run all tests
	@$(MAKE) --no-print-directory -j2 lint types imports web-check
	@$(MAKE) --no-print-directory unit

setup: heal $(RUNTIME) ## install .venv/bin/roundhouse without the lab
lab: heal $(LAB) ## add the packages of the lab: simulation, plots, PAR sheets, clusters

heal:
	@scripts/heal

$(RUNTIME): requirements.lock pyproject.toml scripts/setup
	@scripts/setup requirements.lock
	@touch $@

$(LAB): requirements-lab.lock $(RUNTIME)
	@scripts/setup requirements-lab.lock
	@touch $@

$(DEV): requirements-dev.lock $(RUNTIME)
	@scripts/setup requirements-dev.lock
	@touch $@

web: setup       ## build the screens if their sources have changed
	@scripts/web

web-check: setup ## check style and types of the screens' code and run its tests
	@scripts/web lint
	@scripts/web types
	@scripts/web test

lint: $(DEV)     ## check style with ruff
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .

types: $(DEV)    ## check types with mypy, strict
	@$(PYTHON) -m mypy

imports: $(DEV)  ## check which package imports which
	@.venv/bin/lint-imports --no-cache

unit: $(DEV) web ## run the tests on all cores, those of the screens in a browser
	@scripts/chromium
	@$(PYTHON) -m pytest -q $(ON_ALL_CORES)

soak: $(DEV)     ## inject thousands of faults; TIMES=4 for longer; OPTIONS=--write-soak writes the summary to its page
	@ROUNDHOUSE_TESTS=soak ROUNDHOUSE_SOAK_TIMES=$(TIMES) $(PYTHON) -m pytest -q -m soak $(ON_ALL_CORES) $(OPTIONS)

screenshots: $(DEV) web ## take pictures of every screen in every phase
	@scripts/chromium
	@$(PYTHON) -m tests.support.screenshots $(OPTIONS)

bench: $(DEV)    ## run the benchmarks; prints ratios to a baseline of the same run
	@$(PYTHON) -m benchmarks

wire: $(DEV)     ## write web/src/wire.ts and the reference page of error codes
	@$(PYTHON) -m roundhouse.server.typescript
	@$(PYTHON) -m roundhouse.server.error_reference

reference: $(DEV) ## write the generated parts of docs/reference
	@scripts/reference
	@$(PYTHON) -m roundhouse.server.reference

clauses: $(DEV)  ## write the names of the tests that cite each clause
	@$(PYTHON) -m pytest -q --collect-only --write-clause-tests >/dev/null

bench-house: $(DEV) ## run a house with a thousand terminals; prints ratios to a bare echo and broadcast
	@$(PYTHON) -m benchmarks.terminals

bench-strangers: $(DEV) ## abuse a house from one address; prints a Player's round trip to that of a bare echo
	@$(PYTHON) -m benchmarks.strangers

lock: $(DEV)     ## update the lock files to the newest allowed versions
	@scripts/lock

clean:           ## remove the installation and all caches
	rm -rf .venv .node web/node_modules src/roundhouse/web/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
