"""Fields that several clients have in common, each with its words and bounds."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from studio.components import JsonObject
from studio.models.info import KnownInfo, ModelInfo

ADVANCED: JsonObject = {"x-advanced": True}
"""Marks fields that a form may fold away."""

Abilities = Annotated[
    ModelInfo | None,
    Field(
        title="Model capabilities",
        description="AutoGen's `model_info`. Empty: known from the model's name.",
        exclude_if=lambda info: isinstance(info, KnownInfo),
        json_schema_extra=ADVANCED,
    ),
]
AnswerTokens = Annotated[int | None, Field(ge=1, description="Upper bound on the length of one answer.")]
FrequencyPenalty = Annotated[
    float | None,
    Field(ge=-2, le=2, description="Positive values make repeated words less likely.", json_schema_extra=ADVANCED),
]
Headers = Annotated[
    dict[str, str] | None,
    Field(
        description="HTTP headers sent with each request. A value may reference a secret: `env:NAME`.",
        json_schema_extra=ADVANCED,
    ),
]
PresencePenalty = Annotated[
    float | None,
    Field(ge=-2, le=2, description="Positive values make new topics more likely.", json_schema_extra=ADVANCED),
]
RequestLimit = Annotated[
    float | None,
    Field(gt=0, description="For one request, in seconds. Empty: 600.", json_schema_extra=ADVANCED),
]
ResponseFormat = Annotated[
    dict[str, JsonValue] | None,
    Field(
        description='Format of the answer, such as {"type": "json_object"}. Empty: text.', json_schema_extra=ADVANCED
    ),
]
Retries = Annotated[
    int | None,
    Field(
        ge=0, le=20, description="Retries after overload and lost connections. Empty: 2.", json_schema_extra=ADVANCED
    ),
]
Seed = Annotated[
    int | None,
    Field(description="Makes sampling repeatable where the provider supports it.", json_schema_extra=ADVANCED),
]
StopSequences = Annotated[
    list[str] | None,
    Field(title="Stop sequences", description="The model stops before any of these texts.", json_schema_extra=ADVANCED),
]
TopP = Annotated[
    float | None,
    Field(
        ge=0,
        le=1,
        description="Sample only from the most likely tokens whose probabilities add up to this.",
        json_schema_extra=ADVANCED,
    ),
]
