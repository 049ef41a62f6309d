"""Breakpoints and rules for tools of a team. Runs of the team that are under way take up a change at once."""

from __future__ import annotations

from typing import cast

from studio.components import JsonObject
from studio.runs import Breakpoints, Rules, ToolPolicy
from studio.web.dependencies import PersonDep, StoreDep, SupervisorDep
from studio.web.known_tools import marks_in
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/teams/{team_id}", tags=["runs"])


@router.get("/breakpoints", summary="Read the breakpoints of a team")
async def read_breakpoints(team_id: str, store: StoreDep) -> Breakpoints:
    await store.teams.summary(team_id)
    return Breakpoints(breakpoints=tuple((await store.settings.load(team_id)).breakpoints))


@router.put("/breakpoints", summary="Set the breakpoints of a team and its active runs")
async def set_breakpoints(
    team_id: str, body: Breakpoints, store: StoreDep, supervisor: SupervisorDep, person: PersonDep
) -> Breakpoints:
    await store.settings.set_breakpoints(team_id, body.breakpoints)
    data = cast("JsonObject", body.model_dump(mode="json"))
    await supervisor.command_team(team_id, "breakpoints", by=person.name, data=data)
    return body


@router.get("/policy", summary="Read the tool rules of a team")
async def read_policy(team_id: str, store: StoreDep) -> Rules:
    await store.teams.summary(team_id)
    return _shown((await store.settings.load(team_id)).policy)


@router.put("/policy", summary="Set the tool rules of a team and its active runs")
async def set_policy(team_id: str, body: Rules, store: StoreDep, supervisor: SupervisorDep, person: PersonDep) -> Rules:
    known = await marks_in((await store.teams.get(team_id)).component)
    policy = body.policy.model_copy(update={"known": known})
    await store.settings.set_policy(team_id, policy)
    data: JsonObject = {"policy": cast("JsonObject", policy.model_dump(mode="json"))}
    await supervisor.command_team(team_id, "policy", by=person.name, data=data)
    return _shown(policy)


def _shown(policy: ToolPolicy) -> Rules:
    """Without the tools that were known, which the studio keeps for itself."""
    return Rules(policy=policy.model_copy(update={"known": None}))
