"""Chats by the UI message stream of the AI SDK, over real HTTP; `test_javascript_clients` tries the SDK itself."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from studio.components import JsonObject
from tests.web.documents import ASK, assistant, shouting, team
from tests.web.openai_clients import PICTURE, Server, writer
from tests.web.publishing import ASKS, LIMITS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


class Site:
    """A running studio with a few published teams, and a client with the key of each."""

    def __init__(self, server: Server, teams: dict[str, JsonObject]) -> None:
        self.server = server
        keys = {name: server.published(name, each, limits=LIMITS).api_key for name, each in teams.items()}
        self.callers = {name: self.caller(key) for name, key in keys.items()}

    def caller(self, key: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"}
        client = httpx.Client(base_url=self.server.owner.base_url, headers=headers, timeout=30, trust_env=False)
        return self.server.clients.enter_context(client)

    def send(self, name: str, chat: str, *parts: Any, **more: Any) -> httpx.Response:
        message = {"id": str(uuid4()), "role": "user", "parts": parts, **more.pop("message", {})}
        body = {"id": chat, "messages": [message], "trigger": "submit-message", **more}
        return self.callers[name].post(f"/d/{name}/ui", json=body)

    def say(self, name: str, chat: str, text: str) -> list[Any]:
        answer = self.send(name, chat, {"type": "text", "text": text})
        assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1", answer.text
        assert answer.text.endswith("data: [DONE]\n\n")
        return parts_of(answer.text.splitlines())


def parts_of(lines: Iterable[str]) -> list[Any]:
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


def kinds(parts: list[Any]) -> list[str]:
    return [part["type"] for part in parts]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    folder: Path = tmp_path_factory.mktemp("studio") / "data"
    with studio(folder) as (_, owner), ExitStack() as clients:
        teams = {"plain": writer(), "asks": ASKS, "shouts": shouting(), "limited": team(assistant("a", "One."))}
        site = Site(Server(owner, clients), teams)
        found = owner.get("/api/deployments/shouts").json()
        assert owner.put(f"/api/teams/{found['team_id']}/policy", json=ASK).is_success
        owner.patch("/api/deployments/limited", json={"settings": {"limits": {**LIMITS, "call_turns": 1}}})
        yield site


def test_an_answer_is_one_text_and_its_chat_a_thread(site: Site):
    chat = str(uuid4())
    parts = site.say("plain", chat, "Go.")
    assert kinds(parts) == ["start", "text-start", "text-delta", "text-end", "finish"]
    call = site.callers["plain"].get(f"/d/plain/calls/{parts[0]['messageMetadata']['call']}").json()
    assert (call["thread"], call["answer"]) == (chat, "The answer.") == (chat, parts[2]["delta"])
    assert site.server.calls("plain")[0]["protocol"] == "ai-sdk"


def test_who_comes_back_gets_the_answer_under_way_whole(site: Site):
    chat, caller = str(uuid4()), site.callers["shouts"]
    body = {"task": "Go.", "thread": chat}
    call_id = caller.post("/d/shouts/calls", params={"wait_s": 0}, json=body).json()["id"]
    lines: list[str] = []
    with caller.stream("GET", f"/d/shouts/ui/{chat}/stream") as answer:
        assert answer.status_code == 200
        for line in answer.iter_lines():
            lines.append(line)
            if "data-waiting" in line:
                pending = site.server.owner.get(f"/api/runs/{call_id}").json()["pending"]
                data = {"hash": pending["details"]["hash"], "verdict": "allow"}
                decision = {"command": "decide", "request_id": pending["request_id"], "data": data}
                site.server.owner.post(f"/api/runs/{call_id}/commands", json=decision).raise_for_status()
    assert kinds(parts_of(lines)) == ["start", "data-waiting", "finish"], "the result of a tool is no answer"
    assert caller.get(f"/d/shouts/ui/{chat}/stream").status_code == 204


def test_who_stops_a_chat_ends_the_answer_under_way_and_nothing_else(site: Site):
    chat, caller = str(uuid4()), site.callers["shouts"]
    body = {"task": "Go.", "thread": chat}
    call_id = caller.post("/d/shouts/calls", params={"wait_s": 0}, json=body).json()["id"]
    other = site.server.owner.post("/api/deployments/shouts/keys", json={"label": "stranger"}).json()["key"]
    stranger = {"Authorization": f"Bearer {other}"}
    assert site.server.owner.delete(f"/d/shouts/ui/{chat}/stream", headers=stranger).status_code == 204
    assert caller.get(f"/d/shouts/calls/{call_id}", params={"wait_s": 0}).json()["state"] != "cancelled"
    assert caller.delete(f"/d/shouts/ui/{chat}/stream").status_code == 204
    assert caller.get(f"/d/shouts/calls/{call_id}").json()["state"] == "cancelled"
    assert caller.get(f"/d/shouts/ui/{chat}/stream").status_code == 204
    asked = str(uuid4())
    question = site.say("asks", asked, "Write.")
    assert site.callers["asks"].delete(f"/d/asks/ui/{asked}/stream").status_code == 204
    answered = site.say("asks", asked, "APPROVE")
    assert answered[0]["messageMetadata"]["call"] == question[0]["messageMetadata"]["call"]


def test_a_question_ends_the_message_and_the_next_one_answers_it(site: Site):
    chat = str(uuid4())
    asked = site.say("asks", chat, "Write.")
    [question] = [part for part in asked if part["type"] == "data-question"]
    assert (question["data"], asked[-1]["finishReason"]) == ({"choices": [], "answerSchema": None}, "stop")
    assert site.callers["asks"].get(f"/d/asks/ui/{chat}/stream").status_code == 204
    answered = site.say("asks", chat, "More.")
    assert "".join(part.get("delta", "") for part in answered) == "Another draft."
    assert answered[0]["messageMetadata"] == asked[0]["messageMetadata"]
    assert answered[0]["messageId"] != asked[0]["messageId"]


def test_a_call_at_its_limit_ends_with_an_error(site: Site):
    parts = site.say("limited", str(uuid4()), "Go.")
    assert kinds(parts) == ["start", "error"]
    assert parts[0]["messageMetadata"]["call"] in parts[1]["errorText"]


def test_pictures_come_along_and_are_not_fetched(site: Site):
    def see(url: str, kind: str = "file") -> int:
        text = {"type": "text", "text": "See."}
        picture = {"type": kind, "mediaType": "image/png", "url": url}
        return site.send("plain", str(uuid4()), text, picture).status_code

    assert see(PICTURE) == 200
    assert {see("http://127.0.0.1/x.png"), see("data:text/html,x"), see(PICTURE, "video")} == {422}


def test_what_is_no_new_message_is_refused_and_begins_nothing(site: Site):
    before = len(site.server.calls("plain"))
    text = {"type": "text", "text": "Go."}
    for wrong in (
        site.send("plain", "c", text, trigger="regenerate-message"),
        site.send("plain", "c", text, message={"role": "assistant"}),
        site.send("plain", "c", text, messages=[]),
        site.send("plain", "c", text, messages=[None]),
        site.send("plain", "c"),
        site.send("plain", "a chat\0", text),
        site.send("plain", "c" * 129, text),
    ):
        assert wrong.status_code == 422, wrong.text
        assert wrong.json()["error"]["message"]
    for chat, status in (("none", 204), ("a%00b", 422), ("x" * 129, 422)):
        assert site.callers["plain"].get(f"/d/plain/ui/{chat}/stream").status_code == status
    assert len(site.server.calls("plain")) == before


def test_nobody_follows_the_chat_of_another_key(site: Site):
    chat = str(uuid4())
    site.callers["shouts"].post("/d/shouts/calls", json={"task": "Go.", "thread": chat}).raise_for_status()
    key = site.server.owner.post("/api/deployments/shouts/keys", json={"label": "other"}).json()["key"]
    assert site.caller(key).get(f"/d/shouts/ui/{chat}/stream").status_code == 204
    assert site.caller("sk-studio-wrong").get(f"/d/shouts/ui/{chat}/stream").status_code == 401
