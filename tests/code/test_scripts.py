"""Scripts that were written to be run are read without being executed: what makes no components is passed over."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.code import InvalidPython, read_script
from studio.errors import StudioError

HEAD = """
import asyncio, os, random
from dotenv import load_dotenv
from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.ui import Console
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams
client = OpenAIChatCompletionClient(model="gpt-4o")
"""
SAID = ("not_kept", "default_taken")
BEGINS = HEAD.count("\n")


def read(script: str) -> tuple[Any, list[tuple[str, int]]]:
    """The config of the component, and what was passed over, with the lines below `HEAD`."""
    reading = read_script(HEAD + dedent(script).lstrip())
    return reading.component["config"], [
        (each.code, each.place.line - BEGINS) for each in reading.findings if each.code in SAID
    ]


def refused(script: str) -> list[tuple[int, str]]:
    with pytest.raises(InvalidPython) as caught:
        read_script(HEAD + dedent(script).lstrip())
    return [(each.place.line - BEGINS, each.message) for each in caught.value.findings]


def names(config: Any) -> list[str]:
    return [each["config"]["name"] for each in config["participants"]]


def test_what_surrounds_a_team_is_passed_over_and_named():
    config, told = read("""
        load_dotenv()
        print("Starting.")
        class Counter:
            count = 0
        async def main() -> None:
            team = RoundRobinGroupChat([AssistantAgent("a", client)], max_turns=3)
            stream = team.run_stream(task="Go.")
            async for message in stream:
                print(message)
            result = await Console(team.run_stream(task="Go."))
            print(result.messages[-1].content)
            await client.close()
        if __name__ == "__main__":
            asyncio.run(main())
    """)
    assert (names(config), config["max_turns"]) == (["a"], 3)
    assert told == [("not_kept", line) for line in (1, 2, 3, 8, 11)]


def test_functions_that_return_components_are_followed_with_what_they_are_given():
    config, told = read("""
        MODEL = os.getenv("MODEL", "gpt-4o-mini")
        def writer(name: str, *, role: str = "writer") -> AssistantAgent:
            model = OpenAIChatCompletionClient(model=MODEL)
            return AssistantAgent(name, model, system_message=f"You are {name}, " + f"a {role}.")
        async def create_team(first):
            return RoundRobinGroupChat([first, writer("b", role="critic"), UserProxyAgent("you", input_func=input)])
        async def run_it(task: str):
            team = await create_team(writer("a"))
            result = await team.run(task=task)
            return result.messages[-1].content
        asyncio.run(run_it("Go."))
    """)
    assert names(config) == ["a", "b", "you"]
    told_to_agents = [each["config"].get("system_message") for each in config["participants"]]
    assert told_to_agents == ["You are a, a writer.", "You are b, a critic.", None]
    models = {each["config"]["model_client"]["config"]["model"] for each in config["participants"][:2]}
    assert models == {"gpt-4o-mini"}
    assert sorted(set(told)) == [("default_taken", 1), ("not_kept", 6)]


def test_blocks_that_open_something_are_read():
    config, _ = read("""
        async def main():
            async with McpWorkbench(StdioServerParams(command="uvx", args=["mcp-server-fetch"])) as bench:
                try:
                    agent = AssistantAgent("fetcher", client, workbench=bench)
                    team = RoundRobinGroupChat([agent], max_turns=1)
                    while True:
                        await Console(team.run_stream(task=input("Task: ")))
                finally:
                    await client.close()
        asyncio.run(main())
    """)
    assert config["participants"][0]["config"]["workbench"][0]["provider"].endswith("McpWorkbench")


def test_a_team_that_a_function_returns_is_found_without_being_run():
    config, _ = read("""
        def get_team():
            return RoundRobinGroupChat([AssistantAgent("a", client)], max_turns=1)
        def helper(x):
            return x + 1
    """)
    assert names(config) == ["a"]


def test_a_graph_that_is_built_step_by_step_is_read():
    config, _ = read("""
        from autogen_agentchat.teams import DiGraphBuilder, GraphFlow
        a = AssistantAgent("a", client)
        b = AssistantAgent("b", client)
        c = AssistantAgent("c", client)
        builder = DiGraphBuilder()
        builder.add_node(a).add_node(b, activation="any").add_node(c)
        builder.add_edge(a, b).add_edge(a, "c", activation_group="g", activation_condition="any")
        builder.add_conditional_edges(b, {"AGAIN": a, "GOOD": c})
        builder.set_entry_point(a)
        flow = GraphFlow(participants=builder.get_participants(), graph=builder.build())
        asyncio.run(Console(flow.run_stream(task="Go.")))
    """)
    assert names(config) == ["a", "b", "c"]
    graph = config["graph"]
    assert graph["default_start_node"] == "a"
    assert {name: node["activation"] for name, node in graph["nodes"].items()} == {"a": "all", "b": "any", "c": "all"}
    ways = [
        (name, edge["target"], edge.get("condition"), edge["activation_group"], edge["activation_condition"])
        for name, node in graph["nodes"].items()
        for edge in node["edges"]
    ]
    assert ways == [
        ("a", "b", None, "b", "all"),
        ("a", "c", None, "g", "any"),
        ("b", "a", "AGAIN", "a", "all"),
        ("b", "c", "GOOD", "c", "all"),
    ]


def test_addresses_credentials_and_tools_of_servers_are_read():
    config, _ = read("""
        from azure.identity import DefaultAzureCredential
        from autogen_ext.auth.azure import AzureTokenProvider
        from autogen_ext.models.openai import AzureOpenAIChatCompletionClient
        from autogen_ext.tools.mcp import mcp_server_tools
        tokens = AzureTokenProvider(DefaultAzureCredential(), "https://example.com/.default")
        azure = AzureOpenAIChatCompletionClient(
            model="gpt-4o", api_version="1", azure_endpoint=os.environ["ENDPOINT"], azure_ad_token_provider=tokens,
        )
        local = OpenAIChatCompletionClient(model="gpt-4o", base_url=os.getenv("LOCAL_URL"))
        async def main():
            tools = await mcp_server_tools(StdioServerParams(command="uvx", args=["mcp-server-fetch"]))
            fetcher = AssistantAgent("fetcher", model_client=azure, tools=tools)
            team = RoundRobinGroupChat([fetcher, AssistantAgent("b", local)], max_turns=1)
            await Console(team.run_stream(task="Go."))
        asyncio.run(main())
    """)
    fetcher, other = (each["config"] for each in config["participants"])
    client = fetcher["model_client"]["config"]
    assert client["azure_endpoint"] == "{env:ENDPOINT}"
    assert client["azure_ad_token_provider"]["config"]["scopes"] == ["https://example.com/.default"]
    assert other["model_client"]["config"]["base_url"] == "{env:LOCAL_URL}"
    assert fetcher["workbench"][0]["config"]["server_params"]["args"] == ["mcp-server-fetch"]


A = 'a = AssistantAgent("a", client)\n'
GRAPH = (
    "from autogen_agentchat.teams import DiGraphBuilder, GraphFlow\nbuilder = DiGraphBuilder()\nbuilder.add_node(a)\n"
)
FLOW = "team = GraphFlow([a], graph=builder.build())\n"
TEAM = "team = RoundRobinGroupChat([a], max_turns=1)\n"


@pytest.mark.parametrize(
    ("script", "line", "told"),
    [
        (
            "agents = []\nfor name in 'ab':\n    agents.append(AssistantAgent(name, client))\n"
            "team = RoundRobinGroupChat(agents, max_turns=1)\n",
            4,
            "`agents` is changed in line 12",
        ),
        (A + "if random.random() > 0.5:\n    a = AssistantAgent('b', client)\n" + TEAM, 4, "`a` is set in line 12"),
        (A + TEAM + "team.max_turns = 9\n", 3, "may be changed here: `team`"),
        (A + TEAM + "def twist(t):\n    t.max_turns = 9\ntwist(team)\n", 4, "may be changed here"),
        (A + "agents = [a]\nteam = RoundRobinGroupChat(agents, max_turns=1)\nrandom.shuffle(agents)\n", 4, "`agents`"),
        (A + "agents = [a]\nfor each in agents:\n    each.name = 'b'\n" + TEAM, 3, "may be changed here"),
        ("name = input('Name: ')\nteam = RoundRobinGroupChat([AssistantAgent(name, client)])\n", 2, "`input`"),
        (
            "def make(n):\n    return AssistantAgent(n, client)\nteam = RoundRobinGroupChat([make()])\n",
            2,
            "is a parameter",
        ),
        (
            "def make(*n):\n    return AssistantAgent('a', client)\nteam = RoundRobinGroupChat([make()])\n",
            1,
            "parameters",
        ),
        ("def make(n):\n    return make(n)\nteam = RoundRobinGroupChat([make('a')])\n", 2, "calls itself"),
        ("x = eval('1')\n", 1, "`eval`"),
        (
            "from own.agents import n\nteam = RoundRobinGroupChat([AssistantAgent('a', client)], max_turns=n)\n",
            2,
            "own",
        ),
        ("class Mine(dict): ...\nteam = RoundRobinGroupChat([AssistantAgent('a', Mine())])\n", 2, "a class of the"),
        (A + GRAPH + "builder.add_edge(a, a, condition=lambda m: True)\n" + FLOW, 5, "A lambda"),
        (A + GRAPH + "builder.add_edge(a, 'z')\n" + FLOW, 5, "The node 'z' is not added"),
        (A + GRAPH + "for _ in range(2):\n    builder.add_edge(a, a)\n" + FLOW, 7, "`builder` is changed in line"),
        (A + GRAPH + "builder.paint(a)\n" + FLOW, 5, "`.paint` of a graph builder"),
    ],
)
def test_what_may_change_a_component_is_refused_where_it_matters(script: str, line: int, told: str):
    found = refused(script)
    assert any(told in message for _, message in found), found
    assert line in {place for place, _ in found}, found


def test_reading_executes_nothing(tmp_path: Path):
    events: list[str] = []
    is_watching = True

    def hook(event: str, arguments: Sequence[object]) -> None:
        if (
            is_watching
            and event.split(".")[0] in ("os", "subprocess", "socket", "exec", "open")
            and str(tmp_path) in str(arguments)
        ):
            events.append(event)

    sys.addaudithook(hook)
    hostile = f"""
        open({str(tmp_path / "x")!r}, "w").write("x")
        os.system({f"touch {tmp_path / 'y'}"!r})
        exec("open({str(tmp_path / "z")!r}, 'w')")
        async def main():
            team = RoundRobinGroupChat([AssistantAgent("a", client)], max_turns=1)
            await Console(team.run_stream(task=open({str(tmp_path / "t")!r}).read()))
        asyncio.run(main())
    """
    config, told = read(hostile)
    is_watching = False
    assert (names(config), [*tmp_path.iterdir()], events) == (["a"], [], [])
    assert len(told) == 3


LINES = st.sampled_from(
    [
        "x = 1",
        "x += 1",
        "a.name = 'b'",
        "agents.append(a)",
        "agents = [a]",
        "for a in agents: pass",
        "return a",
        "team = make(a)",
        "with open('f') as x: x.read()",
        "try:\n    a = AssistantAgent('z', client)\nexcept Exception as a:\n    pass",
        "def make(a): return RoundRobinGroupChat([a], max_turns=1)",
        "await make(a)",
        "asyncio.run(make(a))",
        "del a",
        "global a",
        "team = RoundRobinGroupChat(agents, max_turns=1)",
        "a = AssistantAgent(f'{x}', client)",
        "make = make",
        "print(team)",
        "while x: team = make(team)",
        "class a: pass",
        "a, x = x, a",
        "import a",
        "lambda: a",
        "x = [a for a in agents]",
        "if x:\n    team = None",
        "asyncio.run(team.run(task='Go.'))",
        "a = await team",
        "x = x + x",
        "x = f'{x}{x}'",
    ]
)


@given(st.lists(LINES, max_size=25), st.booleans())
def test_any_script_is_read_or_refused_with_lines(lines: list[str], is_inside: bool):
    body = "\n".join(lines)
    script = f"async def main():\n{indent(body or 'pass', '    ')}\nasyncio.run(main())" if is_inside else body
    try:
        read_script(f"{HEAD}{A}agents = []\n{script}\n")
    except StudioError:
        return
