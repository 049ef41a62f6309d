"""One turn of an AssistantAgent: from the new messages to its response."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from pydantic import BaseModel

from studio import effects
from studio.agents.base import Step
from studio.agents.handoff import Handoff
from studio.agents.instructions import with_variables
from studio.agents.structured import StructuredMessageFactory
from studio.agents.tool_round import Toolbox, broken_off
from studio.contexts import ChatCompletionContext
from studio.errors import RunFailed
from studio.memory import Memory
from studio.messages import (
    AssistantMessage,
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    CreateResult,
    FunctionCall,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    HandoffMessage,
    History,
    LLMMessage,
    MemoryQueryEvent,
    ModelClientStreamingChunkEvent,
    Prompt,
    Response,
    SystemMessage,
    ThoughtEvent,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    ToolCallSummaryMessage,
    ToolSchema,
    as_heard,
    assistant_message,
    hold_parts,
    made,
    text_said,
    without_images,
)
from studio.models import ChatCompletionClient

Formatter = Callable[[FunctionCall, FunctionExecutionResult], str]


class NoReflection(RunFailed, RuntimeError):
    """Asked to reflect on its tool results, the model gave no text."""

    code = "no_reflection"


class NoFinalResult(RunFailed, RuntimeError):
    """The stream of a model's answer ended without the answer as a whole."""

    code = "no_final_result"


def whole_answer(item: object) -> CreateResult:
    """What came out of a stream beside text; the client of a script may yield anything.

    Raises:
        NoFinalResult: It is no answer.
    """
    if not isinstance(item, CreateResult):
        raise NoFinalResult(f"Invalid chunk type: {type(item)}")
    return item


@dataclass(frozen=True)
class AgentResources:
    """What an agent works with; the same for all its turns."""

    name: str
    client: ChatCompletionClient
    streams: bool
    system: tuple[SystemMessage, ...]
    system_holds_variables: bool
    context: ChatCompletionContext
    memory: Sequence[Memory]
    toolbox: Toolbox
    handoffs: Mapping[str, Handoff]
    max_rounds: int
    reflects: bool
    summary_of: Formatter
    answer_format: StructuredMessageFactory | None
    is_plain: bool
    """Whether nothing stands between a turn and the team: no guardrail, and no method of a derived class."""
    is_bare: bool
    """Whether the model is shown the instructions as they are and the conversation, and nothing else."""
    turns: TurnHistory


Question = tuple[Sequence[LLMMessage], Sequence[ToolSchema], type[BaseModel] | None]
"""What a model is shown, the tools it may call, and the schema of the answer that is wanted."""


class ModelTurn:
    """Asks the model, makes the calls it requests, asks again, answers. Made anew for each turn."""

    __slots__ = ("_inner", "_message_id", "_resources", "_result", "_results", "_token", "is_given_up", "received")

    def __init__(self, resources: AgentResources, token: CancellationToken) -> None:
        self._resources = resources
        self._token = token
        self._inner: list[BaseMessage] = []
        self._message_id = ""
        self._result: CreateResult | None = None
        self._results: list[FunctionExecutionResult] = []
        self.is_given_up = False
        """Whether it writes nothing into the context any more: the agent has gone on without it, or begun anew."""
        self.received: Sequence[BaseChatMessage] | None = None
        """What it began with, once that is in the context."""

    async def start(self, messages: Sequence[BaseChatMessage]) -> Response | AsyncGenerator[Step, None]:
        """The response, where there is nothing else to tell; and else all that happens, the response last."""
        resources = self._resources
        if resources.streams or resources.memory:
            return self.steps(messages)
        client = resources.client
        if (history := resources.context.whole()) is None:
            await add_to_context(resources.context, messages)
        else:
            history.extend(as_heard(messages))
        self.received = messages
        self._message_id = effects.current().new_id()
        if history is not None and resources.is_bare:
            result = await client.create(self._all_of(history), cancellation_token=self._token)
        else:
            shown, tools, wanted = await self._question(history, may_call_tools=True)
            result = await client.create(shown, tools=tools, json_output=wanted, cancellation_token=self._token)
        text = result.content
        if not isinstance(text, str) or result.thought is not None:
            self._result = result
            return self.steps(messages)
        if (history := resources.context.whole()) is None:
            await self._remember(result)
        else:
            history.append(assistant_message(text, resources.name))
        if resources.answer_format is None:
            answer = text_said(text, resources.name, result.usage, self._message_id)
        else:
            answer = self._answer(text, result, self._message_id)
        return Response(chat_message=answer, inner_messages=self._inner)

    async def steps(self, messages: Sequence[BaseChatMessage]) -> AsyncGenerator[Step, None]:
        """All that happens, the response last; goes on where `start` ended."""
        if self.received is None:
            await add_to_context(self._resources.context, messages)
            self.received = messages
            async with aclosing(self._recall()) as events:
                async for event in events:
                    yield event
            self._message_id = effects.new_id()
        executed: list[tuple[FunctionCall, FunctionExecutionResult]] = []
        for _ in range(self._resources.max_rounds):
            if self._resources.streams:
                async with aclosing(self._write(self._message_id, may_call_tools=True)) as chunks:
                    async for chunk in chunks:
                        yield chunk
            elif self._result is None:
                self._result = await self._ask(may_call_tools=True)
            result, self._result = self._answered(), None
            if result.thought:  # it takes the id that the chunks named
                yield self._note(ThoughtEvent(content=result.thought, source=self._resources.name, id=self._message_id))
                self._message_id = effects.new_id()
            if isinstance(result.content, str):
                await self._remember(result)
                yield self._respond(self._answer(result.content, result, self._message_id))
                return
            yield self._note(made(ToolCallRequestEvent, self._resources.name, result.usage, content=[*result.content]))
            async with aclosing(self._call_tools(result, result.content)) as steps:
                async for step in steps:
                    yield step
            executed = list(zip(result.content, self._results, strict=True))
            if (handoff := self._hand_over(result, executed)) is not None:
                yield self._respond(handoff)
                return
        async with aclosing(self._conclude(executed)) as steps:
            async for step in steps:
                yield step

    async def _recall(self) -> AsyncGenerator[BaseMessage, None]:
        """Let the memories add to the context."""
        for memory in self._resources.memory:
            found = await memory.update_context(self._resources.context)
            if found and found.memories.results:  # a memory of a script may give nothing at all
                yield self._note(MemoryQueryEvent(content=found.memories.results, source=self._resources.name))

    async def _call_tools(self, request: CreateResult, calls: Sequence[FunctionCall]) -> AsyncGenerator[Step, None]:
        """Make the calls; their results are in `_results` afterwards.

        The context takes up the request together with its results. When the calls are broken off, those that gave none
        have one that says so: what they have done in the world is done, and the model should know. A handoff is only
        made with the message that follows.
        """
        finished: dict[int, FunctionExecutionResult] = {}
        toolbox, handoffs = self._resources.toolbox, self._resources.handoffs
        is_done, hands_over = False, bool(handoffs) and any([call.name in handoffs for call in calls])
        try:
            events = await toolbox.run_quiet(calls, self._token, finished)
            if toolbox.tell(calls):
                async with aclosing(toolbox.run_telling(calls, self._token, finished)) as items:
                    async for item in items:
                        yield self._note(item) if item.is_kept else item
            self._results = [finished[index] for index in range(len(calls))]
            if not hands_over:
                is_done = True
                await self._add_to_context(request, self._results)
            for event in events:
                yield self._note(event) if event.is_kept else event
            yield self._note(made(ToolCallExecutionEvent, self._resources.name, content=[*self._results]))
            if hands_over:
                is_done = True
                await self._add_to_context(request, self._results)
        finally:
            if not is_done and not self.is_given_up:
                # Handoffs among the calls were not made.
                found = [None if call.name in handoffs else finished.get(index) for index, call in enumerate(calls)]
                await self._add_to_context(
                    request, [result or broken_off(call) for call, result in zip(calls, found, strict=True)]
                )

    async def _conclude(
        self, executed: Sequence[tuple[FunctionCall, FunctionExecutionResult]]
    ) -> AsyncGenerator[Step, None]:
        """Answer after the last round of tools: by a reflection on the results, or by the results themselves."""
        if not self._resources.reflects:
            yield self._respond(self._summary(executed))
            return
        message_id = effects.new_id()
        if self._resources.streams:
            async with aclosing(self._write(message_id, may_call_tools=False)) as chunks:
                async for chunk in chunks:
                    yield chunk
        else:
            self._result = await self._ask(may_call_tools=False)
        result = self._answered()
        if not isinstance(result.content, str):
            raise NoReflection("Reflect on tool use produced no valid text response.")
        if result.thought:
            yield self._note(ThoughtEvent(content=result.thought, source=self._resources.name))
        await self._remember(result)
        yield self._respond(self._answer(result.content, result, message_id))

    async def _write(self, message_id: str, *, may_call_tools: bool) -> AsyncGenerator[Step, None]:
        """Call the model once, giving its answer in pieces; the whole is in `_result` afterwards."""
        resources, self._result = self._resources, None
        shown, tools, wanted = await self._question(resources.context.whole(), may_call_tools=may_call_tools)
        stream = resources.client.create_stream(
            shown,
            tools=tools,
            tool_choice="auto" if may_call_tools else "none",
            json_output=wanted,
            cancellation_token=self._token,
        )
        async with aclosing(stream) as items:
            async for item in items:
                if isinstance(item, str):
                    yield ModelClientStreamingChunkEvent(
                        content=item, source=resources.name, full_message_id=message_id
                    )
                else:
                    self._result = whole_answer(item)

    async def _ask(self, *, may_call_tools: bool) -> CreateResult:
        """Call the model once for a whole answer."""
        resources = self._resources
        shown, tools, wanted = await self._question(resources.context.whole(), may_call_tools=may_call_tools)
        return await resources.client.create(
            shown,
            tools=tools,
            tool_choice="auto" if may_call_tools else "none",
            json_output=wanted,
            cancellation_token=self._token,
        )

    async def _question(self, history: History | None, *, may_call_tools: bool) -> Question:
        """What the agent asks its model, of its whole history where that is known."""
        resources = self._resources
        if history is not None:
            shown = self._all_of(history)
        else:
            shown = await resources.context.shown_after(self._system())
            if not resources.client.info["vision"] and hold_parts(shown):
                shown = without_images(shown)
        tools = await resources.toolbox.schemas() if may_call_tools and not resources.toolbox.is_empty else ()
        return shown, tools, resources.answer_format.content_model if resources.answer_format else None

    def _all_of(self, history: History) -> Sequence[LLMMessage]:
        """A whole history as the model is shown it."""
        resources = self._resources
        shown = Prompt(resources.system if resources.is_bare else self._system(), history)
        return without_images(shown) if not resources.client.info["vision"] and history.holds_parts() else shown

    def _system(self) -> Sequence[SystemMessage]:
        resources = self._resources
        return with_variables(resources.system) if resources.system_holds_variables else resources.system

    def _answered(self) -> CreateResult:
        # Clients of the studio see to this themselves; that of a script may end its stream early.
        if self._result is None:
            raise NoFinalResult("No final model result in streaming mode.")
        return self._result

    async def _add_to_context(self, request: CreateResult, results: list[FunctionExecutionResult]) -> None:
        await self._resources.context.add_messages(
            (self._as_said(request), FunctionExecutionResultMessage.of_results(results)),
        )

    async def _remember(self, result: CreateResult) -> None:
        await self._resources.context.add_message(self._as_said(result))

    def _as_said(self, result: CreateResult) -> AssistantMessage:
        content, thought = result.content, result.thought
        if isinstance(content, str):
            return AssistantMessage(content=content, thought=thought, source=self._resources.name)
        return AssistantMessage.of_calls(content, thought, self._resources.name)

    def _note(self, event: BaseMessage) -> BaseMessage:
        self._inner.append(event)
        return event

    def _respond(self, message: BaseChatMessage) -> Response:
        return Response(chat_message=message, inner_messages=self._inner)

    def _answer(self, text: str, result: CreateResult, message_id: str) -> BaseChatMessage:
        name, answer_format = self._resources.name, self._resources.answer_format
        if answer_format is not None:
            return answer_format.message(text, source=name, usage=result.usage, message_id=message_id)
        return text_said(text, name, result.usage, message_id)

    def _summary(self, executed: Sequence[tuple[FunctionCall, FunctionExecutionResult]]) -> ToolCallSummaryMessage:
        done = [(call, result) for call, result in executed if call.name not in self._resources.handoffs]
        return ToolCallSummaryMessage(
            content="\n".join(self._resources.summary_of(call, result) for call, result in done),
            source=self._resources.name,
            tool_calls=[call for call, _ in done],
            results=[result for _, result in done],
        )

    def _hand_over(
        self, result: CreateResult, executed: Sequence[tuple[FunctionCall, FunctionExecutionResult]]
    ) -> HandoffMessage | None:
        """The message for the first handoff among the calls; what the other tools gave travels with it."""
        handoffs, name = self._resources.handoffs, self._resources.name
        chosen = next((handoffs[call.name] for call, _ in executed if call.name in handoffs), None)
        if chosen is None:
            return None
        contents = [result.content for call, result in executed if call.name == chosen.name]
        others = [(call, result) for call, result in executed if call.name not in handoffs]
        context: list[LLMMessage] = []
        if others:
            calls = [call for call, _ in others]
            context.append(AssistantMessage(content=calls, thought=result.thought, source=name))
            context.append(FunctionExecutionResultMessage(content=[found for _, found in others]))
        elif result.thought:
            context.append(AssistantMessage(content=result.thought, source=name))
        return made(HandoffMessage, name, content=contents[-1], target=chosen.target, context=context)


class TurnHistory:
    """The turns of one agent. Only the newest may write into its context."""

    __slots__ = ("newest",)

    def __init__(self) -> None:
        self.newest: ModelTurn | None = None

    def begin(self, resources: AgentResources, token: CancellationToken) -> ModelTurn:
        """Begin the next one."""
        if (before := self.newest) is not None:
            before.is_given_up = True
        turn = self.newest = ModelTurn(resources, token)
        return turn

    def give_up(self) -> None:
        """Let the turn before write nothing any more, should it end late."""
        if self.newest is not None:
            self.newest.is_given_up = True


async def add_to_context(context: ChatCompletionContext, messages: Sequence[BaseChatMessage]) -> None:
    """Tell a model context what was said."""
    await context.add_messages(as_heard(messages))
