"""Example tasks of a team, which the playground offers before the first run."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from studio.web.dependencies import StoreDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/teams/{team_id}/examples", tags=["teams"])
MAX_EXAMPLES = 12
MAX_LENGTH = 4_000

Task = Annotated[str, Field(min_length=1, max_length=MAX_LENGTH, pattern=r"\S")]


class Examples(RequestBody):
    """A task may hold variables such as `{{topic}}`, which the playground asks for before it runs."""

    examples: list[Task] = Field(max_length=MAX_EXAMPLES)


@router.get("", summary="Read the example tasks of a team")
async def read_examples(team_id: str, store: StoreDep) -> Examples:
    await store.teams.summary(team_id)
    return Examples(examples=await store.settings.examples(team_id))


@router.put("", summary="Set the example tasks of a team; they are not part of its JSON")
async def set_examples(team_id: str, body: Examples, store: StoreDep) -> Examples:
    await store.settings.set_examples(team_id, body.examples)
    return body
