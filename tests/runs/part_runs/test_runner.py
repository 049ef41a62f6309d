"""Parts of a team that are tried alone."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from pydantic import JsonValue

from studio.components import JsonObject, all_capabilities, load_component
from studio.components.secrets import SecretSource
from studio.errors import StudioError
from studio.runs import Batch, NotApproved, PartRunner, PreparedRun, RunState, RunView, TooManyPartRuns
from studio.store import Store, open_store
from tests.fakes.openai_server import Call, OpenAIServer, Reply
from tests.runs.scripted import World, scripted
from tests.web.documents import assistant, function_tool, replay_model, team

SHOUT = "def shout(text: str, times: int = 1) -> str:\n    return text.upper() * times\n"


class Page:
    """Somebody who tries a part and looks at what comes."""

    def __init__(self, runner: PartRunner, part_run_id: str, batches: AsyncGenerator[Batch]) -> None:
        self.runner = runner
        self.id = part_run_id
        self._batches = batches
        self.said: list[JsonObject] = []
        self.chunks: list[str] = []
        self.view = RunView()

    async def until(self, *, is_waiting: bool) -> RunView:
        """Read on until the part waits for the person, or has ended."""
        async for batch in self._batches:
            self.said += [entry.body for entry in batch.entries if entry.kind in ("message", "event")]
            self.chunks += [chunk.text for chunk in batch.chunks]
            self.view = batch.view
            if is_waiting and batch.view.pending is not None:
                break
        return self.view

    async def say(self, text: str) -> RunView:
        """Answer the question that is open, and read up to the next."""
        assert self.view.pending is not None
        await self.runner.command(self.id, "answer", request_id=self.view.pending.request_id, text=text)
        return await self.until(is_waiting=True)

    def texts(self) -> list[object]:
        return [body["content"] for body in self.said]


@asynccontextmanager
async def opened(
    tmp_path: Path, *, work_limit_s: float = 60.0, max_characters: int = 100_000, max_concurrent: int = 9
) -> AsyncGenerator[tuple[PartRunner, Store]]:
    async with (
        open_store(tmp_path) as store,
        PartRunner(
            store.approvals,
            store.secrets,
            work_limit_s=work_limit_s,
            max_characters=max_characters,
            max_concurrent=max_concurrent,
        ) as runner,
    ):
        yield runner, store


@asynccontextmanager
async def trying(
    runner: PartRunner, store: Store, part: JsonValue, said: JsonValue, *, system_message: str = ""
) -> AsyncGenerator[Page]:
    await store.approvals.approve(all_capabilities(load_component(part)), by="ann")
    prepared = await runner.prepare(part, said, system_message=system_message)
    async with runner.running(prepared) as part_run_id, aclosing(runner.follow(part_run_id)) as batches:
        yield Page(runner, part_run_id, batches)


def call(name: str, **arguments: JsonValue) -> str:
    return json.dumps({"name": name, "arguments": arguments})


async def test_a_model_answers_in_pieces_and_tells_tokens_and_why_it_ended(tmp_path: Path, openai_server: OpenAIServer):
    openai_server.say(Reply("Paris is the capital", usage=(9, 4)), Reply("Lyon", finish_reason="length"))
    client: JsonValue = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test", "max_retries": 0},
    }
    async with (
        opened(tmp_path) as (runner, store),
        trying(runner, store, client, "Capital?", system_message="Be brief.") as page,
    ):
        view = await page.until(is_waiting=True)
        assert page.texts() == ["Capital?", "Paris is the capital"]
        assert page.said[1]["models_usage"] == {"prompt_tokens": 9, "completion_tokens": 4}
        assert "".join(page.chunks).startswith("Paris")
        assert view.pending is not None
        assert (view.pending.source, view.pending.prompt) == ("", "stop")
        view = await page.say("And the second?")
        assert view.pending is not None
        assert view.pending.prompt == "cut off at the token limit"
    roles = [message["role"] for message in openai_server.requests[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


async def test_a_model_that_refuses_ends_the_try_with_what_to_do(tmp_path: Path, openai_server: OpenAIServer):
    openai_server.say(Reply(status=401))
    client: JsonValue = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "wrong", "max_retries": 0},
    }
    async with opened(tmp_path) as (runner, store), trying(runner, store, client, "Hello?") as page:
        view = await page.until(is_waiting=True)
    assert view.state is RunState.FAILED
    assert "refused the model 'gpt-4o' with status 401" in view.detail


async def test_an_agent_remembers_what_was_said_before(tmp_path: Path, openai_server: OpenAIServer):
    openai_server.say(Reply("Noted."), Reply("Ann."))
    agent = assistant("writer")
    cast("JsonObject", agent["config"])["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test"},
    }
    async with opened(tmp_path) as (runner, store), trying(runner, store, agent, "I am Ann.") as page:
        await page.until(is_waiting=True)
        await page.say("Who am I?")
        assert page.texts() == ["I am Ann.", "Noted.", "Who am I?", "Ann."]
    told = [message["content"] for message in openai_server.requests[1].body["messages"]]
    assert told[1:] == ["I am Ann.", "Noted.", "Who am I?"]


async def test_an_agent_shows_its_tool_calls(tmp_path: Path, openai_server: OpenAIServer):
    openai_server.say(Reply(calls=[Call("shout", {"text": "hey"})]))
    agent = assistant("writer")
    config = cast("JsonObject", agent["config"])
    config["tools"] = [function_tool(SHOUT)]
    config["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test"},
    }
    async with opened(tmp_path) as (runner, store), trying(runner, store, agent, "Shout.") as page:
        await page.until(is_waiting=True)
    kinds = [body["type"] for body in page.said]
    assert kinds == ["TextMessage", "ToolCallRequestEvent", "ToolCallExecutionEvent", "ToolCallSummaryMessage"]
    assert page.texts()[-1] == "HEY"


async def test_a_team_runs_alone_and_says_why_it_stops(tmp_path: Path):
    pair = team(assistant("writer", "One.", "Three."), assistant("critic", "Two.", "Four."))
    async with opened(tmp_path) as (runner, store), trying(runner, store, pair, "Count.") as page:
        view = await page.until(is_waiting=True)
        assert page.texts() == ["Count.", "One.", "Two."]
        assert view.pending is not None
        assert view.pending.prompt.startswith("Maximum number of messages 3 reached")
        await page.say("Go on.")
        assert page.texts()[3:] == ["Go on.", "Three.", "Four."]


async def test_a_tool_is_called_again_and_again_and_may_fail(tmp_path: Path):
    tool = function_tool(SHOUT)
    async with opened(tmp_path) as (runner, store), trying(runner, store, tool, call("shout", text="hey")) as page:
        await page.until(is_waiting=True)
        await page.say(call("shout", text="ho", times=2))
        await page.say(call("shout"))
        await page.say(call("whisper"))
    results = [
        result
        for body in page.said
        if body["type"] == "ToolCallExecutionEvent"
        for result in cast("list[JsonObject]", body["content"])
    ]
    assert [result["content"] for result in results[:2]] == ["HEY", "HOHO"]
    assert [result["is_error"] for result in results] == [False, False, True, True]


@pytest.mark.parametrize("said", ["shout it", "[]", '{"name": 3}', '{"name": "shout", "arguments": "hey"}'])
async def test_what_is_no_call_ends_the_try_of_a_tool(tmp_path: Path, said: str):
    async with opened(tmp_path) as (runner, store), trying(runner, store, function_tool(SHOUT), said) as page:
        view = await page.until(is_waiting=True)
    assert view.state is RunState.FAILED
    assert page.said == []


@pytest.mark.slow
async def test_a_tool_server_lives_from_its_list_to_the_end_of_the_try(tmp_path: Path):
    server = Path(__file__).parents[3] / "tests/tools/mcp/server.py"
    bench: JsonValue = {
        "provider": "autogen_ext.tools.mcp.McpWorkbench",
        "config": {"server_params": {"type": "StdioServerParams", "command": sys.executable, "args": [str(server)]}},
    }
    async with opened(tmp_path) as (runner, store), trying(runner, store, bench, "{}") as page:
        await page.until(is_waiting=True)
        assert page.said[0]["type"] == "ToolEvent"
        assert "own_pid" in [tool["name"] for tool in cast("list[JsonObject]", page.said[0]["content"])]
        await page.say(call("own_pid"))
        await page.say(call("own_pid"))
    assert page.said[2]["content"] != []
    first, second = (cast("list[JsonObject]", page.said[place]["content"])[0] for place in (2, 4))
    assert first["content"] == second["content"]


async def test_nothing_runs_before_a_person_allowed_it(tmp_path: Path):
    async with opened(tmp_path) as (runner, _):
        with pytest.raises(StudioError) as caught:
            await runner.prepare(function_tool("def shout() -> str:\n    return 1\n"), call("shout"))
    assert caught.value.code == "not_approved"


@pytest.mark.parametrize(
    ("part", "said", "code"),
    [
        (
            {"provider": "autogen_ext.cache_store.diskcache.DiskCacheStore", "config": {"directory": "x"}},
            "Hello",
            "cannot_be_tried",
        ),
        (team()["config"], "Hello", "invalid_component"),
        ({"provider": "acme.Robot", "component_type": "agent", "config": {}}, "Hello", "invalid_component"),
        (replay_model("x"), "  ", "invalid_task"),
        (replay_model("x"), {"text": "x"}, "invalid_task"),
    ],
)
async def test_what_cannot_be_tried_is_refused(tmp_path: Path, part: JsonValue, said: JsonValue, code: str):
    async with opened(tmp_path) as (runner, _):
        with pytest.raises(StudioError) as caught:
            await runner.prepare(part, said)
    assert caught.value.code == code


async def test_who_leaves_ends_the_try_and_what_it_does(tmp_path: Path, world: World):
    world.answers.clear()
    async with opened(tmp_path) as (runner, store):
        async with trying(runner, store, scripted("a: Hi."), "Go."):
            await world.called.wait()
        await world.closing.wait()
    assert world.closed == ["script"]


@pytest.mark.parametrize("steps", range(0, 24, 2))
async def test_who_leaves_while_a_try_begins_leaves_nothing_behind(tmp_path: Path, world: World, steps: int):
    world.answers.clear()
    part = scripted("a: Hi.")
    async with open_store(tmp_path) as store:
        hold = _HeldApart(store)
        async with PartRunner(store.approvals, hold) as runner:
            await store.approvals.approve(all_capabilities(load_component(part)), by="ann")
            prepared = await runner.prepare(part, "Go.")
            async with asyncio.TaskGroup() as group:
                reader = group.create_task(_reading(runner, prepared))
                await hold.asked.wait()
                for _ in range(steps):
                    await asyncio.sleep(0)
                reader.cancel()
            for _ in range(50):
                await asyncio.sleep(0)
            assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("run ")]


class _HeldApart:
    """Secrets that tell when they are asked for, which is the first thing that a try does."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.asked = asyncio.Event()

    async def source(self) -> SecretSource:
        found = await self._store.secrets.source()
        self.asked.set()
        return found


async def _reading(runner: PartRunner, prepared: PreparedRun) -> None:
    async with runner.running(prepared) as part_run_id, aclosing(runner.follow(part_run_id)) as batches:
        async for _ in batches:
            pass


async def test_a_stopped_try_ends_with_its_last_entry(tmp_path: Path, world: World):
    world.answers.clear()
    async with opened(tmp_path) as (runner, store), trying(runner, store, scripted("a: Hi."), "Go.") as page:
        await world.called.wait()
        await runner.command(page.id, "cancel")
        assert (await page.until(is_waiting=False)).state is RunState.CANCELLED


async def test_a_part_that_works_too_long_is_broken_off(tmp_path: Path, world: World):
    world.answers.clear()
    async with (
        opened(tmp_path, work_limit_s=0.01) as (runner, store),
        trying(runner, store, scripted("a: Hi."), "Go.") as page,
    ):
        view = await page.until(is_waiting=False)
    assert (view.state, view.detail[:21]) == (RunState.FAILED, "The try was stopped: ")


async def test_a_part_that_says_too_much_is_broken_off(tmp_path: Path):
    model = replay_model("x" * 5_000)
    async with (
        opened(tmp_path, max_characters=4_000) as (runner, store),
        trying(runner, store, model, "Go.") as page,
    ):
        view = await page.until(is_waiting=False)
    assert view.state is RunState.FAILED
    assert "larger than a page" in view.detail


async def test_a_try_is_no_run_of_the_studio(tmp_path: Path):
    async with opened(tmp_path) as (runner, store), trying(runner, store, replay_model("Hi."), "Go.") as page:
        await page.until(is_waiting=True)
        listed: Sequence[object] = await store.runs.list()
    assert listed == []


def part(provider: str, **config: JsonValue) -> JsonObject:
    return {"provider": provider, "config": config}


def results(page: Page) -> list[object]:
    """What the calls gave, as a person reads it."""
    done = [body for body in page.said if body["type"] == "ToolCallExecutionEvent"]
    return [cast("list[JsonObject]", body["content"])[0]["content"] for body in done]


async def test_a_memory_is_told_something_and_asked_for_it(tmp_path: Path):
    memory = part("autogen_core.memory.ListMemory")
    async with (
        opened(tmp_path) as (runner, store),
        trying(runner, store, memory, call("add", text="Tea, not coffee.")) as page,
    ):
        await page.until(is_waiting=True)
        await page.say(call("query", text="drinks"))
        assert results(page) == ["Remembered.", "Tea, not coffee."]


async def test_a_context_shows_what_a_model_would_see_of_a_conversation(tmp_path: Path):
    context = part("autogen_core.model_context.BufferedChatCompletionContext", buffer_size=2)
    told = call("show", conversation="ann: One\nbob: Two\nann: Three")
    async with opened(tmp_path) as (runner, store), trying(runner, store, context, told) as page:
        await page.until(is_waiting=True)
        await page.say(told)  # a second time it has not piled up
        assert results(page) == ["2 of 3 messages\nbob: Two\nann: Three"] * 2


async def test_an_executor_runs_code_once_somebody_allowed_it(tmp_path: Path):
    executor = part("autogen_ext.code_executors.local.LocalCommandLineCodeExecutor", work_dir=str(tmp_path / "work"))
    asked = call("run", code="print(6 * 7)")
    async with opened(tmp_path) as (runner, store):
        with pytest.raises(NotApproved):
            await runner.prepare(executor, asked)
        async with trying(runner, store, executor, asked) as page:
            await page.until(is_waiting=True)
            await page.say(call("run", code="exit(3)"))
            first, second = map(str, results(page))
    assert first.strip() == "42"
    assert second.startswith("Exit code 3")


async def test_more_tries_than_the_studio_keeps_are_refused_until_one_has_ended(tmp_path: Path):
    async with opened(tmp_path, max_concurrent=1) as (runner, store):
        async with trying(runner, store, replay_model("Hi"), "Hello"):
            with pytest.raises(TooManyPartRuns, match="1 tries are open"):
                await runner.prepare(replay_model("Hi"), "Hello")
        await runner.prepare(replay_model("Hi"), "Hello")


async def test_a_part_that_streams_more_than_a_page_can_show_is_ended(tmp_path: Path):
    model = replay_model("word " * 400)
    cast("JsonObject", model["config"])["delay_s"] = 0.001  # so that its reader sees pieces, not the whole
    async with opened(tmp_path, max_characters=200) as (runner, store), trying(runner, store, model, "Go") as page:
        view = await page.until(is_waiting=False)
    assert view.state is RunState.FAILED
    assert "larger than a page can show" in view.detail
