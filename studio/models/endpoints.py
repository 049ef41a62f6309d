"""Where a model component asks, and with which key: what a connection stands for, and what agents are known by."""

from __future__ import annotations

import copy
from typing import NamedTuple, cast

from pydantic import JsonValue

from studio.components import JsonObject, envelopes, find_class
from studio.models.openai_services import service_of
from studio.models.service import ServiceClient
from studio.models.service_list import service_at

_ADDRESSES = ("base_url", "azure_endpoint", "endpoint", "host")
_FIELDS = (*_ADDRESSES, "api_version", "api_key")
"""What of a config says where and with which key."""


class ModelPlace(NamedTuple):
    """A client class, the address that it asks, and the reference of its key; "" is no key."""

    provider: str
    address: str
    key: str


def place_of(component: JsonValue) -> ModelPlace | None:
    """The place that a component asks; None for what is no model of a service. Nothing is loaded or checked."""
    if not isinstance(component, dict):
        return None
    cls = find_class(str(component.get("provider")))
    if cls is None or not issubclass(cls, ServiceClient):
        return None
    config = cast("JsonObject", component.get("config") if isinstance(component.get("config"), dict) else {})
    address = next((each for name in _ADDRESSES if isinstance(each := config.get(name), str) and each), "")
    service, key = service_at(cls.provider, address), config.get("api_key")
    if not address and cls.provider.endswith(".OpenAIChatCompletionClient"):
        usual = service_of(str(config.get("model")))
        return ModelPlace(cls.provider, usual.base_url.rstrip("/"), str(key or f"env:{usual.key_env}"))
    usual_key = f"env:{service.key_variable}" if service and service.key_variable and not address else ""
    return ModelPlace(cls.provider, address.rstrip("/"), str(key or usual_key))


def places_in(document: JsonValue) -> frozenset[ModelPlace]:
    """The places of all models in a document."""
    return frozenset(place for _, envelope in envelopes(document) if (place := place_of(envelope)))


def moved(document: JsonObject, old: JsonObject, new: JsonObject, *, replace_model: bool = False) -> JsonObject:
    """A copy of a document in which the models at the place of `old` are at that of `new`.

    Args:
        document: Component JSON.
        old: The model whose place is looked for.
        new: The model whose place is taken.
        replace_model: Whether models with the name of the old one get the name of the new one.
    """
    changed = copy.deepcopy(document)
    place = place_of(old)
    for _, envelope in list(envelopes(changed)):
        if place is not None and place_of(envelope) == place:
            _move(envelope, old, new, replace_model=replace_model)
    return changed


def _move(envelope: JsonObject, old: JsonObject, new: JsonObject, *, replace_model: bool) -> None:
    theirs, ours, before = (cast("JsonObject", each["config"]) for each in (envelope, new, old))
    if envelope["provider"] != new["provider"]:
        envelope.update(copy.deepcopy({**new, "label": envelope.get("label") or new.get("label")}))
        return
    config = {name: value for name, value in theirs.items() if name not in _FIELDS}
    config.update({name: value for name, value in ours.items() if name in _FIELDS})
    if replace_model and theirs.get("model") == before.get("model") != ours.get("model"):
        config.pop("model_info", None)
        names = ("model", "model_info", "azure_deployment")
        config.update({name: value for name, value in ours.items() if name in names})
    envelope["config"] = config
