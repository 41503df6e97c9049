# Two commands do all the set-up: `make grade` and `make test`. PYTHON picks the interpreter.
PYTHON ?= python3
BIN = .venv/bin
SAMPLES = student_template solutions \
	tests/submissions/wrong/no-scaling tests/submissions/wrong/hides-diagonal

.PHONY: grade test test-all lint benchmark clean

grade: .venv/grades
	$(BIN)/autograder grade student_template
	$(BIN)/autograder grade tests/submissions/wrong/no-scaling
	$(BIN)/autograder grade $(SAMPLES)

test: lint
	$(BIN)/pytest

test-all: lint .venv/otter
	$(BIN)/pytest -m "slow or not slow"

lint: .venv/tests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

benchmark: .venv/otter
	$(BIN)/python tests/benchmarks/one_submission.py

# A stamp per stage of set-up; each is remade when the requirements change.
.venv/grades: pyproject.toml
	@echo "setting up .venv (once)"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/tests: .venv/grades
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[kernel,dev]'
	@touch $@

.venv/otter: .venv/tests
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[otter]'
	@touch $@

clean:
	rm -rf .venv build *.egg-info
