"""Changing or dropping the last message before the others hear it."""

from __future__ import annotations

from typing import cast

import pytest
from pydantic import JsonValue

from studio.errors import Conflict
from studio.runs import RunState
from tests.runs.holding import PAIR, held_at, prompts
from tests.runs.scripted import OpenStudio
from tests.runs.tooling import agent, team


async def test_the_others_hear_what_a_person_made_of_a_message(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id, message_id = await held_at(studio, PAIR)
        data: dict[str, JsonValue] = {"message_id": message_id, "text": "Uno."}
        await studio.supervisor.command(run_id, "edit", by="ann", data=data)
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        critic = (await prompts(studio, run_id))[1]
        assert "Uno." in critic
        assert "One." not in critic
        told = [entry.body for entry in await studio.log(run_id) if entry.body.get("command") == "edit"]
        assert told == [{"command": "edit", "by": "ann", **data}]


async def test_a_message_that_is_dropped_is_heard_by_nobody(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id, message_id = await held_at(studio, PAIR)
        await studio.supervisor.command(run_id, "edit", data={"message_id": message_id, "text": None})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert "One." not in (await prompts(studio, run_id))[1]


async def test_a_condition_looks_at_the_changed_message(open_studio: OpenStudio) -> None:
    condition: JsonValue = {
        "provider": "autogen_agentchat.conditions.TextMentionTermination",
        "config": {"text": "TERMINATE"},
    }
    members = agent("writer", "TERMINATE"), agent("critic", "Not yet.")
    async with open_studio() as studio:
        run_id, message_id = await held_at(studio, team(*members, turns=2, termination_condition=condition))
        await studio.supervisor.command(run_id, "edit", data={"message_id": message_id, "text": "Go on."})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert (await studio.said(run_id))[-1] == "Not yet."


async def test_one_of_several_that_speak_at_once_is_changed(open_studio: OpenStudio) -> None:
    nodes = {
        "writer": [{"target": "last"}],
        "other": [{"target": "last"}],
        "last": [],
    }
    document = team(agent("writer", "One."), agent("other", "Two."), agent("last", "Three."))
    assert isinstance(document, dict)
    document["provider"] = "autogen_agentchat.teams.GraphFlow"
    graph = {"nodes": {name: {"name": name, "edges": edges, "activation": "all"} for name, edges in nodes.items()}}
    cast("dict[str, object]", document["config"]).update({"graph": graph, "max_turns": None})
    async with open_studio() as studio:
        run_id, message_id = await held_at(studio, document)
        await studio.supervisor.command(run_id, "edit", data={"message_id": message_id, "text": "Uno."})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        assert "Uno." in (await prompts(studio, run_id))[-1]


async def test_what_the_team_has_taken_up_can_not_be_changed(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id, message_id = await held_at(studio, PAIR)
        await studio.supervisor.command(run_id, "step")
        later = (await studio.until(run_id, RunState.PAUSED, "step")).view
        assert later.editable_id not in ("", message_id)
        for wrong in (message_id, "", "nonsense"):
            with pytest.raises(Conflict):
                await studio.supervisor.command(run_id, "edit", data={"message_id": wrong, "text": "Uno."})
        await studio.supervisor.command(run_id, "cancel")


async def test_the_last_change_counts(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id, message_id = await held_at(studio, PAIR)
        for text in (None, "Uno.", "Un."):
            await studio.supervisor.command(run_id, "edit", data={"message_id": message_id, "text": text})
        await studio.supervisor.command(run_id, "resume")
        await studio.until(run_id, RunState.FINISHED)
        critic = (await prompts(studio, run_id))[1]
        assert ("Un." in critic, "Uno." in critic) == (True, False)
