"""Answers that follow a schema."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, cast

from pydantic import BaseModel, Field, JsonValue, PrivateAttr, ValidationError, field_validator, model_validator

from studio.components import Component
from studio.components.templates import unreadable
from studio.errors import ConfigError, RunFailed
from studio.messages import RequestUsage, StructuredMessage
from studio.models import model_from_schema


class InvalidAnswer(RunFailed, ValueError):
    """The model's answer does not follow the schema that its agent demands."""

    code = "invalid_answer"


class StructuredMessageFactory(Component):
    """The format of an agent's answers, as a JSON schema."""

    provider = "autogen_agentchat.messages.StructuredMessageFactory"
    aliases = (
        "autogen_agentchat.agents._assistant_agent.StructuredMessageFactory",
        "studio.agents.StructuredMessageFactory",
    )
    component_type: ClassVar[str] = "structured_message"
    positional = ("json_schema", "input_model", "format_string", "content_model_name")

    json_schema: Annotated[
        dict[str, JsonValue],
        Field(
            description="An object with properties.",
            examples=[{"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}],
            json_schema_extra={"x-language": "json"},
        ),
    ]
    format_string: Annotated[
        str | None,
        Field(description="How the answer is shown: text with {field} in it. Empty: JSON."),
    ] = None
    content_model_name: Annotated[
        str, Field(description="Name of the schema, as the model sees it.", examples=["Answer"])
    ] = "GeneratedContentModel"

    _given: type[BaseModel] | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        model = cast("type[BaseModel] | None", named.pop("input_model", None))
        if model is not None:
            named = {"content_model_name": model.__name__, **named, "json_schema": model.model_json_schema()}
        super().__init__(**named)
        self._given = model

    @model_validator(mode="after")
    def _check_schema(self) -> StructuredMessageFactory:
        if self.is_opaque:
            return self
        try:
            model_from_schema(self.json_schema, self.content_model_name)
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return self

    @field_validator("format_string")
    @classmethod
    def _has_places(cls, template: str | None) -> str | None:
        for problem in unreadable(template or ""):
            raise ValueError(f"The format string cannot be filled in: {problem}. Write braces of its own twice.")
        return template

    @cached_property
    def content_model(self) -> type[BaseModel]:
        """The Pydantic model of the answer."""
        return self._given or model_from_schema(self.json_schema, self.content_model_name)

    def message(self, text: str, *, source: str, usage: RequestUsage, message_id: str) -> StructuredMessage[BaseModel]:
        """Read the model's answer.

        Raises:
            InvalidAnswer: It is no JSON, or does not follow the schema.
        """
        model = self.content_model
        try:
            content = model.model_validate_json(text)
        except ValidationError as error:
            raise InvalidAnswer(_explain(error, source, model.__name__)) from error
        return StructuredMessage[model](
            content=content, source=source, models_usage=usage, format_string=self.format_string, id=message_id
        )


def _explain(error: ValidationError, source: str, model_name: str) -> str:
    details: list[Mapping[str, Any]] = list(error.errors(include_url=False))
    places = "; ".join(
        ": ".join(part for part in (".".join(str(step) for step in detail["loc"]), str(detail["msg"])) if part)
        for detail in details
    )
    return f"{source!r} did not answer as {model_name} demands. {places}."
