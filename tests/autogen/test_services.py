"""Clients of services as AutoGen's scripts call them, and how tests put something else in the service's place."""

from __future__ import annotations

import os

import pytest

from tests.autogen.conftest import RunScript
from tests.fakes.openai_server import OpenAIServer

pytestmark = pytest.mark.slow


def test_an_empty_key_is_none_and_the_environments_stays_here(run_script: RunScript, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(os.environ, "OPENAI_API_KEY", "of-openai")
    with OpenAIServer() as server:
        server.say("hello")
        outcome = run_script(
            """
            import asyncio, sys
            from autogen_core.models import UserMessage
            from autogen_ext.models.openai import OpenAIChatCompletionClient

            client = OpenAIChatCompletionClient(model="gpt-4o", api_key="", base_url=sys.argv[1])
            print(asyncio.run(client.create([UserMessage(content="hi", source="user")])).content)
            """,
            server.url,
        )
    assert outcome.lines == ["hello"]
    assert server.requests[0].key == "none"


def test_a_stand_in_for_the_service_is_asked(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from unittest.mock import AsyncMock, MagicMock
        from autogen_core.models import UserMessage
        from autogen_core.tools import FunctionTool
        from autogen_ext.models.openai import OpenAIChatCompletionClient
        from openai.types.chat import ChatCompletionChunk
        from openai.resources.chat.completions import AsyncCompletions

        def add(a: int, b: int) -> int:
            return a + b

        def piece(**delta):
            choice = {"index": 0, "finish_reason": delta.pop("finish_reason", None), "delta": delta}
            return ChatCompletionChunk.model_validate(
                {"id": "1", "created": 0, "model": "m", "object": "chat.completion.chunk", "choices": [choice]}
            )

        async def pieces():
            yield piece(reasoning_content="let me ")
            yield piece(reasoning_content="see")
            yield piece(content="42")
            yield piece(finish_reason="stop")

        asked = []

        async def create(self, **arguments):
            asked.append(arguments)
            return pieces()

        async def main():
            AsyncCompletions.create = create
            client = OpenAIChatCompletionClient(model="gpt-4o", api_key="k")
            question = [UserMessage(content="hi", source="user")]
            tool = FunctionTool(add, description="Add")
            stream = client.create_stream(question, tools=[tool], tool_choice=tool, include_usage=False)
            print([item if isinstance(item, str) else item.thought async for item in stream])
            print(asked[0]["stream_options"], asked[0]["tool_choice"]["function"])

            client._client.chat.completions.create = AsyncMock(return_value=pieces())
            print([item async for item in client.create_stream(question)][-1].content)
            client._client = MagicMock()
            client._client.chat.completions.create = AsyncMock(return_value=pieces())
            print([item async for item in client.create_stream(question)][-1].content, len(asked))

        asyncio.run(main())
    """)
    assert outcome.lines == [
        "['<think>let me ', 'see', '</think>', '42', 'let me see']",
        "{'include_usage': False} {'name': 'add'}",
        "42",
        "42 1",
    ]


def test_a_call_that_contradicts_itself_is_not_sent(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_core.models import UserMessage
        from autogen_core.tools import FunctionTool
        from autogen_ext.models.anthropic import AnthropicChatCompletionClient
        from autogen_ext.models.ollama import OllamaChatCompletionClient
        from autogen_ext.models.openai import OpenAIChatCompletionClient
        from pydantic import BaseModel

        class Answer(BaseModel):
            text: str

        def add(a: int, b: int) -> int:
            return a + b

        def other(a: int) -> int:
            return a

        one, two = FunctionTool(add, description="Add"), FunctionTool(other, description="Other")
        open_ai = OpenAIChatCompletionClient(model="gpt-4o", api_key="k")
        claude = AnthropicChatCompletionClient(model="claude-3-haiku-20240307", api_key="k")
        ollama = OllamaChatCompletionClient(model="llama3.2")

        async def refused(client, **arguments):
            try:
                await client.create([UserMessage(content="hi", source="user")], **arguments)
            except ValueError as error:
                print(error)

        async def main():
            await refused(open_ai, tools=[one], tool_choice=two)
            await refused(open_ai, tool_choice=one)
            await refused(claude, tools=[one], tool_choice=two)
            await refused(ollama, tool_choice="required")
            await refused(ollama, extra_create_args={"response_format": "json"})
            await refused(ollama, json_output=Answer, extra_create_args={"format": "json"})
            try:
                async for _ in open_ai.create_stream(
                    [UserMessage(content="hi", source="user")],
                    include_usage=True,
                    extra_create_args={"stream_options": {"include_usage": False}},
                ):
                    pass
            except ValueError as error:
                print(error)

        asyncio.run(main())
    """)
    assert outcome.lines == [
        "tool_choice references 'other' but it's not in the provided tools",
        "tool_choice specified but no tools provided",
        "tool_choice references 'other' but it's not in the available tools",
        "tool_choice 'required' specified but no tools provided",
        "response_format must be a Pydantic model class, not <class 'str'>",
        "json_output and format cannot be set at the same time. Use json_output instead.",
        "include_usage and extra_create_args['stream_options']['include_usage'] say different things.",
    ]


def test_a_model_of_the_answer_may_be_given_as_its_format(run_script: RunScript):
    with OpenAIServer() as server:
        server.say('{"text": "hello"}')
        outcome = run_script(
            """
            import asyncio, sys, warnings
            from autogen_core.models import UserMessage
            from autogen_ext.models.openai import OpenAIChatCompletionClient
            from pydantic import BaseModel

            class Answer(BaseModel):
                text: str

            client = OpenAIChatCompletionClient(model="gpt-4o", api_key="k", base_url=sys.argv[1])
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                extra = {"response_format": Answer}
                asyncio.run(client.create([UserMessage(content="hi", source="user")], extra_create_args=extra))
            print([str(each.message) for each in told if each.category is DeprecationWarning])
            """,
            server.url,
        )
    assert "specify the BaseModel for structured output type will be deprecated." in outcome.lines[0]
    assert server.requests[0].body["response_format"]["json_schema"]["name"] == "Answer"


def test_ollama_is_told_how_long_to_keep_a_model_and_nothing_that_it_does_not_know(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.models.ollama import OllamaChatCompletionClient

        client = OllamaChatCompletionClient(model="llama3.2", keep_alive="5m", messages=[], unheard_of=1)
        print(client.get_create_args(), client._model_name)
    """)
    assert outcome.lines == ["{'model': 'llama3.2', 'keep_alive': '5m'} llama3.2"]


def test_a_client_says_what_it_can_do_under_the_older_name(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.models.cache import ChatCompletionCache
        from autogen_ext.models.openai import AzureOpenAIChatCompletionClient
        from autogen_ext.models.replay import ReplayChatCompletionClient

        client = ReplayChatCompletionClient(["one"])
        print(ChatCompletionCache(client).capabilities == client.capabilities, client.capabilities["vision"])
        azure = AzureOpenAIChatCompletionClient(model="gpt-4o", azure_endpoint="https://x.example", api_version="1")
        print(azure.capabilities["vision"])
    """)
    assert outcome.lines == ["True False", "True"]


def test_a_redis_store_takes_a_stand_in_and_reads_any_text(run_script: RunScript):
    outcome = run_script("""
        from unittest.mock import MagicMock
        from autogen_ext.cache_store.redis import RedisStore

        redis = MagicMock()
        store = RedisStore(redis)
        store.set("number", 42)
        store.set("list", ["a", 1])
        print([call.args for call in redis.set.call_args_list])
        for value in (42, b"[1]", b"a text", None):
            redis.get.return_value = value
            print(repr(store.get("key", "nothing")))
    """)
    assert outcome.lines == ["[('number', 42), ('list', b'[\"a\",1]')]", "42", "[1]", "'a text'", "'nothing'"]


def test_an_openai_agent_takes_an_answer_with_nothing_but_its_text(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from types import SimpleNamespace
        from unittest.mock import AsyncMock, MagicMock
        from autogen_ext.agents.openai import OpenAIAgent

        client = MagicMock()
        client.responses.create = AsyncMock(return_value=SimpleNamespace(id="1", output_text="hello"))
        agent = OpenAIAgent("a", "An agent", client, "gpt-4o", "Help.")
        print(asyncio.run(agent.run(task="hi")).messages[-1].content, agent._client is client)
    """)
    assert outcome.lines == ["hello True"]


def test_what_an_openai_agent_of_a_script_shows_on_the_way_is_inside_its_response(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from unittest.mock import MagicMock
        from autogen_agentchat.base import Response
        from autogen_agentchat.messages import TextMessage
        from autogen_core import CancellationToken
        from autogen_ext.agents.openai import OpenAIAgent

        class Own(OpenAIAgent):
            async def on_messages_stream(self, messages, cancellation_token):
                yield TextMessage(content="on the way", source="a")
                yield Response(chat_message=TextMessage(content="hello", source="a"))

        agent = Own("a", "An agent", MagicMock(), "gpt-4o", "Help.")
        response = asyncio.run(agent.on_messages([], CancellationToken()))
        print(response.chat_message.content, [message.content for message in response.inner_messages])
    """)
    assert outcome.lines == ["hello ['on the way']"]


def test_a_stand_in_for_anthropics_stream_may_be_a_plain_generator(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from anthropic.resources.messages import AsyncMessages
        from anthropic.types import (
            Message, MessageDeltaUsage, RawContentBlockDeltaEvent, RawContentBlockStartEvent, RawContentBlockStopEvent,
            RawMessageDeltaEvent, RawMessageStartEvent, RawMessageStopEvent, TextBlock, TextDelta, Usage,
        )
        from anthropic.types.raw_message_delta_event import Delta
        from autogen_core.models import UserMessage
        from autogen_ext.models.anthropic import AnthropicChatCompletionClient

        begun = Message(
            id="m", content=[], model="claude-3-haiku-20240307", role="assistant", type="message",
            usage=Usage(input_tokens=3, output_tokens=0),
        )

        async def pieces():
            yield RawMessageStartEvent(type="message_start", message=begun)
            yield RawContentBlockStartEvent(
                type="content_block_start", index=0, content_block=TextBlock(type="text", text="")
            )
            for word in ("Good ", "day."):
                delta = TextDelta(type="text_delta", text=word)
                yield RawContentBlockDeltaEvent(type="content_block_delta", index=0, delta=delta)
            yield RawContentBlockStopEvent(type="content_block_stop", index=0)
            yield RawMessageDeltaEvent.model_construct(
                type="message_delta", delta=Delta.model_construct(stop_reason="end_turn"),
                usage=MessageDeltaUsage.model_construct(output_tokens=2),
            )
            yield RawMessageStopEvent(type="message_stop")

        async def create(self, **arguments):
            return pieces()

        AsyncMessages.create = create

        async def main():
            client = AnthropicChatCompletionClient(model="claude-3-haiku-20240307", api_key="k")
            async for item in client.create_stream([UserMessage(content="hi", source="user")]):
                print(item if isinstance(item, str) else (item.content, item.usage.completion_tokens))

        asyncio.run(main())
    """)
    assert outcome.lines == ["Good ", "day.", "('Good day.', 2)"]
