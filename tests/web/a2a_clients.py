"""Clients of A2A, as programs have them: the SDK of the protocol, over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import cast
from uuid import uuid4

import httpx
from a2a.client import Client, ClientConfig, create_client
from a2a.types import Message, Part, Role, SendMessageRequest, StreamResponse, Task, TaskState


@asynccontextmanager
async def a2a_client(url: str, key: str, *, streaming: bool = True) -> AsyncGenerator[Client]:
    """A client of the deployment at `url`, which reads its card first."""
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(headers=headers, timeout=60, trust_env=False) as http:
        client = await create_client(f"{url}/a2a", ClientConfig(streaming=streaming, httpx_client=http))
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
