"""Which tools of a team the rules for tools were made for, and who may do what they do not allow."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import JsonValue

from studio.components import load_component
from studio.errors import StudioError
from studio.runs import TeamTool, ToolPolicy, marks_of, tools_in
from studio.store import Store
from studio.store.tables import Team
from studio.web.auth.person import Person


async def marks_in(document: JsonValue) -> tuple[str, ...]:
    """By which the tools of a team are known again; none of one that does not load."""
    return marks_of(await _tools_in(document))


async def learn(store: Store, before: Team, document: JsonValue, revision: int, person: Person) -> None:
    """Take tools that an approver brings into a team for known. Those that others brought stay new.

    Args:
        store: Where the rules are kept.
        before: The team as it was.
        document: What was saved in its place.
        revision: Which one it was made of.
        person: Who saved it.
    """
    policy = (await store.settings.load(before.id)).policy
    if policy.known is None or revision != before.revision or not person.may("approver"):
        return
    brought = set(await marks_in(document)) - set(await marks_in(before.component))
    if brought - set(policy.known):
        known = tuple(sorted({*policy.known, *brought}))
        await store.settings.set_policy(before.id, policy.model_copy(update={"known": known}))


async def check_may_try(store: Store, document: JsonValue, team_id: str, person: Person) -> None:
    """Refuse to try a tool of which rules do not say that it runs by itself, whatever it is called there.

    The rules are those of the team that is named, and of each other one that has a tool of the same source or server.

    Raises:
        NeedsRole: Only an approver may.
    """
    if person.may("approver"):
        return
    tools = await _tools_in(document)
    for ruled_id, policy in (await store.settings.rules()).items() if tools else ():
        if not all(_allows(policy, tool) for tool in tools if ruled_id == team_id or _is_known(policy, tool)):
            person.must("approver")


def _is_known(policy: ToolPolicy, tool: TeamTool) -> bool:
    return not {tool.mark, *tool.capabilities}.isdisjoint(policy.known or ())


def _allows(policy: ToolPolicy, tool: TeamTool) -> bool:
    is_as_it_was = policy.known is None or tool.mark in policy.known
    return policy.is_idle or (bool(tool.name) and is_as_it_was and policy.always_allows(tool.name))


async def _tools_in(document: JsonValue) -> Sequence[TeamTool]:
    try:
        return await asyncio.to_thread(lambda: tools_in(load_component(document)))
    except StudioError:
        return ()
