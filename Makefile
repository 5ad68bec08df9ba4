# Two commands do everything: `make play` and `make test`. The others are parts of them, or for developers.
.DEFAULT_GOAL := help
PYTHON := .venv/bin/python
RUNTIME := .venv/.runtime
LAB := .venv/.lab
DEV := .venv/.dev
ON_ALL_CORES := -n auto --maxprocesses 4 --dist worksteal

$(RUNTIME) $(LAB) $(DEV): | heal

.PHONY: help heal play test setup lab web web-check lint types imports unit soak screenshots bench bench-house wire reference lock clean

help:            ## what can be made
	@grep -hE '^[a-z-]+: .*##|^[a-z-]+:  *##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

play: setup      ## set up, then open the games in the browser
	@scripts/web
	@.venv/bin/roundhouse play $(OPTIONS)

test: heal $(DEV) ## set up, then lint, types, import directions, the screens' own checks and all tests
	@$(MAKE) --no-print-directory lint types imports web-check unit

setup: heal $(RUNTIME) ## install .venv/bin/roundhouse: play, serve, deal, audit, wheel
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

web: setup       ## build the screens, if they have changed
	@scripts/web

web-check: setup ## style, types and tests of the screens' own code
	@scripts/web lint
	@scripts/web types
	@scripts/web test

lint: $(DEV)     ## style
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .

types: $(DEV)    ## mypy, strict
	@$(PYTHON) -m mypy

imports: $(DEV)  ## what may import what
	@.venv/bin/lint-imports --no-cache

unit: $(DEV) web ## the tests, on all cores; those of the screens in a browser
	@scripts/chromium
	@$(PYTHON) -m pytest -q $(ON_ALL_CORES)

soak: $(DEV)     ## property tests for much longer, with new examples each time
	@ROUNDHOUSE_TESTS=soak $(PYTHON) -m pytest -q $(ON_ALL_CORES)

screenshots: $(DEV) web ## pictures of every screen in every phase, for people to look at
	@scripts/chromium
	@$(PYTHON) -m tests.support.screenshots $(OPTIONS)

bench: $(DEV)    ## benchmarks, as ratios to a baseline of the same run
	@$(PYTHON) -m benchmarks

wire: $(DEV)     ## write the TypeScript types of the wire and the reference page of its error codes
	@$(PYTHON) -m roundhouse.server.typescript
	@$(PYTHON) -m roundhouse.server.error_reference

reference: $(DEV) ## write the generated parts of docs/reference
	@scripts/reference
	@$(PYTHON) -m roundhouse.server.reference

bench-house: $(DEV) ## a thousand terminals at one house, as ratios to a bare echo and a bare broadcast
	@$(PYTHON) -m benchmarks.terminals

lock: $(DEV)     ## resolve the pinned versions anew
	@scripts/lock

clean:           ## forget the set-up and all caches
	rm -rf .venv .node web/node_modules src/roundhouse/web/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
