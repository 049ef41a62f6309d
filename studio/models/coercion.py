"""Mends what other programs and older files write into the config of a model client."""

from __future__ import annotations

from pydantic import JsonValue

from studio.components import JsonObject, Warn

_CONSERVATIVE: dict[str, JsonValue] = {
    "vision": False,
    "function_calling": False,
    "json_output": False,
    "family": "unknown",
    "structured_output": False,
}


def complete_model_info(config: JsonObject, warn: Warn) -> JsonObject:
    """Fill what a `model_info` lacks, and read the older `model_capabilities` as one."""
    old, info = config.get("model_capabilities"), config.get("model_info")
    if isinstance(old, dict) and info is None:
        warn("`model_capabilities` is the old name of `model_info` and was read as it.", "/model_capabilities")
        info = old
    kept = {name: value for name, value in config.items() if name != "model_capabilities"}
    if not isinstance(info, dict):
        return kept
    if missing := [name for name in _CONSERVATIVE if name not in info]:
        warn(f"`model_info` lacks {', '.join(missing)}; taken as {_assumed(missing)}.", "/model_info")
    return {**kept, "model_info": {**_CONSERVATIVE, **info}}


def without_zero_limit(config: JsonObject, warn: Warn) -> JsonObject:
    """Read a time limit of zero, as programs write it that mean none, as if it were not there."""
    limit = config.get("timeout")
    if isinstance(limit, bool) or limit != 0:
        return config
    warn("`timeout` is 0; it is read as if it were not there.", "/timeout")
    return {name: value for name, value in config.items() if name != "timeout"}


def _assumed(names: list[str]) -> str:
    return ", ".join(dict.fromkeys("unknown" if name == "family" else "false" for name in names))
