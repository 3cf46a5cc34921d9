# Every target sets up what it needs; nothing has to be installed first but Python 3.11 and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PIP    := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off --quiet

.PHONY: help demo test test-core test-slow test-model check bench docs chapter lock clean
.DEFAULT_GOAL := help

help:
	@echo "make demo       evaluate two built-in subjects on the built-in suite and compare them, offline"
	@echo "make test       the tests (under 12 minutes on two cores)"
	@echo "make test-core  the same without the laboratory, and without torch"
	@echo "make test-slow  the long simulations"
	@echo "make test-model a real model, fetched and asked on this machine (about five minutes)"
	@echo "make check      format, lint, types, import contracts"
	@echo "make bench      speed, side by side with other libraries"
	@echo "make docs       redraw the figures of docs/"
	@echo "make chapter    run the chapter's experiments and make docs/chapter/ anew (a quarter of an hour)"
	@echo "make lock       write down what is installed as requirements.lock"

$(STAMPS)/core: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Passband needs Python 3.11 or newer; set PYTHON=")'
	@echo "making $(VENV) and installing passband …"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -c requirements.lock -e .
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dev: $(STAMPS)/core
	@echo "installing what tests, checks and documentation need …"
	@$(PIP) -c requirements.lock -e '.[test,dev,docs]'
	@touch $@

$(STAMPS)/full: $(STAMPS)/dev
	@echo "installing torch for the laboratory …"
	@$(PIP) -c requirements.lock -e '.[tinyagent]'
	@touch $@

demo: $(STAMPS)/core
	@$(BIN)/passband demo

test: $(STAMPS)/full
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow and not external and not model"

test-core: $(STAMPS)/dev
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow and not external and not model" --ignore tests/tinyagent

test-slow: $(STAMPS)/full
	$(BIN)/pytest -n 2 --dist worksteal -m slow --timeout 3600

test-model: $(STAMPS)/dev
	@$(PIP) xllamacpp
	$(BIN)/pytest -m model tests/subject/test_real_model.py

check: $(STAMPS)/full
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy && $(BIN)/mypy --platform darwin
	$(BIN)/lint-imports

bench: $(STAMPS)/full
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

docs: $(STAMPS)/dev
	@for file in docs/images/make.py docs/methods/figures*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done
	$(BIN)/python docs/chapter/make.py --pages

chapter: $(STAMPS)/full
	$(BIN)/python docs/chapter/make.py

# torch is pinned in its extra; which build of it fits is the machine's affair.
lock: $(STAMPS)/full
	$(BIN)/python -m pip list --format=freeze --exclude-editable \
	  --exclude pip --exclude setuptools --exclude torch > requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
