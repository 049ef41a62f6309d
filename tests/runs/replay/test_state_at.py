"""What a team remembered at a place of its run."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import aclosing
from typing import cast

import pytest
from pydantic import JsonValue

from studio.components import JsonObject, load_component
from studio.runs import RunState, state_at
from studio.teams import Team
from tests.runs.scripted import OpenStudio
from tests.runs.tooling import agent, team

NEW_EACH_TIME = frozenset({"id", "created_at", "team_id"})


def graph(first: JsonValue, branches: list[JsonValue], last: JsonValue) -> JsonObject:
    """One, then several side by side, then one that waits for all of them."""

    def name(of: JsonValue) -> str:
        return str(cast("JsonObject", cast("JsonObject", of)["config"])["name"])

    def node(of: JsonValue, targets: list[JsonValue]) -> JsonObject:
        return {"name": name(of), "edges": [{"target": name(each)} for each in targets], "activation": "all"}

    people = [first, *branches, last]
    nodes = [node(first, branches), *(node(each, [last]) for each in branches), node(last, [])]
    return {
        "provider": "autogen_agentchat.teams.GraphFlow",
        "component_type": "team",
        "config": {"participants": people, "graph": {"nodes": {str(each["name"]): each for each in nodes}}},
    }


def nested() -> JsonObject:
    inner = cast("JsonObject", team(agent("ann", "one", "three"), agent("bob", "two", "four"), turns=2))
    config = {**cast("JsonObject", inner["config"]), "name": "Pair", "description": "Two people."}
    return cast("JsonObject", team({**inner, "config": config}, agent("cid", "five", "six"), turns=4))


def parallel() -> JsonObject:
    return graph(agent("ann", "one"), [agent("bob", "two"), agent("cid", "three")], agent("dan", "four"))


def plain(state: object) -> object:
    """Without what is new each time."""
    if isinstance(state, dict):
        entries = cast("dict[str, object]", state)
        return {key: plain(value) for key, value in entries.items() if key not in NEW_EACH_TIME}
    if isinstance(state, list):
        return [plain(value) for value in cast("list[object]", state)]
    return state


async def stopped_after(document: JsonObject, count: int) -> object:
    """The state of a team that nobody has asked for more than so many messages."""
    people = load_component(document, Team)
    async with aclosing(people.run_stream(task="Go.")) as items:
        for _ in range(count):
            await anext(items)
        return plain(dict(await people.save_state()))


@pytest.mark.parametrize(
    ("document", "places"),
    [(nested(), range(1, 8)), (parallel(), (1, 2, 4, 5))],  # at 3 one of two has spoken, and nobody says which
    ids=["nested", "parallel"],
)
async def test_the_state_is_that_of_a_team_that_stopped_there(
    open_studio: OpenStudio, document: JsonObject, places: Iterable[int]
) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(document, "Go.")
        await studio.until(run_id, RunState.FINISHED)
        seqs = [entry.seq for entry in await studio.log(run_id) if entry.kind in ("message", "event")]
        for count in places:
            found = await state_at(studio.store.runs, studio.store.approvals, run_id, seqs[count - 1])
            assert found.is_exact
            assert plain(dict(found.state)) == await stopped_after(document, count), f"behind message {count}"


async def test_what_is_kept_elsewhere_makes_it_approximate(open_studio: OpenStudio) -> None:
    memory: JsonObject = {"provider": "autogen_core.memory.ListMemory", "component_type": "memory", "config": {}}
    ann = cast("JsonObject", agent("ann", "one"))
    document = cast("JsonObject", team({**ann, "config": {**cast("JsonObject", ann["config"]), "memory": [memory]}}))
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(document, "Go.")
        view = (await studio.until(run_id, RunState.FINISHED)).view
        found = await state_at(studio.store.runs, studio.store.approvals, run_id, view.last_seq)
        assert not found.is_exact
        assert [part.where for part in found.unrecorded] == ["/config/participants/0/config/memory/0"]
