from __future__ import annotations

from uuid import RFC_4122, UUID

from hypothesis import given
from hypothesis import strategies as st

from studio.effects import random_id
from studio.messages import (
    AssistantMessage,
    History,
    Image,
    LLMMessage,
    Prompt,
    SystemMessage,
    TextMessage,
    UserMessage,
    digest_over,
    hold_parts,
    sum_over,
    text_over,
    word_count,
)

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
HEAD = (SystemMessage(content="You write."),)

messages = st.one_of(
    st.builds(UserMessage, content=st.text(max_size=9), source=st.sampled_from("ab")),
    st.builds(AssistantMessage, content=st.text(max_size=9), source=st.sampled_from("ab")),
)


def line(message: LLMMessage) -> str | None:
    return f"{message.content}" if isinstance(message, UserMessage) else None


@given(st.lists(st.lists(messages, max_size=3), max_size=5), st.booleans())
def test_what_is_kept_over_a_growing_history_is_what_counting_anew_gives(
    turns: list[list[LLMMessage]], changes_head: bool
) -> None:
    history = History()
    for turn in turns:
        history.extend(turn)
        head = (SystemMessage(content="Anew."),) if changes_head and len(history) % 2 else HEAD
        prompt, plain = Prompt(head, history), (*head, *history)
        assert prompt == plain
        assert digest_over(prompt) == digest_over(plain)
        assert sum_over(prompt, word_count) == sum_over(plain, word_count)
        assert text_over(prompt, line) == text_over(plain, line)
        assert text_over(Prompt((), history), line) == text_over(list(history), line)


def test_a_prompt_stays_as_it_was_when_the_conversation_goes_on() -> None:
    history = History([UserMessage(content="one two", source="a")])
    before = Prompt(HEAD, history)
    digest = digest_over(tuple(before))
    history.append(UserMessage(content="three", source="a"))
    after = Prompt(HEAD, history)
    assert (len(before), len(after)) == (2, 3)
    assert (sum_over(after, word_count), sum_over(before, word_count)) == (5, 4)
    assert digest_over(after) != digest
    assert digest_over(before) == digest
    assert text_over(after, line) == ("one two\nthree", 2)
    assert text_over(before, line) == ("one two", 1)
    assert before[-1] == history[0]
    assert [history[1], *before] == [history[1]] + before  # noqa: RUF005 -- as scripts write it


def test_pictures_are_found_when_they_come() -> None:
    history = History([UserMessage(content="look", source="a")])
    assert not hold_parts(Prompt(HEAD, history))
    history.append(UserMessage(content=["here", Image(data=PIXEL)], source="a"))
    history.append(UserMessage(content="nice", source="a"))
    assert hold_parts(Prompt(HEAD, history))
    assert hold_parts(list(history))


def test_all_who_hear_a_message_share_one_for_their_models_until_it_is_changed() -> None:
    said = TextMessage(content="hello", source="a")
    assert said.to_model_message() is said.to_model_message()
    said.content = "goodbye"
    assert said.to_model_message() == UserMessage(content="goodbye", source="a")
    assert said.model_copy(update={"source": "b"}).to_model_message().source == "b"


def test_the_shared_one_is_no_part_of_the_message() -> None:
    said = TextMessage(content="hello", source="a")
    before = said.dump()
    said.to_model_message()
    assert said.dump() == before
    assert said == TextMessage.load(before)
    assert "_model_message" not in repr(said)


def test_ids_are_random_uuids() -> None:
    ids = {UUID(random_id()) for _ in range(100)}
    assert len(ids) == 100
    assert {(made.version, made.variant) for made in ids} == {(4, RFC_4122)}
