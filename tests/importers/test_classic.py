"""Scripts and notebooks of AutoGen 0.2 and AG2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from studio.components import JsonObject
from studio.errors import InvalidDocument, StudioError, TooLarge
from studio.importers import Imported, UnknownSource, bundle_of, import_bundle, name_for
from studio.importers.classic_texts import ASSISTANT_SYSTEM_MESSAGE, USER_DESCRIPTIONS
from studio.importers.expressions import Unsupported, ag2_condition
from tests.cli.conftest import Studio
from tests.cli.conftest import studio as studio
from tests.importers.classic_samples import CIRCLE, GROUP, HEAD, NESTED, PATTERN, PROXY, SEQUENCE, STUDENTS, TOOLS

USER = 'user = autogen.UserProxyAgent("user_proxy", human_input_mode="NEVER", code_execution_config=False)\n'
ASSISTANT = 'helper = autogen.AssistantAgent("helper", system_message="You help.", llm_config=llm_config)\n'
CHAT = 'user.initiate_chat(helper, message="Go.")\n'


def read(text: str, name: str = "a.py") -> Imported:
    return import_bundle(bundle_of({name: text.encode()}))


def config_of(imported: Imported) -> Any:
    return imported.team["config"]


def participants(imported: Imported) -> dict[str, Any]:
    return {each["config"]["name"]: each["config"] for each in config_of(imported)["participants"]}


def kinds(imported: Imported) -> list[str]:
    return [each["provider"].rpartition(".")[2] for each in config_of(imported)["participants"]]


def kind_of(imported: Imported) -> str:
    return str(imported.team["provider"]).rpartition(".")[2]


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


def conditions(imported: Imported) -> list[tuple[str, Any]]:
    given = config_of(imported)["termination_condition"]
    found = given["config"]["conditions"] if given["provider"].endswith("OrTerminationCondition") else [given]
    return [(each["provider"].rpartition(".")[2], each["config"].get("text")) for each in found]


def notebook(*cells: str) -> str:
    found = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "Text"}, *found]})


# --- two agents ---


def test_two_agents_take_turns_as_often_as_they_did():
    imported = read(STUDENTS)
    found = participants(imported)
    assert imported.source == "autogen-0.2"
    assert list(found) == ["Teacher", "Student"]
    assert config_of(imported)["max_turns"] == 3
    assert found["Teacher"]["model_client"]["config"] == {"model": "gpt-4.1"}
    assert told(imported)[-1] == "dropped: First message"


def test_a_text_that_ends_the_chat_counts_from_the_other_agent():
    imported = read(PROXY)
    assert conditions(imported) == [
        ("TextMentionTermination", "TERMINATE"),
        ("StopMessageTermination", None),
        ("TextMentionTermination", "TERMINATE"),
    ]
    assert config_of(imported)["termination_condition"]["config"]["conditions"][0]["config"]["sources"] == ["writer"]
    assert participants(imported)["proxy"]["default_auto_reply"] == "Go on."
    assert "exact: `is_termination_msg` of proxy" in told(imported)


@pytest.mark.parametrize(
    ("written", "text", "verdict"),
    [
        ('lambda m: "DONE" in m["content"]', "DONE", "exact"),
        ('lambda x: x.get("content", "").find("DONE") >= 0', "DONE", "exact"),
        ('lambda x: x.get("content") and x["content"].rstrip().endswith("DONE")', "DONE", "approximated"),
        ('lambda x: "content" in x and x["content"] == "DONE"', "DONE", "approximated"),
        ("is_over", "OVER", "approximated"),
    ],
)
def test_functions_that_end_a_chat_are_read_for_their_text(written: str, text: str, verdict: str):
    function = 'def is_over(message):\n    return str(message.get("content", ""))[-4:].upper() == "OVER"\n'
    user = USER.replace("code_execution_config=False", f"code_execution_config=False, is_termination_msg={written}")
    imported = read(HEAD + function + ASSISTANT + user + CHAT)
    assert ("TextMentionTermination", text) in conditions(imported)
    assert f"{verdict}: `is_termination_msg` of user_proxy" in told(imported)


def test_a_function_that_says_something_else_is_not_guessed():
    user = USER.replace("=False", '=False, is_termination_msg=lambda m: "x" not in m["content"]')
    imported = read(HEAD + ASSISTANT + user + CHAT)
    assert "dropped: `is_termination_msg` of user_proxy" in told(imported)
    assert conditions(imported)[0] == ("StopMessageTermination", None)


def test_who_runs_code_runs_it_in_the_sandbox_and_a_person_beside_it_is_asked():
    user = USER.replace("code_execution_config=False", 'code_execution_config={"use_docker": False, "timeout": 5}')
    imported = read(HEAD + ASSISTANT + user + CHAT)
    executor = participants(imported)["user_proxy"]["code_executor"]
    assert kinds(imported) == ["AssistantAgent", "CodeExecutorAgent"]
    assert (executor["provider"].rpartition(".")[2], executor["config"]) == (
        "LocalCommandLineCodeExecutor",
        {"timeout": 5},
    )
    asked = read(HEAD + ASSISTANT + user.replace("NEVER", "ALWAYS") + CHAT)
    assert list(participants(asked)) == ["helper", "user_proxy_code", "user_proxy"]
    assert kinds(asked)[1:] == ["CodeExecutorAgent", "UserProxyAgent"]


def test_code_runs_in_docker_where_the_script_says_nothing_else():
    imported = read(HEAD + ASSISTANT + 'user = autogen.UserProxyAgent("u", human_input_mode="NEVER")\n' + CHAT)
    executor = participants(imported)["u"]["code_executor"]
    assert executor["provider"].rpartition(".")[2] == "DockerCommandLineCodeExecutor"
    assert participants(imported)["u"]["description"] == USER_DESCRIPTIONS["NEVER"]


def test_an_assistant_without_instructions_has_those_of_autogen():
    imported = read(HEAD + ASSISTANT.replace('system_message="You help.", ', "") + USER + CHAT)
    assert participants(imported)["helper"]["system_message"] == ASSISTANT_SYSTEM_MESSAGE
    assert "approximated: End of a chat of user_proxy" in told(imported)


# --- models ---


@pytest.mark.parametrize(
    ("written", "model", "verdicts"),
    [
        ('{"config_list": autogen.config_list_from_json("OAI")}', "gpt-4.1", ["asked"]),
        (
            '{"config_list": autogen.config_list_from_json("OAI", filter_dict={"model": ["gpt-4o"]})}',
            "gpt-4o",
            ["asked"],
        ),
        ('{"model": "gpt-4o", "temperature": 0.5}', "gpt-4o", []),
        ('autogen.LLMConfig({"model": "gpt-4o"}, temperature=0.5)', "gpt-4o", []),
        ('autogen.LLMConfig(api_type="anthropic", model="claude-x")', "claude-x", []),
        ('{"config_list": [{"model": "m", "base_url": "https://models.example"}]}', "m", ["asked", "asked"]),
        ("read_config()", "gpt-4.1", ["asked"]),
        ('{**base, "temperature": 0.5}', "gpt-4o", []),
        ("base.copy()", "gpt-4o", []),
    ],
)
def test_models_are_read_from_every_form_of_a_configuration(written: str, model: str, verdicts: list[str]):
    base = 'base = {"config_list": [{"model": "gpt-4o"}]}\n'
    imported = read(f"{HEAD}{base}llm = {written}\n{ASSISTANT.replace('=llm_config', '=llm')}{USER}{CHAT}")
    client = participants(imported)["helper"]["model_client"]
    assert client["config"]["model"] == model
    assert [each.verdict for each in imported.findings if each.what.startswith("Model of")] == verdicts
    assert "https://models.example" not in json.dumps(imported.team)


def test_a_key_does_not_come_along_but_its_variable_does():
    head = HEAD.replace('"api_key": "none"', '"api_key": os.environ["MY_KEY"]')
    assert participants(read(f"import os\n{head}{ASSISTANT}{USER}{CHAT}"))["helper"]["model_client"]["config"] == {
        "model": "gpt-4.1",
        "api_key": "env:MY_KEY",
    }
    key = "sk-proj-" + "a1B2" * 8
    imported = read(HEAD.replace('"none"', f'"{key}"') + ASSISTANT + USER + CHAT)
    assert key not in json.dumps(imported.as_json())
    assert "approximated: Key of helper" in told(imported)


# --- tools ---


def test_functions_are_tools_of_the_agent_that_calls_them():
    imported = read(TOOLS)
    half, twice = participants(imported)["calculator"]["tools"]
    assert (half["config"]["name"], half["config"]["description"]) == ("half_of", "Halve a number.")
    assert "LIMIT = 100" in half["config"]["source_code"]
    assert "register_for_llm" not in half["config"]["source_code"]
    assert twice["config"]["description"] == "Double a number."
    assert participants(imported)["calculator"]["max_tool_iterations"] == 10


def test_a_function_that_is_only_described_finds_its_code_or_is_a_stand_in():
    schema = '{"name": "%s", "description": "Look.", "parameters": {"properties": {"q": {"type": "string"}}}}'
    listed = ", ".join(schema % name for name in ("look", "gone"))
    helper = ASSISTANT.replace("=llm_config", f'={{**llm_config, "functions": [{listed}]}}')
    user = USER.replace("=False", '=False, function_map={"look": search}')
    function = "def search(q: str) -> str:\n    return q\n"
    look, gone = participants(read(HEAD + function + helper + user + CHAT))["helper"]["tools"]
    assert "return q" in look["config"]["source_code"]
    assert "NotImplementedError" in gone["config"]["source_code"]


def test_functions_of_a_loop_and_of_other_files_are_told():
    more = "from elsewhere import find\nfor each in [helper]:\n    each.register_for_llm(description='Find.')(find)\n"
    imported = read(HEAD + ASSISTANT + USER + more + CHAT)
    (tool,) = participants(imported)["helper"]["tools"]
    assert (tool["config"]["name"], tool["config"]["description"]) == ("find", "Find.")
    assert "approximated: Tool `find` of helper" in told(imported)


# --- group chats ---


def test_a_group_chat_keeps_its_order_from_the_one_who_begins():
    imported = read(GROUP)
    assert list(participants(imported)) == ["critic", "writer", "boss"]
    assert config_of(imported)["max_turns"] == 5
    assert "exact: Group chat" in told(imported)


def test_a_group_chat_with_one_way_is_an_order_and_others_are_rules():
    assert list(participants(read(CIRCLE))) == ["critic", "writer", "boss"]
    choice = CIRCLE.replace("user: [critic]", "user: [critic, writer]")
    prompt = config_of(read(choice))["selector_prompt"]
    assert "After boss: critic, writer." in prompt
    assert "{history}" in prompt
    disallowed = choice.replace('"allowed"', '"disallowed"')
    assert "After boss: boss." in config_of(read(disallowed))["selector_prompt"]


@pytest.mark.parametrize(
    ("method", "kind", "verdict"),
    [
        ('"random"', "RoundRobinGroupChat", "approximated"),
        ('"manual"', "SelectorGroupChat", "approximated"),
        ('"auto"', "SelectorGroupChat", "approximated"),
        ("choose", "SelectorGroupChat", "asked"),
    ],
)
def test_who_speaks_next_is_selected_in_the_nearest_way(method: str, kind: str, verdict: str):
    text = GROUP.replace('"round_robin"', f"{method}, allow_repeat_speaker=False, send_introductions=True")
    imported = read(f"{text}\n\ndef choose(last, group):\n    return writer\n")
    assert kind_of(imported) == kind
    assert f"{verdict}: Group chat" in told(imported)
    assert "dropped: `send_introductions` of the group chat" in told(imported)
    assert config_of(imported).get("allow_repeated_speaker") in (None, False)


def test_the_question_of_a_group_chat_comes_along():
    own = (
        'select_speaker_message_template="Roles: {roles}. Choose of {agentlist}.", max_retries_for_selecting_speaker=4'
    )
    config = config_of(read(GROUP.replace('speaker_selection_method="round_robin"', own)))
    assert config["selector_prompt"].startswith("Roles: {roles}. Choose of {participants}.\n\n{history}\n\n")
    assert config["max_selector_attempts"] == 5


# --- chats within agents and in a row ---


def test_chats_within_an_agent_begin_for_the_messages_that_they_began_for():
    lead = participants(read(NESTED))["lead"]
    assert lead["triggers"] == ["user", "boss"]
    assert [(each["participant"], each["message"]) for each in lead["chats"]] == [
        ("writer", None),
        ("critic", "Check the text."),
    ]
    assert lead["agent"]["config"]["system_message"] == "You lead."


def test_chats_in_a_row_keep_their_messages_and_the_question_for_a_summary():
    text = SEQUENCE.replace(
        '"summary_method": "last_msg"',
        '"summary_method": "reflection_with_llm", "summary_args": {"summary_prompt": "Sum up."}, "carryover": "More."',
    )
    imported = read(text.replace('"Check it."', 'lambda sender, recipient, context: f"Check {context[0]}."'))
    sequence = participants(imported)["sequence"]
    first, second = sequence["chats"]
    assert (first["message"], first["summary_method"], first["summary_prompt"]) == (
        "Write {{a}} poem.",
        "reflection_with_llm",
        "Sum up.",
    )
    assert second["message"] == "Check {message}."
    assert sequence["model_client"]["config"]["model"] == "gpt-4.1"
    assert "dropped: Own text that is carried over" in told(imported)


def test_an_agent_over_a_group_chat_is_a_society_of_mind():
    society = (
        "from autogen.agentchat.contrib.society_of_mind_agent import SocietyOfMindAgent\n"
        'mind = SocietyOfMindAgent("mind", chat_manager=manager, llm_config=llm_config, response_preparer="Answer.")\n'
        'user.initiate_chat(mind, message="Go.", max_turns=1)\n'
    )
    imported = read(GROUP.partition("def main")[0] + society)
    mind = participants(imported)["mind"]
    assert mind["team"]["provider"].endswith("RoundRobinGroupChat")
    assert mind["response_prompt"] == "Answer."


def test_further_chats_and_agents_are_asked_about():
    more = 'other = autogen.AssistantAgent("other", llm_config=llm_config)\nuser.initiate_chat(other, message="Hi.")\n'
    again = 'user.initiate_chat(helper, message="Once more.")\n'
    imported = read(HEAD + ASSISTANT + USER + CHAT + again + more)
    found = {each.what: each for each in imported.findings}
    assert [each for each in told(imported) if each.startswith("asked")] == [
        "asked: Agent “other”",
        "asked: Chat `initiate_chat`",
    ]
    assert any("Once more." in each.fix for each in imported.findings)
    assert found["First message"].fix == "Begin a run with: Go."


def test_methods_and_capabilities_that_change_an_agent_are_told():
    text = (
        "class Mine(autogen.UserProxyAgent):\n    def receive(self): ...\n"
        'user = Mine("mine", human_input_mode="NEVER", code_execution_config=False)\n'
        "helper.register_reply([autogen.Agent], answer)\n"
    )
    imported = read(HEAD + ASSISTANT + text + CHAT)
    assert kinds(imported) == ["AssistantAgent", "UserProxyAgent"]
    assert "dropped: Class `Mine` of mine" in told(imported)
    assert "dropped: `helper.register_reply([autogen.Agent], answer)`" in told(imported)


# --- AG2 ---


def test_a_pattern_with_handoffs_is_a_swarm_with_its_variables():
    imported = read(PATTERN)
    found = participants(imported)
    config = config_of(imported)
    assert kind_of(imported) == "Swarm"
    assert list(found) == ["desk", "cook", "baker"]
    assert config["context_variables"] == {"tries": 0, "topic": None}
    assert config["max_turns"] == 11
    assert [(each["target"], each["description"]) for each in found["desk"]["handoffs"]] == [
        ("baker", "It is about bread."),
        ("cook", "Hand off when tries > 2 and (not topic == 'rain')."),
    ]
    assert [each["target"] for each in found["baker"]["handoffs"]] == ["desk"]
    assert {each["config"]["source"] for each in config["termination_condition"]["config"]["conditions"]} == {
        "desk",
        "cook",
    }
    assert (found["cook"]["system_message"], found["cook"]["system_message_holds_variables"]) == (
        "You cook. The topic is {topic}.",
        True,
    )
    assert "exact: Handoff from desk to baker" in told(imported)
    assert "approximated: Handoff from desk to cook" in told(imported)


def test_a_function_with_context_variables_works_with_ours_and_returns_its_message():
    (tool,) = participants(read(PATTERN))["desk"]["tools"]
    source = tool["config"]["source_code"]
    assert "from studio.tools import ContextVariables" in source
    assert "return f'Noted {topic}.'" in source
    assert "ReplyResult" not in source


@pytest.mark.parametrize(
    ("kind", "team"),
    [
        ("AutoPattern", "SelectorGroupChat"),
        ("ManualPattern", "SelectorGroupChat"),
        ("RoundRobinPattern", "RoundRobinGroupChat"),
        ("RandomPattern", "RoundRobinGroupChat"),
    ],
)
def test_other_patterns_are_group_chats_with_the_user(kind: str, team: str):
    imported = read(PATTERN.replace("DefaultPattern", kind))
    assert kind_of(imported) == team
    assert list(participants(imported)) == ["desk", "cook", "baker", "user_2"]
    assert "dropped: Handoff of desk" in told(imported)


def test_agents_that_only_follow_each_other_take_turns():
    start, _, _ = PATTERN.partition("desk.handoffs.add_llm")
    end = PATTERN.partition("pattern = Default")[2]
    after = "desk.handoffs.set_after_work(AgentTarget(cook))\ncook.handoffs.set_after_work(AgentTarget(baker))\n"
    imported = read(f"{start}{after}pattern = Default{end}")
    assert kind_of(imported) == "RoundRobinGroupChat"
    assert list(participants(imported)) == ["desk", "cook", "baker"]
    assert config_of(imported)["max_turns"] == 3


def test_agents_that_variables_lead_to_are_a_graph():
    start, _, rest = PATTERN.partition("desk.handoffs.add_llm")
    ways = "desk.handoffs.add_context" + rest.partition("desk.handoffs.add_context")[2]
    plain = start.replace(', target=AgentNameTarget("cook")', "")
    imported = read(plain + ways)
    nodes = config_of(imported)["graph"]["nodes"]
    assert kind_of(imported) == "GraphFlow"
    assert [(each["target"], each["context_condition"]) for each in nodes["desk"]["edges"]] == [
        ("cook", "tries > 2 and (not topic == 'rain')")
    ]
    assert "approximated: Way from desk to cook" in told(imported)


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ("${a} > 3 & !${b}", "a > 3 and (not b)"),
        ("${ a } == 'x & y' | len(${b}) > 0", "a == 'x & y' or len(b) > 0"),
        ("__import__('os').system('x')", None),
    ],
)
def test_conditions_of_ag2_are_ours_in_other_signs(written: str, ours: str | None):
    if ours is None:
        with pytest.raises(Unsupported):
            ag2_condition(written)
    else:
        assert ag2_condition(written) == ours


# --- notebooks and refusals ---


def test_a_notebook_is_read_cell_by_cell_and_tells_the_cell():
    imported = read(
        notebook("%pip install autogen\n" + HEAD, "%%bash\nls -l", ASSISTANT + USER, "!ls\n" + CHAT), "a.ipynb"
    )
    assert imported.team == read(HEAD + ASSISTANT + USER + CHAT).team
    places = {each.what: str(each.place) for each in imported.findings}
    assert places["Agent “helper”"] == "a.ipynb, cell 4:1:10"
    assert places["Cell of the notebook"] == "a.ipynb, cell 3:1:1"


def test_cells_are_told_in_their_order():
    imported = read(notebook(HEAD, ASSISTANT, *["x = 1\n"] * 9, USER, CHAT), "a.ipynb")
    cells = [int(each.place.file.rpartition(" ")[2]) for each in imported.findings]
    assert (cells, cells[0], cells[-1]) == (sorted(cells), 3, 14)


def test_pasted_text_of_a_notebook_is_one():
    text = notebook(HEAD + ASSISTANT + USER + CHAT)
    assert name_for(text) == "pasted.ipynb"
    assert read(text, name_for(text)).source == "autogen-0.2"


def test_a_notebook_of_the_agents_sdk_is_found_too():
    text = notebook("from agents import Agent", 'a = Agent(name="A", instructions="Be.", model="gpt-4.1")')
    assert read(text, "a.ipynb").source == "openai-agents"


def test_an_agent_that_is_named_otherwise_here_is_told_where_texts_name_it():
    helper = ASSISTANT.replace("You help.", "You help user-proxy.")
    imported = read(HEAD + helper + USER.replace("user_proxy", "user-proxy") + CHAT)
    assert list(participants(imported)) == ["helper", "user_proxy"]
    assert "approximated: Name “user-proxy”" in told(imported)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.py", "import autogen\nautogen.GroupChat\n", InvalidDocument),
        ("a.py", "import autogen_agentchat\nAssistantAgent('a')\n", UnknownSource),
        ("a.ipynb", '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "autogen ="}]}', UnknownSource),
        ("a.ipynb", "[]", UnknownSource),
        ("a.ipynb", "{", UnknownSource),
    ],
)
def test_files_without_agents_are_refused(name: str, text: str, kind: type[StudioError]):
    with pytest.raises(kind):
        read(text, name)


def test_a_text_in_many_agents_and_chats_without_end_are_refused():
    text = "t = '" + "x" * 100_000 + "'\n"
    agents = "".join(f'a{at} = autogen.AssistantAgent("a{at}", t, llm_config)\n' for at in range(60))
    with pytest.raises(TooLarge, match="5 MB"):
        read(HEAD + text + agents)
    chats = "".join(
        f"a{at}.register_nested_chats([{{'recipient': a{at + 1}}}, {{'recipient': a{at + 2}}}], trigger=a0)\n"
        for at in range(58)
    )
    with pytest.raises(TooLarge, match="300 agents"):
        read(HEAD + "t = 'x'\n" + agents + chats + "a0.initiate_chat(a1, message='x')\n")


def test_importing_twice_gives_the_same():
    assert read(PATTERN).as_json() == read(PATTERN).as_json()


@pytest.mark.parametrize("text", [PROXY, TOOLS, GROUP, CIRCLE, NESTED, SEQUENCE, PATTERN])
def test_every_team_passes_the_check(text: str, studio: Studio, tmp_path: Path):
    team: JsonObject = read(text).team
    file = tmp_path / "team.json"
    file.write_text(json.dumps(team))
    assert studio("check", file).code == 0
