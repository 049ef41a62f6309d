"""What people read is found in each kind of source, on its line; `scripts/test prose` checks its words."""

from __future__ import annotations

import importlib.util
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "scripts/prose/check.py"
spec = importlib.util.spec_from_file_location("prose_check", CHECK)
assert spec is not None
assert spec.loader is not None
check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check)

PYTHON = '''"""A module that nobody reads."""
LIMIT = 3
"""A comment for those who work here."""

class Limit(Condition):
    """Stop after some messages."""
    provider = "studio.Limit"
    most: Annotated[int, Field(description="The number of messages.")]

@router.get("/api/limits", summary="List the limits")
def limits(): raise NotFound("There is no limit.", where="/limits")
'''


def test_labels_and_messages_are_found_in_python_and_comments_are_not():
    assert sorted(check.python_texts(PYTHON)) == [
        (6, "Stop after some messages."),
        (8, "The number of messages."),
        (10, "List the limits"),
        (11, "There is no limit."),
    ]


def test_messages_are_found_in_scripts():
    source = "// A comment.\nconst part = '.part .name'\ntoast('Nothing was changed.')\nask(`Delete ${it}\nfor good?`)"
    assert list(check.script_texts(source)) == [(3, "Nothing was changed."), (4, "Delete ${it}"), (5, "for good?")]


def test_words_of_templates_are_found_without_markup():
    source = '<p title="Opens the team">\n{# a comment #}{% if one %}One {{ name }}.{% endif %}</p>'
    found = [(number, " ".join(text.split())) for number, text in check.template_texts(source) if text.strip()]
    assert found == [(1, "Opens the team"), (2, "One .")]
