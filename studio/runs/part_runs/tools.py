"""What can be done with a part that does not talk, as tools that a person calls: nothing of it is a component.

A memory is asked and told, a context shows what a model would see of a conversation, an executor runs code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self, cast

from pydantic import JsonValue, PrivateAttr

from studio.components import Component, JsonObject, load_component
from studio.contexts import ChatCompletionContext
from studio.errors import StudioError, ToolFailed
from studio.executors import CodeExecutor
from studio.memory import Memory
from studio.messages import (
    AssistantMessage,
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    CodeBlock,
    FunctionCall,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    Image,
    LLMMessage,
    MemoryContent,
    ParametersSchema,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    ToolSchema,
)
from studio.runs.part_runs.transcripts import read_conversation
from studio.tools import BaseTool, ToolReturn

LINES = "Lines like `writer: text`, or a JSON list of messages."


def _schema(name: str, description: str, properties: dict[str, JsonObject]) -> ToolSchema:
    required = [key for key, each in properties.items() if "default" not in each]
    parameters: JsonObject = {"type": "object", "properties": {**properties}, "required": [*required]}
    return ToolSchema(name=name, description=description, parameters=cast("ParametersSchema", parameters), strict=False)


class PartTool(BaseTool):
    """Base: one thing to do with a part. What that does are effects, so the call as a whole is none."""

    definition: ClassVar[ToolSchema]

    _part: Component = PrivateAttr()

    @classmethod
    def on(cls, part: Component) -> Self:
        """The tool for this part. It has no JSON of its own."""
        made = cls.model_construct()
        made._part = part
        return made

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        return self.definition

    async def call(
        self,
        arguments: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolReturn:
        del call_id
        try:
            return await self._do({name: str(value) for name, value in arguments.items()}, cancellation_token)
        except StudioError as error:
            raise ToolFailed(str(error)) from error

    async def _do(self, given: Mapping[str, str], token: CancellationToken | None) -> ToolReturn:
        raise NotImplementedError


class QueryMemory(PartTool):
    definition = _schema(
        "query",
        "Find relevant memories.",
        {"text": {"type": "string", "title": "Query", "default": "", "x-multiline": True}},
    )

    async def _do(self, given: Mapping[str, str], token: CancellationToken | None) -> ToolReturn:
        found = await cast("Memory", self._part).query(given.get("text", ""), token)
        contents: list[JsonValue] = [each.model_dump(mode="json") for each in found.results]
        lines = [str(each.content) for each in found.results]
        return ToolReturn(contents, "\n\n".join(lines) if lines else "No relevant memories.")

    async def stop(self) -> None:
        await cast("Memory", self._part).release()


class AddToMemory(PartTool):
    definition = _schema(
        "add",
        "Add a memory. A memory stored outside of the studio stays there.",
        {"text": {"type": "string", "title": "Content", "x-multiline": True}},
    )

    async def _do(self, given: Mapping[str, str], token: CancellationToken | None) -> ToolReturn:
        text = given.get("text", "")
        if not text.strip():
            raise ToolFailed("The memory is empty.")
        await cast("Memory", self._part).add(MemoryContent(content=text, mime_type="text/plain"), token)
        return ToolReturn(None, "Remembered.")


class ShowContext(PartTool):
    definition = _schema(
        "show",
        "Show what a model would see of a conversation.",
        {"conversation": {"type": "string", "title": "Conversation", "description": LINES, "x-multiline": True}},
    )

    async def _do(self, given: Mapping[str, str], token: CancellationToken | None) -> ToolReturn:
        del token
        said = [found for each in read_conversation(given.get("conversation", "")) if (found := _as_told(each))]
        fresh = load_component(self._part.dump_component(), ChatCompletionContext)
        first_count = len(await fresh.get_messages())
        await fresh.add_messages(said)
        seen = await fresh.get_messages()
        head = f"{len(seen)} of {len(said) + first_count} messages"
        shown: list[JsonValue] = [{"type": each.type, "content": _text_of(each)} for each in seen]
        return ToolReturn(shown, "\n".join([head, *(f"{_who(each)}: {_text_of(each)}" for each in seen)]))


class RunCode(PartTool):
    definition = _schema(
        "run",
        "Run a piece of code as an agent would.",
        {
            "code": {"type": "string", "title": "Code", "x-language": "python"},
            "language": {"type": "string", "title": "Language", "enum": ["python", "sh"], "default": "python"},
        },
    )

    async def _do(self, given: Mapping[str, str], token: CancellationToken | None) -> ToolReturn:
        block = CodeBlock(code=given.get("code", ""), language=given.get("language", "python"))
        result = await cast("CodeExecutor", self._part).execute_code_blocks([block], token)
        if result.exit_code != 0:
            raise ToolFailed(f"Exit code {result.exit_code}\n{result.output}")
        return ToolReturn({"exit_code": 0, "output": result.output}, result.output)

    async def stop(self) -> None:
        await cast("CodeExecutor", self._part).stop()


def tools_for(part: Component) -> Sequence[BaseTool]:
    """What can be done with a part that does not talk; nothing with others."""
    match part:
        case Memory():
            return (QueryMemory.on(part), AddToMemory.on(part), *part.tools())
        case ChatCompletionContext():
            return (ShowContext.on(part),)
        case CodeExecutor():
            return (RunCode.on(part),)
        case _:
            return ()


def _as_told(message: BaseMessage) -> LLMMessage | None:
    """A message as an agent's context gets it; None for what no model is shown."""
    match message:
        case BaseChatMessage():
            return message.to_model_message()
        case ToolCallRequestEvent():
            return AssistantMessage(content=message.content, source=message.source)
        case ToolCallExecutionEvent():
            return FunctionExecutionResultMessage(content=message.content)
        case _:
            return None


def _who(message: LLMMessage) -> str:
    return str(getattr(message, "source", "") or message.type.removesuffix("Message").lower())


def _text_of(message: LLMMessage) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    return " ".join(_part_text(each) for each in content)


def _part_text(part: str | Image | FunctionCall | FunctionExecutionResult) -> str:
    match part:
        case FunctionCall():
            return f"{part.name}({part.arguments})"
        case FunctionExecutionResult():
            return part.content
        case Image():
            return "[picture]"
        case str():
            return part
