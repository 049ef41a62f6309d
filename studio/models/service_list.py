"""The model services that choosers offer, and which of them a model component asks."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict

from studio.components import JsonObject
from studio.models.catalogue import model_catalogue
from studio.models.info import known_info

_OPENAI = "autogen_ext.models.openai.OpenAIChatCompletionClient"
_KNOWN_TO_AUTOGEN = frozenset(("openai", "anthropic", "gemini", "azure-openai"))
"""Services whose usual models AutoGen knows by name; for others its clients demand `model_info`."""

PLACEHOLDER = "YOUR-"
"""In an address that a person has to fill in."""

Listing = Literal["openai", "anthropic", "ollama", ""]


class ModelService(BaseModel):
    """A service: `about` says what it is, `needs` what a person must have. Both are shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    about: str
    needs: str
    config: JsonObject
    provider: str = _OPENAI
    listing: Listing = "openai"
    models: tuple[str, ...] = ()
    """Beginnings of the names in the catalogue that it serves."""

    @property
    def address(self) -> str:
        """Base URL or endpoint; empty is the client's own."""
        return str(self.config.get("base_url") or self.config.get("azure_endpoint") or "")

    @property
    def key_variable(self) -> str:
        """The environment variable that usually holds the key; empty where none is needed."""
        return str(self.config.get("api_key") or "").removeprefix("env:")

    def component(self) -> JsonObject:
        """A model of this service as component JSON, complete for AutoGen, too."""
        info = cast("JsonObject", dict(known_info(str(self.config["model"]))))
        known: JsonObject = {} if self.id in _KNOWN_TO_AUTOGEN else {"model_info": info}
        return {
            "provider": self.provider,
            "component_type": "model",
            "version": 1,
            "component_version": 1,
            "description": self.about,
            "label": self.provider.rpartition(".")[2],
            "config": {**self.config, **known},
        }

    def known_models(self) -> list[str]:
        """Names of its models that the catalogue knows, newest first as the catalogue has them."""
        names = [entry.prefix for entry in model_catalogue().models]
        return [name for name in names if name.startswith(self.models) and not name.endswith("-")]


class _ServiceFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    services: tuple[ModelService, ...]


@cache
def model_services() -> tuple[ModelService, ...]:
    """All services, in the order in which choosers show them."""
    return _ServiceFile.model_validate_json(Path(__file__).with_name("services.json").read_bytes()).services


def service_at(provider: str, address: str) -> ModelService | None:
    """The service that a client of this class asks at this address; None when no entry fits.

    Args:
        provider: Registered name of the class.
        address: Base URL or endpoint; empty is the client's own.
    """
    fitting = [each for each in model_services() if each.provider == provider]
    exact = (each for each in fitting if each.address.rstrip("/") == address.rstrip("/"))
    # An address that nobody knows is one's own resource or server.
    return next(exact, None) or next((each for each in fitting if PLACEHOLDER in each.address and address), None)


def known_models(protocol: str, address: str) -> list[str]:
    """Names to suggest for a model.

    Args:
        protocol: What the client speaks, as `x-service` of its field `model` names it.
        address: Base URL or endpoint; empty is the client's own.
    """
    fitting = [each for each in model_services() if protocol in each.provider or protocol == each.id]
    at_address = (each for each in fitting if each.address.rstrip("/") == address.rstrip("/"))
    service = fitting[0] if protocol == "ollama" else next(at_address, None)
    return service.known_models() if service else []
