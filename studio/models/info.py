"""What is known about models by their names."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict


class ModelFamily:
    """Names of model families, as AutoGen writes them; `is_openai` decides the role of a selector's prompt."""

    GPT_5 = "gpt-5"
    GPT_41 = "gpt-41"
    GPT_45 = "gpt-45"
    GPT_4O = "gpt-4o"
    O1 = "o1"
    O3 = "o3"
    O4 = "o4"
    GPT_4 = "gpt-4"
    GPT_35 = "gpt-35"
    R1 = "r1"
    UNKNOWN = "unknown"

    @staticmethod
    def is_openai(family: str) -> bool:
        return family in _OPENAI_FAMILIES


_OPENAI_FAMILIES = frozenset(("gpt-5", "gpt-41", "gpt-45", "gpt-4o", "o1", "o3", "o4", "gpt-4", "gpt-35"))


@with_config(ConfigDict(extra="allow"))
class ModelInfo(TypedDict):
    """What a model can do."""

    vision: Annotated[bool, Field(title="Reads pictures")]
    function_calling: Annotated[bool, Field(title="Calls tools")]
    json_output: Annotated[bool, Field(title="Can answer in JSON")]
    family: Annotated[str, Field(title="Family", description="Such as `gpt-4o`; `unknown` is always right.")]
    structured_output: Annotated[bool, Field(title="Can answer by a schema")]
    multiple_system_messages: NotRequired[
        Annotated[bool | None, Field(title="Takes several system messages", description="Otherwise they are joined.")]
    ]


class KnownInfo(dict[str, object]):
    """A `ModelInfo` that follows from the model's name and is therefore not written into the config."""


class _Known(NamedTuple):
    prefix: str
    family: str
    context_tokens: int
    lacks: frozenset[str] = frozenset()


def _lacks(
    *names: Literal["vision", "function_calling", "json_output", "structured_output", "several"],
) -> frozenset[str]:
    return frozenset(names)


# The longest prefix that fits wins, so a dated name such as gpt-4o-2024-08-06 needs no entry of its own.
_KNOWN = (
    _Known("gpt-5", "gpt-5", 400_000),
    _Known("gpt-4.1", "gpt-41", 1_047_576),
    _Known("gpt-4.5", "gpt-45", 128_000),
    _Known("gpt-4o", "gpt-4o", 128_000),
    _Known("gpt-4o-2024-05-13", "gpt-4o", 128_000, _lacks("structured_output")),
    _Known("gpt-4o-search-preview", "gpt-4o", 128_000, _lacks("vision")),
    _Known("gpt-4o-mini-search-preview", "gpt-4o", 128_000, _lacks("vision")),
    _Known("gpt-4-turbo", "gpt-4", 128_000, _lacks("structured_output")),
    _Known("gpt-4-turbo-preview", "gpt-4", 128_000, _lacks("vision", "structured_output")),
    _Known("gpt-4", "gpt-4", 8_192, _lacks("vision", "structured_output")),
    _Known("gpt-4-32k", "gpt-4", 32_768, _lacks("vision", "structured_output")),
    _Known("gpt-3.5-turbo", "gpt-35", 16_385, _lacks("vision", "structured_output")),
    _Known("gpt-35-turbo", "gpt-35", 16_385, _lacks("vision", "structured_output")),
    _Known("o4-mini", "o4", 200_000),
    _Known("o3", "o3", 200_000),
    _Known("o3-mini", "o3", 200_000, _lacks("vision")),
    _Known("o1", "o1", 200_000, _lacks("vision", "json_output")),
    _Known("o1-mini", "o1", 128_000, _lacks("vision", "function_calling", "json_output", "structured_output")),
    _Known("gemini-1.5-flash", "gemini-1.5-flash", 1_048_576, _lacks("several")),
    _Known("gemini-1.5-pro", "gemini-1.5-pro", 2_097_152, _lacks("several")),
    _Known("gemini-2.0-flash", "gemini-2.0-flash", 1_048_576, _lacks("several")),
    _Known("gemini-2.5-pro", "gemini-2.5-pro", 1_048_576, _lacks("several")),
    _Known("gemini-2.5-flash", "gemini-2.5-flash", 1_048_576, _lacks("several")),
    _Known("claude-3-haiku", "claude-3-haiku", 200_000, _lacks("json_output", "structured_output")),
    _Known("claude-3-sonnet", "claude-3-sonnet", 200_000, _lacks("json_output", "structured_output")),
    _Known("claude-3-opus", "claude-3-opus", 200_000, _lacks("json_output", "structured_output")),
    _Known("claude-3-5-haiku", "claude-3-5-haiku", 200_000, _lacks("json_output", "structured_output")),
    _Known("claude-3-5-sonnet", "claude-3-5-sonnet", 200_000, _lacks("json_output", "structured_output")),
    _Known("claude-3-7-sonnet", "claude-3-7-sonnet", 200_000, _lacks("json_output", "structured_output")),
    _Known("claude-sonnet-4", "claude-4-sonnet", 200_000, _lacks("json_output", "structured_output")),
    _Known("claude-opus-4", "claude-4-opus", 200_000, _lacks("json_output", "structured_output")),
    _Known("Llama-3.3-8B", "llama-3.3-8b", 128_000, _lacks("vision", "structured_output")),
    _Known("Llama-3.3-70B", "llama-3.3-70b", 128_000, _lacks("vision", "structured_output")),
    _Known("Llama-4-Scout", "llama-4-scout", 128_000),
    _Known("Llama-4-Maverick", "llama-4-maverick", 128_000),
)

CONTEXT_TOKENS_UNKNOWN = 8_192
"""Context length assumed for a model that nobody here knows."""


def _find(model: str) -> _Known | None:
    fitting = [known for known in _KNOWN if model.startswith(known.prefix)]
    return max(fitting, key=lambda known: len(known.prefix), default=None)


def is_known(model: str) -> bool:
    """Whether anything is known about a model of this name."""
    return _find(model) is not None


def known_info(model: str) -> KnownInfo:
    """What a model of this name can do.

    An unknown name gets what nearly every server does today, tools and JSON mode, and nothing that fails when it is
    missing: no pictures, no answers by schema, one system message.
    """
    known = _find(model)
    if known is None:
        lacks, family = _lacks("vision", "structured_output", "several"), ModelFamily.UNKNOWN
    else:
        lacks, family = known.lacks, known.family
    return KnownInfo(
        vision="vision" not in lacks,
        function_calling="function_calling" not in lacks,
        json_output="json_output" not in lacks,
        family=family,
        structured_output="structured_output" not in lacks,
        multiple_system_messages="several" not in lacks,
    )


def context_tokens(model: str) -> int:
    """Length of the model's context in tokens."""
    known = _find(model)
    return known.context_tokens if known else CONTEXT_TOKENS_UNKNOWN
