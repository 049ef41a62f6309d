"""Model clients by the names that sources give models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.components import component, config_of
from studio.importers.findings import Location, Report

OPENAI = "autogen_ext.models.openai.OpenAIChatCompletionClient"
ANTHROPIC = "autogen_ext.models.anthropic.AnthropicChatCompletionClient"
OLLAMA = "autogen_ext.models.ollama.OllamaChatCompletionClient"
DEFAULT_MODEL = "gpt-4.1"
"""Where a source names none."""
_INFO: JsonObject = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "family": "unknown",
    "structured_output": True,
}
_SERVICES: Mapping[str, tuple[str, str]] = {
    "gemini": ("https://generativelanguage.googleapis.com/v1beta/openai/", "GEMINI_API_KEY"),
    "groq": ("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "mistral": ("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "deepseek": ("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "openrouter": ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "together_ai": ("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "xai": ("https://api.x.ai/v1", "XAI_API_KEY"),
}
"""Services with OpenAI's API by the prefix that LiteLLM gives their models; addresses as of November 2026."""
SETTINGS = (
    "temperature",
    "top_p",
    "max_tokens",
    "frequency_penalty",
    "presence_penalty",
    "parallel_tool_calls",
    "reasoning_effort",
)
"""Settings of a client that sources have, too."""
LANGCHAIN_SETTINGS: Mapping[str, str] = {
    "temperature": "temperature",
    "topP": "top_p",
    "maxTokens": "max_tokens",
    "maxTokensToSample": "max_tokens",
    "maxOutputTokens": "max_tokens",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "reasoningEffort": "reasoning_effort",
}
"""The same under the names of LangChain's JavaScript, which Flowise and n8n have."""
_RANGES: Mapping[str, tuple[float, float]] = {
    "temperature": (0, 2),
    "top_p": (0, 1),
    "max_tokens": (1, 10_000_000),
    "frequency_penalty": (-2, 2),
    "presence_penalty": (-2, 2),
}
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


def is_openai(model: str) -> bool:
    """Whether OpenAI serves a model of this name."""
    return model.startswith(("gpt-", "o1", "o3", "o4", "chatgpt-"))


def client(
    model: str | None, settings: Mapping[str, JsonValue], report: Report, place: Location, owner: str
) -> JsonObject:
    """The client of a model.

    Args:
        model: As the source has it; None where it has none that can be read.
        settings: Those of `SETTINGS` that the source gives; others are told as dropped.
        report: Is told what is not imported.
        place: Where the model is named.
        owner: The agent, for the report.
    """
    kept = {name: value for name, value in settings.items() if name in SETTINGS and _fits(name, value)}
    _lost({name: value for name, value in settings.items() if value is not None}, kept, report, place, owner)
    if not model:
        asked_for_model(report, place, owner)
        return component(OPENAI, model=DEFAULT_MODEL, **kept)
    service, _, name = model.removeprefix("litellm/").partition("/")
    if not name:
        service, name = "", service
    if is_openai(name) and service in ("", "openai"):
        return component(OPENAI, model=name, **kept)
    if service == "anthropic" or (not service and name.startswith("claude-")):
        taken: JsonObject = {each: kept[each] for each in ("temperature", "top_p", "max_tokens") if each in kept}
        if isinstance(taken.get("temperature"), int | float) and cast("float", taken["temperature"]) > 1:
            del taken["temperature"]
        _lost(kept, taken, report, place, owner)
        return component(ANTHROPIC, model=name, **taken)
    if service == "ollama":
        options: JsonObject = {each: kept[each] for each in ("temperature", "top_p") if each in kept}
        _lost(kept, options, report, place, owner)
        return component(OLLAMA, model=name, model_info=_INFO, **({"options": options} if options else {}))
    if service in _SERVICES:
        address, key = _SERVICES[service]
        return component(OPENAI, model=name, base_url=address, api_key=f"env:{key}", model_info=_INFO, **kept)
    if service == "openai":
        what, model, fix = f"OpenAI's model {name!r}", name, "Choose the model, or say what it can do."
    else:
        what, fix = f"The service of the model {model!r}", "Choose the service and the model."
    report.add("asked", place, f"Model of {owner}", f"{what} is not known here.", fix=fix, became=owner)
    return component(OPENAI, model=model, model_info=_INFO, **kept)


def _lost(
    given: Mapping[str, JsonValue], kept: Mapping[str, JsonValue], report: Report, place: Location, owner: str
) -> None:
    for name in given:
        if name not in kept:
            why = "Team Studio has no such setting, or does not allow this value."
            report.add("dropped", place, f"Model setting `{name}` of {owner}", why, became=owner)


def is_local(address: str) -> bool:
    """Whether an address is one of this machine."""
    return re.match(r"https?://(?:localhost|127\.0\.0\.1)(?::[0-9]+)?(?:/|\Z)", address) is not None


def compatible(
    model: str, settings: Mapping[str, JsonValue], report: Report, place: Location, owner: str
) -> JsonObject:
    """The client of a model with OpenAI's API at an address of its own; the arguments are those of `client`."""
    kept = {name: value for name, value in settings.items() if name in SETTINGS and _fits(name, value)}
    _lost({name: value for name, value in settings.items() if value is not None}, kept, report, place, owner)
    return component(OPENAI, model=model, model_info=_INFO, **kept)


def served(made: JsonObject, entry: Mapping[str, JsonValue], report: Report, place: Location, owner: str) -> None:
    """Let a client ask the address of an entry of AutoGen's `config_list`, where that is on this machine.

    Keys would go to any other address that a file names, so a person has to enter it.
    """
    address, what = entry.get("base_url"), f"Model of {owner or 'the group chat'}"
    if str(entry.get("api_type") or "").startswith("azure"):
        why = "It is served by Azure there; endpoint and deployment are not imported."
        report.add("asked", place, what, why, fix="Choose it again.", became=owner)
    elif isinstance(address, str) and is_local(address):
        if made["provider"] == OPENAI:
            config_of(made)["base_url"] = address
    elif isinstance(address, str) and address and not address.startswith("https://api.openai.com/"):
        why = f"It is served at {address}, which is not imported."
        report.add("asked", place, what, why, fix="Enter the address and the key.", became=owner)


def asked_for_model(report: Report, place: Location, owner: str) -> None:
    """Say that the source names no model."""
    why = f"The source names no model, so it is {DEFAULT_MODEL}."
    report.add("asked", place, f"Model of {owner}", why, fix="Choose a model.", became=owner)


def _fits(name: str, value: JsonValue) -> bool:
    if name == "reasoning_effort":
        return value in _EFFORTS
    if name == "parallel_tool_calls":
        return isinstance(value, bool)
    low, high = _RANGES[name]
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
