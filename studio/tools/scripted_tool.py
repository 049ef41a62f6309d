"""The scripted tool: gives the result that its author wrote, and touches nothing."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from studio.components import JsonObject
from studio.errors import ToolFailed
from studio.messages import ToolSchema
from studio.models.schema_model import parameters_of
from studio.tools.base import BaseTool, ToolReturn


class ScriptedTool(BaseTool):
    """Returns the same result for any arguments. For demos and tests."""

    provider = "studio.tools.ScriptedTool"
    keywords = "mock fake test demo fixed result"
    positional = ("name", "result", "description", "parameters", "is_error")

    name: Annotated[
        str, Field(min_length=1, description="Name of the tool, as the model sees it.", examples=["get_weather"])
    ]
    description: Annotated[
        str,
        Field(description="Tells the model what the tool does.", json_schema_extra={"x-multiline": True}),
    ] = ""
    parameters: Annotated[
        dict[str, JsonValue],
        Field(
            description="JSON schema of the arguments that the model fills in; an object.",
            json_schema_extra={"x-multiline": True, "x-language": "json"},
        ),
    ] = {"type": "object", "properties": {}}
    result: Annotated[
        str,
        Field(
            description="Returned by each call.",
            max_length=1_000_000,
            examples=["Sunny, 21 °C."],
            json_schema_extra={"x-multiline": True},
        ),
    ]
    is_error: Annotated[bool, Field(description="Each call fails, with the result as its error.")] = False

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        return ToolSchema(
            name=self.name,
            description=self.description,
            parameters=parameters_of(self.parameters),
            strict=False,
        )

    @property
    def is_safe_to_repeat(self) -> bool:
        return True

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        del arguments
        if self.is_error:
            raise ToolFailed(self.result)
        return ToolReturn(self.result, self.result)
