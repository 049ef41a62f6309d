"""Model clients that AutoGen's scripts make from more than their fields, such as a credential of Azure's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any, cast
from warnings import warn

from pydantic import BaseModel, JsonValue, PrivateAttr, SecretStr

from studio import models as ours
from studio.autogen.compat_base import Freed
from studio.autogen.configs import GITHUB_MODELS_ENDPOINT
from studio.autogen.core_runtime import OLLAMA_VALID_CREATE_KWARGS_KEYS
from studio.autogen.services import FreedOpenAIClient, FreedServiceClient
from studio.components import JsonObject, SecretRef
from studio.models.azure_token import TokenProvider
from studio.models.schema_model import inlined

AZURE_AI_SCOPE = "https://ml.azure.com/.default"
ONLY_MODEL = "unknown"
"""Stands for the name of an endpoint's one model, which is not sent."""
OLLAMA_OPTIONS = frozenset(
    (
        *("temperature", "top_p", "top_k", "repeat_penalty", "frequency_penalty", "presence_penalty", "mirostat"),
        *("mirostat_eta", "mirostat_tau", "seed", "num_ctx", "num_predict", "num_gpu", "stop", "tfs_z", "typical_p"),
    )
)
"""Of a model; they may be given beside its name."""
OLLAMA_REQUEST = ("format", "keep_alive", "think")
"""Arguments of each request that may be given beside the model's name, too; they are not written into its JSON."""


class OllamaChatCompletionClient(
    FreedServiceClient, ours.OllamaChatCompletionClient, stands_for=ours.OllamaChatCompletionClient
):
    """Takes options of the model beside its name, and what else goes into each request; unknown ones are left out."""

    provider = ours.OllamaChatCompletionClient.provider
    aliases = ours.OllamaChatCompletionClient.aliases

    _beside: JsonObject = PrivateAttr(default_factory=dict[str, JsonValue])

    def __init__(self, *args: Any, **data: Any) -> None:
        wanted = data.get("response_format")
        if isinstance(wanted, type) and issubclass(wanted, BaseModel):
            warn(self._format_is_old, DeprecationWarning, stacklevel=2)
            data["response_format"] = inlined(cast("JsonObject", wanted.model_json_schema()))
        options = {name: data.pop(name) for name in tuple(data) if name in OLLAMA_OPTIONS}
        if options:
            data["options"] = {**(data.get("options") or {}), **options}
        known = {name: value for name, value in data.items() if name in _OLLAMA_FIELDS}
        super().__init__(*args, **known)
        self._beside = {name: data[name] for name in OLLAMA_REQUEST if data.get(name) is not None}

    def create_arguments(self) -> JsonObject:
        return {**super().create_arguments(), **self._beside}

    def _as_asked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        asked = super()._as_asked(arguments)
        if asked.get("tool_choice") == "required" and not asked.get("tools"):
            raise ValueError("tool_choice 'required' specified but no tools provided")
        extra: dict[str, Any] = asked.get("extra_create_args") or {}
        if "response_format" in extra:
            raise ValueError(f"response_format must be a Pydantic model class, not {type(extra['response_format'])}")
        if "format" in extra and asked.get("json_output") is not None:
            raise ValueError("json_output and format cannot be set at the same time. Use json_output instead.")
        beside = {name: value for name, value in extra.items() if name in OLLAMA_OPTIONS}
        known = {name: value for name, value in extra.items() if name in OLLAMA_VALID_CREATE_KWARGS_KEYS}
        options = {"options": {**(known.get("options") or self.options or {}), **beside}} if beside else {}
        return {**asked, "extra_create_args": {**known, **options}}


_OLLAMA_FIELDS = frozenset((*ours.OllamaChatCompletionClient.model_fields, "model_capabilities"))


class AzureTokenProvider(Freed, ours.AzureTokenProvider, stands_for=ours.AzureTokenProvider):
    """Asks a credential that the script has made."""

    provider = ours.AzureTokenProvider.provider
    aliases = ours.AzureTokenProvider.aliases

    _given: Any = PrivateAttr(None)

    def __init__(self, credential: Any = None, *scopes: str, **data: Any) -> None:
        super().__init__(**({"scopes": list(scopes), **data} if scopes else data))
        self._given = credential

    def __call__(self) -> str:
        """A token now, for scripts that ask for one themselves."""
        return cast("str", self._given.get_token(*self.scopes).token)

    async def token(self) -> str:
        if self._given is None:
            return await super().token()
        answer = await asyncio.to_thread(self._given.get_token, *self.scopes)
        return cast("str", (await answer if isawaitable(answer) else answer).token)


class _AskedFunction(Freed, TokenProvider):
    """A function of the script that gives a token; it has no JSON."""

    _function: Callable[[], str | Awaitable[str]] = PrivateAttr()

    def __init__(self, function: Callable[[], str | Awaitable[str]]) -> None:
        super().__init__()
        self._function = function

    async def token(self) -> str:
        answer = await asyncio.to_thread(self._function)
        return await answer if isawaitable(answer) else answer


class AzureOpenAIChatCompletionClient(
    FreedOpenAIClient, ours.AzureOpenAIChatCompletionClient, stands_for=ours.AzureOpenAIChatCompletionClient
):
    """Takes any function that gives a token."""

    provider = ours.AzureOpenAIChatCompletionClient.provider
    aliases = ours.AzureOpenAIChatCompletionClient.aliases

    def __init__(self, *args: Any, **data: Any) -> None:
        asked = data.get("azure_ad_token_provider")
        if callable(asked) and not isinstance(asked, TokenProvider):
            data["azure_ad_token_provider"] = _AskedFunction(cast("Any", asked))
        super().__init__(*args, **data)


class AzureAIChatCompletionClient(
    FreedServiceClient, ours.AzureAIChatCompletionClient, stands_for=ours.AzureAIChatCompletionClient
):
    """Takes a key or an identity as Azure's own client does, and no model where the endpoint has only one."""

    provider = ours.AzureAIChatCompletionClient.provider
    aliases = ours.AzureAIChatCompletionClient.aliases

    def __init__(self, *args: Any, credential: Any = None, **data: Any) -> None:
        if "endpoint" not in data:
            raise ValueError("endpoint is required for AzureAIChatCompletionClient")
        if data.get("endpoint") == GITHUB_MODELS_ENDPOINT and "model" not in data:
            raise ValueError("model is required for a GitHub model with AzureAIChatCompletionClient")
        if isinstance(data.get("response_format"), str):
            data["response_format"] = {"type": data["response_format"]}
        key = getattr(credential, "key", None)
        if isinstance(key, str):
            data["api_key"] = SecretRef("secret:unnamed", SecretStr(key))
        elif credential is not None:
            data["token_provider"] = AzureTokenProvider(credential, AZURE_AI_SCOPE)
        super().__init__(*args, **{"model": ONLY_MODEL, **data})

    def create_arguments(self) -> JsonObject:
        arguments = super().create_arguments()
        if self.model == ONLY_MODEL:
            del arguments["model"]
        return arguments
