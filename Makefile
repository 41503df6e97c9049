# Two commands do all the set-up: `make grade` and `make test`. PYTHON picks the interpreter.
PYTHON ?= python3
BIN = .venv/bin
SAMPLES = student_template solutions \
	tests/submissions/wrong/no-scaling tests/submissions/wrong/hides-diagonal

.PHONY: grade test test-all test-slow authoring lint benchmark clean FORCE

grade: .venv/grades
	$(BIN)/autograder grade student_template
	$(BIN)/autograder grade tests/submissions/wrong/no-scaling
	$(BIN)/autograder grade $(SAMPLES)

test: lint
	$(BIN)/python -m pytest -n 2

# The tests of `make test`, then those that take longer.
test-all: test test-slow

# A file of them stays in one process, but for the draws, which are many and alike.
test-slow: .venv/otter
	$(BIN)/python -m pytest -m slow -n 2 --dist loadfile --ignore tests/test_authoring.py
	$(BIN)/python -m pytest -m slow -n 2 tests/test_authoring.py

# What `autograder regenerate` and `verify` need, without the tests.
authoring: .venv/authoring

lint: .venv/tests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

benchmark: .venv/otter
	$(BIN)/python tests/benchmarks/diagnosis.py
	$(BIN)/python tests/benchmarks/one_submission.py

# A stamp per stage of set-up; each is remade when the requirements or the Python change.
PIP = $(BIN)/python -m pip --disable-pip-version-check --retries 2 install --progress-bar off
NETWORK = { echo "The set-up did not get its packages: it needs the network once (a proxy and" \
	"an index of your own are set as pip's are), and room on the disk."; exit 1; }

.venv/grades: pyproject.toml .venv/python
	@echo "setting up .venv (once, about 100 MB)"
	@$(PIP) -e . || $(NETWORK)
	@touch $@

.venv/tests: .venv/grades
	@echo "setting up the tests (once): PyTorch is the large part, up to 5 GB on Linux"
	@$(PIP) -e '.[kernel,dev]' || $(NETWORK)
	@touch $@

.venv/otter: .venv/tests
	@echo "setting up otter-grader, browser tests and Dask (once, about 700 MB)"
	@$(PIP) -e '.[otter,browser,cluster,report]' || $(NETWORK)
	@touch $@

.venv/authoring: .venv/grades
	@echo "setting up regenerate and verify (once): PyTorch is the large part, up to 5 GB on Linux"
	@$(PIP) -e '.[kernel,report]' || $(NETWORK)
	@touch $@

# Says by which Python and where .venv was made: by another one, or elsewhere, it is made again.
MADE_BY = import sys; print("%s of %s, in %s" % (sys.version.split()[0], sys.base_prefix, sys.argv[1]))
BASE = import sys; print(getattr(sys, "_base_executable", sys.executable))
RIGHT = import sys; sys.version_info >= (3, 10) or sys.exit( \
	"%s is Python %d.%d, and this needs 3.10 or newer: make PYTHON=/path/to/python3.12" \
	% ((sys.executable,) + sys.version_info[:2]))
.venv/python: FORCE
	@$(PYTHON) -c '$(RIGHT)'
	@made=$$($(PYTHON) -c '$(MADE_BY)' "$$PWD"); \
	if [ "$$made" != "$$(cat $@ 2>/dev/null)" ]; then \
	  echo "making .venv with Python $$made"; \
	  base=$$($(PYTHON) -c '$(BASE)') && rm -rf .venv && "$$base" -m venv .venv && \
	  echo "$$made" >$@; \
	fi

FORCE:

clean:
	rm -rf .venv build *.egg-info
