"""Clients of MCP, as programs have them: the SDK of the protocol, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, cast

import httpx2
from mcp import types
from mcp.client import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.session import ClientSession, ElicitationFnT
from mcp.client.streamable_http import streamable_http_client

Era = Literal["auto", "legacy"]
ERAS: tuple[Era, ...] = ("auto", "legacy")
TASKS = "io.modelcontextprotocol/tasks"


@asynccontextmanager
async def mcp_client(
    url: str,
    key: str,
    era: Era = "auto",
    *,
    fills_in: ElicitationFnT | None = None,
    extensions: Sequence[ClientExtension] = (),
) -> AsyncGenerator[Client]:
    """A client of the deployment at `url`; `fills_in` is its person."""
    headers = {"Authorization": f"Bearer {key}"}
    timeout = httpx2.Timeout(10, read=60)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False) as http,
        Client(
            streamable_http_client(f"{url}/mcp", http_client=http),
            mode=era,
            elicitation_callback=fills_in,
            extensions=extensions,
        ) as client,
    ):
        yield client


def said(result: types.CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, types.TextContent))


def told(result: types.CallToolResult) -> Any:
    """What a result tells beside its text."""
    return result.structured_content


class TaskHandle(types.Result):
    """What a server answers with in place of a result."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: str


class TaskStatus(types.Result):
    """What is told of a task; an acknowledgement tells nothing."""

    status: str = ""
    result: Any = None
    input_requests: Any = None


class TaskId(types.RequestParams):
    task_id: str
    input_responses: dict[str, types.ElicitResult] | None = None


class AnyRequest(types.Request[TaskId, str]):
    pass


class TakesTasks(ClientExtension):
    """A client that takes tasks; what it is given is kept in `handles`, and its call ends without a result."""

    identifier = TASKS

    def __init__(self) -> None:
        self.handles: list[TaskHandle] = []

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=TaskHandle, resolve=self._keep)]

    async def _keep(self, handle: TaskHandle, context: ClaimContext) -> types.CallToolResult:
        del context
        self.handles.append(handle)
        return types.CallToolResult(content=[], is_error=True)


async def begun_task(url: str, key: str, name: str, task: str) -> str:
    """Begin a call as a task, and leave; its ID."""
    takes = TakesTasks()
    async with mcp_client(url, key, extensions=[takes]) as client:
        await client.call_tool(name, {"task": task})
    return takes.handles[0].task_id


async def polled(client: Client, task_id: str) -> TaskStatus:
    """A task once it works no longer."""
    for _ in range(200):
        status = await ask_task(client.session, "tasks/get", task_id)
        if status.status != "working":
            return status
        await asyncio.sleep(0.1)
    raise AssertionError("it goes on")


async def answered_task(url: str, key: str, task_id: str, text: str) -> TaskStatus:
    """A task to its end, where it asks once."""
    async with mcp_client(url, key, extensions=[TakesTasks()]) as client:
        asked = await polled(client, task_id)
        [question] = asked.input_requests
        given = types.ElicitResult(action="accept", content={"answer": text})
        await ask_task(client.session, "tasks/update", task_id, **{question: given})
        return await polled(client, task_id)


async def ask_task(session: ClientSession, method: str, task_id: str, **answers: types.ElicitResult) -> TaskStatus:
    """`tasks/get`, `tasks/update` or `tasks/cancel`."""
    params = TaskId(task_id=task_id, input_responses=answers or None)
    request = AnyRequest(method=method, params=params)
    return await session.send_request(cast("Any", request), TaskStatus)
