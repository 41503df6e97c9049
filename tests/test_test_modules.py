"""The tests as a house of their own: a test module stands alone, and shares by helper modules."""

import re
from pathlib import Path

import pytest

MODULES = sorted(Path(__file__).parent.glob("test_*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_test_module_imports_another(path):
    """Nor in a program that it starts; there it may import itself."""
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"\b(?:from|import)\s+(?:tests\s+import\s+|tests\.)?(test_\w+)", text)
    others = {module.stem for module in MODULES} - {path.stem}
    assert not others & {*named}
