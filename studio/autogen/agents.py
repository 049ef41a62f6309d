"""Agents as AgentChat's scripts make and derive them."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from inspect import iscoroutinefunction
from typing import Any, ClassVar, cast

from pydantic import PrivateAttr

from studio import agents as ours
from studio.agents.base import Step
from studio.agents.cleanup import release_all
from studio.agents.participant import require_loaded
from studio.agents.tasks import messages_of
from studio.agents.turn import add_to_context, without_images
from studio.autogen.compat_base import Freed, free, mix_in
from studio.autogen.tools import FunctionTool
from studio.contexts import UnboundedChatCompletionContext
from studio.messages import (
    BaseChatMessage,
    CancellationToken,
    LLMMessage,
    Response,
    SystemMessage,
    TaskResult,
    ToolCallRequestEvent,
    UserInputRequestedEvent,
)
from studio.tools import BaseTool, StaticStreamWorkbench

Participant = ours.Participant
"""What AgentChat calls a task runner: an agent or a team."""


class FreedAgent(Freed):
    """Agents run as AgentChat's do: `run` gives what the response holds, `run_stream` all that happened."""

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        if "description" in named and named["description"] is None:  # AgentChat checks no argument
            named = {**named, "description": ""}
        super().__init__(**named)

    async def run(
        self,
        task: Any = None,
        cancellation_token: CancellationToken | None = None,
        output_task_messages: bool = True,
    ) -> TaskResult:
        agent, messages = cast("ours.ChatAgent", self), messages_of(task) or []
        require_loaded(self)
        try:
            response = await agent.on_messages(messages, cancellation_token or CancellationToken())
        finally:
            await release_all(agent.release)
        shown = messages if output_task_messages else []
        return TaskResult(messages=[*shown, *(response.inner_messages or ()), response.chat_message])


class BaseChatAgent(FreedAgent, ours.ChatAgent, stands_for=ours.ChatAgent):
    """An agent of a script: `on_messages`, `on_reset` and `produced_message_types` are its own."""

    @property
    @abstractmethod
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]: ...

    @abstractmethod
    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response: ...

    @abstractmethod
    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None: ...


class AssistantAgent(FreedAgent, ours.AssistantAgent, stands_for=ours.AssistantAgent):
    """Answers with a model and can use tools."""

    provider = ours.AssistantAgent.provider
    aliases = ours.AssistantAgent.aliases

    _answer_type: Any = PrivateAttr(None)

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        if not isinstance(named.get("model_client"), dict):  # made by a script and not from JSON
            _check(named)
        if named.get("tools"):
            named["tools"] = [_as_tool(tool) for tool in named["tools"]]
        if named.get("model_context") is None:
            named["model_context"] = UnboundedChatCompletionContext()
        named["metadata"] = named.get("metadata") or {}
        super().__init__(**named)
        self._answer_type = named.get("output_content_type")
        if self.workbench is None:  # as AgentChat keeps and dumps them
            workbench = cast("Any", free(StaticStreamWorkbench))(tools=self.tools or [])
            vars(self).update(tools=None, workbench=[workbench])

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        async with aclosing(super().on_messages_stream(messages, cancellation_token)) as steps:
            async for step in steps:
                if isinstance(step, ToolCallRequestEvent):
                    self._warn_of_handoffs([call.name for call in step.content])
                yield step

    def _warn_of_handoffs(self, called: Sequence[str]) -> None:
        chosen = [name for name in called if name in self._handoffs]
        if len(chosen) > 1:
            text = f"Multiple handoffs detected. Only the first is executed: {chosen}."
            warnings.warn(f"{text} Disable parallel tool calls in the model client.", stacklevel=2)

    @property
    def _handoffs(self) -> dict[str, ours.Handoff]:
        return {handoff.name: handoff for handoff in self.handoffs or ()}

    @property
    def _system_messages(self) -> list[SystemMessage]:
        return [] if self.system_message is None else [SystemMessage(content=self.system_message)]

    @property
    def answer_type(self) -> Any:
        """The Pydantic model of its answers, if they have one."""
        return self._output_content_type

    @property
    def _output_content_type(self) -> Any:
        factory = self.structured_message_factory
        return self._answer_type or (None if factory is None else factory.content_model)

    @property
    def _output_content_type_format(self) -> str | None:
        return self.structured_message_factory.format_string if self.structured_message_factory else None

    @staticmethod
    async def _add_messages_to_context(model_context: Any, messages: Sequence[BaseChatMessage]) -> None:
        await add_to_context(model_context, messages)

    @staticmethod
    def _get_compatible_context(model_client: Any, messages: list[LLMMessage]) -> Sequence[LLMMessage]:
        return messages if model_client.model_info["vision"] else without_images(messages)

    def _to_config(self) -> Any:
        config = super()._to_config()
        config.handoffs = self.handoffs
        return config


class UserProxyAgent(FreedAgent, ours.UserProxyAgent, stands_for=ours.UserProxyAgent):
    """Asks the user and returns the answer."""

    provider = ours.UserProxyAgent.provider
    aliases = ours.UserProxyAgent.aliases

    class InputRequestContext:
        """Tells an input function which request it answers."""

        _request: ClassVar[ContextVar[str]] = ContextVar("studio_autogen_input_request")

        @classmethod
        @contextmanager
        def populate_context(cls, request_id: str) -> Any:
            """Name the request inside the block."""
            token = cls._request.set(request_id)
            try:
                yield
            finally:
                cls._request.reset(token)

        @classmethod
        def request_id(cls) -> str:
            """The request that is being answered.

            Raises:
                RuntimeError: Called outside an input function.
            """
            try:
                return cls._request.get()
            except LookupError as error:
                raise RuntimeError(
                    "InputRequestContext.request_id() must be called within an input function."
                ) from error

    def __init__(self, *args: Any, input_func: Any = None, **data: Any) -> None:
        super().__init__(*args, input_func=input_func and _telling_failures(input_func), **data)

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        steps = super().on_messages_stream(messages, cancellation_token)
        async for step in steps:
            yield step
            if isinstance(step, UserInputRequestedEvent):
                with self.InputRequestContext.populate_context(step.request_id):
                    answer = await anext(steps)
                yield answer


def _as_tool(tool: object) -> object:
    if isinstance(tool, BaseTool) or not callable(tool):
        return tool
    function = cast("Callable[..., Any]", tool)
    return FunctionTool(function, description=function.__doc__ or "")


def _check(arguments: dict[str, Any]) -> None:
    """Refuse what AgentChat refuses, in its words, and put a single workbench into a list."""
    memory, workbench = arguments.get("memory"), arguments.get("workbench")
    if memory is not None and not isinstance(memory, list):
        raise TypeError(f"Expected Memory, List[Memory], or None, got {type(memory)}")
    for tool in arguments.get("tools") or ():
        if not isinstance(tool, BaseTool) and not callable(tool):
            raise ValueError(f"Unsupported tool type: {type(tool)}")
    for handoff in arguments.get("handoffs") or ():
        if not isinstance(handoff, str | ours.Handoff | dict):
            raise ValueError(f"Unsupported handoff type: {type(handoff)}")
    if workbench is None:
        return
    if arguments.get("tools"):
        raise ValueError("Tools cannot be used with a workbench.")
    if not isinstance(workbench, list):
        arguments["workbench"] = (
            list(cast("tuple[Any, ...]", workbench)) if isinstance(workbench, tuple) else [workbench]
        )


def _telling_failures(function: Any) -> Any:
    """The input function; whatever it raises is the agent's failure to get an answer."""
    failed = "Failed to get user input: {}"
    if iscoroutinefunction(function):

        async def ask(prompt: str, cancellation_token: CancellationToken | None = None) -> str:
            try:
                return await function(prompt, cancellation_token)
            except Exception as error:  # a function of a script raises what it likes; AutoGen tells it so
                raise ours.InputFailed(failed.format(error)) from error

        return ask

    def ask_now(prompt: str) -> str:
        try:
            return function(prompt)
        except Exception as error:  # as above
            raise ours.InputFailed(failed.format(error)) from error

    return ask_now


mix_in(ours.ChatAgent, FreedAgent)
