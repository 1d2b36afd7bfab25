# What a person runs here. Each target sets up first what it needs; `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help

BIN := .venv/bin
CODE := agents/hotswap apps controlplane deploy workers tests examples benchmarks dev manage.py
AST_GREP := dev/ast-grep/sgconfig.yml

export PYTHON

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+( [a-z-]+)*:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s $$'\t'

.PHONY: setup
setup: ## Make .venv with pinned requirements (PYTHON=... chooses a Python)
	@dev/setup.sh

# --------------------------------------------------------------------------------- to look at it

.PHONY: demo
demo: setup frontend ## The control plane with a real job: prints an address and logins (STORY=1 does it all, and ends)
	@$(BIN)/python -m dev.demo $(if $(filter-out 0,$(STORY)),--story) $(if $(filter-out 0,$(POSTGRES)),--postgres)

.PHONY: frontend
frontend: setup ## Build the dashboard (with the machine's Node, or one from a Python wheel)
	@dev/frontend.sh

.PHONY: demo-kill
demo-kill: setup ## Kill the process of a rank of the demo's job (RANK=2: that one)
	@$(BIN)/python -m dev.demo.kill $(if $(RANK),--rank "$(RANK)")

.PHONY: demo-runtime
demo-runtime: setup ## Train, swap one rank on plan, kill another, see what it cost
	@$(BIN)/python examples/demo_runtime.py

# ------------------------------------------------------------------------------------- to check it

.PHONY: test
test: lint test-frontend ## Every check and every test
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup
	@dev/postgres.sh --if-there $(MAKE) test-plane

.PHONY: test-plane
test-plane: setup ## The control plane's tests on the database that DATABASE_URL names
# the server is thrown away, so its databases are not dropped, which threads of tests may still hold;
# the ranges of integers in the committed schema are SQLite's
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --reuse-db \
	  --deselect tests/controlplane/test_schema.py::test_the_committed_schema_is_up_to_date \
	  tests/apps tests/workers tests/controlplane

.PHONY: test-frontend
test-frontend: setup ## The dashboard's checks and tests, on a fake backend
	@dev/frontend.sh npm run --silent generate:check
	@dev/frontend.sh npm run --silent lint
	@dev/frontend.sh npm run --silent test

.PHONY: test-postgres
test-postgres: setup ## The control plane's tests on a PostgreSQL that is started for them
	@dev/postgres.sh $(MAKE) test-plane

# `make --keep-going lint` shows the findings of all of them
LINTS := lint-format lint-style lint-spelling lint-types lint-layers lint-rules lint-dependencies lint-dead

.PHONY: lint $(LINTS)
lint: $(LINTS) ## Every check that runs no code of ours

$(LINTS): setup

lint-format:
	@echo "format"
	@$(BIN)/ruff format --check .

lint-style:
	@echo "style"
	@$(BIN)/ruff check .

lint-spelling:
	@echo "spelling"
	@$(BIN)/codespell $(CODE) docs *.md

lint-types:
	@echo "types"
	@$(BIN)/mypy $(CODE)

lint-layers:
	@echo "layers"
	@$(BIN)/lint-imports --no-logo

lint-rules:
	@echo "rules"
	@$(BIN)/ast-grep test --config $(AST_GREP) --skip-snapshot-tests
	@$(BIN)/ast-grep scan --config $(AST_GREP) $(CODE)

lint-dependencies:
	@echo "dependencies"
	@cd agents && ../$(BIN)/python -m deptry .

lint-dead:
	@echo "dead code"
	@$(BIN)/vulture

.PHONY: format
format: setup ## Format, and mend what can be mended without a decision
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

.PHONY: docs
docs: setup openapi ## Write the reference pages that are made from the code
	@$(BIN)/python -m dev.reference_pages
	@$(BIN)/python -m dev.swap_states

.PHONY: openapi
openapi: setup ## Write docs/reference/openapi.json
	@HOTSWAP_DEVELOPMENT=1 $(BIN)/python manage.py spectacular --format openapi-json --validate \
	  --fail-on-warn --file docs/reference/openapi.json && echo >> docs/reference/openapi.json

# ----------------------------------------------------------------------------------- to measure it

.PHONY: bench-swap bench-step bench-plane
bench-plane: frontend
bench-swap bench-step bench-plane: bench-%: setup ## Measure (JSON=FILE writes figures, QUICK=1 ends within a minute)
	@$(BIN)/python benchmarks/$*.py $(if $(JSON),--json "$(JSON)") $(if $(filter-out 0,$(QUICK)),--quick)

# ----------------------------------------------------------------------------------- to tidy up

.PHONY: clean
clean: ## Remove what tools have left behind (.venv stays)
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis agents/build
	@find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +
