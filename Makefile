# CI runs these targets, too. `make demo` and `make test` work on a new machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST := -n 4 --dist loadgroup

# The tests start thousands of processes: on a busy machine one may be too slow. What fails runs once more.
twice = $(BIN)/python -m pytest $(PYTEST) $(1) || $(BIN)/python -m pytest $(1) --last-failed --last-failed-no-failures none

.PHONY: demo test test-all test-long clients lint docs schema bench wheels fuzz format screenshots

$(BIN)/hookline: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --editable '.[engine]'
	touch $@

$(BIN)/pytest: $(BIN)/hookline
	$(PIP) install --upgrade pip
	$(PIP) install --group dev
	touch $@

demo: $(BIN)/hookline  ## recorded sessions with hooks, then twelve experiments of the engine; no key, no network
	$(BIN)/python demo/run.py

test: lint  ## static checks and the fast tests
	$(call twice,-m "not slow and not clients and not long")

test-all: clients  ## the other tests, with reduced counts: PostgreSQL, Ray, a browser, real clients with a scripted model
	$(BIN)/python -m tests.web.install
	$(call twice,-m "slow and not clients and not long")
	HOOKLINE_CLIENTS=1; export HOOKLINE_CLIENTS; $(call twice,-m "clients and not long" tests/clients)

test-long: clients  ## all tests with full counts, and the long ones of real clients; takes hours
	HOOKLINE_LONG=1 $(BIN)/python -m pytest --timeout 0 -m "not clients"
	HOOKLINE_CLIENTS=1 $(BIN)/python -m pytest --timeout 0 -n 1 -m "clients and long" tests/clients

clients: $(BIN)/pytest
	$(BIN)/python -m tests.clients.install

lint: $(BIN)/pytest
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

format: $(BIN)/pytest
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(BIN)/pytest  ## regenerate the generated parts of the docs
	$(BIN)/python docs/generate.py

schema: $(BIN)/pytest
	$(BIN)/python docs/schemas.py

bench: $(BIN)/pytest  ## all benchmarks with limits, also written to bench/results.json; SCALE=0.01 for a short run
	$(BIN)/python bench/run.py --scale $(or $(SCALE),1)

wheels: $(BIN)/pytest  ## wheels in dist/: Linux (static client) and macOS on x86_64 and aarch64, and one for any platform
	$(PIP) install --group wheels
	for target in x86_64-linux-musl aarch64-linux-musl x86_64-macos aarch64-macos any; do \
		HOOKLINE_WHEEL=$$target $(BIN)/python -m hatchling build -t wheel || exit 1; done

screenshots: $(BIN)/pytest  ## every page of the dashboard, light and dark, wide and phone, in build/screenshots
	$(BIN)/python -m tests.web.install
	$(BIN)/python -m tests.web.screenshots build/screenshots

fuzz: $(BIN)/pytest  ## fuzz tests for MINUTES, such as 25
	$(PIP) install --group fuzz
	$(BIN)/python -m tests.fuzz.run $(MINUTES)
