"""What a model must be able to do for a call; otherwise the call is refused before anything is sent."""

from __future__ import annotations

import re
from typing import Literal

from studio.errors import ConfigError, ModelRefused
from studio.models.info import ModelInfo

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_Ability = Literal["vision", "function_calling", "json_output", "structured_output"]
_REFUSALS: dict[_Ability, tuple[str, str]] = {
    "vision": (
        "The conversation contains an image, but the model does not support vision.",
        "Choose another model, or set “Vision” under “Model capabilities” if it does.",
    ),
    "function_calling": (
        "The agent has tools, but the model does not support function calling.",
        "Choose another model, or set “Function calling” under “Model capabilities” if it does.",
    ),
    "json_output": (
        "The model does not support JSON output.",
        "Set “JSON output” under “Model capabilities” if it does.",
    ),
    "structured_output": (
        "The model does not support structured output.",
        "Set “Structured output” under “Model capabilities” if it does.",
    ),
}


def require(info: ModelInfo, ability: _Ability) -> None:
    """Refuse what the model cannot do.

    Raises:
        ModelRefused: The model's info says that it cannot.
    """
    if not info[ability]:
        what, fix = _REFUSALS[ability]
        raise ModelRefused(what, fix=fix)


def tool_name(name: str) -> str:
    """The name, if services take it.

    Raises:
        ConfigError: They do not.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"The tool name {name!r} cannot be sent to the model.", fix="Use at most 64 letters, digits, `_` and `-`."
        )
    return name
