"""Which service a model's name belongs to, and how a host is named in capabilities."""

from __future__ import annotations

import json
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from studio.components.secrets import is_reference


class Service(NamedTuple):
    """Models with a prefix in their name, where they are served, and which variable usually holds the key."""

    prefix: str
    base_url: str
    key_env: str


OPENAI = Service("", "https://api.openai.com/v1", "OPENAI_API_KEY")
_SERVICES = (
    Service("gemini-", "https://generativelanguage.googleapis.com/v1beta/openai/", "GEMINI_API_KEY"),
    Service("claude-", "https://api.anthropic.com/v1/", "ANTHROPIC_API_KEY"),
    Service("Llama-", "https://api.llama.com/compat/v1/", "LLAMA_API_KEY"),
)


def host_of(url: str) -> str:
    """Scheme, host and port of a URL, as capabilities name them; what is no URL is given back as it is."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return url
    return f"{parts.scheme}://{parts.hostname}:{port}" if parts.hostname and port else url


def exact_address(url: str, headers: Mapping[str, str] | None = None) -> str:
    """The URL as a person approves it: with its path, query and headers, since who gets what is sent can be told by
    these, and without user and keys. Places that are filled in later stay as they are named."""
    from studio.components.secret_extraction import arguments_without_keys, without_keys

    parts = urlsplit(arguments_without_keys([url])[0])
    query = f"?{parts.query}" if parts.query else ""
    address = f"{host_of(url)}{parts.path.rstrip('/')}{query}" if host_of(url) != url else url
    named = {name.lower(): value for name, value in without_keys(headers or {}).items() if not is_reference(value)}
    named.pop("authorization", None)
    return f"{address} with the headers {json.dumps(named, sort_keys=True)}" if named else address


def is_this_machine(url: str) -> bool:
    """Whether the URL points to the machine that the studio runs on."""
    try:
        name = urlsplit(url).hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def service_of(model: str) -> Service:
    """The service that serves a model of this name."""
    return next((service for service in _SERVICES if model.startswith(service.prefix)), OPENAI)
