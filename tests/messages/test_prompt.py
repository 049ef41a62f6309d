from __future__ import annotations

from uuid import RFC_4122, UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.effects import random_id
from studio.messages import (
    MAX_TEXT,
    AssistantMessage,
    FunctionCall,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    History,
    Image,
    LLMMessage,
    Prompt,
    SystemMessage,
    TextMessage,
    UserMessage,
    count_words,
    digest_over,
    hold_parts,
    sum_over,
    text_over,
    word_count,
)
from studio.messages.llm import HASHED_AS_IT_IS

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


texts = st.text(alphabet="ab1 \n\ud800\U0001f600", max_size=4)
conversations = st.lists(
    st.one_of(
        st.builds(UserMessage, content=texts, source=texts),
        st.builds(AssistantMessage, content=texts, source=texts),
    ),
    max_size=3,
)


@given(conversations, conversations)
@example(
    [UserMessage(content="x\nUserMessage 1 1\nay", source="a")],
    [UserMessage(content="x", source="a"), UserMessage(content="y", source="a")],
)
@example([UserMessage(content="b", source="a")], [UserMessage(content="", source="ab")])
@example([UserMessage(content="\ud83d\ude00", source="a")], [UserMessage(content="\U0001f600", source="a")])
def test_conversations_have_one_digest_only_when_they_are_equal(one: list[LLMMessage], other: list[LLMMessage]) -> None:
    assert (digest_over(one) == digest_over(other)) == (one == other)


def test_each_field_of_a_message_is_in_its_digest() -> None:
    call = FunctionCall(id="1", name="add", arguments="{}")
    result = FunctionExecutionResult(content="3", name="add", call_id="1", is_error=False)
    told: list[LLMMessage] = [
        SystemMessage(content="a"),
        UserMessage(content="a", source="b"),
        UserMessage(content=["a"], source="b"),
        UserMessage(content=["a", Image(data=PIXEL)], source="b"),
        UserMessage(content="a" * 2 * HASHED_AS_IT_IS, source="b"),
        UserMessage(content="a" * 3 * HASHED_AS_IT_IS, source="b"),
        AssistantMessage(content="a", source="b"),
        AssistantMessage(content="a", source="b", thought=""),
        AssistantMessage(content="a", source="b", thought="None"),
        AssistantMessage(content=[call], source="b"),
        FunctionExecutionResultMessage(content=[result]),
        FunctionExecutionResultMessage(content=[result.model_copy(update={"is_error": None})]),
    ]
    assert len({digest_over([message]) for message in told}) == len(told)
    assert all(digest_over([message]) == digest_over([message.model_copy(deep=True)]) for message in told)
    assert len({digest_over(told[:count]) for count in range(len(told) + 1)}) == len(told) + 1


def test_a_changed_copy_has_a_digest_and_a_body_of_its_own() -> None:
    said = UserMessage(content=["a"], source="b")
    before = said.digest
    assert said.json_body["source"] == "b"
    for is_deep in (False, True):
        copied = said.model_copy(update={"source": "c"}, deep=is_deep)
        assert copied.digest != before
        assert copied.json_body["source"] == "c"


def test_a_message_of_a_class_of_ones_own_is_hashed_with_its_own_fields() -> None:
    class Rated(UserMessage):
        rating: int

    good, bad = (Rated(content="a", source="b", rating=rating) for rating in (1, 2))
    assert digest_over([good]) != digest_over([bad])


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


@pytest.mark.parametrize("space", [" ", "\u2028", " \n "])
@pytest.mark.parametrize("length", [MAX_TEXT - 2, MAX_TEXT - 1, MAX_TEXT, MAX_TEXT + 1])
def test_words_of_a_long_text_are_counted_as_those_of_a_short_one(space: str, length: int):
    text = space.join(("x" * length, "y", "z" * 2 * MAX_TEXT, ""))
    assert count_words(text) == len(text.split()) == 3
