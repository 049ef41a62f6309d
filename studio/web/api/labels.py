"""What keeps teams and runs in order: tags, stars, the archive and the trash."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator, Field

from studio.components.deferred_model import DeferredModel
from studio.errors import ConfigError
from studio.store import Store
from studio.store.tables import Kind, Listing
from studio.web.dependencies import PersonDep, StoreDep, ViewingDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["organize"])
MAX_TAG = 40
MAX_AT_ONCE = 500
EMPTYING_S = 5.0
"""For which one request deletes."""

TagName = Annotated[
    str, Field(min_length=1, max_length=MAX_TAG, pattern=r"\S"), AfterValidator(lambda name: " ".join(name.split()))
]
Ids = Annotated[list[Annotated[str, Field(max_length=100)]], Field(min_length=1, max_length=MAX_AT_ONCE)]


class BulkChange(RequestBody):
    """What to do with these teams or runs: give and take tags, and move them to a list."""

    ids: Ids
    add_tags: list[TagName] = Field([], max_length=20)
    remove_tags: list[TagName] = Field([], max_length=200)
    listing: Listing | None = None


class BulkOut(DeferredModel):
    """`moved` are those that are in the list now; a run under way does not go to the trash."""

    moved: list[str]


class SetStars(RequestBody):
    kind: Kind
    ids: Ids
    is_starred: bool


class TagOut(DeferredModel):
    name: str
    count: int


class EmptiedOut(DeferredModel):
    """Ask again until nothing is deleted; what is left then is under way, or other runs continue from it."""

    deleted: int
    left: int


@router.get("/tags", summary="List the most used tags of teams or runs")
async def list_tags(store: StoreDep, kind: Annotated[Kind, Query()] = "team") -> list[TagOut]:
    return [TagOut(name=tag.name, count=tag.uses) for tag in await store.labels.tags(kind)]


@router.post("/teams/bulk", summary="Tag, archive, trash or restore teams, together with their runs")
async def change_teams(body: BulkChange, store: StoreDep) -> BulkOut:
    return await _change(store, "team", body)


@router.post("/runs/bulk", summary="Tag, archive, trash or restore runs; an active run is not trashed")
async def change_runs(body: BulkChange, store: StoreDep) -> BulkOut:
    return await _change(store, "run", body)


@router.put("/account/stars", status_code=204, summary="Star or unstar teams or runs")
async def set_stars(body: SetStars, store: StoreDep, person: PersonDep) -> None:
    await store.labels.star(body.kind, body.ids, person.id, is_starred=body.is_starred)


@router.delete("/trash", summary="Empty the trash; a large one takes several requests")
async def empty_trash(store: StoreDep, viewing: ViewingDep) -> EmptiedOut:
    emptied = await store.trash.empty(within_s=EMPTYING_S)
    viewing.views.forget()
    return EmptiedOut(deleted=emptied.deleted, left=emptied.left)


async def _change(store: Store, kind: Kind, body: BulkChange) -> BulkOut:
    if not (body.listing or body.add_tags or body.remove_tags):
        raise ConfigError("Nothing to change.", fix="Give `listing`, `add_tags` or `remove_tags`.")
    if body.add_tags or body.remove_tags:
        await store.labels.tag(kind, body.ids, add=dict.fromkeys(body.add_tags), remove=body.remove_tags)
    if body.listing is None:
        return BulkOut(moved=[])
    return BulkOut(moved=[*await store.labels.move(kind, body.ids, body.listing)])
