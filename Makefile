# One verb each; also what CI runs. `make demo` and `make test` work on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-long test-clients clients lint types docs schema bench fuzz format

$(BIN)/hookline: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	touch $@

demo: $(BIN)/hookline  ## twelve experiments of the engine, and what the hooks do in a session; no key, no network
	$(BIN)/python demo/run.py

test: lint  ## everything but the real clients, with reduced counts
	$(BIN)/python -m pytest -n 4 --dist loadgroup -m "not clients and not long"

test-long: $(BIN)/hookline  ## the counts that an issue names
	HOOKLINE_LONG=1 $(BIN)/python -m pytest -m "not clients"

test-clients: clients  ## real agent clients, offline, against a scripted model
	HOOKLINE_CLIENTS=1 $(BIN)/python -m pytest -n 4 --dist loadgroup -m clients tests/clients

clients: $(BIN)/hookline
	$(BIN)/python -m tests.clients.install

lint: $(BIN)/hookline
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

format: $(BIN)/hookline
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(BIN)/hookline  ## write the generated parts of the docs anew
	$(BIN)/python docs/generate.py

schema: $(BIN)/hookline
	$(BIN)/python docs/schemas.py

bench: $(BIN)/hookline  ## every bar, with its ratio, also into bench/results.json: SCALE=0.01 for a short one
	$(BIN)/python bench/run.py --scale $(or $(SCALE),1)

fuzz: $(BIN)/hookline  ## what must hold for every input, against inputs by the million: MINUTES=25
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group fuzz
	$(BIN)/python -m tests.fuzz.run $(MINUTES)
