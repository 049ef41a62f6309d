"""Ready teams: listed, and made into a team of one's own with its task and files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Literal

from pydantic import Field

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.errors import Conflict
from studio.files import FileUse, default_use
from studio.services.attachments import can_be_text
from studio.services.builtin_galleries import ready_team, ready_teams
from studio.services.knowledge import add_document
from studio.services.ready_teams import ReadyTeam, SampleFile
from studio.services.secret_storage import with_references
from studio.store import Store, publisher_of
from studio.web.dependencies import DocumentsDep, PersonDep, SettingsDep, StoreDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/ready-teams", tags=["teams"])
MB = 1024 * 1024


class ReadyTeamOut(DeferredModel):
    slug: str = Field(description="Its address.")
    label: str
    description: str
    theme: str = Field(description="Name of the gallery that it belongs to.")
    gallery_id: str
    tags: list[str]
    task: str
    files: list[str] = Field(description="Names of the sample files.")
    knowledge_base: str = Field(description="Name of the one that it answers from; may be empty.")


class UseReadyTeam(RequestBody):
    model: Literal["recording", "default"] = Field(
        "recording",
        description='"recording": scripted replies, which need no key. "default": the default model connection.',
    )


class SampleFileOut(DeferredModel):
    """A file as a task takes it: `id`, `name` and `use` go into the `files` of a run."""

    id: str
    name: str
    size: int
    use: FileUse
    most: FileUse = Field(description="What its content allows beside the folder.")


class UsedReadyTeamOut(DeferredModel):
    id: str = Field(description="ID of the new team.")
    name: str
    task: str
    files: list[SampleFileOut]


@router.get("", summary="List the ready teams")
async def list_ready_teams() -> list[ReadyTeamOut]:
    found = await asyncio.to_thread(ready_teams)
    return [
        ReadyTeamOut(
            slug=team.slug,
            label=team.label,
            description=team.description,
            theme=gallery.name,
            gallery_id=gallery.id,
            tags=list(team.tags),
            task=team.task,
            files=[file.name for file in team.files],
            knowledge_base=team.knowledge.name if team.knowledge else "",
        )
        for gallery, team in found.values()
    ]


@router.post(
    "/{slug}/teams",
    status_code=201,
    summary="Create a team from a ready team, and store the files of its task",
)
async def use_ready_team(
    slug: str, body: UseReadyTeam, store: StoreDep, settings: SettingsDep, documents: DocumentsDep, person: PersonDep
) -> UsedReadyTeamOut:
    """Its task becomes an example task of the team. Files that no run uses are deleted after a day.

    A knowledge base that it answers from is made of its sample files, unless there is one of that name.
    """
    gallery, ready = await asyncio.to_thread(ready_team, slug)
    component = await _with_default_model(store, ready) if body.model == "default" else ready.component
    files = [await _stored(store, file, settings.max_file_mb * MB) for file in ready.files]
    if ready.knowledge and await store.knowledge.id_of(ready.knowledge.name) is None:
        base = await store.knowledge.create(ready.knowledge.name, "", person.name)
        for sample in ready.knowledge.files:
            stored = await _stored(store, sample, settings.max_file_mb * MB)
            await add_document(store, documents, base.id, stored.id, stored.name, person.name)
    team = await store.teams.create(
        await with_references(store, component), publisher=publisher_of(await store.galleries.get(gallery.id))
    )
    await store.settings.set_examples(team.id, [ready.task])
    return UsedReadyTeamOut(id=team.id, name=team.name, task=ready.task, files=files)


async def _with_default_model(store: Store, ready: ReadyTeam) -> JsonObject:
    usual = next((each for each in await store.connections.list() if each.is_default), None)
    if usual is None:
        raise Conflict(
            "There is no default model connection.", fix='Add one in Settings, or give the model "recording".'
        )
    return ready.with_model(usual.component)


async def _stored(store: Store, sample: SampleFile, max_bytes: int) -> SampleFileOut:
    content = await asyncio.to_thread(sample.path.read_bytes)

    async def portions() -> AsyncGenerator[bytes]:
        yield content

    file = await store.files.add(portions(), max_bytes=max_bytes)
    use = default_use(file.media_type, file.size)
    most: FileUse = "text" if can_be_text(file, sample.name) else use
    return SampleFileOut(id=file.sha256, name=sample.name, size=file.size, use=use, most=most)
