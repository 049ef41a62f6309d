"""What the model is shown of a conversation."""

from __future__ import annotations

import pytest

from studio.components import Component, load_component
from studio.contexts import (
    BufferedChatCompletionContext,
    ChatCompletionContext,
    HeadAndTailChatCompletionContext,
    TokenLimitedChatCompletionContext,
    UnboundedChatCompletionContext,
)
from studio.messages import (
    AssistantMessage,
    FunctionCall,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    UserMessage,
)
from studio.models import ReplayChatCompletionClient

CALL = AssistantMessage(content=[FunctionCall(id="1", name="f", arguments="{}")], source="a")
RESULT = FunctionExecutionResultMessage(content=[FunctionExecutionResult(content="r", name="f", call_id="1")])


def said(text: str) -> UserMessage:
    return UserMessage(content=text, source="u")


async def shown(context: ChatCompletionContext, *messages: LLMMessage) -> list[LLMMessage]:
    for message in messages:
        await context.add_message(message)
    return await context.get_messages()


async def test_unbounded_shows_all() -> None:
    messages = [said("1"), CALL, RESULT]
    assert await shown(UnboundedChatCompletionContext(), *messages) == messages


async def test_buffered_shows_the_last_and_no_result_without_its_call() -> None:
    assert await shown(BufferedChatCompletionContext(buffer_size=2), said("1"), said("2"), said("3")) == [
        said("2"),
        said("3"),
    ]
    assert await shown(BufferedChatCompletionContext(buffer_size=2), CALL, RESULT, said("3")) == [said("3")]


async def test_head_and_tail_says_how_many_are_left_out() -> None:
    context = HeadAndTailChatCompletionContext(head_size=1, tail_size=2)
    note = UserMessage(content="Skipped 2 messages.", source="System")
    texts = [said(str(number)) for number in range(5)]
    assert await shown(context, *texts) == [texts[0], note, *texts[3:]]


async def test_head_and_tail_do_not_part_calls_and_results() -> None:
    context = HeadAndTailChatCompletionContext(head_size=1, tail_size=1)
    note = UserMessage(content="Skipped 1 messages.", source="System")
    assert await shown(context, CALL, said("x"), RESULT) == [note]


async def test_token_limited_leaves_out_the_middle_and_orphaned_results() -> None:
    client = ReplayChatCompletionClient(chat_completions=[])
    context = TokenLimitedChatCompletionContext(model_client=client, token_limit=4)
    assert await shown(context, said("a b"), said("c d"), said("e f")) == [said("a b"), said("e f")]
    other = TokenLimitedChatCompletionContext(model_client=client, token_limit=2)
    assert RESULT not in await shown(other, said("a b"), CALL, RESULT, said("c"))
    nothing = FunctionExecutionResultMessage(content=[])
    roomy = TokenLimitedChatCompletionContext(model_client=client, token_limit=9)
    assert await shown(roomy, nothing, said("a")) == [said("a")]


async def test_clear_forgets_the_first_messages_too() -> None:
    context = UnboundedChatCompletionContext(initial_messages=[said("first")])
    assert await shown(context) == [said("first")]
    await context.clear()
    assert await shown(context) == []


async def test_state_is_the_messages_and_comes_back() -> None:
    context = UnboundedChatCompletionContext(initial_messages=[said("first"), CALL, RESULT])
    state = await context.save_state()
    assert list(state) == ["messages"]
    other = BufferedChatCompletionContext(buffer_size=5)
    await other.load_state(state)
    assert await other.get_messages() == [said("first"), CALL, RESULT]


async def test_two_contexts_of_one_config_do_not_share_messages() -> None:
    first, second = UnboundedChatCompletionContext(), UnboundedChatCompletionContext()
    await first.add_message(said("x"))
    assert await second.get_messages() == []


@pytest.mark.parametrize(
    "context",
    [
        UnboundedChatCompletionContext(initial_messages=[said("x")]),
        BufferedChatCompletionContext(buffer_size=3),
        HeadAndTailChatCompletionContext(head_size=1, tail_size=2),
        TokenLimitedChatCompletionContext(
            model_client=ReplayChatCompletionClient(chat_completions=["a"]), tool_schema=[{"name": "f"}]
        ),
    ],
    ids=lambda context: type(context).__name__,
)
def test_it_loads_and_dumps_unchanged(context: ChatCompletionContext) -> None:
    written = context.dump_component()
    assert written["component_type"] == "chat_completion_context"
    assert load_component(written, expected=Component).dump_component() == written


def test_sizes_are_positive() -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        BufferedChatCompletionContext(buffer_size=0)
