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
        title="Abilities",
        description="What the model can do; known for usual names.",
        exclude_if=lambda info: isinstance(info, KnownInfo),
        json_schema_extra=ADVANCED,
    ),
]
AnswerTokens = Annotated[int | None, Field(ge=1, title="Longest answer (tokens)")]
FrequencyPenalty = Annotated[float | None, Field(ge=-2, le=2, title="Frequency penalty", json_schema_extra=ADVANCED)]
Headers = Annotated[
    dict[str, str] | None,
    Field(title="HTTP headers", description="A value may name a secret: `env:NAME`.", json_schema_extra=ADVANCED),
]
PresencePenalty = Annotated[float | None, Field(ge=-2, le=2, title="Presence penalty", json_schema_extra=ADVANCED)]
RequestLimit = Annotated[
    float | None,
    Field(gt=0, title="Time limit (s)", description="For one request; 600 when left out.", json_schema_extra=ADVANCED),
]
ResponseFormat = Annotated[dict[str, JsonValue] | None, Field(title="Response format", json_schema_extra=ADVANCED)]
Retries = Annotated[
    int | None,
    Field(
        ge=0,
        le=20,
        title="Retries",
        description="After overload and lost connections; 2 when left out.",
        json_schema_extra=ADVANCED,
    ),
]
Seed = Annotated[
    int | None,
    Field(title="Seed", description="Makes answers repeat, as far as it goes.", json_schema_extra=ADVANCED),
]
TopP = Annotated[float | None, Field(ge=0, le=1, title="Top p", json_schema_extra=ADVANCED)]
