"""Workflows of AutoGen Studio before 0.4."""

from __future__ import annotations

import json
from typing import Any

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers import Imported, bundle_of, import_bundle

SKILL = """\
import math


def helper(x: int) -> int:
    return x


def root(x: int) -> float:
    '''Square root.'''
    return math.sqrt(helper(x))
"""


def agent(kind: str, name: str, **config: JsonValue) -> JsonObject:
    model: JsonObject = {"config_list": [{"model": "gpt-4"}], "temperature": 0.1, "cache_seed": None}
    given: JsonObject = {"name": name, "system_message": f"You are {name}.", "llm_config": model, **config}
    return {"type": kind, "config": given}


def workflow(kind: str, *agents: tuple[str, JsonObject]) -> JsonObject:
    members: list[JsonValue] = [
        {"agent": each, "link": {"agent_type": role, "sequence_id": at}} for at, (role, each) in enumerate(agents)
    ]
    return {"name": "Old", "type": kind, "agents": members}


def proxy(**config: JsonValue) -> JsonObject:
    return agent("userproxy", "userproxy", human_input_mode="NEVER", max_consecutive_auto_reply=3, **config)


def read(document: JsonValue) -> Imported:
    return import_bundle(bundle_of({"old.json": json.dumps(document).encode()}))


def config_of(imported: Imported) -> Any:
    return imported.team["config"]


def participants(imported: Imported) -> dict[str, Any]:
    return {each["config"]["name"]: each["config"] for each in config_of(imported)["participants"]}


def test_a_pair_becomes_a_round_robin_that_ends_as_it_did():
    helper: JsonObject = {**agent("assistant", "helper"), "skills": [{"title": "roots", "content": SKILL}]}
    pair = workflow("autonomous", ("sender", proxy(code_execution_config="none")), ("receiver", helper))
    imported = read({"models": [], "workflows": [pair, {"name": "B"}]})
    found = participants(imported)
    assert (imported.source, imported.team["label"]) == ("autogen-studio", "Old")
    assert list(found) == ["helper", "userproxy"]
    assert config_of(imported)["max_turns"] == 7
    assert config_of(imported)["termination_condition"]["config"] == {"text": "TERMINATE", "sources": ["helper"]}
    assert [tool["config"]["name"] for tool in found["helper"]["tools"]] == ["root"]
    assert found["helper"]["model_client"]["config"] == {"model": "gpt-4", "temperature": 0.1}
    assert [each.what for each in imported.findings if each.verdict == "asked"] == ["Workflow “B”"]


def test_a_group_chat_is_selected_by_a_model_or_keeps_its_order():
    members: list[JsonValue] = [agent("assistant", "a"), agent("assistant", "b")]
    chat: JsonObject = {**agent("groupchat", "chat", max_round=9), "agents": members}
    config = config_of(read(workflow("autonomous", ("sender", proxy()), ("receiver", chat))))
    assert [each["config"]["name"] for each in config["participants"]] == ["a", "b"]
    assert (config["max_turns"], config["allow_repeated_speaker"]) == (8, True)
    settings: JsonObject = {"agents": members, "speaker_selection_method": "round_robin"}
    receiver: JsonObject = {**agent("groupchat", "chat"), "groupchat_config": settings}
    older: JsonObject = {"type": "groupchat", "sender": proxy(), "receiver": receiver}
    assert read([older]).team["provider"] == "autogen_agentchat.teams.RoundRobinGroupChat"


def test_a_sequence_asks_one_after_the_other_with_its_tasks():
    first: JsonObject = {**agent("assistant", "first"), "task_instruction": "Write {this}."}
    last = agent("assistant", "last")
    imported = read(workflow("sequential", ("sender", proxy()), ("receiver", first), ("receiver", last)))
    chats = participants(imported)["sequence"]["chats"]
    assert [(each["participant"], each["message"]) for each in chats] == [
        ("first", "{message}\n\nYour task: Write {{this}}."),
        ("last", None),
    ]


def test_who_runs_code_runs_it_in_our_sandbox():
    runner = proxy(code_execution_config={"use_docker": False})
    config = config_of(read(workflow("autonomous", ("sender", runner), ("receiver", agent("assistant", "coder")))))
    assert config["participants"][1]["provider"] == "autogen_agentchat.agents.CodeExecutorAgent"
