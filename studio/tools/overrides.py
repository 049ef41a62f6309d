"""Other names and descriptions for tools, as the model sees them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field

from studio.messages import ToolSchema


class ToolOverride(BaseModel):
    """Another name or description for a tool, as the model sees it."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    name: Annotated[str | None, Field(description="Empty: the tool's own name.")] = None
    description: Annotated[
        str | None, Field(description="Empty: the tool's own description.", json_schema_extra={"x-multiline": True})
    ] = None


ToolOverrides = Annotated[
    dict[str, ToolOverride],
    Field(
        description="By a tool's own name: the name and description that the model sees instead.",
        json_schema_extra={"x-advanced": True},
    ),
]


def check_unique(overrides: Mapping[str, ToolOverride], own_names: Collection[str]) -> None:
    """See that no override makes two tools look alike.

    Raises:
        ValueError: Two overrides give one name, or one gives the own name of another tool.
    """
    seen: dict[str, str] = {}
    for original, override in overrides.items():
        name = override.name
        if not name or name == original:
            continue
        if name in own_names:
            raise ValueError(
                f"Tool override name '{name}' conflicts with existing tool name. "
                "Override names must not conflict with any tool names."
            )
        if name in seen:
            raise ValueError(
                f"Tool override name '{name}' is used by multiple tools: '{seen[name]}' and '{original}'. "
                "Override names must be unique."
            )
        seen[name] = original


def shown(schema: ToolSchema, overrides: Mapping[str, ToolOverride]) -> ToolSchema:
    """A tool as the model sees it."""
    override = overrides.get(schema["name"])
    if override is None:
        return schema
    changed = {key: value for key, value in (("name", override.name), ("description", override.description)) if value}
    return cast("ToolSchema", {**schema, **changed})


def original_name(name: str, overrides: Mapping[str, ToolOverride]) -> str:
    """The tool's own name for the one that the model sees; as in AutoGen the own name keeps working beside it."""
    return next((original for original, override in overrides.items() if override.name == name), name)
