"""Asks a service which models it has."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

from pydantic import JsonValue

from studio.components.secrets import SecretRef, placeholders_filled_in
from studio.egress import Guard, http_client
from studio.errors import ModelUnavailable
from studio.models.connection import trusted
from studio.models.endpoints import place_of
from studio.models.headers import resolved_headers
from studio.models.service import ServiceClient
from studio.models.service_list import Listing, service_at

TIMEOUT_S = 10.0
MAX_BYTES = 4 * 1024 * 1024
MAX_MODELS = 2_000
_ANTHROPIC = "https://api.anthropic.com"


async def list_models(
    client: ServiceClient, *, listing: Listing | None = None, timeout_s: float = TIMEOUT_S
) -> list[str]:
    """Names of the models that the client's service has, as the service orders them.

    The client's key and headers are sent to the client's address and nowhere else.

    Args:
        client: Knows the address and the key.
        listing: How the service lists its models; None is as its entry among the services says.
        timeout_s: How long it may take, in seconds.

    Raises:
        ModelUnavailable: The service gave no list.
        HostRefused: The address may not be reached.
        MissingSecret: The key has no value.
    """
    import httpx

    url = _url_of(client, listing)
    try:
        async with await asyncio.to_thread(_http_client, Guard.for_url(url), timeout_s) as http:
            answer = await http.get(url, headers=_headers_of(client))
            body = answer.json() if answer.status_code == 200 else None
    except (httpx.HTTPError, ValueError) as error:
        raise _no_list(url, type(error).__name__) from error
    if body is None:
        # What the service says may repeat the key.
        raise _no_list(url, f"status {answer.status_code}")
    return _names(body)


def _http_client(guard: Guard, timeout_s: float) -> Any:
    """The first one loads the library and reads all authorities of the system: too much for the event loop."""
    return http_client(guard, limit=MAX_BYTES, verify=trusted(), follow_redirects=False, timeout=timeout_s)


def _url_of(client: ServiceClient, listing: Listing | None) -> str:
    address = placeholders_filled_in(client.address).rstrip("/")
    service = service_at(client.provider, client.address)
    match listing or (service.listing if service else ""):
        case "openai":
            return f"{address}/models"
        case "ollama":
            parts = urlsplit(address)
            return f"{parts.scheme}://{parts.netloc}/api/tags"
        case "anthropic":
            return f"{address or _ANTHROPIC}/v1/models?limit=1000"
        case _:
            raise ModelUnavailable("This service does not list its models.", fix="Type the name of the model.")


def _headers_of(client: ServiceClient) -> dict[str, str]:
    fields = vars(client)
    headers = dict(resolved_headers(fields.get("default_headers")) or {})
    place = place_of(client.dump_component())
    secret = fields.get("api_key") or (SecretRef(place.key) if place and place.key else None)
    if not isinstance(secret, SecretRef):
        return headers
    if ".anthropic." in client.provider:
        return {**headers, "x-api-key": secret.resolve(), "anthropic-version": "2023-06-01"}
    return {**headers, "Authorization": f"Bearer {secret.resolve()}"}


def _names(body: JsonValue) -> list[str]:
    listed = (body.get("data") or body.get("models")) if isinstance(body, dict) else body
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    named = [each.get("id") or each.get("name") for each in entries]
    return [name for name in named if isinstance(name, str) and 0 < len(name) <= 200][:MAX_MODELS]


def _no_list(url: str, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{url!r} returned no list of models ({why}).",
        fix="Check the address and the key, or type the name of the model.",
    )
