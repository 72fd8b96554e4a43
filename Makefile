# make setup   the environment in .venv, Delta's jars, a Java: afterwards nothing needs the network
# make demo    sets up, then shows everything on a demo lake (ONCE=1 ends by itself)
# make docs    writes the reference of checks from the code
# make test    sets up, then passes all tests (ARGS="tests/laws -q" for some); make coverage counts lines beside it

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
ARGS ?=
ONCE ?=

.PHONY: setup demo test coverage lint lock docs clean

# The lock names everything, so nothing is resolved (--no-deps): pip's resolver looks at newer releases of what is asked for
# with extras, and fails for want of their hashes. `pip check` fails where the lock lacks something after all.
# Keyed on the content of what is locked, not on file times: a fresh clone and a checkout of the same lock do nothing.
setup:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
	  { echo "$$($(PYTHON) --version) cannot run Assay; install Python 3.11, 3.12 or 3.13, or name one: make PYTHON=python3.12" >&2; exit 3; }
	@if ! cat requirements.lock pyproject.toml | cmp -s - $(VENV)/installed; then \
	  set -e; \
	  [ -x $(RUN)/python ] && $(RUN)/python -m pip --version >/dev/null 2>&1 || \
	    $(PYTHON) -m venv --clear $(VENV) || \
	    { echo "$(PYTHON) cannot make environments; install its venv module (Debian: apt-get install python3-venv)" >&2; exit 3; }; \
	  $(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock; \
	  $(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .; \
	  $(RUN)/python -m pip check --quiet --disable-pip-version-check; \
	  cat requirements.lock pyproject.toml > $(VENV)/installed; \
	fi
	@$(RUN)/assay setup

demo: setup
	$(RUN)/assay demo $(if $(ONCE),--once) $(ARGS)

# The files of tests are dealt, in the order and to as many processes as tests/conftest.py says.
TESTS := pytest -n auto --dist loadfile --no-loadscope-reorder

test: setup
	$(RUN)/$(TESTS) $(ARGS)

# The same, and how much of the pure rooms the tests pass through; a change may not leave less.
coverage: setup
	$(RUN)/python -m slipcover --json --out coverage.json -m $(TESTS) $(ARGS)
	$(RUN)/python -m slipcover --merge coverage.json --out coverage.json --skip-covered --fail-under 97

lint: setup
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports --no-cache

docs: setup
	$(RUN)/python -m catalog.declared docs/checks

# Versions and hashes of everything, for every platform, without addresses of a registry.
lock:
	uv pip compile pyproject.toml --extra dev --generate-hashes --no-emit-index-url --universal --python-version 3.11 -o requirements.lock

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
