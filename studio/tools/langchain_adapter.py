"""A tool of LangChain as one of ours."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import BaseModel, JsonValue, ModelWrapValidatorHandler, PrivateAttr, model_validator

from studio.components import Capability, JsonObject
from studio.messages import ToolSchema
from studio.messages.llm import ParametersSchema
from studio.models.schema_model import inlined
from studio.tools.base import BaseTool, ToolReturn, plain, text_of

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool as LangChainTool

ONLY_INPUT = "tool_input"
"""LangChain's name for the text that a tool without named arguments takes."""


class LangChainToolAdapter(BaseTool):
    """Calls a tool of LangChain. Only for scripts: it has no JSON, since it holds a live tool.

    The extra `langchain` installs `langchain-core`, from which all tools of LangChain derive.

    Args:
        langchain_tool: Any of LangChain's tools; one that has a coroutine is awaited, another gets a thread.
    """

    _tool: Any = PrivateAttr()
    _parameters: JsonObject = PrivateAttr(default_factory=dict[str, JsonValue])

    def __init__(self, langchain_tool: LangChainTool) -> None:
        super().__init__()
        self._tool = langchain_tool
        self._parameters = _parameters_of(langchain_tool)

    @model_validator(mode="wrap")
    @classmethod
    def _from_envelope(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        return handler(value)  # no envelope ever holds one

    @property
    def _langchain_tool(self) -> LangChainTool:
        return cast("LangChainTool", self._tool)

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        return ToolSchema(
            name=self._langchain_tool.name,
            description=self._langchain_tool.description,
            parameters=cast("ParametersSchema", self._parameters),
            strict=False,
        )

    def capabilities(self) -> Iterator[Capability]:
        kind = type(self._langchain_tool)
        detail = f"{kind.__module__}.{kind.__qualname__} {self._langchain_tool.name}"
        yield Capability("python", f"Runs the LangChain tool {self._langchain_tool.name!r} in this process.", detail)

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        # The public door, so that LangChain checks the arguments, calls back and handles errors as the tool says.
        value: object = await self._langchain_tool.ainvoke(cast("dict[str, Any]", arguments))
        return ToolReturn(plain(value), text_of(value))


def _parameters_of(tool: LangChainTool) -> JsonObject:
    from langchain_core.tools import Tool

    if isinstance(tool, Tool) and tool.args_schema is None:
        return _one_text(_only_parameter(tool.func or tool.coroutine))
    schema = cast("type[BaseModel] | JsonObject", tool.tool_call_schema)
    found = inlined(schema if isinstance(schema, dict) else cast("JsonObject", schema.model_json_schema()))
    return {
        "type": "object",
        "properties": found.get("properties", {}),
        "required": found.get("required", []),
        "additionalProperties": found.get("additionalProperties", False),
    }


def _one_text(name: str) -> JsonObject:
    properties: JsonObject = {name: {"title": name.replace("_", " ").capitalize(), "type": "string"}}
    return {"type": "object", "properties": properties, "required": [name], "additionalProperties": False}


def _only_parameter(function: object) -> str:
    """The name that a function of one text gives it; LangChain's own where it has none."""
    if not callable(function):
        return ONLY_INPUT
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    named = (item.name for item in inspect.signature(function).parameters.values() if item.kind in positional)
    return next(named, ONLY_INPUT)
