"""Scripts of Agent Framework."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import validate_component
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers import Imported, bundle_of, import_bundle, name_for
from studio.importers.importing import import_foreign
from tests.importers.agent_framework_scripts import (
    AGENT,
    AT_ONCE,
    GRAPH,
    HANDOFFS,
    HEAD,
    IN_TURN,
    LED,
    MAGENTIC,
    SEQUENCE,
    TEAM,
)

ALL = (AGENT, AT_ONCE, GRAPH, HANDOFFS, IN_TURN, LED, MAGENTIC, SEQUENCE)


def read(text: str) -> Imported:
    return import_bundle(bundle_of({"team.py": text.encode()}))


def config(imported: Imported) -> dict[str, Any]:
    found: Any = imported.team["config"]
    return found


def agents(imported: Imported) -> dict[str, Any]:
    return {each["config"]["name"]: each["config"] for each in config(imported)["participants"]}


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


@pytest.mark.parametrize("text", ALL)
def test_scripts_are_found_by_their_content_and_make_valid_teams(text: str):
    imported = import_foreign(name_for(text), text.encode())
    assert imported is not None
    assert imported.source == "agent-framework-python"
    assert validate_component(imported.team).errors == ()
    assert read(text).as_json()["team"] == imported.team
    assert all(each.place.line for each in imported.findings)


def test_an_agent_keeps_its_text_its_model_its_tools_and_its_form():
    imported = read(AGENT)
    clerk = agents(imported)["Shop_clerk"]
    assert clerk["system_message"] == "Sell bread."
    assert clerk["model_client"]["config"] == {"model": "gpt-4.1-mini", "temperature": 0.5}
    weigh, helper, search = (each["config"] for each in clerk["tools"])
    assert (weigh["name"], weigh["description"]) == ("weigh", "Weighs a thing.")
    assert "LIMIT = 100" in weigh["source_code"]
    assert "@tool" not in weigh["source_code"]
    assert (helper["agent"]["config"]["name"], helper["agent"]["config"]["system_message"]) == ("ask_helper", "Help.")
    assert "NotImplementedError" in search["source_code"]
    shop, web = (each["config"]["server_params"] for each in clerk["workbench"])
    assert (shop["command"], shop["args"]) == ("shop", ["--fast"])
    assert web["url"] == "https://shop.example/mcp"
    assert clerk["structured_message_factory"]["config"]["json_schema"]["required"] == ["amount"]
    assert [each for each in told(imported) if not each.startswith("exact")] == [
        "approximated: Approval of `weigh`",
        "approximated: MCP server “shop” of Shop_clerk",
        "approximated: Agent “Shop clerk”",
        "approximated: Agent “helper” as tool `ask_helper` of Shop_clerk",
        "approximated: Tool `web_search` of Shop_clerk",
        "dropped: Tool `os.getcwd` of Shop_clerk",
        "dropped: Model setting `seed` of Shop_clerk",
        "dropped: `middleware` of Shop_clerk",
    ]


def test_names_stand_for_what_the_same_function_says():
    text = """
from agent_framework import Agent
from agent_framework.openai import OpenAIChatClient
def old():
    from autogen_agentchat.agents import AssistantAgent
    client = OpenAIChatCompletionClient(model="old")
    agent = AssistantAgent(name="old", model_client=client)
    agent.run(task="Hello")
def make_client():
    return OpenAIChatClient(model="gpt-4.1-nano")
def both(client):
    one = Agent(client=client, name="one", instructions="One.")
    two = Agent(client=client, name="two", instructions=f"Follow {one.name}.")
    return one, two
async def new():
    client = make_client()
    first, second = both(client)
    agent = Agent(client=client, name="new", instructions="New.")
    result = await agent.run("Hello")
    await second.run(result.text)
"""
    imported = read(text)
    assert list(agents(imported)) == ["new", "two"]
    assert agents(imported)["new"]["model_client"]["config"]["model"] == "gpt-4.1-nano"
    assert agents(imported)["two"]["system_message"] == "Follow one."
    assert "asked: Agent “one”" in told(imported)


def test_agents_in_a_row_hear_all_or_the_answer_before_alone():
    imported = read(SEQUENCE)
    assert list(agents(imported)) == ["writer", "Copy_editor"]
    assert config(imported)["max_turns"] == 2
    assert "asked: Agent “critic”" in told(imported)
    alone = read(SEQUENCE.replace("[writer, editor]", "[writer, editor], chain_only_agent_responses=True"))
    assert agents(alone)["Copy_editor"]["filter"] == {"per_source": [{"source": "writer"}]}


def test_agents_at_once_hear_the_user_alone_and_a_summary_follows_all():
    imported = read(AT_ONCE)
    start = config(imported)["graph"]["nodes"]["start"]["edges"]
    assert [each["target"] for each in start] == ["writer", "Copy_editor"]
    summed = """
async def summarize(results):
    answer = await client.get_response([Message("system", contents=["Sum it up."]), Message("user", contents=results)])
    return answer.text
workflow = ConcurrentBuilder(participants=[writer, editor]).with_aggregator(summarize).build()
"""
    imported = read(HEAD + TEAM + summed)
    assert agents(imported)["summary"]["system_message"] == "Sum it up."
    edge = config(imported)["graph"]["nodes"]["writer"]["edges"][0]
    assert edge == {"target": "summary"}
    code = summed.replace("await client.get_response(", "str(")
    assert "asked: Aggregator" in told(read(HEAD + TEAM + code))


def test_a_group_chat_goes_in_turn_where_its_function_counts_rounds():
    imported = read(IN_TURN)
    assert imported.team["provider"] == "autogen_agentchat.teams.RoundRobinGroupChat"
    assert config(imported)["max_turns"] == 4
    assert config(imported)["termination_condition"]["config"] == {"text": "DONE"}
    chosen = read(
        IN_TURN.replace("    names = list", "    if len(state.conversation) > 3: return 'writer'\n    names = list")
    )
    assert chosen.team["provider"] == "autogen_agentchat.teams.SelectorGroupChat"
    assert "asked: Selection of the speakers" in told(chosen)


def test_a_led_group_chat_asks_the_model_of_its_orchestrator():
    imported = read(LED)
    assert config(imported)["selector_prompt"].startswith("Choose who speaks. Use {braces}.\n\n")
    assert "{history}" in config(imported)["selector_prompt"]
    assert config(imported)["max_turns"] == 6
    assert "approximated: Orchestrator “lead”" in told(imported)


@pytest.mark.parametrize(
    ("condition", "provider", "expected"),
    [
        ("lambda m: len(m) >= 6", "MaxMessageTermination", {"max_messages": 6}),
        ("lambda m: len(m) > 6", "MaxMessageTermination", {"max_messages": 7}),
        ("lambda m: sum(1 for x in m if x.role == 'assistant') >= 3", "MaxMessageTermination", {"max_messages": 4}),
        ("lambda m: len(m) > 0 and 'bye' in m[-1].text.lower()", "TextMentionTermination", {"text": "bye"}),
    ],
)
def test_functions_that_end_a_chat_are_read(condition: str, provider: str, expected: dict[str, Any]):
    found = config(read(LED.replace("orchestrator_agent", f"termination_condition={condition}, orchestrator_agent")))
    assert found["termination_condition"]["provider"].endswith(provider)
    assert found["termination_condition"]["config"] == expected


@pytest.mark.parametrize(
    "condition",
    [
        "lambda m: sum(1 for x in m if x.author_name == 'writer' and x.role == 'assistant') >= 3",
        "lambda m: 'bye' not in m[-1].text",
        "lambda m: len(m) >= 6 or ask()",
        "ask",
        "lambda m: sum(1 for x in m if x.role == 'user') > 3",
    ],
)
def test_other_functions_that_end_a_chat_are_asked(condition: str):
    imported = read(LED.replace("orchestrator_agent", f"termination_condition={condition}, orchestrator_agent"))
    assert "termination_condition" not in config(imported)
    assert "asked: Termination condition" in told(imported)


def test_handoffs_are_those_of_the_builder_or_between_all():
    imported = read(HANDOFFS)
    found = agents(imported)
    assert list(found) == ["Copy_editor", "writer", "critic"]
    assert [each["target"] for each in found["Copy_editor"]["handoffs"]] == ["writer", "critic"]
    assert found["Copy_editor"]["handoffs"][0]["name"] == "handoff_to_writer"
    assert found["Copy_editor"]["handoffs"][0]["description"] == "For more text."
    assert found["critic"]["handoffs"] == []
    assert "termination_condition" in config(imported)
    mesh = read(f"{HEAD}{TEAM}\nHandoffBuilder(participants=[writer, editor, critic]).build()\n")
    assert [len(each["handoffs"]) for each in agents(mesh).values()] == [2, 2, 2]
    alone = read(HANDOFFS.replace(".build()", ".with_autonomous_mode().build()"))
    assert (config(alone).get("termination_condition"), config(alone)["max_turns"]) == (None, 50)


def test_handoffs_have_a_bound():
    made = "\n".join(f'a{at} = Agent(client=client, name="a{at}", instructions="Do.")' for at in range(60))
    script = f"{HEAD}{made}\nall = [{', '.join(f'a{at}' for at in range(60))}]\nb = HandoffBuilder(participants=all)\n"
    for said in ("", "".join(f"b.add_handoff(a{at}, all)\n" for at in range(60))):
        with pytest.raises(TooLarge):
            read(f"{script}{said}b.build()\n")


def test_one_participant_speaks_each_time():
    imported = read(LED.replace("[writer, editor]", "[writer]"))
    assert imported.team["provider"] == "autogen_agentchat.teams.RoundRobinGroupChat"
    assert "approximated: Selection of the speakers" in told(imported)


def test_magentic_keeps_its_limits():
    imported = read(MAGENTIC)
    assert imported.team["provider"] == "autogen_agentchat.teams.MagenticOneGroupChat"
    assert (config(imported)["max_turns"], config(imported)["max_stalls"]) == (8, 2)
    assert "dropped: `enable_plan_review` of `MagenticBuilder`" in told(imported)
    older = ".participants(a=writer, b=editor).with_standard_manager(agent=lead, max_round_count=5)"
    imported = read(f"{HEAD}{TEAM}\nMagenticBuilder(){older}.build()\n")
    assert list(agents(imported)) == ["writer", "Copy_editor"]
    assert config(imported)["max_turns"] == 5


def test_a_graph_keeps_its_edges_and_reads_texts_that_they_look_for():
    imported = read(GRAPH)
    nodes = config(imported)["graph"]["nodes"]
    assert nodes["Copy_editor"]["edges"] == [
        {"target": "critic", "condition": "GOOD"},
        {"target": "writer", "otherwise": True, "activation_condition": "any"},
    ]
    code = read(GRAPH.replace("condition=is_good", "condition=lambda m: m.score > 3"))
    edge = config(code)["graph"]["nodes"]["Copy_editor"]["edges"][0]
    assert config(code)["context_variables"] == {edge["context_condition"]: False}


def test_an_executor_of_code_is_passed_and_told():
    text = "\n@executor\nasync def shout(text, ctx): ...\nb = WorkflowBuilder(start_executor=writer)\n"
    imported = read(f"{HEAD}{TEAM}{text}b.add_edge(writer, shout)\nb.add_edge(shout, editor)\nworkflow = b.build()\n")
    assert list(agents(imported)) == ["writer", "Copy_editor"]
    assert "asked: Executor `shout`" in told(imported)


def test_fans_of_edges_join_once_all_have_answered():
    text = "WorkflowBuilder(start_executor=writer).add_fan_out_edges(writer, [editor, critic])"
    imported = read(f"{HEAD}{TEAM}\n{text}.add_fan_in_edges([editor, critic], lead).build()\n")
    nodes = config(imported)["graph"]["nodes"]
    assert [each["target"] for each in nodes["writer"]["edges"]] == ["Copy_editor", "critic"]
    assert nodes["critic"]["edges"] == [{"target": "lead"}]


def test_the_first_builder_is_the_team_and_others_are_asked():
    imported = read(f"{SEQUENCE}\nConcurrentBuilder(participants=[writer, critic]).build()\n")
    assert "asked: `ConcurrentBuilder`" in told(imported)
    assert list(agents(imported)) == ["writer", "Copy_editor"]


def test_models_elsewhere_are_asked_and_addresses_and_keys_stay():
    azure = HEAD.replace(
        "OpenAIChatClient(", 'AzureOpenAIChatClient(endpoint="https://me.example", api_key="sk-mine-123", '
    )
    imported = read(f'{azure}\nagent = Agent(client=client, name="a", instructions="A.")\n')
    assert "asked: Model of a" in told(imported)
    unnamed = read(f'{azure.replace("model=", "x=")}\nagent = Agent(client=client, name="a", instructions="A.")\n')
    assert told(unnamed).count("asked: Model of a") == 1
    assert "me.example" not in str(imported.team)
    assert "sk-mine" not in str(imported.as_json())
    other = read(AGENT.replace('model="gpt-4.1-mini"', 'model=os.environ["MODEL"]'))
    assert "asked: Model of Shop_clerk" in told(other)


@pytest.mark.parametrize(
    "text",
    [
        "from agent_framework import Agent",
        "from agent_framework import Agent\na, = b\nb, = a\nSequentialBuilder(participants=a)",
        "import agent_framework\nx = [*x, *x]\nHandoffBuilder(participants=[*x]).build()",
        "import agent_framework\nWorkflowBuilder().build()",
        "import agent_framework\ndef f(): return f()\nGroupChatBuilder(participants=[f()]).build()",
    ],
)
def test_scripts_without_an_agent_are_refused_with_what_to_do(text: str):
    with pytest.raises(InvalidDocument) as refused:
        read(text)
    assert refused.value.fix


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ALL), st.data())
def test_damaged_scripts_are_imported_or_refused(text: str, data: st.DataObject):
    lines = text.splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    how = data.draw(st.sampled_from(("cut", "twice", "empty", "none")))
    match how:
        case "cut":
            del lines[at]
        case "twice":
            lines.insert(at, lines[at])
        case "empty":
            lines[at] = lines[at].replace("[", "[[").replace("]", "]]")
        case _:
            lines[at] = lines[at].replace("writer", "None").replace("client", "7")
    try:
        imported = read("\n".join(lines))
    except StudioError:
        return
    assert validate_component(imported.team).errors == ()


def _many_agents(count: int) -> str:
    made = "\n".join(f'a{at} = Agent(client=client, name="a{at}", instructions="Do.")' for at in range(count))
    return f"{HEAD}{made}\nSequentialBuilder(participants=[{', '.join(f'a{at}' for at in range(count))}]).build()\n"


def _many_names(count: int) -> str:
    made = "\n".join(f"x{at} = x{at + 1}.step(x{at + 1})" for at in range(count * 20))
    return f"{HEAD}{TEAM}{made}\nSequentialBuilder(participants=[writer]).build()\n"


@pytest.mark.parametrize("make", [_many_agents, _many_names])
def test_the_time_to_read_grows_with_the_file(make: Callable[[int], str]):
    def duration(text: str) -> float:
        began = time.process_time()
        read(text)
        return time.process_time() - began

    short, long = make(60), make(240)
    read(short)
    assert duration(long) < 12 * min(duration(short) for _ in range(2)) + 0.2
