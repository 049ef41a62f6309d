"""What a script has and JSON cannot hold is read as a schema, or named and replaced by a part that stands in for it."""

from __future__ import annotations

from enum import Enum
from inspect import getsource
from textwrap import dedent
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field

from studio.code import InvalidPython, Reading, read_script

HEAD = """
import os
from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import TerminationCondition
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow, RoundRobinGroupChat, SelectorGroupChat
from autogen_ext.models.ollama import OllamaChatCompletionClient
from autogen_ext.models.openai import AzureOpenAIChatCompletionClient, OpenAIChatCompletionClient
client = OpenAIChatCompletionClient(model="gpt-4o")
"""
BEGINS = HEAD.count("\n")


def read(script: str, **environment: str) -> tuple[Any, list[tuple[str, int]]]:
    """The config of the component, and what is left out or stood in for, with the lines below `HEAD`."""
    reading: Reading = read_script(HEAD + dedent(script).lstrip(), environment=environment)
    said = [(each.code, each.place.line - BEGINS) for each in reading.findings if each.code not in ("unused_variable",)]
    config: Any = reading.component["config"]
    return config, said


def refused(script: str) -> list[tuple[str, int]]:
    with pytest.raises(InvalidPython) as caught:
        read_script(HEAD + dedent(script).lstrip())
    assert all(each.fix for each in caught.value.findings), "each refusal has a remedy"
    return [(each.code, each.place.line - BEGINS) for each in caught.value.findings]


class Mood(Enum):
    """How it is said."""

    KIND = "kind"
    CURT = "curt"


class Step(BaseModel):
    text: str
    hours: float = Field(default=1.5, description="How long.", ge=0, le=24)


class Plan(BaseModel):
    """What to do."""

    title: Annotated[str, Field(min_length=1, max_length=80)]
    steps: list[Step] = Field(description="In order.")
    mood: Mood = Field(..., description="Of all steps.")
    level: Literal["easy", "hard"] = "easy"
    kind: Literal["plan"]
    notes: Optional[str] = None  # noqa: UP045 -- as scripts write it
    first: Step | None
    numbers: dict[str, int] = Field(default_factory=dict)
    tags: list[str] = Field(default=["a"], min_length=1)
    anything: Any = None
    is_final: bool


IMPORTS = """
from enum import Enum
from typing import Annotated, Any, Literal, Optional
from pydantic import BaseModel, Field
"""
MODELS = "\n\n".join((IMPORTS, *map(getsource, (Mood, Step, Plan))))


def test_a_model_of_the_script_is_the_schema_that_pydantic_gives():
    agent = "agent = AssistantAgent('a', client, output_content_type=Plan, output_content_type_format='{title}')\n"
    config, said = read(f"{MODELS}\n{agent}")
    found = config["structured_message_factory"]["config"]
    assert found["json_schema"] == Plan.model_json_schema()
    assert (found["content_model_name"], found["format_string"]) == ("Plan", "{title}")
    assert [code for code, _ in said if code == "stand_in"] == []


def test_a_model_whose_schema_cannot_be_told_is_refused_with_its_field():
    script = "from pydantic import BaseModel\nclass A(BaseModel):\n    x: complex\n"
    script += "a = AssistantAgent('a', client, output_content_type=A)\nteam = RoundRobinGroupChat([a])\n"
    assert ("no_schema", 4) in refused(script)


def test_agents_and_conditions_of_the_scripts_own_classes_have_named_stand_ins():
    config, said = read("""
        class Countdown(BaseChatAgent):
            def __init__(self, name, count=3):
                super().__init__(name, "Counts down.")
        class Timer(Countdown):
            def __init__(self):
                super().__init__("timer")
        class Enough(TerminationCondition):
            pass
        agents = [Countdown("counter"), Timer(), AssistantAgent("a", client)]
        team = RoundRobinGroupChat(agents, termination_condition=Enough())
    """)
    parts = [(each["provider"].rpartition(".")[2], each["config"]["name"]) for each in config["participants"]]
    assert parts == [("UserProxyAgent", "counter"), ("UserProxyAgent", "timer"), ("AssistantAgent", "a")]
    assert config["termination_condition"]["provider"].endswith("ExternalTermination")
    assert [line for code, line in said if code == "stand_in"] == [9, 9, 10]


def test_parts_of_other_files_have_stand_ins_of_the_kind_that_is_expected():
    config, said = read("""
        from my_project.models import fast_model
        from my_project.prompts import WRITER
        from my_project.agents import make_editor
        from my_project.tools import look_up
        writer = AssistantAgent("writer", fast_model, system_message=WRITER, tools=[look_up])
        team = RoundRobinGroupChat([writer, make_editor(3)])
    """)
    writer, editor = (each["config"] for each in config["participants"])
    assert writer["model_client"]["config"]["model"] == "fast_model"
    assert writer["system_message"] == "WRITER"
    assert writer["tools"][0]["config"]["name"] == "look_up"
    assert editor["name"] == "make_editor"
    assert [line for code, line in said if code == "stand_in"] == [5, 5, 5, 6]


def test_a_text_of_the_environment_is_its_value_or_the_name_of_the_variable():
    script = """
        model = AzureOpenAIChatCompletionClient(
            model=os.getenv("MODEL"), azure_deployment=os.environ["DEPLOYMENT"], api_version="2024-06-01",
            azure_endpoint=os.getenv("ENDPOINT"), api_key=os.getenv("KEY"),
        )
        agent = AssistantAgent("a", model, system_message=os.getenv("SECRET_TOKEN"))
        team = RoundRobinGroupChat([agent], max_turns=1)
    """
    team, said = read(script, MODEL="gpt-4o", SECRET_TOKEN="not-to-be-stored")
    config = team["participants"][0]["config"]
    model = config["model_client"]["config"]
    assert (model["model"], model["azure_deployment"]) == ("gpt-4o", "DEPLOYMENT")
    assert (model["azure_endpoint"], model["api_key"]) == ("{env:ENDPOINT}", "env:KEY")
    assert config["system_message"] == "SECRET_TOKEN", "a secret of the environment is not taken into a team"
    assert [each for each in said if each[0] in ("stand_in", "default_taken")] == [
        ("default_taken", 2),
        ("stand_in", 2),
        ("stand_in", 5),
    ]


def test_functions_as_arguments_are_left_out_and_named():
    config, said = read("""
        def choose(messages):
            return None
        agents = [AssistantAgent("a", client), AssistantAgent("b", client)]
        team = SelectorGroupChat(agents, client, selector_func=choose, custom_message_types=[str], runtime=None)
    """)
    assert "selector_func" not in config
    assert [code for code, line in said if line == 4 and code in ("stand_in", "not_kept")] == ["stand_in", "not_kept"]


def test_azure_tokens_unknown_options_and_conditions_of_graphs_are_read():
    config, said = read("""
        from azure.identity import DefaultAzureCredential, get_bearer_token_provider
        token = get_bearer_token_provider(DefaultAzureCredential(), "https://cognitiveservices.azure.com/.default")
        azure = AzureOpenAIChatCompletionClient(
            model="gpt-4o", azure_endpoint="https://a.example", api_version="1", azure_ad_token_provider=token
        )
        local = OllamaChatCompletionClient(model="llama3.2", base_url="http://127.0.0.1:11434")
        a, b = AssistantAgent("a", azure), 1
        first, second = "a", "b"
        one = AssistantAgent("one", azure)
        two = AssistantAgent("two", local)
        graph = DiGraphBuilder()
        graph.add_node(one).add_node(two)
        graph.add_edge(one, two, condition=lambda m: "GO" in m.to_model_text())
        team = GraphFlow(graph.get_participants(), graph=graph.build())
    """)
    model = config["participants"][0]["config"]["model_client"]["config"]
    assert model["azure_ad_token_provider"]["config"]["scopes"] == ["https://cognitiveservices.azure.com/.default"]
    assert config["graph"]["nodes"]["one"]["edges"][0]["condition"] == "GO"
    assert ("not_kept", 6) in said


def test_what_is_added_to_a_memory_is_named_and_the_end_of_a_team_may_be_set():
    config, said = read("""
        from autogen_agentchat.conditions import ExternalTermination
        from autogen_core.memory import ListMemory, MemoryContent, MemoryMimeType
        async def main():
            memory, ending = ListMemory(), None
            facts = ListMemory()
            await facts.add(MemoryContent(content="It rains.", mime_type=MemoryMimeType.TEXT))
            ending = ExternalTermination()
            agent = AssistantAgent("a", client, memory=[facts])
            team = RoundRobinGroupChat([agent], termination_condition=ending)
            ending.set()
            await team.run(task="Go.")
    """)
    assert config["participants"][0]["config"]["memory"][0]["provider"].endswith("ListMemory")
    assert [line for code, line in said if code == "stand_in"] == [6]


def test_a_text_has_placeholders_for_what_is_not_known():
    config, said = read("""
        import os
        LANGUAGE = "French"
        path = os.path.abspath("data")
        for tone in ("kind", "curt"):
            pass
        one = AssistantAgent("one", client, system_message=f"Answer in {LANGUAGE}, be {tone}: {path!r}.")
        two = AssistantAgent("two", client, system_message="Read " + path + ".", description=f"After {one.name}.")
        team = RoundRobinGroupChat([one, two])
    """)
    one, two = (each["config"] for each in config["participants"])
    assert (one["system_message"], two["system_message"]) == ("Answer in French, be {tone}: {path}.", "Read {path}.")
    assert two["description"] == "After one."
    assert [line for code, line in said if code == "stand_in"] == [6, 7]


def test_what_a_function_that_nothing_calls_is_not_given_has_stand_ins():
    config, said = read("""
        def make(model_client, agents, *, style, tone="kind"):
            writer = AssistantAgent("writer", model_client, system_message=f"Be {tone}, {style}.")
            return RoundRobinGroupChat([writer, agents])
    """)
    writer, others = (each["config"] for each in config["participants"])
    assert writer["model_client"]["config"]["model"] == "model_client"
    assert (writer["system_message"], others["name"]) == ("Be kind, {style}.", "agents")
    assert [line for code, line in said if code == "stand_in"] == [2, 2, 3]


def test_magentic_one_memories_and_temporary_folders_are_read_as_their_classes_mean():
    config, said = read("""
        import tempfile
        from pathlib import Path
        from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
        from autogen_ext.memory.chromadb import ChromaDBVectorMemory, PersistentChromaDBVectorMemoryConfig
        from autogen_ext.teams.magentic_one import MagenticOne
        memory = ChromaDBVectorMemory(
            config=PersistentChromaDBVectorMemoryConfig(collection_name="notes", persistence_path=str(Path("a", "b")))
        )
        reader = AssistantAgent("reader", client, memory=[memory])
        with tempfile.TemporaryDirectory() as folder:
            executor = LocalCommandLineCodeExecutor(work_dir=folder)
            team = MagenticOne(client=client, hil_mode=True, code_executor=executor)
        everyone = RoundRobinGroupChat([reader, team])
    """)
    reader, team = (each["config"] for each in config["participants"])
    held = reader["memory"][0]["config"]
    assert (held["collection_name"], held["persistence_path"]) == ("notes", "a/b")
    names = [each["config"]["name"] for each in team["participants"]]
    assert names == ["FileSurfer", "WebSurfer", "Coder", "ComputerTerminal", "User"]
    assert "work_dir" not in team["participants"][3]["config"]["code_executor"]["config"]
    assert [code for code, _ in said if code == "stand_in"] == []


def test_a_tool_that_uses_what_is_outside_of_it_has_a_stand_in():
    config, said = read("""
        ORDERS = {}
        def order(name: str) -> str:
            return ORDERS[name]
        team = RoundRobinGroupChat([AssistantAgent("a", client, tools=[order])])
    """)
    agent = config["participants"][0]["config"]
    (tool,) = agent["workbench"][0]["config"]["tools"] if "workbench" in agent else agent["tools"]
    assert (tool["config"]["name"], "NotImplementedError" in tool["config"]["source_code"]) == ("order", True)
    assert [line for code, line in said if code == "stand_in"] == [4]


def test_models_inside_of_a_model_are_part_of_its_schema():
    class Outer(BaseModel):
        class Inner(BaseModel):
            text: str

        inner: Inner
        others: list[Inner]

    script = f"{IMPORTS}\n{dedent(getsource(Outer))}\na = AssistantAgent('a', client, output_content_type=Outer)\n"
    config, _ = read(script)
    assert config["structured_message_factory"]["config"]["json_schema"] == Outer.model_json_schema()


CHATS = """
agent = AssistantAgent("a", client)
team = RoundRobinGroupChat([agent])
async def main():
    while True:
        task = input("> ").strip()
        if not task:
            break
        result = await team.run(task=task)
        last = result.messages[-1]
        last.metadata["seen"] = "yes"
        {line}
"""


def test_what_a_run_gives_may_be_changed_in_a_loop():
    config, _ = read(CHATS.format(line="print(last)"))
    assert config["participants"][0]["config"]["name"] == "a"


@pytest.mark.parametrize(
    "line",
    ["other = [team][0]; other.name = 'b'", "team.name = task", "each = team; each.x()", "last = team; last.x = 1"],
)
def test_a_part_of_a_team_that_is_changed_in_a_loop_is_refused(line: str):
    assert ("not_read", 4) in refused(CHATS.format(line=line))


def test_a_long_chain_of_names_in_a_loop_costs_no_time():
    chain = "".join(f"        x{number + 1} = x{number}.next\n" for number in range(5_000))
    loop = f"    while True:\n        x0 = 1\n{chain}        await team.run()\n"
    script = f"team = RoundRobinGroupChat([AssistantAgent('a', client)])\nasync def main():\n{loop}"
    with pytest.raises(InvalidPython):
        read_script(HEAD + script + "        team.x = 1\n")
    assert read_script(HEAD + script).component["component_type"] == "team"


def test_a_function_that_a_framework_calls_is_read_as_the_program():
    config, said = read(
        """
        import chat_pages
        @chat_pages.on_start
        async def start(visitor):
            agent = AssistantAgent("a", client, system_message=f"Greet {visitor}.")
            team = RoundRobinGroupChat([agent])
            chat_pages.keep("team", team)
        @chat_pages.on_message
        async def say(message):
            team = chat_pages.kept("team")
            async for each in team.run_stream(task=message):
                yield each
    """.replace('            chat_pages.keep("team", team)\n', "")
    )
    assert config["participants"][0]["config"]["system_message"] == "Greet {visitor}."
    assert [line for code, line in said if code == "stand_in"] == [4]
