"""Agent files of Letta: agents with memory blocks and tools, alone or in a group."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.components import validate_component
from studio.errors import StudioError
from studio.importers import Imported, UnknownSource, bundle_of, import_bundle, name_for
from studio.importers.importing import import_foreign
from tests.importers.letta_samples import CODE, GROUP, LETTA_SAMPLES, OLD, ONE, agent, letta_file, tool


def read(text: str, name: str = "agent.af") -> Imported:
    return import_bundle(bundle_of({name: text.encode()}))


def agents(imported: Imported) -> dict[str, Any]:
    config: Any = imported.team["config"]
    return {each["config"]["name"]: each["config"] for each in config["participants"]}


def told(imported: Imported) -> list[str]:
    return [f"{each.verdict}: {each.what}" for each in imported.findings]


@pytest.mark.parametrize("text", LETTA_SAMPLES.values(), ids=list(LETTA_SAMPLES))
def test_samples_make_valid_teams_each_time_the_same(text: str):
    imported = read(text)
    assert imported.source == "letta"
    assert validate_component(imported.team).errors == ()
    assert read(text).as_json() == imported.as_json()
    found = import_foreign(name_for(text), text.encode())
    assert found is not None
    assert found.team == imported.team


def test_an_agent_keeps_its_text_its_model_and_its_memory():
    keeper = agents(read(ONE))["Shop_keeper"]
    assert (keeper["system_message"], keeper["description"]) == ("You are Shop keeper.", "Is Shop keeper.")
    assert keeper["model_client"]["config"] == {"model": "gpt-4o", "temperature": 0.5}
    memory = keeper["memory"][0]["config"]["memory_contents"]
    assert [each["content"] for each in memory] == ["human:\nHer name is Ada.", "persona:\nI am Sam."]
    report = told(read(ONE))
    assert "approximated: Memory block `human` of Shop_keeper" in report
    assert "exact: Memory block `persona` of Shop_keeper" in report


def test_tools_are_functions_or_stand_ins_and_those_of_the_memory_are_left_out():
    imported = read(ONE)
    tools = {each["config"]["name"]: each["config"] for each in agents(imported)["Shop_keeper"]["tools"]}
    assert list(tools) == ["stock", "web_search", "note"]
    assert "json.loads" in tools["stock"]["source_code"]
    assert "from typing import Optional\n" in tools["stock"]["source_code"]
    assert "query: str" in tools["web_search"]["source_code"]
    assert "request_heartbeat" not in tools["web_search"]["source_code"]
    assert "NotImplementedError" in tools["note"]["source_code"]
    report = told(imported)
    assert "exact: Tool `stock` of Shop_keeper" in report
    assert "asked: Packages of Tool `stock` of Shop_keeper" in report
    assert "dropped: Tool `memory_insert` of Shop_keeper" in report
    assert "dropped: `tool_rules` of Shop_keeper" in report


def test_conversations_values_for_tools_and_tokens_stay_behind():
    imported = read(ONE)
    whole = json.dumps(imported.as_json())
    assert "dropped: Messages of the conversation: 1" in told(imported)
    for secret in ("secret words", "hidden-value", "t0p"):
        assert secret in ONE
        assert secret not in whole
    server = agents(imported)["Shop_keeper"]["workbench"][0]["config"]["server_params"]
    assert server == {"type": "StreamableHttpServerParams", "url": "https://crm.example/mcp"}


def test_a_supervisor_has_its_agents_as_tools_and_a_round_is_a_round():
    boss = agents(read(GROUP))["boss"]
    called = [each["config"]["agent"]["config"]["name"] for each in boss["tools"] if "agent" in each["config"]]
    assert called == ["baker", "cook"]
    members = {"agent_ids": ["agent-0", "agent-1"], "manager_config": {"manager_type": "round_robin"}}
    imported = read(letta_file(agent("one"), agent("two", 1), agent("three", 2), groups=[members]))
    assert list(agents(imported)) == ["one", "two"]
    assert imported.team["config"]["max_turns"] == 2  # type: ignore[index, call-overload]
    assert "asked: Agent “three”" in told(imported)
    dynamic = {**members, "manager_config": {"manager_type": "dynamic", "manager_agent_id": "agent-2"}}
    chosen = read(letta_file(agent("one"), agent("two", 1), agent("three", 2), groups=[dynamic]))
    assert str(chosen.team["provider"]).endswith("SelectorGroupChat")
    assert list(agents(chosen)) == ["three", "one", "two"]


def test_a_file_of_an_older_version_is_one_agent():
    old = agents(read(OLD))["old"]
    assert old["model_client"]["config"] == {"model": "claude-3-5-haiku"}
    assert old["memory"][0]["config"]["memory_contents"][0]["content"] == "human:\nAda"
    assert [each["config"]["name"] for each in old["tools"]] == ["stock"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "JSON"),
        ('{"agents": [], "tools": [], "agent_type": 1}', "These files are not of"),
        (json.dumps({"agents": [{"agent_type": "x"}], "tools": [[0] * 30_000]}), "values"),
    ],
)
def test_what_is_no_agent_file_is_refused_with_what_to_do(text: str, expected: str):
    with pytest.raises(StudioError, match=expected) as error:
        read(text if "agent_type" in text else f'{{"agent_type" {text}')
    assert getattr(error.value, "fix", "")
    with pytest.raises(StudioError):
        import_bundle(bundle_of({"agent.af": text.encode()}), "letta")


def test_json_of_something_else_is_not_of_letta():
    for text in ('{"agent_type": "x"}', '{"agents": [{"name": "a"}], "tools": [], "x": "agent_type"}'):
        with pytest.raises(UnknownSource):
            read(text, "some.json")
        assert import_foreign("some.json", text.encode()) is None


@pytest.mark.parametrize(
    "code",
    [
        "",
        "def stock(",
        "x = 1",
        "def stock(): " + "(" * 3_000,
        "export function stock() {}",
        f"import os\nos.system('x')\n{CODE.replace('json.loads', 'unknown')}",
        "@evil()\n" + CODE,
    ],
)
def test_code_that_cannot_come_along_becomes_a_stand_in_or_a_function(code: str):
    imported = read(letta_file(agent("a", tool_ids=["tool-0"]), tools=[tool(0, "stock", code=code)]))
    (made,) = agents(imported)["a"]["tools"]
    assert "os.system" not in made["config"]["source_code"]
    assert "evil" not in made["config"]["source_code"]
    assert validate_component(imported.team).errors == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PLACES = ("agents", "blocks", "tools", "groups", "mcp_servers")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PLACES), st.sampled_from(sorted(agent("a"))), JSON, st.sampled_from(["whole", "field"]))
def test_any_value_in_any_place_makes_a_valid_team_or_is_refused(place: str, field: str, value: Any, what: str):
    document = json.loads(GROUP)
    if what == "whole":
        document[place] = value
    else:
        document["agents"][0][field] = value
        document["tools"][0] |= {"name": value, "json_schema": value}
        document["blocks"][0] = {"id": value, "label": value, "value": value}
    try:
        imported = read(json.dumps(document))
    except StudioError:
        return
    assert validate_component(imported.team).errors == ()
