"""Chat models of Flowise as model clients."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import is_unset
from studio.importers.findings import NO_SETTING, Location, Report
from studio.importers.models import LANGCHAIN_SETTINGS, client, served

_SERVICES: Mapping[str, str] = {
    "chatOpenAI": "openai",
    "chatOpenAICustom": "openai",
    "azureChatOpenAI": "openai",
    "chatAnthropic": "anthropic",
    "chatGoogleGenerativeAI": "gemini",
    "chatOllama": "ollama",
    "groqChat": "groq",
    "chatMistralAI": "mistral",
    "chatDeepseek": "deepseek",
    "chatOpenRouter": "openrouter",
    "chatTogetherAI": "together_ai",
    "chatXAI": "xai",
}
_NAMES = ("modelName", "customModelName", "model", "customModel")
_ADDRESSES = ("basepath", "baseUrl", "baseURL", "azureOpenAIBasePath")
_WITHOUT_EFFECT = (
    "streaming",
    "allowImageUploads",
    "imageResolution",
    "credential",
    "FLOWISE_CREDENTIAL_ID",
    "keepAlive",
    "budgetTokens",
)
"""Settings that change nothing that is said, or nothing by themselves."""


def flowise_client(
    kind: str, inputs: Mapping[str, JsonValue], report: Report, place: Location, owner: str
) -> JsonObject:
    """The client of a chat model; keys are no part of an export, so it reads the usual environment variable.

    Args:
        kind: The node's name, such as `chatOpenAI`; empty where the flow has none.
        inputs: Its settings; an empty text is none.
    """
    given = {name: value for name, value in inputs.items() if not is_unset(value)}
    custom = given.get("customModelName") or given.get("customModel")
    name = custom or given.get("modelName") or given.get("model")
    service = _SERVICES.get(kind, kind)
    model = f"{service}/{name}" if isinstance(name, str) and service else None
    settings = {ours: _number(given[theirs]) for theirs, ours in LANGCHAIN_SETTINGS.items() if theirs in given}
    made = client(model, settings, report, place, owner)
    address = next((given[each] for each in _ADDRESSES if each in given), None)
    served(made, {"base_url": address, "api_type": "azure" if kind == "azureChatOpenAI" else ""}, report, place, owner)
    known = {
        *LANGCHAIN_SETTINGS,
        *_NAMES,
        *_ADDRESSES,
        *_WITHOUT_EFFECT,
        *(each for each in given if each.endswith("Model")),
    }
    for each in given:
        if each not in known:
            why = NO_SETTING
            report.add("dropped", place, f"Model setting `{each[:80]}` of {owner}", why, became=owner)
    return made


def _number(value: JsonValue) -> JsonValue:
    """A number, also where it is written as a text."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    if not math.isfinite(number):
        return value
    return int(number) if number.is_integer() and abs(number) < 1e12 and "." not in value else number
