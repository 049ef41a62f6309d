"""What can be sent to the routes that take a task or a component, made from the API's own description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from studio.components import JsonObject
from tests.security.canaries import CANARIES
from tests.web.documents import termination

TOLD = frozenset({"task", "message"})
STARTED = frozenset({"task", "component"})
TELLING = f"Tell {' and '.join(CANARIES.values())}."


class Sent(NamedTuple):
    """A request; `what` is the route."""

    method: str
    path: str
    body: JsonObject
    what: str


def requests_to(document: dict[str, Any], team: JsonObject, known: Mapping[str, str]) -> Iterator[Sent]:
    """One to each route whose body has a task or a component; whatever a person says in it tells all secrets.

    Raises:
        KeyError: A route needs something that this does not know. Tell it below.
    """
    values: JsonObject = {
        "component": team,
        "team_id": known["team_id"],
        "hashes": [known["hash"]],
        "revision": 1,
        "cron": "@yearly",
        "label": "Tracker",
        "seq": 0,
        **dict.fromkeys(TOLD, TELLING),
    }
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            schema = _body_of(document, operation)
            fields = schema.get("properties", {})
            if STARTED & fields.keys():
                needed = (set(schema.get("required", ())) | STARTED | TOLD) & fields.keys()
                special = _special(known, model_of(team)).get(path, {})
                body = {name: values[name] for name in sorted(needed - special.keys())} | special
                yield Sent(method.upper(), path.format_map(known), body, f"{method} {path}")


def model_of(team: JsonObject) -> JsonObject:
    """The model of its first agent."""
    document: Any = team
    return document["config"]["participants"][0]["config"]["model_client"]


def _special(known: Mapping[str, str], model: JsonObject) -> dict[str, JsonObject]:
    config = model["config"]
    assert isinstance(config, dict)
    elsewhere: JsonObject = {**model, "config": {**config, "base_url": f"{config['base_url']}/elsewhere"}}
    return {
        "/api/connections": {"component": elsewhere, "name": "Elsewhere"},
        "/api/connections/{connection_id}": {"component": model, "name": "Here"},
        "/api/connections/models": {"component": model},
        "/api/connections/test": {"component": model},
        "/api/part-runs/termination": {"component": termination(2), "run_id": known["run_id"]},
        "/api/components/switch": {"provider": "autogen_agentchat.teams.SelectorGroupChat"},
        "/api/teams/{team_id}/components": {"component": termination(2), "pointer": "/config/termination_condition"},
    }


def _body_of(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema
