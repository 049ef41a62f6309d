"""Handlers, interventions, tools and the studio's own agents within a runtime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from studio.actors import (
    AgentId,
    AgentProxy,
    DefaultInterventionHandler,
    DefaultTopicId,
    DropMessage,
    MessageContext,
    RoutedAgent,
    TopicId,
    UnknownPayload,
    default_subscription,
    event,
    message_handler,
    rpc,
    try_get_known_serializers_for_type,
)
from studio.actors.errors import CantHandleException, MessageDroppedException, WrongMessage
from studio.actors.serialization import JSON_DATA_CONTENT_TYPE, SerializationRegistry
from studio.actors.tool_agent import ToolAgent, tool_agent_caller_loop
from studio.agents import AssistantAgent
from studio.messages import (
    AssistantMessage,
    CreateResult,
    FunctionCall,
    FunctionExecutionResultMessage,
    RequestUsage,
    TextMessage,
    UserMessage,
)
from studio.models import ReplayChatCompletionClient
from studio.tools import FunctionTool
from tests.actors.agents import HERE, Echo, Listener, Other, Text, running


@default_subscription
class Sorter(RoutedAgent):
    """Says which handler took a message."""

    def __init__(self) -> None:
        super().__init__("Sorts.")
        self.took: list[str] = []

    @rpc
    async def a_asked(self, message: Other, ctx: MessageContext) -> str:
        return "asked"

    @event
    async def b_told(self, message: Other, ctx: MessageContext) -> None:
        self.took.append("told")

    @message_handler(match=lambda message, ctx: message.text == "first")
    async def c_first(self, message: Text, ctx: MessageContext) -> str:
        return "first"

    @message_handler
    async def d_rest(self, message: Text | int, ctx: MessageContext) -> str:
        return "rest" if isinstance(message, Text) else 3  # pyright: ignore[reportReturnType] -- which is told


async def test_the_first_handler_that_matches_takes_a_message():
    async with running() as runtime:
        await Sorter.register(runtime, "agent", Sorter)
        assert await runtime.send_message(Other(1), HERE) == "asked"
        assert await runtime.send_message(Text("first"), HERE) == "first"
        assert await runtime.send_message(Text("second"), HERE) == "rest"
        with pytest.raises(WrongMessage, match="d_rest gives a int"):
            await runtime.send_message(4, HERE)
        await runtime.publish_message(Other(1), DefaultTopicId())
        await runtime.stop_when_idle()
        assert (await runtime.try_get_underlying_agent_instance(HERE, Sorter)).took == ["told"]


async def test_a_handler_can_be_called_by_its_own_agent_and_refuses_what_it_does_not_name():
    sorter = Sorter()
    assert await sorter.d_rest(Text("x"), None) == "rest"
    with pytest.raises(CantHandleException, match="Other"):
        await sorter.d_rest(Other(1), None)


@pytest.mark.parametrize(
    ("annotations", "told"),
    [({"message": Text}, "return"), ({"return": None}, "message"), ({"message": "text", "return": None}, "text")],
)
def test_a_handler_without_types_is_refused_when_its_class_is_made(annotations: dict[str, Any], told: str):
    async def handler(self: Any, message: Any, ctx: Any) -> Any: ...

    handler.__annotations__ = annotations
    with pytest.raises((TypeError, NameError), match=told):
        message_handler(handler)


class Censor(DefaultInterventionHandler):
    """Changes, drops and refuses, as messages ask for."""

    async def on_send(self, message: Any, *, message_context: MessageContext, recipient: AgentId) -> Any:
        if message == Text("drop"):
            return DropMessage
        if message == Text("refuse"):
            raise PermissionError("not today")
        return Text(f"{message.text}, seen")

    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any:
        return DropMessage() if message == Text("drop") else Text(f"{message.text}, published")

    async def on_response(self, message: Any, *, sender: AgentId, recipient: AgentId | None) -> Any:
        return DropMessage if message == Text("silence, seen") else message


async def test_interventions_change_drop_and_refuse():
    async with running(intervention_handlers=[Censor()]) as runtime:
        await Listener.register(runtime, "agent", Listener)
        assert await runtime.send_message(Text("hello"), HERE) == Text("hello, seen")
        for text in ("drop", "silence"):
            with pytest.raises(MessageDroppedException, match="dropped"):
                await runtime.send_message(Text(text), HERE)
        with pytest.raises(PermissionError, match="not today"):
            await runtime.send_message(Text("refuse"), HERE)
        for text in ("drop", "news"):
            await runtime.publish_message(Text(text), DefaultTopicId())
        await runtime.stop_when_idle()
        heard = (await runtime.try_get_underlying_agent_instance(HERE, Listener)).heard
        assert heard == ["hello, seen", "silence, seen", "news, published"]


class Writer(RoutedAgent):
    """Lets an agent of AgentChat answer."""

    def __init__(self) -> None:
        super().__init__("Writes.")
        self._delegate = AssistantAgent(
            name="writer", model_client=ReplayChatCompletionClient(chat_completions=["A poem."])
        )

    @message_handler
    async def write(self, message: Text, ctx: MessageContext) -> Text:
        task = TextMessage(content=message.text, source="user")
        response = await self._delegate.on_messages([task], ctx.cancellation_token)
        return Text(response.chat_message.to_text())


async def test_an_assistant_agent_answers_inside_of_an_agent():
    async with running() as runtime:
        await Writer.register(runtime, "agent", Writer)
        assert await runtime.send_message(Text("Write."), HERE) == Text("A poem.")


async def test_a_model_calls_the_tools_of_an_agent_until_it_asks_for_none():
    def double(number: int) -> int:
        """Twice the number."""
        return {1: 2, 2: 4}[number]

    def asking(*calls: tuple[str, str]) -> CreateResult:
        content = [FunctionCall(id=str(place), name=name, arguments=text) for place, (name, text) in enumerate(calls)]
        usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
        return CreateResult(content=content, finish_reason="function_calls", usage=usage, cached=False)

    model = ReplayChatCompletionClient(
        chat_completions=[
            asking(("double", '{"number": 2}'), ("double", '{"number": 9}'), ("halve", "{}"), ("double", "[")),
            "Four, and three errors.",
        ]
    )
    tools = [FunctionTool(double, description="Twice the number.")]
    async with running() as runtime:
        await ToolAgent.register(runtime, "agent", lambda: ToolAgent("Calls.", [*tools]))
        task = [UserMessage(content="Double two.", source="user")]
        first, results, last = await tool_agent_caller_loop(runtime, HERE, model, [*task], [*tools])
    assert isinstance(first, AssistantMessage)
    assert isinstance(results, FunctionExecutionResultMessage)
    assert [each.is_error for each in results.content] == [False, True, True, True]
    assert results.content[0].content == "4"
    assert "Tool not found: halve" in results.content[2].content
    assert last == AssistantMessage(content="Four, and three errors.", source="assistant")


async def test_a_proxy_speaks_for_an_agent():
    async with running() as runtime:
        await Echo.register(runtime, "agent", Echo)
        proxy = AgentProxy(HERE, runtime)
        assert await proxy.send_message(Text("hello"), sender=AgentId("other", "x")) == Text("hello")
        assert (await proxy.metadata)["type"] == "agent"
        state = await proxy.save_state()
        await proxy.load_state({"heard": []})
        assert (state, await proxy.save_state()) == ({"heard": ["hello"]}, {"heard": []})


class Model(BaseModel):
    text: str


@dataclass
class Nesting:
    inner: Model


def test_messages_are_written_and_read_and_what_is_unknown_is_kept():
    registry = SerializationRegistry()
    for message in (Text("ü"), Model(text="ü")):
        registry.add_serializer(try_get_known_serializers_for_type(type(message)))
        name = registry.type_name(message)
        payload = registry.serialize(message, type_name=name, data_content_type=JSON_DATA_CONTENT_TYPE)
        assert registry.deserialize(payload, type_name=name, data_content_type=JSON_DATA_CONTENT_TYPE) == message
    unknown = registry.deserialize(b"?", type_name="Other", data_content_type="text/plain")
    assert unknown == UnknownPayload("Other", "text/plain", b"?")
    with pytest.raises(ValueError, match="Nesting holds other messages"):
        try_get_known_serializers_for_type(Nesting)


async def test_an_agent_that_is_registered_itself_gets_what_is_published_to_its_key():
    async with running() as runtime:
        echo, other, listener = Echo(), Echo(), Listener()
        await listener.register_instance(runtime, AgentId("listener", "default"), skip_class_subscriptions=False)
        await echo.register_instance(runtime, AgentId("echo", "news"))
        await other.register_instance(runtime, AgentId("echo", "weather"))
        await runtime.publish_message(Text("rain"), TopicId("weather", "weather"))
        await runtime.publish_message(Text("sun"), DefaultTopicId())
        await runtime.stop_when_idle()
        assert (echo.heard, other.heard, listener.heard) == ([], ["rain"], ["sun"])
        runtime.start()
