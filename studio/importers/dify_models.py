"""Models of Dify as model clients."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.findings import Location, Report
from studio.importers.models import client, served

_SERVICES: Mapping[str, str] = {
    "azure_openai": "openai",
    "google": "gemini",
    "mistralai": "mistral",
    "togetherai": "together_ai",
    "x": "xai",
}
"""Names of services that differ from ours."""


def dify_client(given: JsonValue, report: Report, place: Location, owner: str) -> JsonObject:
    """The client of a model; keys are no part of an export, so it reads the usual environment variable.

    Args:
        given: The model with its service and settings; anything else is none.
    """
    model = given if isinstance(given, dict) else {}
    name, service = model.get("name") or model.get("model"), str(model.get("provider") or "").rpartition("/")[2]
    settings = model.get("completion_params")
    wanted = f"{_SERVICES.get(service, service)}/{name}" if isinstance(name, str) and name else None
    found = settings if isinstance(settings, dict) else {}
    made = client(wanted, found, report, place, owner)
    served(made, {"api_type": "azure" if service == "azure_openai" else ""}, report, place, owner)
    return made
