"""The config of Anthropic clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.components import DefaultEnv, JsonObject, SecretRef
from studio.models.fields import ADVANCED, Abilities, AnswerTokens, Headers, RequestLimit, Retries, TopP
from studio.models.info import KnownInfo, known_info
from studio.models.service import ServiceClient

LONGEST_ANSWER = 4096
"""Tokens of an answer where the config leaves it open; the service demands a number."""
_USUAL_TEMPERATURE = 1.0
"""The service's own default; not sent, because some models take no temperature at all."""
_CREATE_FIELDS = ("top_p", "top_k", "stop_sequences", "metadata", "tools", "tool_choice")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class Thinking(_Part):
    """Whether the model thinks before it answers."""

    type: Annotated[Literal["enabled", "disabled", "adaptive"], Field(title="Thinking")]
    budget_tokens: Annotated[
        int | None, Field(ge=1024, title="Most tokens of thought", description="Less than the longest answer.")
    ] = None


class AnswerFormat(_Part):
    """What the answer is written in."""

    type: Annotated[Literal["text", "json_object"], Field(title="Format")]


class BedrockInfo(_Part):
    """Where and as whom Bedrock is asked."""

    aws_access_key: Annotated[SecretRef, DefaultEnv("AWS_ACCESS_KEY_ID"), Field(title="Access key")]
    aws_secret_key: Annotated[SecretRef, DefaultEnv("AWS_SECRET_ACCESS_KEY"), Field(title="Secret key")]
    aws_session_token: Annotated[SecretRef | None, DefaultEnv("AWS_SESSION_TOKEN"), Field(title="Session token")] = None
    aws_region: Annotated[str, Field(min_length=1, title="Region", examples=["us-east-1"])]


class AnthropicFields(ServiceClient):
    """The config that both Anthropic clients have."""

    model: Annotated[
        str,
        Field(
            min_length=1, title="Model", examples=["claude-sonnet-5-5"], json_schema_extra={"x-service": "anthropic"}
        ),
    ]
    api_key: Annotated[
        SecretRef | None,
        DefaultEnv("ANTHROPIC_API_KEY"),
        Field(title="API key", description="Where the key is kept: `env:NAME` or `secret:name`; never the key itself."),
    ] = None
    temperature: Annotated[
        float | None, Field(ge=0, le=1, title="Temperature", description="0 is steady, 1 is usual.")
    ] = _USUAL_TEMPERATURE
    max_tokens: AnswerTokens = LONGEST_ANSWER
    thinking: Annotated[
        Thinking | None,
        Field(title="Thinking", description="A temperature is not used while the model thinks."),
    ] = None
    top_p: TopP = None
    top_k: Annotated[int | None, Field(ge=0, title="Top k", json_schema_extra=ADVANCED)] = None
    stop_sequences: Annotated[list[str] | None, Field(title="Stop at", json_schema_extra=ADVANCED)] = None
    response_format: Annotated[AnswerFormat | None, Field(title="Response format", json_schema_extra=ADVANCED)] = None
    metadata: Annotated[
        dict[str, str] | None,
        Field(title="Metadata", description="Told to the service, such as `user_id`.", json_schema_extra=ADVANCED),
    ] = None
    base_url: Annotated[
        str | None,
        Field(
            title="Base URL",
            description="Of a gateway; empty is the service itself.",
            json_schema_extra={"x-service": "anthropic"},
        ),
    ] = None
    timeout: RequestLimit = None
    max_retries: Retries = None
    model_info: Abilities = None
    default_headers: Headers = None
    tools: Annotated[
        list[dict[str, JsonValue]] | None,
        Field(
            title="Tools of the service",
            description="Beside those of the agent, as Anthropic's API writes them.",
            json_schema_extra=ADVANCED,
        ),
    ] = None
    tool_choice: Annotated[
        Literal["auto", "any", "none"] | dict[str, JsonValue] | None,
        Field(title="Tool choice", description="For the tools of the service.", json_schema_extra=ADVANCED),
    ] = None

    def known_abilities(self) -> KnownInfo:
        return known_info(self.model, native=True)

    def create_arguments(self) -> JsonObject:
        given: JsonObject = {name: getattr(self, name) for name in _CREATE_FIELDS}
        given["thinking"] = self.thinking.model_dump(exclude_none=True) if self.thinking else None
        given["response_format"] = self.response_format.type if self.response_format else None
        given["temperature"] = None if self.temperature == _USUAL_TEMPERATURE else self.temperature
        fixed: JsonObject = {"model": self.model, "max_tokens": self.max_tokens or LONGEST_ANSWER}
        return {**fixed, **{name: value for name, value in given.items() if value is not None}}

    def _headers(self) -> Mapping[str, str] | None:
        return self.default_headers
