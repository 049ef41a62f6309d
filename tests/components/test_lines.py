"""A long text that two people edit at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.components import JsonObject, merge
from studio.components.comparison.lines import merge_lines

PROMPT = "You write.\nBe brief.\nUse plain words.\nCite sources.\nEnd with DONE.\n"
lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d"]), max_size=8).map("".join)


def told(text: str) -> JsonObject:
    return {"provider": "x.Agent", "config": {"name": "writer", "system_message": text}}


def test_edits_of_different_lines_are_both_kept():
    mine = PROMPT.replace("Be brief", "Be long")
    theirs = PROMPT.replace("End with DONE.\n", "End with DONE.\nNever shout.\n")
    merged = merge(told(PROMPT), told(mine), told(theirs))
    assert merged.conflicts == ()
    assert merged.value == told(mine.replace("End with DONE.\n", "End with DONE.\nNever shout.\n"))


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [("Be brief", "Be brief"), ("Be brief", "Use plain words"), ("Cite sources.\n", "Cite sources")],
)
def test_edits_of_the_same_or_neighbouring_lines_are_a_conflict(mine: str, theirs: str):
    merged = merge(told(PROMPT), told(PROMPT.replace(mine, "Sing")), told(PROMPT.replace(theirs, "Dance")))
    assert [conflict.where for conflict in merged.conflicts] == ["/config/system_message"]


def test_a_text_of_one_line_is_one_value():
    assert merge_lines("one two", "ONE two", "one TWO") is None


@given(lines, lines)
def test_what_only_one_side_changed_is_taken_from_it(base: str, side: str):
    if len(base.splitlines()) > 1:
        assert merge_lines(base, side, base) == side
        assert merge_lines(base, base, side) == side
        assert merge_lines(base, side, side) == side


@given(lines, lines, lines)
def test_who_is_first_does_not_matter(base: str, one: str, other: str):
    assert merge_lines(base, one, other) == merge_lines(base, other, one)
