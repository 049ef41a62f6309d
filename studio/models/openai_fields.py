"""The config of OpenAI clients: which fields there are, and how older files write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from studio.components import DefaultEnv, JsonObject, SecretRef
from studio.models.fields import (
    ADVANCED,
    Abilities,
    AnswerTokens,
    FrequencyPenalty,
    Headers,
    PresencePenalty,
    RequestLimit,
    ResponseFormat,
    Retries,
    Seed,
    TopP,
)
from studio.models.service import ServiceClient

_CREATE_FIELDS = (
    "frequency_penalty",
    "logit_bias",
    "max_tokens",
    "n",
    "presence_penalty",
    "response_format",
    "seed",
    "stop",
    "temperature",
    "top_p",
    "user",
    "parallel_tool_calls",
    "reasoning_effort",
)
"""Config fields that go into each request as they are."""


class OpenAIFields(ServiceClient):
    """The config that the OpenAI and Azure clients have in common."""

    model: Annotated[
        str,
        Field(
            min_length=1,
            description="Model name at the service.",
            examples=["gpt-4o-mini"],
            json_schema_extra={"x-service": "openai"},
        ),
    ]
    api_key: Annotated[
        SecretRef | None,
        DefaultEnv("OPENAI_API_KEY"),
        Field(description="Reference to the key: `env:NAME` or `secret:name`, never the key itself."),
    ] = None
    temperature: Annotated[
        float | None, Field(ge=0, le=2, description="0 is most deterministic; higher values vary more. Default 1.")
    ] = None
    max_tokens: AnswerTokens = None
    top_p: TopP = None
    frequency_penalty: FrequencyPenalty = None
    presence_penalty: PresencePenalty = None
    seed: Seed = None
    stop: Annotated[
        str | list[str] | None,
        Field(
            title="Stop sequences", description="The model stops before any of these texts.", json_schema_extra=ADVANCED
        ),
    ] = None
    logit_bias: Annotated[
        dict[str, int] | None,
        Field(
            description="By token ID, from -100 to 100: makes tokens less or more likely.", json_schema_extra=ADVANCED
        ),
    ] = None
    n: Annotated[
        int | None,
        Field(
            ge=1, le=1, title="Choices (n)", description="The studio uses only the first.", json_schema_extra=ADVANCED
        ),
    ] = None
    response_format: ResponseFormat = None
    user: Annotated[
        str | None, Field(description="ID of your end user, sent to the service.", json_schema_extra=ADVANCED)
    ] = None
    stream_options: Annotated[
        dict[str, JsonValue] | None,
        Field(
            description="Options for streamed answers. Token usage is requested by default.", json_schema_extra=ADVANCED
        ),
    ] = None
    parallel_tool_calls: Annotated[
        bool | None, Field(description="Allow several tool calls in one answer.", json_schema_extra=ADVANCED)
    ] = None
    reasoning_effort: Annotated[
        Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None,
        Field(description="How long a reasoning model thinks before it answers.", json_schema_extra=ADVANCED),
    ] = None
    timeout: RequestLimit = None
    max_retries: Retries = None
    model_info: Abilities = None
    add_name_prefixes: Annotated[
        bool | None,
        Field(description='Begin each message with "NAME said:".', json_schema_extra=ADVANCED),
    ] = None
    include_name_in_message: Annotated[
        bool | None,
        Field(
            description="Send the author's name with each message. Some services reject it.", json_schema_extra=ADVANCED
        ),
    ] = None
    default_headers: Headers = None

    def create_arguments(self) -> JsonObject:
        given = {name: getattr(self, name) for name in _CREATE_FIELDS}
        return {"model": self.model, **{name: value for name, value in given.items() if value is not None}}

    def _headers(self) -> Mapping[str, str] | None:
        return self.default_headers
