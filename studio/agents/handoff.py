"""Handing the conversation to somebody else, as a tool that the model calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from studio.components import PARTICIPANT_NAMES
from studio.messages import ToolSchema


class Handoff(BaseModel):
    """To whom an agent may hand over, and what its model reads about it. A bare name stands for all its defaults."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    target: Annotated[
        str,
        Field(description="Name of the agent, or of the user.", examples=["user"], json_schema_extra=PARTICIPANT_NAMES),
    ]
    description: Annotated[
        str, Field(description='When to hand off. The model reads it. Empty: "Handoff to NAME."')
    ] = ""
    name: Annotated[str, Field(description="Name of the tool, a word without spaces. Empty: transfer_to_NAME.")] = ""
    message: Annotated[str, Field(description="What the target reads. Empty: a standard sentence.")] = ""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        shown = {"x-part-title": "{owner} hands off to {target}"}
        target = {"x-label": "Target", "description": "Name of the agent, or of the user.", **PARTICIPANT_NAMES}
        name = {"type": "string", "title": "Name only", "examples": ["user"], **target, **shown}
        return {"anyOf": [name, {**handler(schema), "title": "Handoff", **shown}]}

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, value: object) -> object:
        if isinstance(value, str):
            value = {"target": value}
        if not isinstance(value, Mapping):
            return value
        given = dict(cast("Mapping[str, object]", value))
        target = given.get("target")
        usual = {
            "description": f"Handoff to {target}.",
            "name": f"transfer_to_{target}".lower(),
            "message": f"Transferred to {target}, adopting the role of {target} immediately.",
        }
        return {**given, **{name: text for name, text in usual.items() if not given.get(name)}}

    @field_validator("name")
    @classmethod
    def _is_identifier(cls, name: str, info: ValidationInfo) -> str:
        usual = f"transfer_to_{info.data.get('target')}".lower()  # a team's name may have spaces
        if not name.isidentifier() and name != usual:
            raise ValueError(f"Handoff name must be a valid identifier: {name}")
        return name

    @property
    def tool_schema(self) -> ToolSchema:
        """The tool as the model sees it; it takes no arguments."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
            "strict": True,
        }
