"""The checks of check.py as tests:  python -m pytest

Each of them is in public/, in words in `python check.py`. Passing them all is a good start, not the
whole grade: the grader asks more, and all that it asks is on the pages.
"""

import check
import pytest

# A warning is no fault, even where a folder above this one turns warnings into errors.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def outcomes():
    """What the checks found, by name."""
    return {outcome.check.name: outcome for outcome in check.run()}


@pytest.mark.parametrize("name", [found.name for found in check.checks()])
def test_public(name, outcomes):
    outcome = outcomes.get(name)
    if outcome is None or outcome.again:
        pytest.skip("the failure above says why")
    if check.begins_no_bonus(outcome):
        pytest.skip("a bonus exercise that is not begun")
    if outcome.words:
        # These words alone, without a traceback.
        pytest.fail(f"{outcome.check.title}\n{outcome.words}", pytrace=False)


if __name__ == "__main__":
    raise SystemExit(check.main())
