"""What a run looks like on the terminal."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import pytest

from studio.console import Console
from studio.messages import (
    BaseMessage,
    FunctionCall,
    FunctionExecutionResult,
    ModelClientStreamingChunkEvent,
    RequestUsage,
    Response,
    TaskResult,
    TextMessage,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
)


async def shown(*items: BaseMessage | TaskResult | Response, output_stats: bool = False) -> str:
    async def stream() -> AsyncIterator[BaseMessage | TaskResult | Response]:
        for item in items:
            yield item

    out = io.StringIO()
    await Console(stream(), output_stats=output_stats, out=out)
    return out.getvalue()


def said(text: str, source: str = "a") -> TextMessage:
    return TextMessage(content=text, source=source, models_usage=RequestUsage(prompt_tokens=2, completion_tokens=3))


async def test_a_message_has_a_heading_and_the_end_has_its_reason():
    out = await shown(said("Hello."), TaskResult(messages=[said("Hello.")], stop_reason="Enough"), output_stats=True)
    assert out == (
        "---------- TextMessage (a) ----------\nHello.\n"
        "---------- Enough\n---------- 1 messages, 2 prompt tokens, 3 completion tokens\n"
    )


async def test_streamed_text_is_not_printed_twice():
    chunks = [
        ModelClientStreamingChunkEvent(content=text, source="a", full_message_id="1") for text in ("Hello ", "you.")
    ]
    out = await shown(*chunks, said("Hello\nyou."), said("Another."), TaskResult(messages=[]))
    assert out.count("you.") == 1
    assert out.count("TextMessage (a)") == 2


async def test_tool_calls_and_results_are_one_line_each():
    call = FunctionCall(id="1", name="add", arguments='{"a": 1}')
    result = FunctionExecutionResult(call_id="1", name="add", content="2")
    out = await shown(
        ToolCallRequestEvent(content=[call], source="a"),
        ToolCallExecutionEvent(content=[result], source="a"),
        TaskResult(messages=[]),
    )
    assert 'add({"a": 1})\n' in out
    assert "add -> 2\n" in out


async def test_an_agents_response_is_printed_and_given_back():
    assert "Done." in await shown(Response(chat_message=said("Done.")))
    counted = await shown(Response(chat_message=said("Done.")), output_stats=True)
    assert counted.endswith("Done.\n---------- 1 messages, 2 prompt tokens, 3 completion tokens\n")


async def test_a_message_cannot_steer_the_terminal():
    out = await shown(said("\x1b[2J\x1b]0;title\x07 red\tand\ngreen \x9b1m"), TaskResult(messages=[]))
    assert not set(out) & {"\x1b", "\x07", "\x9b"}
    assert "red\tand\ngreen" in out


async def test_a_stream_without_a_result_is_an_error():
    with pytest.raises(ValueError, match="without a result"):
        await shown(said("Hello."))


async def test_nothing_turns_the_reading_direction_or_hides():
    out = await shown(said("is_admin = \u202e True \u2066 \u200b\U000e0041\x1b]0;title\x07"), TaskResult(messages=[]))
    assert "is_admin = <U+202E> True <U+2066> <U+200B><U+E0041><U+001B>]0;title<U+0007>\n" in out
