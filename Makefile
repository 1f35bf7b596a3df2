# CI runs the same targets. `make help` lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LAB    := .venv-lab
# The contracts of models; those of engines, drafts and plugins need no torch.
MODELS := $(wildcard tests/contracts/test_*_contract.py tests/contracts/test_model_*.py)
SHARED := $(or $(CITEWHY_DATA),../shared/data)
PIP    := -m pip --disable-pip-version-check --quiet install

# The CPU wheel of torch is far smaller than the usual one; where its index cannot be reached, or with
# `make TORCH_INDEX=`, torch comes from the usual index.
TORCH       := torch==2.13.0
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

.DEFAULT_GOAL := help
.PHONY: help demo test test-lab test-web test-ray test-editors test-anywhere test-full torture check format docs shown page-shots web vscode bench lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 24

# The lock file decides every version; uv installs it faster if it is installed.
$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("CiteWhy needs Python 3.11 or newer; name one: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --clear $(VENV)
	@if command -v uv >/dev/null; then \
	  uv pip install --quiet --python $(BIN)/python -r requirements.lock && \
	  uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	else \
	  $(BIN)/python $(PIP) -r requirements.lock && \
	  $(BIN)/python $(PIP) --no-deps --no-build-isolation -e .; \
	fi
	@touch $@

# An environment of its own, so that the product is always tested without torch: as its users install it.
$(LAB)/.ready: requirements-lab.lock pyproject.toml
	$(PYTHON) -m venv --clear $(LAB)
	$(if $(TORCH_INDEX),$(LAB)/bin/python $(PIP) --retries 1 --timeout 20 $(TORCH) --index-url $(TORCH_INDEX) 2>/dev/null ||) \
	  $(LAB)/bin/python $(PIP) $(TORCH)
	@if command -v uv >/dev/null; then \
	  uv pip install --quiet --python $(LAB)/bin/python --no-deps -r requirements-lab.lock && \
	  uv pip install --quiet --python $(LAB)/bin/python --no-deps --no-build-isolation -e .; \
	else \
	  $(LAB)/bin/python $(PIP) --no-deps -r requirements-lab.lock && \
	  $(LAB)/bin/python $(PIP) --no-deps --no-build-isolation -e .; \
	fi
	@touch $@

demo: $(VENV)/.ready ## set up, and suggest papers for the example draft
	$(BIN)/citewhy demo

test: $(VENV)/.ready ## the tests of the product, without torch; not the long ones
	$(BIN)/python -m pytest -m "not full" --ignore tests/lab/train --ignore tests/lab/experiments -n 2 --dist loadfile

test-lab: $(LAB)/.ready ## the tests of the laboratory and of what it trains; installs torch
	$(LAB)/bin/python -m pytest -m "not full" tests/lab tests/models $(MODELS) -n 2 --dist loadfile

test-web: $(VENV)/.ready ## the tests of the page, in Chromium, which is installed where apt-get can
	$(BIN)/python tests/support/chromium.py
	$(BIN)/python -m pytest -m web tests/doors/web/page

# Ray is large, and in no lock file: its extra says which versions.
test-ray: $(VENV)/.ready ## the tests with a Ray cluster, of which workers are killed; installs Ray
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/python $(PIP) -r requirements.lock
	.venv-ray/bin/python $(PIP) -e '.[ray]'
	.venv-ray/bin/python -m pytest tests/session/test_on_ray.py tests/session/test_remote.py

test-anywhere: $(VENV)/.ready ## tests of what is computed, as other processors would compute it
	$(BIN)/python tests/anywhere.py -n 2 --dist loadfile

test-full: $(LAB)/.ready ## all tests with their full numbers (hours)
	TORTURE=0.1 $(LAB)/bin/python -m pytest

torture: $(VENV)/.ready ## kills, damages and mutations in full numbers (docs/reliability.md)
	TORTURE=1 $(BIN)/python -m pytest tests/torture

check: $(VENV)/.ready ## lint, format, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.ready ## fix what lint and format can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/.ready ## write build/docs/commands.md: every command with its help
	$(BIN)/python docs/reference.py build/docs/commands.md

shown: $(VENV)/.ready ## run the commands of the user's pages, and write what they print into the pages
	$(BIN)/python docs/terminal.py README.md docs/first-hour.md docs/drafts.md docs/sets.md docs/starter.md docs/intents.md

page-shots: $(VENV)/.ready ## take the pictures of docs/page.md again, in Chromium
	$(BIN)/python tests/support/chromium.py
	PYTHONPATH=tests/support $(BIN)/python docs/page_shots.py docs/page

web: ## bundle what the page takes of other libraries (needs Node.js); the result is committed
	npm ci --prefix web --no-audit --no-fund
	npm run --prefix web build

vscode: ## make build/citewhy.vsix, the extension for VS Code (needs Node.js)
	npm ci --prefix editors/vscode --no-audit --no-fund
	npm test --prefix editors/vscode
	mkdir -p build
	npm run --prefix editors/vscode package

test-editors: $(VENV)/.ready ## the language server in Neovim and Emacs, where they are installed
	$(BIN)/python -m pytest -rs tests/doors/lsp

bench: $(VENV)/.ready ## time and memory beside plain peers, on the shared data and at four sizes (hours)
	$(BIN)/python benchmarks/speed.py --data $(SHARED)
	$(BIN)/python benchmarks/textbib.py --data $(SHARED)
	$(BIN)/python benchmarks/scaling.py --data $(SHARED) --work build/scaling

# Without torch in the second file: its hashes differ from index to index.
COMPILE := --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-emit-index-url \
  --no-annotate --custom-compile-command "make lock"

lock: ## pin every version again (needs uv)
	uv pip compile pyproject.toml --extra dev -o requirements.lock $(COMPILE)
	echo "torch ; python_version < '3'" | uv pip compile pyproject.toml --extra dev --extra lab \
	  -c requirements.lock --override /dev/stdin -o requirements-lab.lock $(COMPILE)

clean: ## remove what can be made again
	rm -rf $(VENV) $(LAB) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
