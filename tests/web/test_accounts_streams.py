"""An event stream ends with the sign-in that opened it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.types import Message, Scope

from studio.runs import RunState
from studio.web.app import services_of
from studio.web.dependencies import Services
from tests.web.documents import USER_PROXY, team
from tests.web.doors import TOKEN, client_of
from tests.web.following import start, wait_for
from tests.web.signing_in import COOKIE, add, signed_in, work_passwords_out_quickly

Change = Callable[[Services], Awaitable[object]]


def followed_until(server: TestClient, run_id: str, cookie: str, change: Change) -> list[Message]:
    """Follow a run that waits, make a change once the stream is open, and give what was sent until it ended."""
    return answered_until(server, asking("GET", f"/api/runs/{run_id}/stream", cookie), b"", change)


def asking(method: str, path: str, cookie: str, **headers: str) -> Scope:
    """A request of somebody who has signed in."""
    given = {"host": "127.0.0.1:8040", "cookie": f"{COOKIE}={cookie}", **headers}
    return {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "client": ("testclient", 1),
    }


def answered_until(server: TestClient, scope: Scope, body: bytes, change: Change) -> list[Message]:
    """Send a request to which the answer is a stream, make a change once it is open, and wait for its end."""
    app, services = running(server)

    async def follow() -> list[Message]:
        opened, sent, unsent = asyncio.Event(), list[Message](), [body]

        async def send(message: Message) -> None:
            sent.append(message)
            if b"event: state" in message.get("body", b""):
                opened.set()

        async def receive() -> Message:
            if unsent:
                return {"type": "http.request", "body": unsent.pop(), "more_body": False}
            await asyncio.Event().wait()
            raise AssertionError("the reader stays")

        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            tasks.create_task(app(scope, receive, send))
            await opened.wait()
            await change(services)
        return sent

    assert server.portal is not None
    return server.portal.call(follow)


def running(server: TestClient) -> tuple[FastAPI, Services]:
    app = server.app
    assert isinstance(app, FastAPI)
    services = services_of(app)
    assert services is not None
    return app, services


@pytest.fixture
def run_id(server: TestClient, client: TestClient) -> str:
    """A run that waits for a person, so that its stream stays open."""
    work_passwords_out_quickly(server)
    waiting = start(client, team(USER_PROXY, max_messages=2))
    wait_for(server, waiting, RunState.PAUSED)
    return waiting


def ended(sent: list[Message]) -> bool:
    return sent[0]["status"] == 200 and sent[-1].get("more_body") is False


async def sign_everybody_out(services: Services) -> None:
    for user in await services.store.users.list():
        await services.store.sign_ins.end_all(user.id)
    services.accounts.presence.invalidate()


@pytest.mark.embedded
def test_a_stream_ends_when_its_sign_in_is_revoked(server: TestClient, client: TestClient, run_id: str):
    add(client, "Ada", "admin")
    cookie = signed_in(server, "Ada").cookies[COOKIE]
    assert ended(followed_until(server, run_id, cookie, sign_everybody_out))


def test_a_stream_ends_when_its_reader_is_removed_beside_the_server(
    server: TestClient, client: TestClient, run_id: str
):
    add(client, "Ada", "admin")
    add(client, "Bob", "viewer")
    cookie = signed_in(server, "Bob").cookies[COOKIE]

    async def remove(services: Services) -> None:
        bob = await services.store.users.named("Bob")
        assert bob is not None
        await services.store.users.remove(bob.id)  # as `studio users remove` does: nobody tells the server

    assert ended(followed_until(server, run_id, cookie, remove))


def test_the_owners_stream_ends_when_the_first_user_comes(server: TestClient, browser: TestClient, run_id: str):
    def add_ada(services: Services) -> Awaitable[object]:
        async def made() -> None:
            await services.store.users.add("Ada", "admin", password="x")
            services.accounts.presence.invalidate()

        return made()

    assert ended(followed_until(server, run_id, browser.cookies[COOKIE], add_ada))


def test_a_try_that_ends_with_its_sign_in_is_written_down_as_broken_off(server: TestClient, client: TestClient):
    work_passwords_out_quickly(server)
    add(client, "Ada", "admin")
    ada = signed_in(server, "Ada")
    body = json.dumps({"component": USER_PROXY, "message": "Hello"}).encode()
    csrf = {"x-studio-csrf": ada.headers["X-Studio-CSRF"], "content-type": "application/json"}
    scope = asking("POST", "/api/part-runs", ada.cookies[COOKIE], **csrf)
    assert ended(answered_until(server, scope, body, sign_everybody_out))
    assert recorded(server, "POST /api/part-runs") == [("Ada", "broken off"), ("Ada", "200")]


def test_a_change_that_the_server_breaks_off_is_written_down(server: TestClient, client: TestClient):
    """What it had done by then nobody knows."""
    work_passwords_out_quickly(server)
    add(client, "Ada", "admin")
    ada = signed_in(server, "Ada")
    scope = asking("POST", "/api/teams", ada.cookies[COOKIE], **{"x-studio-csrf": ada.headers["X-Studio-CSRF"]})
    app, _ = running(server)

    async def break_off() -> None:
        is_read, sent = asyncio.Event(), list[Message]()

        async def receive() -> Message:
            is_read.set()
            await asyncio.Event().wait()
            raise AssertionError("the rest of the body never comes")

        async def send(message: Message) -> None:
            sent.append(message)

        task = asyncio.get_running_loop().create_task(app(scope, receive, send))
        await is_read.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert not sent

    assert server.portal is not None
    server.portal.call(break_off)
    assert recorded(server, "POST /api/teams") == [("Ada", "broken off")]


def recorded(server: TestClient, action: str) -> list[tuple[str, str]]:
    """Who did it and what came of it, the newest first."""
    _, services = running(server)
    assert server.portal is not None
    rows = server.portal.call(services.store.audit.list)
    return [(row.who, row.outcome) for row in rows if row.action == action]


def test_only_an_approver_decides_about_a_tool(server: TestClient, client: TestClient, run_id: str):
    add(client, "Ada", "admin")
    add(client, "Eve", "editor")
    eve = signed_in(server, "Eve")
    pending = client_of(server, {"Authorization": f"Bearer {TOKEN}"}).get(f"/api/runs/{run_id}").json()["pending"]
    told = {"command": "decide", "request_id": pending["request_id"], "data": {"verdict": "approve"}}
    refused = eve.post(f"/api/runs/{run_id}/commands", json=told)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "needs_role")
    assert eve.post(f"/api/runs/{run_id}/commands", json={"command": "policy", "data": {}}).status_code == 403
    answer = {"command": "answer", "request_id": pending["request_id"], "text": "Here I am."}
    assert eve.post(f"/api/runs/{run_id}/commands", json=answer).status_code == 200
    entries = eve.get(f"/api/runs/{run_id}/events").json()["entries"]
    assert {entry["body"]["by"] for entry in entries if entry["kind"] == "command"} >= {"Eve"}
