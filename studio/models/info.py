"""What is known about models by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from studio.models.spending import DEFAULT_MAX_OUTPUT_TOKENS

if TYPE_CHECKING:
    from studio.models.catalogue import Entry


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

    vision: Annotated[bool, Field(description="Accepts images.")]
    function_calling: Annotated[bool, Field(description="Can call tools.")]
    json_output: Annotated[bool, Field(description="Can answer with a JSON object.")]
    family: Annotated[str, Field(description="Such as `gpt-4o`. Use `unknown` if unsure.")]
    structured_output: Annotated[bool, Field(description="Can follow a JSON schema.")]
    multiple_system_messages: NotRequired[
        Annotated[bool | None, Field(description="Off: system messages are merged into one.")]
    ]


class KnownInfo(dict[str, object]):
    """A `ModelInfo` that follows from the model's name and is therefore not written into the config."""


def is_known(model: str) -> bool:
    """Whether anything is known about a model of this name."""
    return _entry_of(model) is not None


def known_info(model: str, *, native: bool = False) -> KnownInfo:
    """What a model of this name can do, by the catalogue.

    Args:
        model: The model's name.
        native: Whether it is asked through its maker's own API and not through an OpenAI-compatible one.
    """
    entry = _entry_or_guess(model)
    lacks = entry.native.lacks if native and entry.native else entry.lacks
    return KnownInfo(
        vision="vision" not in lacks,
        function_calling="tools" not in lacks,
        json_output="json" not in lacks,
        family=entry.family,
        structured_output="structured" not in lacks,
        multiple_system_messages="several_system" not in lacks,
    )


def max_output_tokens(model: str) -> int:
    """Tokens of the longest answer that the model can be asked for; a careful guess where nobody knows."""
    entry = _entry_of(model)
    return (entry and entry.max_output_tokens) or DEFAULT_MAX_OUTPUT_TOKENS


def context_tokens(model: str) -> int:
    """Length of the model's context in tokens."""
    return _entry_or_guess(model).context_tokens


def _entry_of(model: str) -> Entry | None:
    from studio.models.catalogue import find_entry  # a client that says what its model can do asks no catalogue

    return find_entry(model)


def _entry_or_guess(model: str) -> Entry:
    from studio.models.catalogue import model_catalogue

    return _entry_of(model) or model_catalogue().conservative
