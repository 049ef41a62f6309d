"""Connections to model services: making one of what a person says, and taking the teams along when it changes."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from studio.agents.participant import require_loaded
from studio.components import JsonObject, is_reference, load_component
from studio.components.capability import Capability
from studio.components.secret_extraction import extract_secrets
from studio.errors import ConfigError, Conflict, NotFound, StudioError
from studio.models.endpoints import ModelPlace, moved, place_of
from studio.models.model_list import list_models
from studio.models.service import ServiceClient
from studio.models.service_list import PLACEHOLDER, ModelService, model_services
from studio.runs import NotApproved
from studio.services.team_checks import TeamChecks
from studio.store import ALL_TEAMS, Store
from studio.store.tables import ModelConnection

PROBE_S = 1.0


class NotAConnection(ConfigError):
    """What was given is no model service with an address and a reference for its key."""

    code = "not_a_connection"


@dataclass(frozen=True)
class ConnectionRequest:
    """A connection as a person describes it; `key` is a reference, "" none, and None the usual one of the service."""

    service: str
    address: str = ""
    key: str | None = None
    model: str = ""


@dataclass(frozen=True)
class FoundService:
    """A service that is ready on this machine, and how that is known."""

    service: ModelService
    reason: str
    component: JsonObject


def component_of(wanted: ConnectionRequest) -> JsonObject:
    """The model of a connection.

    Raises:
        NotFound: Nobody knows the service.
        NotAConnection: The key is no reference, or the address is missing.
    """
    service = next((each for each in model_services() if each.id == wanted.service), None)
    if service is None:
        raise NotFound(f"There is no model service {wanted.service!r}.", where="/service")
    component = service.component()
    config = cast("JsonObject", component["config"])
    if wanted.address:
        config["azure_endpoint" if "azure_endpoint" in config else "base_url"] = wanted.address
    if wanted.model and wanted.model != config["model"]:
        config["model"] = wanted.model
        config.update({"azure_deployment": wanted.model} if "azure_deployment" in config else {})
    if wanted.key == "":
        config.pop("api_key", None)
    elif wanted.key is not None:
        config["api_key"] = wanted.key
    return component


async def checked(component: JsonObject) -> JsonObject:
    """The component as a connection keeps it.

    Raises:
        InvalidComponent: It does not load.
        NotAConnection: It is no model of a service, its address is missing, or it holds a key.
    """
    config = component.get("config")
    key = config.get("api_key") if isinstance(config, dict) else None
    _, keys = await asyncio.to_thread(extract_secrets, component)
    if keys or (isinstance(key, str) and not is_reference(key)):
        fix = "Store the key in Settings > Secrets and enter its name here."
        raise NotAConnection("A key reference looks like `env:NAME` or `secret:name`.", fix=fix, where="/key")
    client = await loaded(component)
    if PLACEHOLDER in client.address:
        raise NotAConnection("The address is missing.", fix="Enter the address of your server.", where="/address")
    return client.dump_component()


async def loaded(component: JsonObject) -> ServiceClient:
    """Raises: InvalidComponent, or NotAConnection: it is no model of a service."""
    client = await asyncio.to_thread(load_component, component)
    require_loaded(client)
    if not isinstance(client, ServiceClient):
        raise NotAConnection(
            "This model does not belong to a service.", fix="Choose a model that is called over the network."
        )
    return client


async def check_place_is_free(store: Store, component: JsonObject, own_id: str = "") -> None:
    """Raises: Conflict: another connection has this address and key."""
    place = place_of(component)
    for each in await store.connections.list():
        if each.id != own_id and place_of(each.component) == place:
            raise Conflict(f"The connection {each.name!r} has this address and key.", fix="Change that one instead.")


async def used_by(store: Store, checks: TeamChecks) -> dict[ModelPlace, list[tuple[str, str]]]:
    """Ids and names of the teams that use each place."""
    teams = await store.teams.list(ALL_TEAMS)
    found, users = await checks.get_many(teams), dict[ModelPlace, list[tuple[str, str]]]()
    for team in teams:
        for place in found[team.id].model_places if team.id in found else ():
            users.setdefault(place, []).append((team.id, team.name))
    return users


async def move_teams(
    store: Store, checks: TeamChecks, before: ModelConnection, after: JsonObject, *, replace_model: bool, author: str
) -> list[str]:
    """Give the teams that use a connection what it is changed to, each as a new version; ids of those that changed."""
    old = place_of(before.component)
    changed: list[str] = []
    for team_id, _ in (await used_by(store, checks)).get(old, []) if old else []:
        team = await store.teams.get(team_id)
        document = await asyncio.to_thread(moved, team.component, before.component, after, replace_model=replace_model)
        if document != team.component:
            note = f"The connection “{before.name}” changed"
            await store.teams.save(
                team_id, component=document, layout=team.layout, revision=team.revision, note=note, author=author
            )
            changed.append(team_id)
    return changed


async def check_may_ask(store: Store, client: ServiceClient, team_id: str = "") -> None:
    """Raise NotApproved unless its host and its key are approved, as they must be for a call; nothing is spent."""
    needed: dict[str, Capability] = {each.hash: each for each in client.capabilities() if each.kind != "spend"}
    allowed = await store.approvals.active_for(needed, team_id=team_id)
    if missing := [each for key, each in needed.items() if key not in allowed]:
        raise NotApproved(missing, team_id=team_id)


async def found_here(store: Store) -> list[FoundService]:
    """Services whose usual key is in the environment, and Ollama where it runs; without those that are connected."""
    found = [
        FoundService(each, f"{each.key_variable} is set.", each.component())
        for each in model_services()
        if each.key_variable and os.environ.get(each.key_variable) and PLACEHOLDER not in each.address
    ]
    if ollama := await _running_ollama():
        found.append(ollama)
    taken = {place_of(each.component) for each in await store.connections.list()}
    return [each for each in found if place_of(each.component) not in taken]


async def _running_ollama() -> FoundService | None:
    service = next(each for each in model_services() if each.id == "ollama")
    address = _ollama_address() or service.address
    component = component_of(ConnectionRequest("ollama", address))
    try:
        names = await list_models(await loaded(component), listing="ollama", timeout_s=PROBE_S)
    except StudioError:
        return None
    config = cast("JsonObject", component["config"])
    if names and config["model"] not in names:
        component = component_of(ConnectionRequest("ollama", address, model=names[0]))
    return FoundService(
        service, f"It runs on this machine with {len(names)} model{'' if len(names) == 1 else 's'}.", component
    )


def _ollama_address() -> str:
    """The base URL that Ollama's own variable names; "" where it names none."""
    host = os.environ.get("OLLAMA_HOST", "").strip().rstrip("/")
    if not host:
        return ""
    parts = urlsplit(host if "://" in host else f"http://{host}")
    name = "localhost" if parts.hostname in (None, "0.0.0.0", "::") else parts.hostname
    return f"{parts.scheme}://{f'[{name}]' if ':' in name else name}:{parts.port or 11434}/v1"
