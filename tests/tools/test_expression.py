"""Conditions on context variables."""

from __future__ import annotations

import pytest

from studio.errors import ConfigError
from studio.tools.expression import read_condition, read_expression

VARIABLES = {
    "count": 3,
    "name": "Ada",
    "tags": ["a", "b"],
    "is_done": True,
    "odd name": 1,
    "null": 5,
    "first": 0,
    "scores": {"Ada": 7},
}


@pytest.mark.parametrize(
    "text",
    [
        "is_done",
        "${count} >= 3 and ${is_done} == True",
        "2 < count <= 3",
        "'a' in tags and 'c' not in tags",
        "len(tags) == 2",
        "tags[first] == 'a' and not tags[count]",
        "${scores}[name] == 7 and not scores[tags]",
        "name in ('Ada', 'Bob')",
        "not missing",
        "${odd name} == 1",
        "count > 1 or missing",
        "is_done == true",
        "null == 5",
        "count != -3",
        "not _variable_0 and ${odd name} == 1",
    ],
)
def test_a_condition_holds(text: str):
    assert read_condition(text).holds(VARIABLES)


@pytest.mark.parametrize("text", ["missing", "count > 3", "name == 'ada'", "not is_done", "3 < count < 9"])
def test_a_condition_does_not_hold(text: str):
    assert not read_condition(text).holds(VARIABLES)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "count >",
        "count = 3",
        "open('x')",
        "count ** 9",
        "1e999 > count",
        "[x for x in y]",
        "f'{count}'",
        "b'x'",
        "x" * 1001,
        "not " * 240 + "x",
    ],
)
def test_a_text_that_is_no_condition_is_refused(text: str):
    with pytest.raises(ValueError, match=r"[Cc]ondition"):
        read_condition(text)


def test_values_that_cannot_be_compared_are_told():
    with pytest.raises(ConfigError, match="'name > 3' cannot be checked"):
        read_condition("name > 3").holds(VARIABLES)


def test_a_number_that_json_does_not_have_is_made_of_none():
    with pytest.raises(ConfigError, match="too large"):
        read_expression("x * x").value({"x": 1e200})
