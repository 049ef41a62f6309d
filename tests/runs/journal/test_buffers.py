from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.runs.journal.buffers import ChunkBuffer, utf16_length


@given(st.lists(st.tuples(st.text(max_size=5), st.booleans()), max_size=30))
def test_a_reader_of_any_pace_puts_the_same_text_together(pieces: list[tuple[str, bool]]) -> None:
    chunks = ChunkBuffer()
    read = ""
    for text, is_read_now in pieces:
        chunks.add("a", "m1", text, last_seq=1)
        if is_read_now:
            for update, _ in chunks.since({"m1": utf16_length(read)}):
                read += update.text
    rest = [update.text for update, _ in chunks.since({"m1": utf16_length(read)})]
    assert read + "".join(rest) == "".join(text for text, _ in pieces)


@given(st.text())
def test_lengths_are_those_of_javascript(text: str) -> None:
    assert utf16_length(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2


def test_a_new_message_replaces_the_one_that_its_source_gave_up() -> None:
    chunks = ChunkBuffer()
    chunks.add("a", "m1", "half", last_seq=1)
    chunks.add("a", "m2", "new", last_seq=2)
    assert [(update.message_id, update.text) for update, _ in chunks.since({})] == [("m2", "new")]


def test_pieces_without_an_id_belong_together_until_the_message_is_logged() -> None:
    chunks = ChunkBuffer()
    chunks.add("a", None, "one ", last_seq=4)
    chunks.add("a", None, "two", last_seq=4)
    assert [(update.message_id, update.text) for update, _ in chunks.since({})] == [("a@4", "one two")]
    chunks.drop("a")
    assert chunks.since({}) == []
