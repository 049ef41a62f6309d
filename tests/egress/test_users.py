"""Everything that opens connections for a team does so through the guard, tried through its own door."""

from __future__ import annotations

import asyncio
import base64
import gzip
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

from studio.agents import OpenAIAgent
from studio.agents.web_egress import USER, EgressProxy
from studio.egress import MODEL_BYTES, HostRefused, resolving
from studio.errors import StudioError, ToolFailed
from studio.executors.gateway import JupyterConnectionInfo, started_kernel
from studio.memory import ChromaDBVectorMemory, Mem0Memory, RedisMemory
from studio.memory.embeddings import OpenAIEmbedding
from studio.messages import UserMessage
from studio.models import RedisStore
from studio.tools import HttpTool
from studio.tools.mcp import SseServerParams, StreamableHttpServerParams, mcp_server_tools
from studio.web.fetch import fetch_document
from tests.egress.answering import answering, response
from tests.egress.conftest import METADATA, NAME, Inside
from tests.fakes.model_server import ModelServer
from tests.memory.embedding import letters
from tests.models.services import KEYS, SERVICES

OWN_NAME = "service.lan"
"""Leads to this machine, too, and may. Only the resolver of the tests knows it: who asks another one gets nowhere."""
BOMB = gzip.compress(bytes(MODEL_BYTES + 1))
Use = Callable[[str], Awaitable[object]]


def model(name: str) -> Use:
    async def use(url: str) -> object:
        service = SERVICES[name]
        retries = {"max_retries": 0} if service.retries else {}
        client = service.make(cast("ModelServer", SimpleNamespace(url=f"{url}/v1")), **retries)
        try:
            return await client.create([UserMessage(content="Hello", source="user")])
        finally:
            await client.close()

    return use


async def http_tool(url: str) -> object:
    parts = urlsplit(url)
    tool = HttpTool(name="t", host=str(parts.hostname), port=cast("int", parts.port), json_schema={"type": "object"})
    return await tool.run_json({})


async def openai_agent(url: str) -> object:
    given: dict[str, Any] = {"name": "a", "description": "d", "model": "gpt-4.1", "instructions": "i", "base_url": url}
    agent = OpenAIAgent(**given)
    try:
        return await agent.run(task="go")
    finally:
        await agent.close()


async def mcp_over_sse(url: str) -> object:
    return await mcp_server_tools(SseServerParams(url=f"{url}/sse"))


async def mcp_over_http(url: str) -> object:
    return await mcp_server_tools(StreamableHttpServerParams(url=f"{url}/mcp"))


async def embedding(url: str) -> object:
    asked = OpenAIEmbedding("k", url, "m")
    try:
        return await asyncio.to_thread(asked, ["text"])
    finally:
        asked.close()


async def chroma(url: str) -> object:
    parts = urlsplit(url)
    memory = ChromaDBVectorMemory(client_type="http", host=parts.hostname, port=parts.port, embedding_function=letters)
    return await memory.query("text")


async def redis(url: str) -> object:
    memory = RedisMemory(redis_url=url.replace("http", "redis"), embedding_function=letters)
    try:
        return await memory.query("text")
    finally:
        await memory.close()


async def mem0(url: str) -> object:
    return await Mem0Memory(host=url).query("text")


async def mem0_here(url: str) -> object:
    model: Any = {"provider": "openai", "config": {"api_key": "k", "model": "m", "openai_base_url": url}}
    with TemporaryDirectory() as folder:
        store: Any = {"provider": "qdrant", "config": {"path": f"{folder}/vectors", "on_disk": True}}
        config = {"llm": model, "embedder": model, "vector_store": store, "history_db_path": f"{folder}/history.db"}
        memory = Mem0Memory(is_cloud=False, config=config)
        try:
            return await memory.query("text")
        finally:
            await memory.close()


async def jupyter(url: str) -> object:
    parts = urlsplit(url)
    async with started_kernel(JupyterConnectionInfo(host=str(parts.hostname), port=parts.port), "python3") as kernel:
        return kernel


async def gallery(url: str) -> object:
    return await fetch_document(url)


async def browser(url: str) -> object:
    """A page that a web surfer opens, as its browser asks for it."""
    proxy = EgressProxy(allow_private=False)
    await proxy.start()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(proxy.url).port)
        known = base64.b64encode(f"{USER}:{proxy.password}".encode()).decode()
        writer.write(f"GET {url}/ HTTP/1.1\r\nhost: x\r\nproxy-authorization: Basic {known}\r\n\r\n".encode())
        answer = (await reader.read()).decode()
        writer.close()
        if answer.startswith("HTTP/1.1 403"):
            raise HostRefused(answer)
        return answer
    finally:
        await proxy.stop()


USERS: dict[str, Use] = {
    **{name: model(name) for name in SERVICES},
    "http tool": http_tool,
    "openai agent": openai_agent,
    "mcp over sse": mcp_over_sse,
    "mcp over streamable http": mcp_over_http,
    "embedding": embedding,
    "chroma": chroma,
    "redis": redis,
    "mem0": mem0,
    "mem0 here": mem0_here,
    "jupyter": jupyter,
    "gallery": gallery,
    "web surfer": browser,
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**KEYS, "OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a", "MEM0_API_KEY": "m"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.slow
@pytest.mark.parametrize("user", USERS)
async def test_a_public_name_that_leads_inside_is_not_reached(user: str, inside: Inside):
    with pytest.raises(StudioError, match="is not on the public internet"):
        await USERS[user](f"http://{NAME}:{inside.port}")
    assert set(inside.asked) == {NAME}
    assert not inside.visits


@pytest.mark.parametrize("host", [METADATA, "[::ffff:a9fe:a9fe]", "metadata.google.internal"])
@pytest.mark.parametrize("user", USERS)
async def test_the_keys_of_a_cloud_are_not_asked_for(user: str, host: str, inside: Inside):
    with pytest.raises(
        (StudioError, ValueError), match=r"is not on the public internet|not a URL|pattern|host name or address"
    ):
        await USERS[user](f"http://{host}:{inside.port}")
    assert not inside.visits


@pytest.mark.slow
@pytest.mark.parametrize("user", sorted(set(USERS) - {"gallery", "web surfer"}))
async def test_a_connection_goes_to_the_address_that_was_judged(user: str, inside: Inside):
    with suppress(StudioError, ValueError):  # the answer there makes no sense to most
        await USERS[user](f"http://{OWN_NAME}:{inside.port}")
    assert set(inside.asked) == {OWN_NAME}
    assert inside.visits


@pytest.mark.slow
@pytest.mark.parametrize("user", sorted(set(USERS) - {"gallery", "mcp over sse", "redis", "web surfer"}))
async def test_an_answer_that_unpacks_into_more_than_is_taken_is_given_up(user: str):
    bomb = response(BOMB, content_encoding="gzip", content_type="application/json")
    async with answering(bomb) as url:
        with pytest.raises(StudioError, match="exceeds"):
            await USERS[user](url)


@pytest.mark.parametrize(
    "argument", ["//evil.example/x", "@evil.example", "../..", "http://evil.example/", "\\evil.example"]
)
async def test_no_argument_changes_where_a_tool_sends_its_request(argument: str, inside: Inside):
    def lead_inside(host: str, _: int) -> list[str]:
        inside.asked.append(host)
        return ["127.0.0.1"]

    schema: Any = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    tool = HttpTool(name="t", host="inside.lan", port=inside.port, path="{name}", method="GET", json_schema=schema)
    with resolving(lead_inside):
        await tool.run_json({"name": argument})
    assert set(inside.asked) == {"inside.lan"}
    assert len(inside.visits) == 1


async def test_a_cache_of_model_answers_is_behind_the_guard_too(inside: Inside):
    store = RedisStore(host=NAME, port=inside.port)
    with pytest.raises(HostRefused):
        await asyncio.to_thread(store.get, "key")
    assert not inside.visits


async def test_a_refusal_is_told_to_the_model_as_the_tools_answer(inside: Inside):
    with pytest.raises(ToolFailed, match="Enter the address itself"):
        await http_tool(f"http://{NAME}:{inside.port}")


MAKERS = re.compile(
    r"\b(?:Async)?Client\(|HttpxClient\(|ClientSession\(|open_connection\(|create_connection\(|urlopen\(|HttpClient\(|from_url\("
)


def test_no_connection_is_made_past_the_guard():
    """Whoever makes a client or a connection also knows the guard; the tests above say that it asks it."""
    studio = Path(__file__).parents[2] / "studio"
    past = [
        file.relative_to(studio).as_posix()
        for file in sorted(studio.rglob("*.py"))
        if file.parent.name != "egress"
        and file.name != "detect.py"  # holds a program that tries in vain to leave the sandbox
        and file.name != "snippets.py"  # holds programs for callers to copy
        and file.name != "published.py"  # holds a program that connects to its own container
        and file.name not in ("call.py", "call_by_mcp.py", "editor_agent.py")  # a person names the studio
        and MAKERS.search(text := file.read_text())
        and "from studio.egress import" not in text
        and "redis_connections import" not in text
    ]
    assert past == []
