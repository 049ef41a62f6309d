"""A team run over a whole log, without a call: does it do the same, to the same end?"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import cast

import pytest

from studio.agents import ChatAgent
from studio.components import JsonObject
from studio.errors import StudioError
from studio.messages import BaseChatMessage, BaseMessage, CancellationToken, Response, TextMessage
from studio.runs import LogEntry, RunState
from studio.runs.admission import load_team
from studio.runs.sharing.cassette import PlaybackResult, play_back
from tests.runs.scripted import OpenStudio
from tests.web.documents import assistant, team

Change = Callable[[JsonObject], None]


async def ran(open_studio: OpenStudio, document: JsonObject, task: str = "Say hello.") -> tuple[str, list[LogEntry]]:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(document, task)
        await studio.batches_until(run_id, lambda batch: batch.view.state.is_final)
        return run_id, list(await studio.log(run_id))


async def again(document: JsonObject, run: tuple[str, list[LogEntry]], task: str = "Say hello.") -> PlaybackResult:
    return await play_back(load_team(document), task, *run)


def config_of(document: JsonObject, index: int = 0) -> JsonObject:
    config = cast("JsonObject", document["config"])
    participants = cast("list[JsonObject]", config["participants"])
    return cast("JsonObject", participants[index]["config"])


PAIR = team(assistant("writer", "One.", "Three."), assistant("critic", "Two."), max_messages=4)


async def test_a_team_that_did_not_change_does_the_same(open_studio: OpenStudio):
    run = await ran(open_studio, PAIR)
    found = await again(PAIR, run)
    assert (found.divergence, found.is_over, found.missing, found.error) == (None, True, "", None)
    assert found.stop_reason == run[1][-1].body["detail"]


async def test_messages_come_again_with_their_ids(open_studio: OpenStudio):
    run = await ran(open_studio, PAIR)
    found = await again(PAIR, run)
    recorded = [entry.body for entry in run[1] if entry.kind in ("message", "event")]
    assert [(item["id"], item["content"]) for item in found.items] == [(one["id"], one["content"]) for one in recorded]


def _system_message(document: JsonObject) -> None:
    config_of(document)["system_message"] = "Say goodbye."


def _order(document: JsonObject) -> None:
    cast("list[JsonObject]", cast("JsonObject", document["config"])["participants"]).reverse()


def _fewer(document: JsonObject) -> None:
    condition = cast("JsonObject", cast("JsonObject", document["config"])["termination_condition"])
    condition["config"] = {"max_messages": 3}


def _more(document: JsonObject) -> None:
    condition = cast("JsonObject", cast("JsonObject", document["config"])["termination_condition"])
    condition["config"] = {"max_messages": 9}


@pytest.mark.parametrize("change", [_system_message, _order, _fewer, _more])
async def test_a_changed_team_does_not_do_what_was_recorded(open_studio: OpenStudio, change: Change):
    run = await ran(open_studio, PAIR)
    changed = cast("JsonObject", json.loads(json.dumps(PAIR)))
    change(changed)
    found = await again(changed, run)
    assert found.divergence or found.missing or not found.is_over


class Parrot(ChatAgent):
    """Says the same for ever and asks nothing of the world."""

    provider = "tests.runs.Parrot"

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[BaseMessage | Response, None]:
        del messages, cancellation_token
        yield Response(chat_message=TextMessage(content="Hello.", source=self.name))


async def test_a_team_that_would_go_on_for_ever_is_left_at_its_next_word(open_studio: OpenStudio):
    parrot: JsonObject = {"provider": Parrot.provider, "component_type": "agent", "config": {"name": "parrot"}}
    run = await ran(open_studio, team(parrot, max_messages=4))
    found = await again(team(parrot, max_messages=10**9), run)
    assert found.missing == "It continued with TextMessage from parrot: 'Hello.'."


async def test_a_run_that_failed_fails_again(open_studio: OpenStudio):
    document = team(assistant("writer", "One."), max_messages=5)
    run = await ran(open_studio, document)
    assert run[1][-1].body["state"] == RunState.FAILED.value
    found = await again(document, run)
    assert (found.divergence, found.is_over) == (None, True)
    assert isinstance(found.error, StudioError)
    assert found.error.what == run[1][-1].body["detail"]


async def test_branches_side_by_side_are_found_again(open_studio: OpenStudio):
    document = cast(
        "JsonObject",
        {
            "provider": "autogen_agentchat.teams.GraphFlow",
            "component_type": "team",
            "config": {
                "participants": [assistant(name, f"{name} speaks.") for name in ("start", "left", "right", "end")],
                "graph": {
                    "nodes": {
                        "start": {"name": "start", "edges": [{"target": "left"}, {"target": "right"}]},
                        "left": {"name": "left", "edges": [{"target": "end"}]},
                        "right": {"name": "right", "edges": [{"target": "end"}]},
                        "end": {"name": "end", "edges": []},
                    }
                },
            },
        },
    )
    run = await ran(open_studio, document)
    found = await again(document, run)
    assert (found.divergence, found.is_over) == (None, True)
    assert sorted(str(item["source"]) for item in found.items) == ["end", "left", "right", "start", "user"]
