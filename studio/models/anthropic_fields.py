"""The config of Anthropic clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.components import DefaultEnv, JsonObject, SecretRef
from studio.models.fields import ADVANCED, Abilities, AnswerTokens, Headers, RequestLimit, Retries, StopSequences, TopP
from studio.models.info import KnownInfo, known_info
from studio.models.service import ServiceClient

MAX_ANSWER = 4096
"""Tokens of an answer where the config leaves it open; the service demands a number."""
_USUAL_TEMPERATURE = 1.0
"""The service's own default; not sent, because some models take no temperature at all."""
_CREATE_FIELDS = ("top_p", "top_k", "stop_sequences", "metadata", "tools", "tool_choice")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class Thinking(_Part):
    """Whether the model thinks before it answers."""

    type: Annotated[
        Literal["enabled", "disabled", "adaptive"],
        Field(description="`adaptive`: the model decides how much to think."),
    ]
    budget_tokens: Annotated[
        int | None,
        Field(
            ge=1024,
            title="Thinking budget",
            description="Upper bound on thinking, in tokens. Must be below max tokens.",
        ),
    ] = None


class AnswerFormat(_Part):
    """What the answer is written in."""

    type: Annotated[Literal["text", "json_object"], Field(description="`json_object`: the answer is one JSON object.")]


class BedrockInfo(_Part):
    """Where and as whom Bedrock is asked."""

    aws_access_key: Annotated[
        SecretRef,
        DefaultEnv("AWS_ACCESS_KEY_ID"),
        Field(description="Reference to the access key ID: `env:NAME` or `secret:name`."),
    ]
    aws_secret_key: Annotated[
        SecretRef, DefaultEnv("AWS_SECRET_ACCESS_KEY"), Field(description="Reference to the secret access key.")
    ]
    aws_session_token: Annotated[
        SecretRef | None, DefaultEnv("AWS_SESSION_TOKEN"), Field(description="Only for temporary credentials.")
    ] = None
    aws_region: Annotated[str, Field(min_length=1, examples=["us-east-1"])]


class AnthropicFields(ServiceClient):
    """The config that both Anthropic clients have."""

    model: Annotated[
        str,
        Field(
            min_length=1,
            description="Model name at Anthropic.",
            examples=["claude-sonnet-5-5"],
            json_schema_extra={"x-service": "anthropic"},
        ),
    ]
    api_key: Annotated[
        SecretRef | None,
        DefaultEnv("ANTHROPIC_API_KEY"),
        Field(description="Reference to the key: `env:NAME` or `secret:name`, never the key itself."),
    ] = None
    temperature: Annotated[
        float | None, Field(ge=0, le=1, description="0 is most deterministic; higher values vary more. Default 1.")
    ] = _USUAL_TEMPERATURE
    max_tokens: AnswerTokens = MAX_ANSWER
    thinking: Annotated[
        Thinking | None,
        Field(description="Extended thinking before the answer. The temperature is not used with it."),
    ] = None
    top_p: TopP = None
    top_k: Annotated[
        int | None,
        Field(ge=0, description="Sample only from this many of the most likely tokens.", json_schema_extra=ADVANCED),
    ] = None
    stop_sequences: StopSequences = None
    response_format: Annotated[
        AnswerFormat | None, Field(description="Format of the answer. Empty: text.", json_schema_extra=ADVANCED)
    ] = None
    metadata: Annotated[
        dict[str, str] | None,
        Field(description="Sent to Anthropic, such as `user_id`.", json_schema_extra=ADVANCED),
    ] = None
    base_url: Annotated[
        str | None,
        Field(
            description="Address of a gateway. Empty: Anthropic's own API.",
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
            description="Server tools, as Anthropic's API writes them. The agent's tools are added.",
            json_schema_extra=ADVANCED,
        ),
    ] = None
    tool_choice: Annotated[
        Literal["auto", "any", "none"] | dict[str, JsonValue] | None,
        Field(description="Whether the model may or must use the server tools.", json_schema_extra=ADVANCED),
    ] = None

    def known_abilities(self) -> KnownInfo:
        return known_info(self.model, native=True)

    def create_arguments(self) -> JsonObject:
        given: JsonObject = {name: getattr(self, name) for name in _CREATE_FIELDS}
        given["thinking"] = self.thinking.model_dump(exclude_none=True) if self.thinking else None
        given["response_format"] = self.response_format.type if self.response_format else None
        given["temperature"] = None if self.temperature == _USUAL_TEMPERATURE else self.temperature
        fixed: JsonObject = {"model": self.model, "max_tokens": self.max_tokens or MAX_ANSWER}
        return {**fixed, **{name: value for name, value in given.items() if value is not None}}

    def _headers(self) -> Mapping[str, str] | None:
        return self.default_headers
