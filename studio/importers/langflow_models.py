"""Language models of Langflow as model clients."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import is_unset
from studio.importers.findings import NO_SETTING, Location, Report
from studio.importers.langflow_documents import GLOBAL
from studio.importers.models import client, served

_SERVICES: Mapping[str, str] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "ollama": "ollama",
    "chatollama": "ollama",
    "google": "gemini",
    "gemini": "gemini",
    "groq": "groq",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "openrouter": "openrouter",
    "together": "together_ai",
    "xai": "xai",
    "azure": "openai",
}
"""By how a provider's name, or the kind of its component, begins in small letters without spaces."""
_SETTINGS: Mapping[str, str] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "num_predict": "max_tokens",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "reasoning_effort": "reasoning_effort",
}
_NAMES = ("model_name", "model", "model_id", "azure_deployment")
_ADDRESSES = ("openai_api_base", "ollama_base_url", "base_url", "api_base", "azure_endpoint", "anthropic_api_url")
_LOST = ("model_kwargs", "json_mode", "system", "stop_tokens", "format", "mirostat", "top_k")
"""Settings that change answers and have no counterpart; others change nothing that is said."""
_DEFAULT_ADDRESSES = ("https://api.anthropic.com", "https://api.openai.com/v1", "https://us-south.ml.cloud.ibm.com")
_USUAL = "_API_KEY"
"""How the environment variables end that clients read by themselves."""


def langflow_client(
    kind: str, inputs: Mapping[str, JsonValue], report: Report, place: Location, owner: str
) -> JsonObject:
    """The client of a language model; it reads the usual environment variable for its key.

    Args:
        kind: The component's, such as `OpenAIModel` or `Agent`.
        inputs: Its fields; an empty text is none.
    """
    given = {name: value for name, value in inputs.items() if not is_unset(value)}
    provider, name = _chosen(given)
    service = _service(provider or kind)
    model = f"{service}/{name}" if name and service else f"{provider}/{name}" if name and provider else name
    zero = {each for each in ("max_tokens", "max_output_tokens", "num_predict") if given.get(each) == 0}
    settings = {ours: given[theirs] for theirs, ours in _SETTINGS.items() if theirs in given and theirs not in zero}
    made = client(model, settings, report, place, owner)
    address = next((given[each] for each in _ADDRESSES if each in given), None)
    is_azure = "azure" in (provider or kind).lower()
    known = address if address not in _DEFAULT_ADDRESSES else None
    served(made, {"base_url": known, "api_type": "azure" if is_azure else ""}, report, place, owner)
    for each in _LOST:
        if each in given and given[each] not in ("Disabled", "None"):
            why = NO_SETTING
            report.add("dropped", place, f"Model setting `{each}` of {owner}", why, became=owner)
    _tell_key(given, report, place, owner)
    return made


def _chosen(given: Mapping[str, JsonValue]) -> tuple[str, str | None]:
    """The provider and the name of the model, of which releases have several forms."""
    model = given.get("model")
    if isinstance(model, list) and model:
        model = model[0]
    if isinstance(model, dict):
        name, provider = model.get("name"), model.get("provider")
        return (provider if isinstance(provider, str) else "", name if isinstance(name, str) and name else None)
    named = next((given[each] for each in _NAMES if isinstance(given.get(each), str)), None)
    provider = next((given[each] for each in ("agent_llm", "provider") if isinstance(given.get(each), str)), "")
    return str(provider), named if isinstance(named, str) else None


def _service(provider: str) -> str:
    plain = provider.lower().replace(" ", "").replace("_", "")
    return next((ours for theirs, ours in _SERVICES.items() if plain.startswith(theirs)), "")


def _tell_key(given: Mapping[str, JsonValue], report: Report, place: Location, owner: str) -> None:
    """Say where a key is read, if it is not where the flow had it. It never comes along."""
    for name, value in given.items():
        if not name.endswith("api_key"):
            continue
        variable = value.get(GLOBAL) if isinstance(value, dict) else None
        if variable is None:
            why = "The file contains a key. It stays behind: the client reads the environment variable of its service."
            report.add("asked", place, f"Key of {owner}", why, fix="Set the environment variable.", became=owner)
        elif not str(variable).endswith(_USUAL):
            why = f"It is the global variable `{str(variable)[:80]}` there. The client reads that of its service."
            report.add("asked", place, f"Key of {owner}", why, fix="Set the environment variable.", became=owner)
