"""Teams, their versions, and what they look like as Python."""

from __future__ import annotations

import asyncio
from datetime import datetime
from itertools import count
from typing import Annotated, Literal, cast

from fastapi import Query, Response
from pydantic import Field, JsonValue

from studio import importers
from studio.agents import ChatAgent
from studio.agents.advice import lacks
from studio.code.conversion import findings_json
from studio.components import JsonObject, Side, extract_secrets, find_class, load_component, template, walk
from studio.components.deferred_model import DeferredModel
from studio.errors import InvalidDocument, NotFound, StudioError
from studio.exporters import TARGETS, Exported, TargetKey, export_team
from studio.galleries import parse_gallery
from studio.models import ChatCompletionClient
from studio.services.changes import is_addition
from studio.services.imports import layout_of, name_of
from studio.services.secret_storage import with_references
from studio.services.slots import put_component
from studio.store import ALL_TEAMS, MergeChoices, Store, TeamFilter, publisher_of
from studio.store.tables import Listing, Team
from studio.store.team_search import Order as TeamOrder
from studio.web.api.labels import MAX_TAG
from studio.web.dependencies import QUEUED, PersonDep, StoreDep
from studio.web.known_tools import learn
from studio.web.requests import RequestBody, download, filename, large_answer
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["teams"])
BLANK = "autogen_agentchat.teams.RoundRobinGroupChat"
FIRST_CONDITION = "autogen_agentchat.base.OrTerminationCondition"
FIRST_WORD = "autogen_agentchat.conditions.TextMentionTermination"
"""Waits for the word that the first agent's instructions end with."""
FIRST_LIMIT = "autogen_agentchat.conditions.MaxMessageTermination"
FIRST_AGENT = "autogen_agentchat.agents.AssistantAgent"
MAX_LISTED = 1000
MAX_REVISIONS = 2**63 - 1
"""The largest number that the database holds."""


class FromGallery(RequestBody):
    """One component of a gallery."""

    gallery_id: str
    group: str
    index: int = Field(ge=0)


class CreateTeam(RequestBody):
    """At most one of `component`, `text` and `from_gallery`; none makes a blank team."""

    name: str = Field("", max_length=200)
    component: JsonObject | None = None
    text: str = Field("", description="JSON or YAML of one team, or a workflow or script of another tool.")
    from_gallery: FromGallery | None = None
    layout: JsonObject = Field(default_factory=dict[str, JsonValue])


class RenameTeam(RequestBody):
    name: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class WithoutVision(DeferredModel):
    """An agent, and its model that reads no pictures: it is told that there was one."""

    agent: str
    model: str


class SaveTeam(RequestBody):
    """A change made to revision `revision`; `choices` answer the conflicts that an earlier try was told of."""

    component: JsonObject
    layout: JsonObject = Field(default_factory=dict[str, JsonValue])
    revision: int = Field(ge=0, le=MAX_REVISIONS)
    name: str | None = Field(None, max_length=200)
    note: str = Field("", max_length=500)
    author: str = Field(
        "", max_length=120, description="Author of this save; identifies the version they started from."
    )
    choices: dict[str, Side] = Field(default_factory=dict[str, Side], description="By `id` of the conflict.")
    against: int = Field(0, description="The stored revision that the conflicts refer to.")


class PlaceComponent(RequestBody):
    """A component, as JSON or from a gallery, and the field of the team where it goes."""

    pointer: str
    component: JsonObject | None = None
    from_gallery: FromGallery | None = None


class PythonRequest(RequestBody):
    component: JsonObject
    target: TargetKey = Field("python", description="What the script is for.")


class TeamSummaryOut(DeferredModel):
    id: str
    name: str
    revision: int
    summary: str
    updated_at: datetime


class TeamOut(TeamSummaryOut):
    component: JsonObject
    layout: JsonObject


class SavedOut(TeamOut):
    merged_changes: list[str] = Field([], description="Changes merged from another save, as sentences.")


class PythonOut(DeferredModel):
    code: str
    filename: str
    counts: dict[str, int] = Field(description="How many parts are `exact`, `approximated`, `dropped` and `asked`.")
    findings: list[JsonObject] = Field(description="What becomes of each part in the target, with its place.")


@router.get("/teams", summary="List teams by a filter")
async def list_teams(
    store: StoreDep,
    person: PersonDep,
    search: Annotated[str, Query(max_length=200, description="Text in the name of the team or of its agents.")] = "",
    tag: Annotated[str, Query(max_length=MAX_TAG)] = "",
    starred: Annotated[bool, Query(description="Only teams that you starred.")] = False,
    listing: Annotated[Listing, Query()] = "active",
    order: Annotated[TeamOrder, Query()] = "changed",
    offset: Annotated[int, Query(ge=0, le=MAX_REVISIONS)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = MAX_LISTED,
) -> list[TeamSummaryOut]:
    wanted = TeamFilter(text=search, tag=tag, listing=listing, order=order, starred_by=person.id if starred else None)
    teams = await store.teams.list(wanted, offset=offset, limit=limit)
    return [TeamSummaryOut.model_validate(team, from_attributes=True) for team in teams]


@router.post(
    "/teams", status_code=201, summary="Create a team: blank, from JSON, or from a gallery", response_model=TeamOut
)
async def create_team(body: CreateTeam, store: StoreDep) -> Response:
    if body.text:
        body = await asyncio.to_thread(_of_other_tool, body)
    component = await with_references(store, await _first_component(body, store))
    publisher = publisher_of(await store.galleries.get(body.from_gallery.gallery_id)) if body.from_gallery else ""
    team = await store.teams.create(component, name=body.name, layout=body.layout, publisher=publisher)
    return await large_answer(lambda: _out(team), 201)


@router.get("/teams/{team_id}", summary="Read a team", response_model=TeamOut)
async def get_team(team_id: str, store: StoreDep) -> Response:
    team = await store.teams.get(team_id)
    return await large_answer(lambda: _out(team))


@router.get("/teams/{team_id}/without-vision", summary="List the agents whose models have no vision")
async def list_without_vision(team_id: str, store: StoreDep) -> list[WithoutVision]:
    team = await store.teams.get(team_id)
    return await asyncio.to_thread(_without_vision, team.component)


def _without_vision(document: JsonObject) -> list[WithoutVision]:
    try:
        component = load_component(document)
    except StudioError:  # which a start tells
        return []
    clients = [(each, client) for _, each in walk(component) if (client := getattr(each, "model_client", None))]
    return [
        WithoutVision(agent=agent.name, model=client.source)
        for agent, client in clients
        if isinstance(agent, ChatAgent) and isinstance(client, ChatCompletionClient) and lacks(client, "vision")
    ]


@router.put(
    "/teams/{team_id}",
    summary="Save a team, merged with concurrent changes; 409 when both changed the same field",
    response_model=SavedOut,
)
async def save_team(team_id: str, body: SaveTeam, store: StoreDep, person: PersonDep) -> Response:
    component, before = await with_references(store, body.component), await store.teams.get(team_id)
    saved = await store.teams.save(
        team_id,
        component=component,
        layout=body.layout,
        revision=body.revision,
        name=body.name,
        note=body.note,
        author=person.signed(body.author),
        choices=MergeChoices(body.choices, body.against),
    )
    await learn(store, before, component, body.revision, person)
    merged_changes = await is_addition(saved.sent, saved.team) if saved.sent else []
    return await large_answer(lambda: saved_out(saved.team, merged_changes))


@router.patch("/teams/{team_id}", summary="Rename a team")
async def rename_team(team_id: str, body: RenameTeam, store: StoreDep) -> TeamSummaryOut:
    return TeamSummaryOut.model_validate(await store.teams.rename(team_id, body.name), from_attributes=True)


@router.delete("/teams/{team_id}", status_code=204, summary="Permanently delete a team and its versions; its runs stay")
async def delete_team(team_id: str, store: StoreDep) -> None:
    await store.teams.delete(team_id)


@router.post(
    "/teams/{team_id}/components",
    summary="Place a component in a slot of the team, as a new version",
    response_model=TeamOut,
)
async def place_component(team_id: str, body: PlaceComponent, store: StoreDep, person: PersonDep) -> Response:
    component = body.component or await _from_gallery(body.from_gallery, store)
    team = await store.teams.get(team_id)
    changed = put_component(team.component, body.pointer, await with_references(store, component))
    saved = await store.teams.save(
        team_id, component=changed, layout=team.layout, revision=team.revision, note="Added from a gallery"
    )
    await learn(store, team, changed, team.revision, person)
    return await large_answer(lambda: _out(saved.team))


@router.get("/teams/{team_id}/json", summary="Read a team's component JSON")
async def team_json(team_id: str, store: StoreDep) -> Response:
    team = await store.teams.get(team_id)
    return await asyncio.to_thread(download, team.component, filename(team.name, ".json"))


@router.get(
    "/teams/{team_id}/python",
    summary="Export a team as a Python script",
    response_model=PythonOut,
    responses={200: {"content": {"text/x-python": {}}}},
)
async def team_python(
    team_id: str,
    store: StoreDep,
    as_file: Annotated[Literal["0", "1"], Query(alias="download", description="1 answers with the file itself.")] = "0",
    target: Annotated[TargetKey, Query(description="What the script is for.")] = "python",
) -> Response | PythonOut:
    team = await store.teams.get(team_id)
    exported, _ = await asyncio.to_thread(_exported, team.component, target)
    found = TARGETS[target]
    name = filename(team.name, found.suffix)
    return download(exported.code, name, found.media_type) if as_file == "1" else _python_out(exported, name)


@router.post("/python", dependencies=[QUEUED], summary="Export any component as a Python script; stores nothing")
async def python(body: PythonRequest) -> PythonOut:
    exported, label = await asyncio.to_thread(_exported, body.component, body.target)
    return _python_out(exported, filename(label, TARGETS[body.target].suffix))


def _exported(document: JsonObject, target: TargetKey) -> tuple[Exported, str]:
    """The script with its report, and the component's label; a key in the open stays out of it."""
    component = load_component(extract_secrets(document)[0])
    return export_team(component, target), component.label


def _python_out(exported: Exported, name: str) -> PythonOut:
    return PythonOut.model_validate({"code": exported.code, "filename": name, **findings_json(exported.findings)})


def saved_out(team: Team, merged_changes: list[str]) -> SavedOut:
    """A team, and what came into it from others."""
    return SavedOut.model_validate({**team.model_dump(), "merged_changes": merged_changes})


def _out(team: Team) -> TeamOut:
    return TeamOut.model_validate(team, from_attributes=True)


async def _first_component(body: CreateTeam, store: Store) -> JsonObject:
    given = [name for name in ("component", "text", "from_gallery") if getattr(body, name)]
    if len(given) > 1:
        raise InvalidDocument(f"Give one of {', '.join(f'`{name}`' for name in given)}, not several.")
    if body.component:
        return body.component
    if body.text:
        return await asyncio.to_thread(_only_team, body.text)
    return await _from_gallery(body.from_gallery, store) if body.from_gallery else await _blank(store)


async def _from_gallery(wanted: FromGallery | None, store: Store) -> JsonObject:
    if wanted is None:
        raise InvalidDocument("Give `component` or `from_gallery`.")
    gallery = parse_gallery((await store.galleries.get(wanted.gallery_id)).config)
    members = gallery.components.get(wanted.group, [])
    if wanted.index >= len(members):
        raise NotFound(f"The gallery has no component {wanted.index} among its {wanted.group}.")
    return members[wanted.index]


def _of_other_tool(body: CreateTeam) -> CreateTeam:
    """The same for the team of another tool's file, with a note on the canvas about what came along."""
    imported = importers.import_foreign(importers.name_for(body.text), body.text.encode())
    if imported is None:
        return body
    name, layout = body.name or name_of(imported), {**layout_of(imported), **body.layout}
    return body.model_copy(update={"text": "", "component": imported.team, "name": name, "layout": layout})


class NotOneTeam(InvalidDocument):
    """What is imported as a team is another document that can be read, such as a gallery."""

    code = "not_one_team"


def _only_team(text: str) -> JsonObject:
    teams = parse_gallery(text).components["teams"]
    if len(teams) == 1:
        return teams[0]
    if not teams:
        raise NotOneTeam("This file contains no team.", fix="Open it as a gallery, or choose the JSON of a team.")
    raise NotOneTeam(f"This file contains {len(teams)} teams.", fix="Open it as a gallery instead.")


async def _blank(store: Store) -> JsonObject:
    """A team of one agent with the default model, under a name that no team has."""
    taken = {team.name for team in await store.teams.list(ALL_TEAMS)}
    names = (f"New team {number}" if number > 1 else "New team" for number in count(1))
    team, condition = _new(BLANK), _new(FIRST_CONDITION)
    condition["config"] = {"conditions": [_new(FIRST_WORD), _new(FIRST_LIMIT)]}
    agent = _new(FIRST_AGENT)
    if usual := next((each for each in await store.connections.list() if each.is_default), None):
        agent["config"] = {**cast("JsonObject", agent["config"]), "model_client": usual.component}
    parts: JsonObject = {"participants": [agent], "termination_condition": condition}
    config: JsonObject = {**cast("JsonObject", team["config"]), **parts}
    return {**team, "label": next(name for name in names if name not in taken), "config": config}


def _new(provider: str) -> JsonObject:
    cls = find_class(provider)
    assert cls is not None, "the engine brings it"
    return template(cls)
