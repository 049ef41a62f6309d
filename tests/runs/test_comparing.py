"""Two logs side by side."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.runs import LogEntry
from studio.runs.comparing.alignment import Fold, Row, align, counts, divergence, window
from studio.runs.comparing.steps import steps_in
from studio.runs.comparing.word_diff import WordDiff
from tests.runs.comparing import shown
from tests.runs.logs import call, log_of, said


def compared(before: list[LogEntry], after: list[LogEntry]) -> list[Row]:
    return align(steps_in(before), steps_in(after))


def test_runs_that_did_the_same_have_no_divergence():
    rows = compared(said("user: Go.", "writer: One."), said("user: Go.", "writer: One."))
    assert [row.state for row in rows] == ["same", "same"]
    assert divergence(rows) is None


def test_a_turn_that_was_put_in_does_not_shift_the_others():
    before = said("user: Go.", "writer: One.", "critic: Good.", "writer: Two.")
    after = said("user: Go.", "writer: One.", "clerk: Filed.", "critic: Good.", "writer: Two.")
    assert [row[0] for row in shown(compared(before, after))] == ["same", "same", "after", "same", "same"]


def test_a_missing_round_leaves_a_gap_where_it_was():
    before = said("writer: A.", "critic: B.", "writer: C.", "critic: D.", "writer: E.", "critic: F.")
    after = said("writer: A.", "critic: B.", "writer: E.", "critic: F.")
    states = [row[0] for row in shown(compared(before, after))]
    assert states == ["same", "same", "before", "before", "same", "same"]


def test_the_twin_of_an_act_is_the_one_most_like_it():
    before = said("writer: The red fox ran home.")
    after = said("writer: Nothing here.", "writer: The red fox ran away.")
    assert [row[0] for row in shown(compared(before, after))] == ["after", "changed"]


def test_the_divergence_says_who_did_what_instead():
    other = compared(said("user: Go.", "writer: One."), said("user: Go.", "critic: Two."))
    first = divergence(other)
    assert first is not None
    assert first.words == "The first run has a message of writer, the second has a message of critic."
    changed = divergence(compared(said("user: Go.", "writer: One."), said("user: Go.", "writer: Two.")))
    assert changed is not None
    assert (changed.index, changed.words) == (1, "writer has a different message.")
    ended = divergence(compared(said("user: Go.", "writer: One."), said("user: Go.")))
    assert ended is not None
    assert ended.words == "The first run has a message of writer, the second has nothing more."


def test_the_ids_and_the_spelling_of_a_tool_call_make_no_difference():
    before = log_of(call("writer", "add", '{"a": 1, "b": 2}', "call-1"))
    after = log_of(call("writer", "add", '{"b":2,"a":1}', "call-2"))
    assert [row.state for row in compared(before, after)] == ["same"]
    other = log_of(call("writer", "add", '{"b":3,"a":1}', "call-2"))
    assert [row.state for row in compared(before, other)] == ["changed"]


def test_what_lies_beside_the_text_makes_a_difference():
    handoff = {"type": "HandoffMessage", "source": "writer", "content": "Go on."}
    rows = compared(log_of({**handoff, "target": "critic"}), log_of({**handoff, "target": "clerk"}))
    assert [row.state for row in rows] == ["changed"]


def test_equal_rows_far_from_a_difference_are_folded():
    lines = [f"writer: Line {number}." for number in range(20)]
    rows = compared(said(*lines), said(*lines[:10], "writer: New.", *lines[10:]))
    first = window(rows, 0, 50)
    assert [item.count if isinstance(item, Fold) else item.state for item in first.items] == [
        8, "same", "same", "after", "same", "same", 8,
    ]  # fmt: skip
    assert first.following is None
    assert [item.index for item in window(rows, 0, 3, folded=False).items if isinstance(item, Row)] == [0, 1, 2]


def test_windows_that_follow_each_other_show_every_difference():
    lines = [f"writer: Line {number}." for number in range(200)]
    other = [line if number % 7 else f"{line} Changed." for number, line in enumerate(lines)]
    rows = compared(said(*lines), said(*other))
    seen: list[int] = []
    start: int | None = 0
    while start is not None:
        part = window(rows, start, 10)
        seen += [item.index for item in part.items if isinstance(item, Row) and item.state != "same"]
        start = part.following
    assert seen == [row.index for row in rows if row.state != "same"]
    assert len(seen) == 29


def test_long_runs_with_nothing_in_common_are_compared_in_little_time():
    before = said(*(f"{'abc'[number % 3]}: one {number}" for number in range(3_000)))
    after = said(*(f"{'bca'[number % 3]}: two {number}" for number in range(3_000)))
    assert counts(compared(before, after))["changed"] > 2_900


speakers = st.sampled_from(["writer", "critic"])
lines = st.lists(st.builds("{}: {}".format, speakers, st.sampled_from(["a", "b", "c d"])), max_size=12)


@given(lines, lines)
def test_an_alignment_holds_each_act_once_and_in_order(one: list[str], other: list[str]):
    rows = compared(said(*one), said(*other))
    assert [row.before.seq for row in rows if row.before] == list(range(1, len(one) + 1))
    assert [row.after.seq for row in rows if row.after] == list(range(1, len(other) + 1))
    assert all(row.before.key == row.after.key for row in rows if row.before and row.after)


@given(st.text("ab. \n", max_size=40), st.text("ab. \n", max_size=40), st.sampled_from([0, 20, 1_000_000]))
def test_pieces_make_up_both_texts(before: str, after: str, max_steps: int):
    pieces = WordDiff(max_steps).pieces(before, after)
    assert "".join(piece.text for piece in pieces if piece.state != "added") == before
    assert "".join(piece.text for piece in pieces if piece.state != "removed") == after
    assert all(piece.text for piece in pieces)


def test_words_are_compared_as_wholes():
    pieces = WordDiff().pieces("Say hello there now.", "Say hello where now.")
    assert [(piece.state, piece.text) for piece in pieces] == [
        ("kept", "Say hello "),
        ("removed", "there"),
        ("added", "where"),
        ("kept", " now."),
    ]


def test_texts_with_little_in_common_are_told_to_be_others():
    pieces = WordDiff().pieces("Too long, and it promises too much.", "Good, but say how wide it is.")
    assert [piece.state for piece in pieces] == ["removed", "added"]
