"""Published teams by AG-UI, over real HTTP.

Each event is checked with the types of the protocol's own package, and each stream with the rules of `ag-ui-validate`.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from ag_ui.core import (
    BaseEvent,
    CustomEvent,
    Event,
    ResumeEntry,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    SubagentStartedEvent,
    TextMessageContentEvent,
    TextMessageStartEvent,
    UserMessage,
)
from ag_ui_validate.pytest_plugin import assert_valid_agui
from pydantic import TypeAdapter

from studio.components import JsonObject
from tests.web.documents import ASK, assistant, shouting, team
from tests.web.openai_clients import PICTURE, Server, writer
from tests.web.publishing import ASKS, LIMITS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

EVENTS: TypeAdapter[BaseEvent] = TypeAdapter(Event)
TEXT = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]


@dataclass(frozen=True)
class Site:
    """A running studio with a few published teams, and their keys."""

    server: Server
    keys: dict[str, str]

    def rest(self, name: str, method: str, path: str = "", **given: Any) -> httpx.Response:
        """A request with the key of a deployment."""
        headers = {"Authorization": f"Bearer {given.pop('key', '') or self.keys[name]}"}
        return self.server.owner.request(method, f"/d/{name}{path}", headers=headers, **given)

    def send(self, name: str, asked: RunAgentInput, key: str = "") -> httpx.Response:
        body = asked.model_dump(mode="json", by_alias=True, exclude_none=True)
        return self.rest(name, "POST", "/agui", json=body, key=key)

    def run(self, name: str, asked: RunAgentInput) -> Sequence[BaseEvent]:
        """The events of a run to its end, as the types of the protocol take them."""
        answer = self.send(name, asked)
        assert answer.headers["content-type"].startswith("text/event-stream"), answer.text
        frames = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
        assert_valid_agui([*frames], max_warnings=0)
        return [EVENTS.validate_json(frame) for frame in frames]


def asked(text: str, thread: str = "", run: str = "", **more: Any) -> RunAgentInput:
    """What a client sends with a message of its user."""
    said = UserMessage(id="u1", content=text)
    return RunAgentInput(thread_id=thread or str(uuid4()), run_id=run or str(uuid4()), messages=[said], **more)


def resumed(before: RunAgentInput, interrupt: str, **how: Any) -> RunAgentInput:
    """What a client sends when its person has done something about an interrupt."""
    entry = ResumeEntry(interrupt_id=interrupt, **how)
    return asked("Write.", before.thread_id, resume=[entry])


def kinds(events: Sequence[BaseEvent]) -> list[str]:
    return [event.type.value for event in events]


def said(events: Sequence[BaseEvent]) -> list[str]:
    return [event.delta for event in events if isinstance(event, TextMessageContentEvent)]


def call_of(events: Sequence[BaseEvent]) -> str:
    """The ID of the call that a run is."""
    assert isinstance(events[0], RunStartedEvent)
    assert events[0].metadata is not None
    return events[0].metadata["team-studio/call"]


def interrupted(events: Sequence[BaseEvent]) -> str:
    """The ID of the one interrupt that a run ends with."""
    assert isinstance(events[-1], RunFinishedEvent)
    assert isinstance(events[-1].outcome, RunFinishedInterruptOutcome)
    [interrupt] = events[-1].outcome.interrupts
    assert (interrupt.reason, interrupt.response_schema) == ("input_required", {"type": "string"})
    return interrupt.id


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    folder: Path = tmp_path_factory.mktemp("studio") / "data"
    both = team(assistant("writer", "One."), assistant("critic", "Two."))
    teams = {"plain": writer(), "asks": ASKS, "shouts": shouting(), "open": both, "limited": both}
    with studio(folder) as (_, owner), ExitStack() as clients:
        server = Server(owner, clients)
        keys = {name: server.published(name, each, limits=LIMITS).api_key for name, each in teams.items()}
        found = owner.get("/api/deployments/shouts").json()
        assert owner.put(f"/api/teams/{found['team_id']}/policy", json=ASK).is_success
        owner.patch("/api/deployments/open", json={"settings": {"sees": "messages", "limits": LIMITS}})
        owner.patch("/api/deployments/limited", json={"settings": {"limits": {**LIMITS, "call_turns": 1}}})
        yield Site(server, keys)


def test_a_run_tells_the_answer_and_ends(site: Site):
    given = asked("Go.")
    events = site.run("plain", given)
    assert kinds(events) == ["RUN_STARTED", *TEXT, "RUN_FINISHED"]
    started, end = events[0], events[-1]
    assert isinstance(started, RunStartedEvent)
    assert (started.thread_id, started.run_id) == (given.thread_id, given.run_id)
    assert started.protocol_version == "1.0"
    assert said(events) == ["The answer."]
    assert isinstance(end, RunFinishedEvent)
    assert isinstance(end.outcome, RunFinishedSuccessOutcome)
    call = site.rest("plain", "GET", f"/calls/{call_of(events)}").json()
    assert (call["thread"], call["answer"], call["state"]) == (given.thread_id, "The answer.", "finished")
    assert end.usage is not None
    assert end.usage[0].input_tokens == call["usage"]["prompt_tokens"]
    assert site.server.calls("plain")[0]["protocol"] == "ag-ui"
    again = site.run("plain", asked("And?", given.thread_id))
    assert site.server.owner.get(f"/api/runs/{call_of(again)}").json()["continues"] == call["id"]


def test_each_turn_of_an_agent_is_a_subagent_where_the_owner_shows_them(site: Site):
    events = site.run("open", asked("Go."))
    turn = ["SUBAGENT_STARTED", *TEXT, "SUBAGENT_FINISHED"]
    assert kinds(events) == ["RUN_STARTED", *turn, *turn, *TEXT, "RUN_FINISHED"]
    assert said(events) == ["One.", "Two.", "Two."]
    assert [event.name for event in events if isinstance(event, SubagentStartedEvent)] == ["writer", "critic"]
    messages = [event for event in events if isinstance(event, TextMessageStartEvent)]
    assert [each.subagent_run_id is None for each in messages] == [False, False, True]
    assert len({each.message_id for each in messages}) == 3


def test_the_same_run_again_is_the_same_stream(site: Site):
    given = asked("Go.")
    first = site.run("plain", given)
    assert site.run("plain", given) == first
    other = site.send("plain", asked("Stop.", given.thread_id, given.run_id))
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_key_reused")


def test_a_question_is_an_interrupt_that_is_resumed_once(site: Site):
    given = asked("Write.")
    events = site.run("asks", given)
    assert kinds(events) == ["RUN_STARTED", *TEXT, "RUN_FINISHED"]
    assert said(events) == ["A draft."]
    interrupt = interrupted(events)
    busy = site.send("asks", asked("Something else.", given.thread_id))
    assert (busy.status_code, busy.json()["error"]["code"]) == (409, "thread_busy")
    unknown = site.send("asks", resumed(given, "none", status="resolved", payload="APPROVE"))
    assert unknown.status_code == 409
    rest = site.run("asks", resumed(given, interrupt, status="resolved", payload="APPROVE"))
    assert (kinds(rest), said(rest)) == (["RUN_STARTED", *TEXT, "RUN_FINISHED"], ["Another draft."])
    assert call_of(rest) == call_of(events)
    replayed = site.run("asks", resumed(given, interrupt, status="resolved", payload="Something else."))
    assert said(replayed) == ["Another draft."]


def test_who_cancels_an_interrupt_cancels_the_call(site: Site):
    given = asked("Write.")
    interrupt = interrupted(site.run("asks", given))
    events = site.run("asks", resumed(given, interrupt, status="cancelled"))
    assert isinstance(events[-1], RunFinishedEvent)
    assert isinstance(events[-1].outcome, RunFinishedCancelledOutcome)


def test_what_one_protocol_asks_another_answers(site: Site):
    given = asked("Write.")
    events = site.run("asks", given)
    url = f"/calls/{call_of(events)}"
    assert site.rest("asks", "GET", url).json()["question"]["id"] == interrupted(events)
    site.rest("asks", "POST", f"{url}/answers", json={"question_id": interrupted(events), "text": "APPROVE"})
    rest = site.run("asks", resumed(given, interrupted(events), status="resolved", payload="ignored"))
    assert said(rest) == ["Another draft."]
    begun = site.rest("asks", "POST", "/calls", params={"wait_s": 20}, json={"task": "Write.", "thread": "t-ag"}).json()
    again = asked("Write.", "t-ag")
    assert said(site.run("asks", resumed(again, begun["question"]["id"], status="resolved", payload={"answer": "OK"})))


def test_what_waits_for_an_operator_says_so_and_goes_on_by_itself(site: Site):
    given = asked("Go.").model_dump(mode="json", by_alias=True, exclude_none=True)
    headers = {"Authorization": f"Bearer {site.keys['shouts']}"}
    events: list[BaseEvent] = []
    frames: list[str] = []
    with site.server.owner.stream("POST", "/d/shouts/agui", json=given, headers=headers) as answer:
        for line in answer.iter_lines():
            if not line.startswith("data: "):
                continue
            frames.append(line.removeprefix("data: "))
            events.append(EVENTS.validate_json(frames[-1]))
            if isinstance(events[-1], CustomEvent):
                pending = site.server.owner.get(f"/api/runs/{call_of(events)}").json()["pending"]
                data = {"hash": pending["details"]["hash"], "verdict": "allow"}
                decision = {"command": "decide", "request_id": pending["request_id"], "data": data}
                site.server.owner.post(f"/api/runs/{call_of(events)}/commands", json=decision).raise_for_status()
    [waiting] = [event for event in events if isinstance(event, CustomEvent)]
    assert waiting.name == "studio.waiting"
    assert waiting.value == {"to": "operator", "message": "Waiting for an operator of the studio."}
    assert kinds(events)[-1] == "RUN_FINISHED"
    assert_valid_agui([*frames], max_warnings=0)


def test_the_rules_see_a_stream_that_breaks_off(site: Site):
    events = [
        event.model_dump(mode="json", by_alias=True, exclude_none=True) for event in site.run("open", asked("Go."))
    ]
    assert_valid_agui([*events], max_warnings=0)
    with pytest.raises(AssertionError, match="AGUI"):
        assert_valid_agui([*events[:-1]], max_warnings=0)


def test_a_call_at_its_limit_ends_with_an_error(site: Site):
    events = site.run("limited", asked("Go."))
    assert kinds(events) == ["RUN_STARTED", "RUN_ERROR"]
    assert isinstance(events[-1], RunErrorEvent)
    assert events[-1].code == "budget_exceeded"
    assert call_of(events) in events[-1].message


def test_pictures_come_along_and_are_not_fetched(site: Site):
    def send(source: JsonObject) -> httpx.Response:
        parts = [{"type": "text", "text": "See."}, {"type": "image", "source": source}]
        body = {"threadId": str(uuid4()), "runId": "r", "messages": [{"id": "u", "role": "user", "content": parts}]}
        body["runId"] = json.dumps(source)[-60:]
        return site.rest("plain", "POST", "/agui", json=body)

    picture = PICTURE.split(",")[1]
    assert send({"type": "data", "value": picture, "mimeType": "image/png"}).status_code == 200
    assert send({"type": "data", "value": "AAAA", "mimeType": "image/png"}).status_code == 422
    assert send({"type": "url", "value": "http://127.0.0.1/x.png"}).status_code == 422


def test_nobody_resumes_the_run_of_another_key(site: Site):
    given = asked("Write.")
    interrupt = interrupted(site.run("asks", given))
    other = site.server.owner.post("/api/deployments/asks/keys", json={"label": "other"}).json()["key"]
    refused = site.send("asks", resumed(given, interrupt, status="resolved", payload="APPROVE"), other)
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "call_not_found")
    assert site.send("asks", given, "sk-studio-wrong").status_code == 401
