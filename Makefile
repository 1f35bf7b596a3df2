# CI runs the same targets. `make help` lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SHARED := $(or $(CITEWHY_DATA),../shared/data)
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

.DEFAULT_GOAL := help
.PHONY: help demo test test-anywhere test-full test-train torture check format bench lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 24

# The lock file decides every version; uv installs it faster if it is installed.
$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("CiteWhy needs Python 3.11 or newer; name one: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --clear $(VENV)
	@if command -v uv >/dev/null; then \
	  uv pip install --quiet --python $(BIN)/python -r requirements.lock; \
	else \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock; \
	fi
	@if command -v uv >/dev/null; then \
	  uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	else \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .; \
	fi
	@touch $@

demo: $(VENV)/.ready ## set up, and suggest papers for the example draft
	$(BIN)/citewhy suggest src/citewhy/assets/drafts/example.tex -k 3

test: $(VENV)/.ready ## all tests except the long ones
	$(BIN)/python -m pytest -m "not full" -n 2 --dist loadfile

test-anywhere: $(VENV)/.ready ## tests of what is computed, as other processors would compute it
	$(BIN)/python tests/anywhere.py -n 2 --dist loadfile

test-full: $(VENV)/.ready ## all tests with their full numbers (hours)
	TORTURE=0.1 $(BIN)/python -m pytest

torture: $(VENV)/.ready ## kills, damages and mutations in full numbers (docs/reliability.md)
	TORTURE=1 $(BIN)/python -m pytest tests/torture

test-train: $(VENV)/.train ## the tests of what is trained; installs the extra `lab`
	$(BIN)/python -m pytest tests/train tests/systems tests/rank tests/contracts

# The CPU wheel is far smaller; `make test-train TORCH_INDEX=` takes torch from the usual index.
$(VENV)/.train: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0 \
	  $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX))
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[train]'
	@touch $@

check: $(VENV)/.ready ## lint, format, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.ready ## fix what lint and format can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.ready ## time and memory beside plain peers, on the shared data
	$(BIN)/python benchmarks/speed.py --data $(SHARED)
	$(BIN)/python benchmarks/textbib.py --data $(SHARED)

lock: ## pin every version again (needs uv)
	uv pip compile pyproject.toml --extra dev -o requirements.lock --universal --python-version 3.11 \
	  --generate-hashes --no-strip-extras --no-emit-index-url --no-annotate --custom-compile-command "make lock"

clean: ## remove what can be made again
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
