"""Clients of A2A, as programs have them: the SDK of the protocol, over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import httpx
from a2a.client import Client, ClientConfig, create_client
from a2a.types import Message, Part, Role, SendMessageRequest, StreamResponse, Task, TaskState

from studio.components import JsonObject
from tests.web.documents import ASK, assistant, shouting, team
from tests.web.openai_clients import Server, writer
from tests.web.publishing import ASKS, LIMITS
from tests.web.serving import studio

BINDINGS = ("JSONRPC", "HTTP+JSON")
VERSION = {"A2A-Version": "1.0"}
SAID: JsonObject = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Go."}]}
CHANGES: list[JsonObject] = [
    {"messageId": ""},
    {"messageId": 7},
    {"messageId": "m" * 256},
    {"role": "ROLE_AGENT"},
    {"role": 1},
    {"parts": []},
    {"parts": "x"},
    {"parts": [{}]},
    {"parts": [{"text": 7}]},
    {"parts": [{"text": " "}]},
    {"contextId": "a b"},
    {"contextId": "\ud800"},
    {"taskId": "none"},
    {"taskId": {}},
]
WRONG_PARAMS: list[Any] = [
    [],
    "x",
    7,
    {},
    {"message": None},
    {"message": "x"},
    {"message": {}},
    *({"message": {**SAID, **change}} for change in CHANGES),
    {"message": SAID, "configuration": "x"},
    {"message": SAID, "configuration": {"historyLength": -1}},
    {"message": SAID, "configuration": {"returnImmediately": {}}},
    {"id": "", "pageSize": 0},
    {"id": {}, "pageSize": "x"},
    {"id": [], "status": "x"},
    {"id": 7, "statusTimestampAfter": "x"},
    {"id": "../x", "pageToken": "x"},
    {"id": "none", "historyLength": -1},
]
"""What no method takes."""


@asynccontextmanager
async def a2a_client(
    url: str, key: str, *, streaming: bool = True, binding: str = BINDINGS[0]
) -> AsyncGenerator[Client]:
    """A client of the deployment at `url`, which reads its card first."""
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(headers=headers, timeout=60, trust_env=False) as http:
        config = ClientConfig(streaming=streaming, httpx_client=http, supported_protocol_bindings=[binding])
        client = await create_client(f"{url}/a2a", config)
        yield client


def message(text: str, *, context: str = "", task: str = "", message_id: str = "") -> SendMessageRequest:
    """A message of one text."""
    said = Message(
        message_id=message_id or str(uuid4()),
        role=Role.ROLE_USER,
        parts=[Part(text=text)],
        context_id=context,
        task_id=task,
    )
    return SendMessageRequest(message=said)


@asynccontextmanager
async def sending(client: Client, text: str) -> AsyncGenerator[AsyncGenerator[StreamResponse]]:
    """The stream of a message, which its reader leaves at the end of the block."""
    async with aclosing(cast("AsyncGenerator[StreamResponse]", client.send_message(message(text)))) as events:
        yield events


async def told(client: Client, request: SendMessageRequest) -> list[StreamResponse]:
    """All that a message comes to: a stream, or the one task of a client that takes none."""
    return [each async for each in client.send_message(request)]


async def task_of(client: Client, request: SendMessageRequest) -> Task:
    """The one task that a client without streams gets."""
    [only] = await told(client, request)
    return only.task


def kinds(events: list[StreamResponse]) -> list[str]:
    """What each event of a stream is, and the state that it tells."""
    return [_kind(each) for each in events]


def _kind(event: StreamResponse) -> str:
    kind = event.WhichOneof("payload")
    if kind == "task":
        return f"task {state(event.task)}"
    if kind == "status_update":
        return f"status {TaskState.Name(event.status_update.status.state).removeprefix('TASK_STATE_')}"
    return str(kind)


def state(task: Task) -> str:
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_")


def answer_of(task: Task) -> str:
    return "".join(part.text for artifact in task.artifacts for part in artifact.parts)


def said_in(task: Task) -> str:
    """What the status of a task says."""
    return "".join(part.text for part in task.status.message.parts)


@dataclass(frozen=True)
class Site:
    """A running studio with a few published teams, and their keys."""

    server: Server
    keys: dict[str, str]
    binding: str = BINDINGS[0]
    """Which the SDK's client speaks."""

    @property
    def url(self) -> str:
        return str(self.server.owner.base_url).rstrip("/")

    def client(self, name: str, key: str = "", **given: Any):
        return a2a_client(f"{self.url}/d/{name}", key or self.keys[name], binding=self.binding, **given)

    def speaking(self, binding: str) -> Site:
        """The same with another binding, and keys that have made no calls."""
        return replace(self, binding=binding, keys={name: self.another_key(name) for name in self.keys})

    async def asking(self, **place: str) -> Task:
        """A task that waits for its caller."""
        async with self.client("asks", streaming=False) as client:
            return await task_of(client, message("Write.", **place))

    def another_key(self, name: str) -> str:
        return self.server.owner.post(f"/api/deployments/{name}/keys", json={"label": "other"}).json()["key"]

    def allow(self, task_id: str) -> None:
        """Decide, as an operator, what a task waits for."""
        pending = self.server.owner.get(f"/api/runs/{task_id}").json()["pending"]
        data = {"hash": pending["details"]["hash"], "verdict": "allow"}
        answer = {"command": "decide", "request_id": pending["request_id"], "data": data}
        assert self.server.owner.post(f"/api/runs/{task_id}/commands", json=answer).is_success

    def rest(self, name: str, method: str, path: str = "", **given: Any) -> httpx.Response:
        """A request with the key of a deployment."""
        headers = {"Authorization": f"Bearer {self.keys[name]}", **given.pop("headers", {})}
        return self.server.owner.request(method, f"/d/{name}{path}", headers=headers, **given)

    def rpc(self, name: str, method: str, params: Any = None, **given: Any) -> Any:
        """A request of A2A as it stands on the wire, and what comes back."""
        body: JsonObject = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
        headers = given.pop("headers", VERSION)
        return self.rest(name, "POST", given.pop("path", "/a2a"), json=body, headers=headers)


@contextmanager
def a2a_site(folder: Path) -> Generator[Site]:
    """A studio that is running, as a program of its own has it."""
    both = team(assistant("writer", "One."), assistant("critic", "Two."))
    teams = {"plain": writer(), "asks": ASKS, "shouts": shouting(), "open": both, "limited": writer()}
    with studio(folder) as (_, owner), ExitStack() as clients:
        server = Server(owner, clients)
        keys = {name: server.published(name, each, limits=LIMITS).api_key for name, each in teams.items()}
        found = owner.get("/api/deployments/shouts").json()
        assert owner.put(f"/api/teams/{found['team_id']}/policy", json=ASK).is_success
        owner.patch("/api/deployments/plain", json={"summary": "Answers all questions."})
        owner.patch("/api/deployments/open", json={"settings": {"sees": "messages", "limits": LIMITS}})
        owner.patch("/api/deployments/limited", json={"settings": {"limits": {"calls_per_minute": 1}}})
        yield Site(server, keys)
