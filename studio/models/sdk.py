"""Keeps an SDK's client to what its component says: nothing of the server's environment, no other host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

Client = TypeVar("Client", bound=Any)


def own_settings_only(client: Client, headers: Mapping[str, str], organization: str | None = None) -> Client:
    """Take back what the OpenAI and Anthropic SDKs read from the environment when a client is made.

    `OPENAI_CUSTOM_HEADERS`, `OPENAI_ORG_ID` and the like would go to whatever host the config names, though nobody
    approved that. The SDKs offer no switch, so the merged headers are set anew.

    Raises:
        AttributeError: This version of the SDK keeps them elsewhere, so the client must not be used.
    """
    if "_custom_headers" not in vars(client):
        raise AttributeError("The SDK keeps its headers elsewhere; those of the environment would be sent.")
    client._custom_headers = dict(headers)
    for name in ("organization", "project"):
        if hasattr(client, name):
            setattr(client, name, organization if name == "organization" else None)
    return client
