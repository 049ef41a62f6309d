"""Models: the services that choosers offer, and the connections of this studio."""

from __future__ import annotations

import time
from contextlib import aclosing

from pydantic import Field

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.components.secrets import secret_source
from studio.errors import ModelUnavailable, NotFound
from studio.models import price_of
from studio.models.endpoints import place_of
from studio.models.info import known_info
from studio.models.model_list import list_models
from studio.models.service_list import ModelService, model_services, service_at
from studio.runs import PartRunner
from studio.services.model_connections import (
    ConnectionRequest,
    check_may_ask,
    check_place_is_free,
    checked,
    component_of,
    found_here,
    loaded,
    move_teams,
    used_by,
)
from studio.services.team_checks import TeamChecks
from studio.store import Store
from studio.store.tables import ModelConnection
from studio.web.dependencies import PartRunnerDep, PersonDep, StoreDep, TeamChecksDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/connections", tags=["models"])
QUESTION = "Reply with the one word: ready"
MAX_SHOWN = 200
"""Characters of the answer to a test."""


class ServiceOut(DeferredModel):
    """A model service; `component` asks it with the key from its usual environment variable."""

    id: str
    name: str
    about: str
    needs: str
    address: str
    key: str
    model: str
    component: JsonObject


class UserOut(DeferredModel):
    id: str
    name: str


class ConnectionOut(DeferredModel):
    """A connection; `key` is a reference, never a key."""

    id: str
    name: str
    service: str
    service_id: str
    address: str
    key: str
    key_is_set: bool
    model: str
    is_default: bool
    used_by: list[UserOut]
    component: JsonObject


class ModelsOut(DeferredModel):
    services: list[ServiceOut]
    connections: list[ConnectionOut]


class ConnectionIn(RequestBody):
    """Of a `service`, with what differs from its usual address, key and model; or a whole model `component`."""

    name: str = Field(min_length=1, max_length=80)
    service: str = Field("", max_length=60)
    address: str = Field("", max_length=2_000)
    key: str | None = Field(None, max_length=200, description="`env:NAME`, `secret:name`, or empty for none.")
    model: str = Field("", max_length=200)
    component: JsonObject | None = None


class ConnectionChange(ConnectionIn):
    replace_model: bool = Field(False, description="Also change agents that use the old default model.")


class ConnectionSaved(DeferredModel):
    id: str
    changed_teams: list[str] = Field(description="Ids of teams that were saved with the new address, key or model.")


class DefaultIn(RequestBody):
    id: str = Field(max_length=100, description="Empty: new agents start without a model.")


class AskIn(RequestBody):
    component: JsonObject
    team_id: str = Field("", max_length=100, description="ID of the team it is part of, for its approvals.")


class ModelOut(DeferredModel):
    """A model that a service lists; prices are US dollars per million tokens, null where nobody knows."""

    name: str
    input_price: float | None
    output_price: float | None
    vision: bool
    tools: bool


class TestOut(DeferredModel):
    """What one call took; `text` is the beginning of the answer."""

    text: str
    ms: int
    vision: bool
    tools: bool
    structured_output: bool


class FoundOut(DeferredModel):
    """A service that is ready on this machine, and how that is known."""

    service: str
    name: str
    reason: str
    model: str


class FoundIn(RequestBody):
    service: str = Field(max_length=60)


@router.get("", summary="List the connections, and the model services that choosers offer")
async def list_connections(store: StoreDep, checks: TeamChecksDep) -> ModelsOut:
    return ModelsOut(
        services=[_service(each) for each in model_services()], connections=await connections(store, checks)
    )


@router.get("/found", summary="List detected services: a key in the environment, or Ollama on this machine")
async def list_found(store: StoreDep) -> list[FoundOut]:
    return [
        FoundOut(service=each.service.id, name=each.service.name, reason=each.reason, model=_model(each.component))
        for each in await found_here(store)
    ]


@router.post("/found", status_code=201, summary="Add a connection to a detected service")
async def add_found(body: FoundIn, store: StoreDep) -> ConnectionSaved:
    found = next((each for each in await found_here(store) if each.service.id == body.service), None)
    if found is None:
        raise NotFound(f"{body.service!r} is not available here.", fix="Add it manually.", where="/service")
    row = await store.connections.add(found.service.name, await checked(found.component))
    return ConnectionSaved(id=row.id, changed_teams=[])


@router.post("", status_code=201, summary="Add a connection; the first becomes the default for new agents")
async def add_connection(body: ConnectionIn, store: StoreDep) -> ConnectionSaved:
    component = await _component(body)
    await check_place_is_free(store, component)
    row = await store.connections.add(body.name.strip(), component)
    return ConnectionSaved(id=row.id, changed_teams=[])


@router.put("/default", status_code=204, summary="Set the default connection for new agents")
async def choose_default(body: DefaultIn, store: StoreDep) -> None:
    await store.connections.make_default(body.id)


@router.put("/{connection_id}", summary="Change a connection; teams that use it are saved with the new address and key")
async def change_connection(
    connection_id: str, body: ConnectionChange, store: StoreDep, checks: TeamChecksDep, person: PersonDep
) -> ConnectionSaved:
    before = await store.connections.get(connection_id)
    component = await _component(body)
    await check_place_is_free(store, component, connection_id)
    await store.connections.change(connection_id, body.name.strip(), component)
    changed = await move_teams(
        store, checks, before, component, replace_model=body.replace_model, author=person.signed("")
    )
    return ConnectionSaved(id=connection_id, changed_teams=changed)


@router.delete("/{connection_id}", status_code=204, summary="Delete a connection; models of teams stay as they are")
async def delete_connection(connection_id: str, store: StoreDep) -> None:
    await store.connections.delete(connection_id)


@router.post("/models", summary="List the models of a service; 403 with `missing` when its host or key is not approved")
async def ask_for_models(body: AskIn, store: StoreDep) -> list[ModelOut]:
    client = await loaded(body.component)
    await check_may_ask(store, client, body.team_id)
    before = secret_source.set(await store.secrets.source())
    try:
        return [_listed(name) for name in await list_models(client)]
    finally:
        secret_source.reset(before)


@router.post("/test", summary="Make one small call to a model; 403 with `missing` when it is not approved")
async def test_connection(body: AskIn, runner: PartRunnerDep) -> TestOut:
    client = await loaded(body.component)
    prepared = await runner.prepare(body.component, QUESTION, team_id=body.team_id)
    began = time.monotonic()
    async with runner.running(prepared) as part_run_id:
        text = await _answer(runner, part_run_id)
    info = client.info
    return TestOut(
        text=text[:MAX_SHOWN],
        ms=round((time.monotonic() - began) * 1000),
        vision=info["vision"],
        tools=info["function_calling"],
        structured_output=info["structured_output"],
    )


async def connections(store: Store, checks: TeamChecks) -> list[ConnectionOut]:
    """All connections, with the teams that use each."""
    users, resolve = await used_by(store, checks), await store.secrets.source()
    found: list[ConnectionOut] = []
    for row in await store.connections.list():
        place = place_of(row.component)
        key = place.key if place else ""
        teams = users.get(place, []) if place else []
        found.append(_connection(row, key=key, is_set=not key or bool(resolve(key)), teams=teams))
    return found


def _connection(row: ModelConnection, *, key: str, is_set: bool, teams: list[tuple[str, str]]) -> ConnectionOut:
    config = _config(row.component)
    address = str(config.get("base_url") or config.get("azure_endpoint") or "")
    service = service_at(str(row.component.get("provider")), address)
    return ConnectionOut(
        id=row.id,
        name=row.name,
        service=service.name if service else str(row.component.get("label") or "This connection cannot be read"),
        service_id=service.id if service else "",
        address=address,
        key=key,
        key_is_set=is_set,
        model=_model(row.component),
        is_default=row.is_default,
        used_by=[UserOut(id=team_id, name=name) for team_id, name in teams],
        component=row.component,
    )


async def _component(body: ConnectionIn) -> JsonObject:
    if body.component is not None:
        return await checked(body.component)
    return await checked(
        component_of(ConnectionRequest(body.service, body.address.strip(), body.key, body.model.strip()))
    )


async def _answer(runner: PartRunner, part_run_id: str) -> str:
    """What the model says first.

    Raises:
        ModelUnavailable: It failed.
    """
    async with aclosing(runner.follow(part_run_id)) as batches:
        async for batch in batches:
            for entry in batch.entries:
                said = entry.body
                if entry.kind == "message" and said.get("source") == "model":
                    return str(said.get("content") or "")
            if batch.view.state.is_final:
                raise ModelUnavailable(
                    batch.view.detail or "The model returned no answer.", fix="Check the address and the key."
                )
    raise ModelUnavailable("The model returned no answer.", fix="Check the address and the key.")


def _service(service: ModelService) -> ServiceOut:
    component = service.component()
    return ServiceOut(
        id=service.id,
        name=service.name,
        about=service.about,
        needs=service.needs,
        address=service.address,
        key=f"env:{service.key_variable}" if service.key_variable else "",
        model=_model(component),
        component=component,
    )


def _listed(name: str) -> ModelOut:
    price, info = price_of(name), known_info(name)
    return ModelOut(
        name=name,
        input_price=price.input if price else None,
        output_price=price.output if price else None,
        vision=info["vision"] is True,
        tools=info["function_calling"] is True,
    )


def _model(component: JsonObject) -> str:
    return str(_config(component).get("model") or "")


def _config(component: JsonObject) -> JsonObject:
    config = component.get("config")  # of a damaged row it may be anything
    return config if isinstance(config, dict) else {}
