"""`studio acp` as an editor starts it: the client of the protocol's own package, on standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import acp
import pytest
from acp import schema

from studio.components import JsonObject
from tests.web.documents import ASK, assistant, shouting, team
from tests.web.openai_clients import PICTURE, Server, writer
from tests.web.publishing import ASKS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

BOTH = team(assistant("writer", "One."), assistant("critic", "Two."), max_messages=3)
QUESTION = "A draft.\n\nEnter your response:"


@dataclass
class Editor:
    """Keeps what an agent tells; `waits` is set once that is for an operator."""

    told: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    waits: asyncio.Event = field(default_factory=asyncio.Event)

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        del session_id, kwargs
        self.told.append((update.session_update, update.content.text))
        if "operator" in update.content.text:
            self.waits.set()


@dataclass(frozen=True)
class Opened:
    """An editor with the agent that it started, in one session."""

    agent: acp.Agent
    editor: Editor
    session: str

    async def say(self, *blocks: Any) -> schema.PromptResponse:
        return await self.agent.prompt(session_id=self.session, prompt=[*blocks])

    async def answer_to(self, text: str) -> list[str]:
        """What the agent answers."""
        before = len(self.editor.told)
        assert (await self.say(acp.text_block(text))).stop_reason == "end_turn"
        return [said for kind, said in self.editor.told[before:] if kind == "agent_message_chunk"]


@dataclass(frozen=True)
class Site:
    server: Server
    keys: dict[str, str]

    @asynccontextmanager
    async def opened(self, name: str, key: str = "", at: str = "") -> AsyncGenerator[Opened]:
        at = at or str(self.server.owner.base_url)
        environment = {**os.environ, "STUDIO_KEY": key or self.keys[name]}
        command = ("-m", "studio", "acp", name, "--at", at)
        editor = Editor()
        async with acp.spawn_agent_process(cast("acp.Client", editor), sys.executable, *command, env=environment) as (
            agent,
            _,
        ):
            begun = await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
            assert begun.agent_info is not None
            assert begun.agent_info.title == name
            session = await agent.new_session(cwd=str(Path.cwd()), mcp_servers=[])
            yield Opened(agent, editor, session.session_id)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    teams: dict[str, JsonObject] = {"plain": writer(), "asks": ASKS, "open": BOTH, "shouts": shouting()}
    with studio(tmp_path_factory.mktemp("studio") / "data") as (_, owner), ExitStack() as clients:
        server = Server(owner, clients)
        keys = {name: server.published(name, each).api_key for name, each in teams.items()}
        found = owner.get("/api/deployments/shouts").json()
        assert owner.put(f"/api/teams/{found['team_id']}/policy", json=ASK).is_success
        owner.patch("/api/deployments/open", json={"settings": {"sees": "messages"}})
        yield Site(server, keys)


async def test_a_session_is_a_thread_and_a_prompt_a_call(site: Site):
    async with site.opened("plain") as opened:
        assert await opened.answer_to("Go.") == ["The answer."]
        picture = acp.image_block(PICTURE.partition(",")[2], "image/png")
        link = acp.resource_link_block("notes.md", "file:///notes.md")
        text = acp.resource_block(acp.embedded_text_resource("file:///a.py", "print(1)"))
        assert (await opened.say(acp.text_block("See."), picture, link, text)).stop_reason == "end_turn"
        with pytest.raises(acp.RequestError, match="text, images and files of text"):
            await opened.say(acp.audio_block("AAAA", "audio/wav"))
        with pytest.raises(acp.RequestError, match="Invalid params"):
            await opened.agent.prompt(session_id="none", prompt=[acp.text_block("Go.")])
        with pytest.raises(acp.RequestError, match="not found"):
            await opened.agent.load_session(cwd="/", session_id=opened.session)
    second, first = site.server.calls("plain")
    assert first["thread"] == second["thread"] == opened.session
    run = site.server.owner.get(f"/api/runs/{second['id']}").json()
    assert run["continues"] == first["id"]
    assert "file:///a.py:\n\nprint(1)" in run["task"]


async def test_a_question_ends_a_prompt_and_the_next_one_answers(site: Site):
    async with site.opened("asks") as opened:
        assert await opened.answer_to("Write.") == [QUESTION]
        assert await opened.answer_to("More.") == ["Another draft."]
    [call] = site.server.calls("asks")
    assert call["state"] == "finished"


async def test_turns_of_agents_are_thoughts_where_the_owner_shows_them(site: Site):
    async with site.opened("open") as opened:
        assert await opened.answer_to("Go.") == ["Two."]
        thoughts = [said for kind, said in opened.editor.told if kind == "agent_thought_chunk"]
        assert thoughts == ["writer: One.", "critic: Two."]


async def test_an_editor_cancels_what_waits_for_an_operator(site: Site):
    async with site.opened("shouts") as opened, asyncio.timeout(30):
        prompt = asyncio.create_task(opened.say(acp.text_block("Go.")))
        await opened.editor.waits.wait()
        await opened.agent.cancel(session_id=opened.session)
        assert (await prompt).stop_reason == "cancelled"
        at_once = asyncio.create_task(opened.say(acp.text_block("Go.")))
        await asyncio.sleep(0)  # it is sent, and its call has no ID yet
        await opened.agent.cancel(session_id=opened.session)
        assert (await at_once).stop_reason == "cancelled"
    assert [call["state"] for call in site.server.calls("shouts")] == ["cancelled", "cancelled"]


async def test_what_is_wrong_is_told(site: Site):
    async with site.opened("plain", key="sk-studio-wrong") as opened:
        with pytest.raises(acp.RequestError, match="key"):
            await opened.say(acp.text_block("Go."))
    async with site.opened("plain", at="http://127.0.0.1:9") as opened:
        with pytest.raises(acp.RequestError, match="cannot be reached"):
            await opened.say(acp.text_block("Go."))


async def test_a_prompt_outlives_the_studio(tmp_path: Path):
    with ExitStack() as clients, ExitStack() as first:
        process, owner = first.enter_context(studio(tmp_path))
        server = Server(owner, clients)
        site = Site(server, {"shouts": server.published("shouts", shouting()).api_key})
        found = owner.get("/api/deployments/shouts").json()
        assert owner.put(f"/api/teams/{found['team_id']}/policy", json=ASK).is_success
        async with site.opened("shouts") as opened, asyncio.timeout(60):
            prompt = asyncio.create_task(opened.say(acp.text_block("Go.")))
            await opened.editor.waits.wait()
            process.kill()
            process.wait(10)
            with studio(tmp_path, "--port", str(owner.base_url.port)) as (_, again):
                [call] = again.get("/api/deployments/shouts/calls").json()
                pending = again.get(f"/api/runs/{call['id']}").json()["pending"]
                data = {"hash": pending["details"]["hash"], "verdict": "allow"}
                decision = {"command": "decide", "request_id": pending["request_id"], "data": data}
                again.post(f"/api/runs/{call['id']}/commands", json=decision).raise_for_status()
                assert (await prompt).stop_reason == "end_turn"
                assert len(again.get("/api/deployments/shouts/calls").json()) == 1
