"""A call that one protocol began is read, answered and cancelled by each other one, and its log is the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple, cast
from uuid import uuid4

import httpx
import pytest

from tests.extended import IS_EXTENDED
from tests.web.mcp_clients import TakesTasks, answered_task, ask_task, begun_task, mcp_client, polled
from tests.web.openai_clients import Server
from tests.web.publishing import ASKS, LIMITS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

NAME = "asks"
TASK, REPLY = "Go.", "Go on."
QUESTION = "A draft.\n\nEnter your response:"


class Seen(NamedTuple):
    """What a protocol tells of a call."""

    state: str
    text: str


WAITS = Seen("waits", "")
ENDED = Seen("ended", "Another draft.")
CANCELLED = Seen("cancelled", "")


@dataclass(frozen=True)
class Door:
    """One protocol, as a program with the key of the deployment speaks it; each call has a thread of its own."""

    http: httpx.Client

    def begin(self) -> str:
        """Begin a call that asks its caller; the ID of the call."""
        raise NotImplementedError

    def read(self, call_id: str) -> Seen:
        raise NotImplementedError

    def answer(self, call_id: str) -> None:
        raise NotImplementedError

    def cancel(self, call_id: str) -> None:
        raise NotImplementedError

    def asked(self, method: str, path: str, **given: Any) -> Any:
        answer = self.http.request(method, f"/d/{NAME}{path}", **given)
        assert answer.is_success, answer.text
        return answer.json()


class Rest(Door):
    def begin(self) -> str:
        return self.asked("POST", "/calls", json={"task": TASK}, params={"wait_s": 30})["id"]

    def read(self, call_id: str) -> Seen:
        call = self.asked("GET", f"/calls/{call_id}", params={"wait_s": 30})
        states = {"waiting": "waits", "finished": "ended", "cancelled": "cancelled"}
        return Seen(states[call["state"]], call["answer"] if call["state"] == "finished" else "")

    def answer(self, call_id: str) -> None:
        question = self.asked("GET", f"/calls/{call_id}")["question"]["id"]
        self.asked("POST", f"/calls/{call_id}/answers", json={"question_id": question, "text": REPLY})

    def cancel(self, call_id: str) -> None:
        self.asked("POST", f"/calls/{call_id}/cancel")


class Responses(Door):
    def begin(self) -> str:
        return self._respond(input=TASK)["id"].removeprefix("resp_")

    def piece(self, call_id: str) -> tuple[str, str]:
        """The state and text of the first response of a call, which a question completes."""
        response = self.asked("GET", f"/v1/responses/resp_{call_id}")
        return response["status"], response["output"][0]["content"][0]["text"] if response["output"] else ""

    def answer(self, call_id: str) -> None:
        self._respond(input=REPLY, previous_response_id=f"resp_{call_id}")

    def cancel(self, call_id: str) -> None:
        self.asked("POST", f"/v1/responses/resp_{call_id}/cancel")

    def _respond(self, **body: Any) -> Any:
        return self.asked("POST", "/v1/responses", json={"model": NAME, **body})


class A2A(Door):
    def begin(self) -> str:
        return self._rpc("SendMessage", message=self._said(TASK))["task"]["id"]

    def read(self, call_id: str) -> Seen:
        task = self._rpc("GetTask", id=call_id)
        states = {"INPUT_REQUIRED": "waits", "COMPLETED": "ended", "CANCELED": "cancelled"}
        parts = [part["text"] for artifact in task.get("artifacts", []) for part in artifact["parts"]]
        state = states[task["status"]["state"].removeprefix("TASK_STATE_")]
        return Seen(state, "".join(parts) if state == "ended" else "")

    def answer(self, call_id: str) -> None:
        self._rpc("SendMessage", message={**self._said(REPLY), "taskId": call_id})

    def cancel(self, call_id: str) -> None:
        self._rpc("CancelTask", id=call_id)

    def _said(self, text: str) -> dict[str, Any]:
        return {"messageId": str(uuid4()), "role": "ROLE_USER", "parts": [{"text": text}]}

    def _rpc(self, method: str, **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = self.asked("POST", "/a2a", json=body, headers={"A2A-Version": "1.0"})
        assert "result" in answer, answer
        return answer["result"]


class A2ARest(A2A):
    """The same without JSON-RPC."""

    def _rpc(self, method: str, **params: Any) -> Any:
        paths = {
            "SendMessage": ("POST", "/message:send"),
            "GetTask": ("GET", f"/tasks/{params.get('id')}"),
            "CancelTask": ("POST", f"/tasks/{params.get('id')}:cancel"),
        }
        verb, path = paths[method]
        body = {"json": params} if method == "SendMessage" else {}
        return self.asked(verb, f"/a2a{path}", headers={"A2A-Version": "1.0"}, **body)


class Mcp(Door):
    def begin(self) -> str:
        call_id = asyncio.run(begun_task(self._url, self._key, NAME, TASK))
        assert self.read(call_id) == WAITS
        return call_id

    def read(self, call_id: str) -> Seen:
        status = asyncio.run(self._status(call_id))
        states = {"input_required": "waits", "completed": "ended", "cancelled": "cancelled"}
        text = status.result["content"][0]["text"] if status.status == "completed" else ""
        return Seen(states[status.status], text)

    def answer(self, call_id: str) -> None:
        asyncio.run(answered_task(self._url, self._key, call_id, REPLY))

    def cancel(self, call_id: str) -> None:
        async def cancelled() -> None:
            async with self._client() as client:
                await ask_task(client.session, "tasks/cancel", call_id)

        asyncio.run(cancelled())

    async def _status(self, call_id: str):
        async with self._client() as client:
            return await polled(client, call_id)

    def _client(self):
        return mcp_client(self._url, self._key, extensions=[TakesTasks()])

    @property
    def _url(self) -> str:
        return f"{str(self.http.base_url).rstrip('/')}/d/{NAME}"

    @property
    def _key(self) -> str:
        return self.http.headers["Authorization"].removeprefix("Bearer ")


class AgUi(Door):
    """It finds a call by its thread, and tells of it only what a run of its own brings about."""

    def begin(self) -> str:
        started = self._run({"messages": [{"id": "u", "role": "user", "content": TASK}]}, str(uuid4()))[0]
        return started["metadata"]["team-studio/call"]

    def answer(self, call_id: str) -> None:
        self._resume(call_id, {"status": "resolved", "payload": REPLY})

    def cancel(self, call_id: str) -> None:
        self._resume(call_id, {"status": "cancelled"})

    def _resume(self, call_id: str, entry: dict[str, Any]) -> None:
        call = self.asked("GET", f"/calls/{call_id}")
        self._run({"resume": [{**entry, "interruptId": call["question"]["id"]}]}, call["thread"])

    def _run(self, body: dict[str, Any], thread: str) -> list[Any]:
        body = {"messages": [], **body, "threadId": thread, "runId": str(uuid4())}
        answer = self.http.post(f"/d/{NAME}/agui", json=body)
        assert answer.is_success, answer.text
        return [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]


class UiStream(Door):
    """It finds a call by its thread, and tells only of the answer that is under way."""

    def begin(self) -> str:
        return self._say(TASK, str(uuid4()))[0]["messageMetadata"]["call"]

    def answer(self, call_id: str) -> None:
        self._say(REPLY, self.asked("GET", f"/calls/{call_id}")["thread"])

    def _say(self, text: str, thread: str) -> list[Any]:
        message = {"id": str(uuid4()), "role": "user", "parts": [{"type": "text", "text": text}]}
        body = {"id": thread, "messages": [message], "trigger": "submit-message"}
        answer = self.http.post(f"/d/{NAME}/ui", json=body)
        assert answer.is_success, answer.text
        return [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]


class Chat(Door):
    """It has no IDs, so it neither reads nor cancels."""

    def begin(self) -> str:
        body = {"messages": [{"role": "user", "content": TASK}], "metadata": {"thread": str(uuid4())}}
        return self._complete(body)["id"].removeprefix("chatcmpl-")

    def answer(self, call_id: str) -> None:
        roles = {"user": TASK, "assistant": QUESTION}
        messages = [{"role": role, "content": text} for role, text in roles.items()]
        messages.append({"role": "user", "content": REPLY})
        thread = self.asked("GET", f"/calls/{call_id}")["thread"]
        self._complete({"messages": messages, "metadata": {"thread": thread}})

    def _complete(self, body: dict[str, Any]) -> Any:
        return self.asked("POST", "/v1/chat/completions", json={"model": NAME, **body})


PROTOCOLS: Mapping[str, type[Door]] = {
    "rest": Rest,
    "openai-responses": Responses,
    "openai-chat": Chat,
    "mcp": Mcp,
    "a2a": A2A,
    "a2a-rest": A2ARest,
    "ag-ui": AgUi,
    "ai-sdk": UiStream,
}
READERS = ["rest", "mcp", "a2a", "a2a-rest"]
CANCELLERS = [*READERS, "openai-responses", "ag-ui"]
OWN = {"at", "id", "call_id", "request_id", "run_id", "created_at"}
"""What each run has for itself."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with studio(tmp_path_factory.mktemp("studio") / "data") as (_, owner), ExitStack() as clients:
        yield Server(owner, clients)


@pytest.fixture(scope="module")
def doors(server: Server) -> Mapping[str, Door]:
    key = server.published(NAME, ASKS, limits=LIMITS).api_key
    headers = {"Authorization": f"Bearer {key}"}
    url = server.owner.base_url
    http = server.clients.enter_context(httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False))
    return {name: door(http) for name, door in PROTOCOLS.items()}


def seen(doors: Mapping[str, Door], call_id: str) -> set[Seen]:
    return {doors[name].read(call_id) for name in READERS}


def partners(begins: str, others: Sequence[str]) -> Sequence[str]:
    """The protocols that go on with what one began: all, or two of them, so that each has its turn."""
    place = [*PROTOCOLS].index(begins)
    return others if IS_EXTENDED else [others[(place + step) % len(others)] for step in (0, 3)]


def log(server: Server, call_id: str) -> Any:
    return bare(server.owner.get(f"/api/runs/{call_id}/events", params={"limit": 500}).json()["entries"])


def bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: bare(each) for name, each in cast("dict[str, Any]", value).items() if name not in OWN}
    return [bare(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


@pytest.mark.parametrize("begins", PROTOCOLS)
def test_each_protocol_reads_and_answers_what_another_began(server: Server, doors: Mapping[str, Door], begins: str):
    logs: list[Any] = []
    for answers in partners(begins, [*PROTOCOLS]):
        call_id = doors[begins].begin()
        assert seen(doors, call_id) == {WAITS}, answers
        doors[answers].answer(call_id)
        assert seen(doors, call_id) == {ENDED}, answers
        assert cast("Responses", doors["openai-responses"]).piece(call_id) == ("completed", QUESTION), answers
        logs.append(log(server, call_id))
    first = doors["rest"].begin()
    doors["rest"].answer(first)
    assert seen(doors, first) == {ENDED}
    expected = log(server, first)
    assert len(expected) > 5
    for answers, found in zip(partners(begins, [*PROTOCOLS]), logs, strict=True):
        assert found == expected, answers


@pytest.mark.parametrize("begins", PROTOCOLS)
def test_each_protocol_cancels_what_another_began(server: Server, doors: Mapping[str, Door], begins: str):
    logs: list[Any] = []
    for cancels in partners(begins, CANCELLERS):
        call_id = doors[begins].begin()
        doors[cancels].cancel(call_id)
        assert seen(doors, call_id) == {CANCELLED}, cancels
        logs.append(log(server, call_id))
    assert logs == [logs[0]] * len(logs)
