"""Who else has a team open in the builder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Path
from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.store.open_windows import Window
from studio.web.dependencies import PersonDep, StoreDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/teams/{team_id}/windows", tags=["teams"])
MAX_POINTER = 1000
Tab = Annotated[str, Path(min_length=1, max_length=40, description="The name that the window gave itself.")]


class WindowSelection(RequestBody):
    """Where a window is in the team."""

    pointer: str = Field(max_length=MAX_POINTER, description="JSON pointer to what is selected.")


class OtherWindow(DeferredModel):
    name: str = Field(description="Name of the user.")
    tab: str
    pointer: str
    is_own: bool = Field(description="Whether it is of the same person.")


class Others(DeferredModel):
    """The windows that others have open, and the revision that the team has by now."""

    revision: int
    others: Sequence[OtherWindow]


@router.put("/{tab}", summary="Report what a builder has selected; who else has the team open")
async def report_window(team_id: str, tab: Tab, body: WindowSelection, store: StoreDep, person: PersonDep) -> Others:
    found = await store.windows.report(Window(team_id, person.id, tab, person.name, body.pointer))
    others = [
        OtherWindow(name=each.name, tab=each.tab, pointer=each.pointer, is_own=each.user_id == person.id)
        for each in found
    ]
    return Others(revision=(await store.teams.summary(team_id)).revision, others=others)


@router.delete("/{tab}", status_code=204, summary="Report that a builder was closed")
async def close_window(team_id: str, tab: Tab, store: StoreDep, person: PersonDep) -> None:
    await store.windows.leave(Window(team_id, person.id, tab))
