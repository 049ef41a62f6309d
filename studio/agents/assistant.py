"""The agent that most teams are made of: a model with instructions, tools, memory and handoffs."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from types import CoroutineType
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, JsonValue, PrivateAttr, ValidationInfo, field_validator

from studio.agents.advice import on_handoffs, on_model, on_tools
from studio.agents.base import ChatAgent, Step
from studio.agents.cleanup import release_all
from studio.agents.guardrails import Guardrail, guarded
from studio.agents.handoff import Handoff
from studio.agents.kept_answers import KeepAs, keep_answer
from studio.agents.structured import StructuredMessageFactory
from studio.agents.tool_round import Toolbox
from studio.agents.turn import AgentResources, Formatter, TurnHistory
from studio.components import JsonObject, Warn
from studio.components.templates import fill_in, unknown_placeholders, unreadable
from studio.contexts import ChatCompletionContext, UnboundedChatCompletionContext
from studio.errors import Finding
from studio.memory import Memory
from studio.messages import (
    BaseChatMessage,
    CancellationToken,
    FunctionCall,
    FunctionExecutionResult,
    HandoffMessage,
    Response,
    StopMessage,
    StructuredMessage,
    SystemMessage,
    TextMessage,
    ToolCallSummaryMessage,
)
from studio.models import ChatCompletionClient
from studio.tools import BaseTool, FunctionTool, StaticStreamWorkbench, StaticWorkbench, Workbench

SUMMARY_PLACEHOLDERS = ("tool_name", "arguments", "result", "is_error")
STATE_TYPE = "AssistantAgentState"


def _workbench_in_a_list(config: JsonObject) -> JsonObject:
    workbench = config.get("workbench")
    return {**config, "workbench": [workbench]} if isinstance(workbench, dict) else config


class AssistantAgent(ChatAgent):
    """Answers with a model and can use tools."""

    provider = "autogen_agentchat.agents.AssistantAgent"
    keywords = "llm chat chatbot"
    aliases = (
        "autogen_agentchat.agents._assistant_agent.AssistantAgent",
        "autogen_ext.agents.magentic_one._magentic_one_coder_agent.AssistantAgent",
        "autogen_ext.agents.video_surfer._video_surfer.AssistantAgent",
        "autogenstudio.gallery.builder.AssistantAgent",
        "studio.agents.AssistantAgent",
    )
    component_version = 2
    upgrades: ClassVar[Mapping[int, Callable[[JsonObject], JsonObject]]] = {1: _workbench_in_a_list}
    positional = ("name", "model_client")
    starts_with = {"model_client_stream": True}
    absent_in_json: ClassVar[Mapping[str, object]] = {"system_message": None}

    description: Annotated[
        str,
        Field(
            description="What this agent does. Other agents and selectors read it.",
            json_schema_extra={"x-multiline": True},
        ),
    ] = "An agent that provides assistance with ability to use tools."
    model_client: Annotated[ChatCompletionClient, Field(description="The model that answers.")]
    system_message: Annotated[
        str | None,
        Field(description="Instructions, sent first. Empty: none are sent.", json_schema_extra={"x-multiline": True}),
    ] = (
        "You are a helpful AI assistant. Solve tasks using your tools. "
        "Reply with TERMINATE when the task has been completed."
    )
    system_message_holds_variables: Annotated[
        bool,
        Field(
            description="Replace {name} in the system message by the team's context variable of that name.",
            json_schema_extra={"x-advanced": True},
            exclude_if=lambda value: not value,  # AutoGen's agent has no such field
        ),
    ] = False
    tools: Annotated[list[BaseTool] | None, Field(description="Tools of this agent alone.")] = None
    workbench: Annotated[
        list[Workbench] | None, Field(description="Sets of tools, such as those of an MCP server.")
    ] = None
    handoffs: Annotated[list[Handoff] | None, Field(description="Agents that this agent can hand off to.")] = None
    model_context: Annotated[
        ChatCompletionContext | None,
        Field(description="Limits the conversation that the model sees. Empty: all of it."),
    ] = None
    memory: Annotated[list[Memory] | None, Field(description="Queried before each answer.")] = None
    structured_message_factory: Annotated[
        StructuredMessageFactory | None, Field(description="JSON schema that answers must follow.")
    ] = None
    model_client_stream: Annotated[bool, Field(description="Show the answer while the model writes it.")] = False
    reflect_on_tool_use: Annotated[
        bool,
        Field(description="Call the model again with the tool results. Off: the results are the answer."),
    ] = Field(
        default_factory=lambda given: given.get("structured_message_factory") is not None,
        description="Call the model again with the tool results. Off: the results are the answer.",
    )
    max_tool_iterations: Annotated[
        int,
        Field(description="How often the model may call tools in one turn.", json_schema_extra={"minimum": 1}),
    ] = 1
    tool_call_summary_format: Annotated[
        str,
        Field(
            description="May contain {tool_name}, {arguments}, {result} and {is_error}.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = "{result}"
    keep_as: KeepAs = None
    input_guardrails: Annotated[
        list[Guardrail] | None, Field(description="Check the messages that reach the agent.")
    ] = None
    output_guardrails: Annotated[list[Guardrail] | None, Field(description="Check the agent's answers.")] = None
    metadata: Annotated[
        dict[str, str] | None,
        Field(description="Stored with the agent; has no effect on a run.", json_schema_extra={"x-advanced": True}),
    ] = None

    _formatter: Formatter | None = PrivateAttr(default=None)
    _resources: AgentResources | None = PrivateAttr(default=None)

    def __init__(
        self,
        *args: Any,
        output_content_type: type[Any] | None = None,
        output_content_type_format: str | None = None,
        tool_call_summary_formatter: Formatter | None = None,
        **data: Any,
    ) -> None:
        """Make one as in AgentChat: Python functions as `tools`, a Pydantic model as `output_content_type`."""
        named = self._name_arguments(args, data)
        if output_content_type is not None:
            named["structured_message_factory"] = StructuredMessageFactory(
                input_model=output_content_type, format_string=output_content_type_format
            )
        if named.get("reflect_on_tool_use", False) is None:
            del named["reflect_on_tool_use"]
        super().__init__(**named)
        self._formatter = tool_call_summary_formatter

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        if isinstance(config.get("workbench"), dict):
            warn("`workbench` was one workbench, not a list; it was put into a list.", "/workbench")
        template = config.get("tool_call_summary_format")
        if isinstance(template, str) and (unknown := unknown_placeholders(template, SUMMARY_PLACEHOLDERS)):
            warn(f"The summary of a tool call cannot be filled in: {', '.join(unknown)}.", "/tool_call_summary_format")
        return _workbench_in_a_list(config)

    @field_validator("system_message_holds_variables")
    @classmethod
    def _has_places(cls, holds: bool, info: ValidationInfo) -> bool:
        for problem in unreadable(str(info.data.get("system_message") or "")) if holds else ():
            raise ValueError(f"The system message cannot be filled in: {problem}. Write braces of their own twice.")
        return holds

    @field_validator("tools", mode="before")
    @classmethod
    def _functions_are_tools(cls, value: object) -> object:
        if not isinstance(value, list | tuple):
            return value
        return [
            FunctionTool(item, description=item.__doc__ or "")
            if callable(item) and not isinstance(item, BaseTool)
            else item
            for item in cast("Sequence[object]", value)
        ]

    @field_validator("workbench", mode="before")
    @classmethod
    def _one_workbench_is_a_list(cls, value: object) -> object:
        return [value] if isinstance(value, Workbench) else value

    @field_validator("tools")
    @classmethod
    def _tools_are_usable(cls, tools: list[BaseTool] | None, info: ValidationInfo) -> list[BaseTool] | None:
        names = _names_of(tools)
        if tools:
            _require_function_calling(info, "")
        if len(names) != len(set(names)):
            raise ValueError(f"Tool names must be unique: {names}")
        return tools

    @field_validator("handoffs")
    @classmethod
    def _handoffs_are_usable(cls, handoffs: list[Handoff] | None, info: ValidationInfo) -> list[Handoff] | None:
        if not handoffs:
            return handoffs
        _require_function_calling(info, ", which is needed for handoffs")
        names = [handoff.name for handoff in handoffs]
        if len(names) != len(set(names)):
            raise ValueError(f"Handoff names must be unique: {names}")
        taken = {*names, *(handoff.target for handoff in handoffs)}
        if taken.intersection(_names_of(info.data.get("tools"))):
            raise ValueError("Handoff names must be unique from tool names")
        return handoffs

    @field_validator("max_tool_iterations")
    @classmethod
    def _has_a_round(cls, rounds: int) -> int:
        if rounds < 1:
            raise ValueError(f"Maximum number of tool iterations must be greater than or equal to 1, got {rounds}")
        return rounds

    def advice(self) -> Iterator[Finding]:
        tools, workbenches, handoffs = self.tools or (), self.workbench or (), self.handoffs or ()
        from_workbenches = any(each.tools for each in workbenches if isinstance(each, StaticWorkbench))
        from_memory = any(each.tools() for each in self.memory or () if not each.is_opaque)
        yield from on_model(
            self.model_client,
            calls_tools=from_workbenches or from_memory,  # of tools and handoffs loading tells, as an error
            follows_schema=self.structured_message_factory is not None,
        )
        yield from on_tools(tools, workbenches, handoffs)
        yield from on_handoffs(handoffs)

    @property
    def ends_with_tool_results(self) -> bool:
        """Whether a turn that calls tools ends with their results, in place of an answer of the model."""
        return bool(self.tools or self.workbench) and not self.reflect_on_tool_use and self.max_tool_iterations == 1

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        kinds: list[type[BaseChatMessage]] = [TextMessage, ToolCallSummaryMessage, HandoffMessage]
        if any(rail.action == "stop" for rail in self._guardrails()):
            kinds.append(StopMessage)
        return [*kinds, StructuredMessage] if self.structured_message_factory else kinds

    def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        resources = self._prepared()
        turn = resources.turns.begin(resources, cancellation_token or CancellationToken())
        steps = turn.steps(messages)
        if self.input_guardrails or self.output_guardrails:
            rails = (self.input_guardrails or (), self.output_guardrails or ())
            steps = guarded(self.name, rails, messages, cancellation_token, lambda: turn.steps(messages))
        return keep_answer(steps, self.keep_as) if self.keep_as else steps

    def take_turn(
        self, messages: list[BaseChatMessage], token: CancellationToken
    ) -> CoroutineType[Any, Any, Response | AsyncGenerator[Step, None]]:
        resources = self._resources or self._prepared()
        if resources.is_plain:
            return resources.turns.begin(resources, token).start(messages)
        return self._take_turn(messages, token)

    async def _take_turn(self, messages: list[BaseChatMessage], token: CancellationToken) -> AsyncGenerator[Step, None]:
        return self.on_messages_stream(messages, token)

    def unheard(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        newest = self._prepared().turns.newest
        return () if newest is not None and newest.received is messages else messages

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        resources = self._prepared()
        resources.turns.give_up()
        await resources.context.clear()

    async def save_state(self) -> Mapping[str, JsonValue]:
        context = await self._prepared().context.save_state()
        return {"type": STATE_TYPE, "version": "1.0.0", "llm_context": dict(context)}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        resources = self._prepared()
        resources.turns.give_up()
        await resources.context.load_state(cast("JsonObject", state.get("llm_context") or {"messages": []}))

    async def release(self) -> None:
        parts = [part.release for part in (*(self.memory or ()), *self._guardrails())]
        tools = (
            [self._resources.toolbox.stop] if self._resources is not None and self._resources.toolbox.is_started else []
        )
        await release_all(*self.model_client.closing(), *parts, *tools)

    def _guardrails(self) -> list[Guardrail]:
        return [*(self.input_guardrails or ()), *(self.output_guardrails or ())]

    def _prepared(self) -> AgentResources:
        """What the agent works with, put together on first use: loading a config must cost nothing."""
        if self._resources is None:
            handoffs = {handoff.name: handoff for handoff in self.handoffs or ()}
            tools = [*(self.tools or ()), *(tool for memory in self.memory or () for tool in memory.tools())]
            own = [StaticStreamWorkbench(tools=tools)] if tools else []
            toolbox = Toolbox(self.name, [*own, *(self.workbench or ())], handoffs)
            self._resources = AgentResources(
                name=self.name,
                client=self.model_client,
                streams=self.model_client_stream,
                system=() if self.system_message is None else (SystemMessage(content=self.system_message),),
                system_holds_variables=self.system_message_holds_variables,
                context=self.model_context or UnboundedChatCompletionContext(),
                memory=self.memory or (),
                toolbox=toolbox,
                handoffs=handoffs,
                max_rounds=self.max_tool_iterations,
                reflects=self.reflect_on_tool_use,
                summary_of=self._formatter or self._summarise,
                answer_format=self.structured_message_factory,
                is_plain=type(self).on_messages_stream is AssistantAgent.on_messages_stream
                and not self._guardrails()
                and not self.keep_as,
                is_bare=toolbox.is_empty
                and not (self.system_message_holds_variables or self.structured_message_factory),
                turns=TurnHistory(),
            )
        return self._resources

    def _summarise(self, call: FunctionCall, result: FunctionExecutionResult) -> str:
        return fill_in(
            self.tool_call_summary_format,
            "tool_call_summary_format",
            tool_name=call.name,
            arguments=call.arguments,
            result=result.content,
            is_error=result.is_error,
        )


def _names_of(tools: Sequence[BaseTool] | None) -> list[str]:
    return [tool.schema["name"] for tool in tools or () if not tool.is_opaque]


def _require_function_calling(info: ValidationInfo, what_for: str) -> None:
    client = cast("ChatCompletionClient | None", info.data.get("model_client"))
    if client is not None and not client.is_opaque and not client.info["function_calling"]:
        raise ValueError(f"The model does not support function calling{what_for}.")
