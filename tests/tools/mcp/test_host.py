"""What a real MCP server asks of the studio while a tool runs."""

from __future__ import annotations

import pytest

from studio import effects
from studio.components import load_component
from studio.models import ReplayChatCompletionClient
from studio.tools.mcp import (
    ChatCompletionClientSampler,
    McpSessionHost,
    McpWorkbench,
    SseServerParams,
    StaticRootsProvider,
    StdioElicitor,
    StdioServerParams,
)
from studio.tools.mcp.host import Root
from tests.teams.scripted import CountingWorld

pytestmark = pytest.mark.slow


def host() -> McpSessionHost:
    return McpSessionHost(
        sampler=ChatCompletionClientSampler(client_config=ReplayChatCompletionClient(chat_completions=["Hello!"])),
        elicitor=StdioElicitor(),
        roots=StaticRootsProvider(roots=[Root(uri="file:///data", name="data")]),
    )


@pytest.mark.parametrize("kind", ["stdio", "sse"])
async def test_a_server_may_ask_a_person_a_model_and_for_folders(
    kind: str, program: StdioServerParams, address: str
) -> None:
    world = CountingWorld("a", '{"colour": "red"}')
    server = program if kind == "stdio" else SseServerParams(url=f"{address}/sse")
    with effects.use(world):
        async with McpWorkbench(server_params=server, host=host()) as bench:
            results = [(await bench.call_tool(name)).to_text() for name in ("paint", "consult", "folders")]
    assert results == ["painted red", "Hello!", "file:///data"]
    assert world.questions[0].prompt.startswith("Which colour?")
    assert world.asked == ["tool"] * 4


async def test_without_a_host_the_server_is_told_that_nothing_is_offered(program: StdioServerParams) -> None:
    async with McpWorkbench(server_params=program) as bench:
        assert (await bench.call_tool("consult")).is_error


async def test_a_model_that_fails_is_an_answer_and_no_traceback_in_the_log(
    program: StdioServerParams, caplog: pytest.LogCaptureFixture
) -> None:
    silent = ChatCompletionClientSampler(client_config=ReplayChatCompletionClient(chat_completions=[]))
    async with McpWorkbench(server_params=program, host=McpSessionHost(sampler=silent)) as bench:
        result = await bench.call_tool("consult")
    assert (result.is_error, "The script has no more replies" in result.to_text()) == (True, True)
    assert caplog.records == []


async def test_a_person_may_decline(program: StdioServerParams) -> None:
    with effects.use(CountingWorld("d")):
        async with McpWorkbench(server_params=program, host=host()) as bench:
            assert (await bench.call_tool("paint")).is_error


def test_it_dumps_with_the_nulls_that_autogen_demands() -> None:
    for part, nulls in ((StdioElicitor(), {"timeout"}), (McpSessionHost(), {"sampler", "elicitor", "roots"})):
        written = part.dump_component()
        assert written["config"] == dict.fromkeys(nulls)
        assert load_component(written).dump_component() == written


def test_a_model_in_a_field_of_its_own_is_what_the_server_is_offered() -> None:
    server = StdioServerParams(command="echo").model_dump(mode="json")
    client = ReplayChatCompletionClient(chat_completions=["Hello!"]).dump_component()
    bench = load_component(
        {"provider": McpWorkbench.provider, "config": {"server_params": server, "model_client": client}}
    )
    assert isinstance(bench, McpWorkbench)
    assert bench.host is not None
    assert isinstance(bench.host.sampler, ChatCompletionClientSampler)
    assert isinstance(bench.host.sampler.client_config, ReplayChatCompletionClient)
