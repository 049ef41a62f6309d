"""The client of MCP's own SDK, at both revisions, over real HTTP, against a running studio with a published team."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from mcp import MCPError, types

from studio.components import JsonObject
from studio.services.calls import CallDesk
from studio.web.protocols.mcp import open_mcp
from tests.web.documents import ASK, shouting
from tests.web.mcp_clients import ERAS, TASKS, Era, TakesTasks, ask_task, begun_task, mcp_client, polled, said, told
from tests.web.openai_clients import Server, writer
from tests.web.publishing import ASKS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

of_both = pytest.mark.parametrize("era", ERAS)
META: JsonObject = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
ACCEPTS = {"Accept": "application/json, text/event-stream"}
VERSION = "MCP-Protocol-Version"


@dataclass(frozen=True)
class Site:
    """A running studio with a few published teams, and their keys."""

    server: Server
    keys: dict[str, str]

    @property
    def url(self) -> str:
        return str(self.server.owner.base_url).rstrip("/")

    def client(self, name: str, era: Era = "auto", key: str = "", **given: Any):
        return mcp_client(f"{self.url}/d/{name}", key or self.keys[name], era, **given)

    def rest(self, name: str, method: str, path: str = "", *, key: str = "", **given: Any) -> httpx.Response:
        """A request with the key of a deployment."""
        headers = {"Authorization": f"Bearer {key or self.keys[name]}", **given.pop("headers", {})}
        return self.server.owner.request(method, f"/d/{name}{path}", headers=headers, **given)

    def newest(self, name: str) -> Any:
        return self.server.calls(name)[0]

    def state(self, name: str, call_id: str) -> Any:
        return self.rest(name, "GET", f"/calls/{call_id}", params={"wait_s": 0}).json()["state"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    folder: Path = tmp_path_factory.mktemp("studio") / "data"
    teams = {"plain": writer(), "asks": ASKS, "shouts": shouting(), "limited": writer()}
    limits: dict[str, Any] = {"calls_at_once": 100, "calls_per_minute": 1000, "day_usd": 1000, "day_tokens": 10**9}
    with studio(folder) as (_, owner), ExitStack() as clients:
        server = Server(owner, clients)
        keys = {name: server.published(name, each, limits=limits).api_key for name, each in teams.items()}
        found = owner.get("/api/deployments/shouts").json()
        assert owner.put(f"/api/teams/{found['team_id']}/policy", json=ASK).is_success
        owner.patch("/api/deployments/plain", json={"summary": "Answers all questions.", "settings": seen(limits)})
        owner.patch("/api/deployments/limited", json={"settings": {"limits": {"calls_per_minute": 1}}})
        yield Site(server, keys)


def seen(limits: JsonObject) -> JsonObject:
    return {"sees": "messages", "limits": limits}


def answering(text: str, action: str = "accept") -> Any:
    """A person who fills in each form like this."""

    async def fill_in(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        assert params.message.startswith("A draft.")
        content = {"answer": text} if action == "accept" else None
        return types.ElicitResult(action=cast("Any", action), content=cast("Any", content))

    return fill_in


async def soon(check: Any) -> None:
    """Wait until something holds."""
    for _ in range(100):
        if check():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("it does not hold")


@of_both
async def test_a_deployment_is_one_tool_in_the_words_of_its_owner(site: Site, era: Era):
    async with site.client("plain", era) as client:
        assert client.protocol_version == ("2026-07-28" if era == "auto" else "2025-11-25")
        [tool] = (await client.list_tools()).tools
    assert (tool.name, tool.description) == ("plain", "Answers all questions.")
    assert set(tool.input_schema["properties"]) == {"task", "thread"}


@of_both
async def test_a_call_of_the_tool_is_a_call_like_any_other(site: Site, era: Era):
    told_of: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        told_of.append((progress, message))

    async with site.client("plain", era) as client:
        result = await client.call_tool("plain", {"task": "Go.", "thread": f"t-{era}"}, progress_callback=note)
        again = await client.call_tool("plain", {"task": "And?", "thread": f"t-{era}"})
    assert (said(result), result.is_error) == ("The answer.", False)
    assert told_of == [(1, "Working."), (2, "writer: The answer.")]
    call = told(result)
    assert (call["thread"], call["state"]) == (f"t-{era}", "finished")
    read = site.rest("plain", "GET", f"/calls/{call['id']}").json()
    assert {name: read[name] for name in call} == call
    assert site.newest("plain")["protocol"] == "mcp"
    continues = site.server.owner.get(f"/api/runs/{told(again)['id']}").json()["continues"]
    assert continues == call["id"]


@of_both
async def test_what_cannot_be_done_is_a_result_that_a_model_can_read(site: Site, era: Era):
    async with site.client("plain", era) as client:
        result = await client.call_tool("plain", {"text": "Go."})
        assert (said(result), result.is_error) == (
            "Invalid arguments: task: Field required; text: Extra inputs are not permitted. (config)",
            True,
        )
        empty = await client.call_tool("plain", {"task": " "})
        assert "(invalid_task)" in said(empty)
        with pytest.raises(MCPError, match="There is no tool 'other'") as raised:
            await client.call_tool("other", {"task": "Go."})
    assert raised.value.code == types.INVALID_PARAMS


async def test_limits_hold(site: Site):
    async with site.client("limited") as client:
        assert not (await client.call_tool("limited", {"task": "Go."})).is_error
        refused = await client.call_tool("limited", {"task": "Go."})
    assert (said(refused), refused.is_error) == (
        "Too many calls per minute. Send fewer requests. (limit_reached)",
        True,
    )


@of_both
async def test_a_question_is_a_form_of_the_client(site: Site, era: Era):
    async with site.client("asks", era, fills_in=answering("Go on.")) as client:
        result = await client.call_tool("asks", {"task": "Go."})
    assert (said(result), told(result)["state"]) == ("Another draft.", "finished")
    answers = [each for each in events_of(site, told(result)["id"]) if each == "waiting"]
    assert len(answers) == 1


def events_of(site: Site, call_id: str) -> list[str]:
    stream = site.rest("asks", "GET", f"/calls/{call_id}/events", headers={"Last-Event-ID": "0"}).text
    return [line.removeprefix("event: ") for line in stream.splitlines() if line.startswith("event: ")]


@of_both
async def test_a_form_that_is_declined_ends_the_call_and_one_that_is_closed_lets_it_wait(site: Site, era: Era):
    async with site.client("asks", era, fills_in=answering("", "decline")) as client:
        declined = await client.call_tool("asks", {"task": "Go."})
    assert (told(declined)["state"], declined.is_error) == ("cancelled", True)
    async with site.client("asks", era, fills_in=answering("", "cancel")) as client:
        closed = await client.call_tool("asks", {"task": "Go.", "thread": f"closed-{era}"})
    assert (told(closed)["state"], closed.is_error) == ("waiting", False)
    assert f"use this tool again with the thread 'closed-{era}'" in said(closed)


@of_both
async def test_a_client_without_forms_answers_with_the_next_call(site: Site, era: Era):
    async with site.client("asks", era) as client:
        asked = await client.call_tool("asks", {"task": "Go.", "thread": f"plain-{era}"})
        assert said(asked).startswith("A draft.")
        assert told(asked)["state"] == "waiting"
        done = await client.call_tool("asks", {"task": "Go on.", "thread": f"plain-{era}"})
    assert (said(done), told(done)["id"]) == ("Another draft.", told(asked)["id"])


async def test_a_question_that_another_protocol_answers_needs_no_form(site: Site):
    """At 2025-11-25 the server itself waits for the form."""
    asked = asyncio.Event()

    async def never(_: Any, __: Any) -> types.ElicitResult:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with site.client("asks", "legacy", fills_in=never) as client:
        calling = asyncio.create_task(client.call_tool("asks", {"task": "Go."}))
        await asked.wait()
        call = site.rest("asks", "GET", f"/calls/{site.newest('asks')['id']}").json()
        body = {"question_id": call["question"]["id"], "text": "Go on."}
        assert site.rest("asks", "POST", f"/calls/{call['id']}/answers", json=body).is_success
        assert said(await calling) == "Another draft."


@asynccontextmanager
async def waiting_for_an_operator(site: Site, era: Era, meta: dict[str, Any]) -> AsyncGenerator[str]:
    """A client in the middle of a call, which leaves at the end; its ID."""
    async with site.client("shouts", era) as client:
        before = len(site.server.calls("shouts"))
        calling = asyncio.create_task(
            client.call_tool("shouts", {"task": "Go."}, meta=cast("types.RequestParamsMeta", meta))
        )
        await soon(lambda: len(site.server.calls("shouts")) > before and site.newest("shouts")["state"] == "paused")
        yield site.newest("shouts")["id"]
        calling.cancel()
        await asyncio.wait([calling])


@of_both
async def test_a_client_that_leaves_cancels_its_call(site: Site, era: Era):
    async with waiting_for_an_operator(site, era, {}) as call_id:
        assert site.rest("shouts", "GET", f"/calls/{call_id}").json()["question"]["to"] == "operator"
    await soon(lambda: site.state("shouts", call_id) == "cancelled")


@of_both
async def test_a_client_that_said_it_comes_back_finds_its_call(site: Site, era: Era):
    key = f"order-{era}"
    async with waiting_for_an_operator(site, era, {"team-studio/idempotency-key": key}) as call_id:
        pass
    headers = {"Idempotency-Key": key}
    joined = site.rest("shouts", "POST", "/calls", json={"task": "Go."}, headers=headers)
    assert (joined.json()["id"], joined.json()["state"]) == (call_id, "waiting")
    site.rest("shouts", "POST", f"/calls/{call_id}/cancel")


async def test_a_client_that_takes_tasks_gets_one(site: Site):
    takes = TakesTasks()
    async with site.client("asks", extensions=[takes]) as client:
        await client.call_tool("asks", {"task": "Go."})
        [handle] = takes.handles
        asked = await polled(client, handle.task_id)
        assert asked.status == "input_required"
        [question] = asked.input_requests
        given = types.ElicitResult(action="accept", content={"answer": "Go on."})
        await ask_task(client.session, "tasks/update", handle.task_id, other=given)
        assert (await polled(client, handle.task_id)).input_requests == asked.input_requests
        await ask_task(client.session, "tasks/update", handle.task_id, **{question: given})
        done = await polled(client, handle.task_id)
    assert (done.status, done.result["content"][0]["text"]) == ("completed", "Another draft.")
    assert done.result["structuredContent"]["id"] == handle.task_id == site.newest("asks")["id"]


async def test_a_task_outlives_its_client_and_is_canceled_by_another(site: Site):
    task_id = await begun_task(f"{site.url}/d/shouts", site.keys["shouts"], "shouts", "Go.")
    await soon(lambda: site.state("shouts", task_id) == "waiting")
    async with site.client("shouts", extensions=[TakesTasks()]) as client:
        status = await ask_task(client.session, "tasks/get", task_id)
        assert status.status == "working", "an operator is asked, not the client"
        await ask_task(client.session, "tasks/cancel", task_id)
        assert (await polled(client, task_id)).status == "cancelled"
        other = site.server.owner.post("/api/deployments/shouts/keys", json={"label": "other"}).json()["key"]
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            with pytest.raises(MCPError) as unknown:
                await ask_task(client.session, method, "none", none=types.ElicitResult(action="cancel"))
            async with site.client("shouts", key=other, extensions=[TakesTasks()]) as stranger:
                with pytest.raises(MCPError) as foreign:
                    await ask_task(stranger.session, method, task_id, none=types.ElicitResult(action="cancel"))
            assert foreign.value.error == unknown.value.error
            assert unknown.value.code == types.INVALID_PARAMS


async def test_an_answer_to_what_is_not_asked_may_be_of_any_kind(site: Site):
    task_id = await begun_task(f"{site.url}/d/asks", site.keys["asks"], "asks", "Go.")
    async with site.client("asks", extensions=[TakesTasks()]) as client:
        [question] = (await polled(client, task_id)).input_requests

    def update(responses: JsonObject) -> Any:
        takes_tasks: JsonObject = {"extensions": {TASKS: {}}}
        with_tasks: JsonObject = {**META, "io.modelcontextprotocol/clientCapabilities": takes_tasks}
        params: JsonObject = {"taskId": task_id, "inputResponses": responses, "_meta": with_tasks}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tasks/update", "params": params}
        named = {VERSION: "2026-07-28", "Mcp-Method": "tasks/update", "Mcp-Name": task_id}
        return site.rest("asks", "POST", "/mcp", json=body, headers={**ACCEPTS, **named}).text

    assert '"resultType":"complete"' in update({"other": {"ignored": True}, "another": 1})
    assert '"code":-32602' in update({question: {"ignored": True}})
    assert site.state("asks", task_id) == "waiting"


def test_a_request_state_that_the_studio_has_not_given_is_an_error(site: Site):
    others = site.rest("asks", "POST", "/calls", params={"wait_s": 20}, json={"task": "Go."}).json()["id"]
    named = {VERSION: "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "plain"}
    errors = [
        post(site, call(name="plain", arguments={"task": "Go."}, requestState=state), **named).text
        for state in ("none", f"{others}x", others)
    ]
    assert len(set(errors)) == 1
    assert '"code":-32602' in errors[0]


@of_both
async def test_a_client_that_has_not_said_so_gets_no_task(site: Site, era: Era):
    async with site.client("asks", era) as client:
        with pytest.raises(MCPError) as raised:
            await ask_task(client.session, "tasks/get", "none")
    assert raised.value.code == (-32021 if era == "auto" else types.METHOD_NOT_FOUND)


def post(site: Site, body: Any, key: str = "", **headers: str) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **ACCEPTS, **headers}
    return site.rest("plain", "POST", "/mcp", key=key, content=content, headers=headers)


def initialize(site: Site) -> str:
    """A session of 2025-11-25; its ID."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    answer = post(site, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    assert answer.status_code == 200
    return answer.headers["Mcp-Session-Id"]


def test_a_session_is_open_to_the_key_that_opened_it(site: Site):
    session = {"Mcp-Session-Id": initialize(site), VERSION: "2025-11-25"}
    other = site.server.owner.post("/api/deployments/plain/keys", json={"label": "other"}).json()["key"]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert post(site, listing, **session).status_code == 200
    assert post(site, listing, other, **session).status_code == 404
    assert site.rest("plain", "DELETE", "/mcp", key=other, headers=session).status_code == 404
    assert site.rest("plain", "DELETE", "/mcp", headers=session).status_code == 200
    assert post(site, listing, **session).status_code == 404


def call(**params: Any) -> JsonObject:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"_meta": META, **params}}


MALFORMED: list[Any] = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"\xff\xfe",
    b"[" * 5000,
    b'{"jsonrpc": "2.0", "id": 1' + b"0" * 5000 + b"}",
    b"<xml/>",
    {},
    {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": {}, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 1, "method": 1},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []},
    {"jsonrpc": "2.0", "id": 1, "method": "nothing", "params": {"_meta": META}},
    {"jsonrpc": "2.0", "id": 1, "method": "prompts/list", "params": {"_meta": META}},
    {"jsonrpc": "2.0", "id": 1, "result": {}},
    [call(name="plain", arguments={"task": "Go."})],
    call(),
    call(name=1),
    call(name="other", arguments={"task": "Go."}),
    call(name="plain", arguments="Go."),
    call(name="plain", arguments={"task": 1}),
    call(name="plain", arguments={"task": "\ud800", "thread": "../x"}),
    call(name="plain", arguments={"task": "Go."}, requestState="none"),
    call(name="plain", arguments={"task": "Go."}, requestState={"call": 1}),
    call(name="plain", arguments={"task": "Go."}, inputResponses=[1]),
    {**call(name="plain", arguments={"task": "Go."}), "params": {"_meta": {**META, "team-studio/idempotency-key": 1}}},
]


@of_both
@pytest.mark.parametrize("with_session", [True, False], ids=["session", "none"])
def test_bad_bodies_are_refused_and_begin_nothing(site: Site, era: Era, with_session: bool):
    before = len(site.server.calls("plain"))
    headers = {VERSION: "2026-07-28" if era == "auto" else "2025-11-25"}
    headers |= {"Mcp-Session-Id": initialize(site)} if with_session else {}
    for body in MALFORMED:
        method = cast("JsonObject", body).get("method") if isinstance(body, dict) else ""
        name = "plain" if method == "tools/call" else ""
        named = {"Mcp-Method": str(method), **({"Mcp-Name": name} if name else {})} if era == "auto" else {}
        answer = post(site, body, **headers, **named)
        assert answer.status_code < 500, (body, answer.text)
        assert (
            answer.status_code >= 400
            or '"error"' in answer.text
            or '"isError":true' in answer.text
            or (answer.status_code == 202 and not answer.text)
        ), (body, answer.text)
    assert len(site.server.calls("plain")) == before


def test_bodies_of_any_size_are_bounded_and_versions_named(site: Site):
    large = post(site, call(name="plain", arguments={"task": "x" * 2_000_000}), **{VERSION: "2026-07-28"})
    assert (large.status_code, large.json()["error"]["code"]) == (413, "too_large")
    meta: JsonObject = {**META, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    listing: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    unknown = post(site, listing, **{VERSION: "2031-01-01", "Mcp-Method": "tools/list"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, -32022)
    assert "2026-07-28" in unknown.json()["error"]["data"]["supported"]


def test_the_header_that_names_a_task_must_name_the_one_that_is_asked_for(site: Site):
    meta: JsonObject = {
        **META,
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    }
    asking: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"_meta": meta, "taskId": "one"}}
    headers = {VERSION: "2026-07-28", "Mcp-Method": "tasks/get"}
    refused = post(site, asking, **headers, **{"Mcp-Name": "another"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32020)
    unknown = post(site, asking, **headers, **{"Mcp-Name": "one"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, types.INVALID_PARAMS)


@pytest.mark.parametrize("key", ["wrong", "of another deployment"])
async def test_other_keys_open_nothing(site: Site, key: str):
    key = site.keys["asks"] if key != "wrong" else "sk-studio-wrong"
    refused = post(site, {}, key)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "wrong_key")
    with pytest.raises(ExceptionGroup):
        async with site.client("plain", key=key):
            pass


async def test_what_fails_between_two_requests_ends_nothing_else():
    async def fails() -> None:
        raise ValueError("A library's own error.")

    async def goes_on(done: asyncio.Event) -> None:
        done.set()

    async with open_mcp(cast("CallDesk", None), asyncio.Event()) as endpoint:
        endpoint.start(fails())
        await asyncio.sleep(0)
        endpoint.start(goes_on(done := asyncio.Event()))
        await asyncio.wait_for(done.wait(), 5)
