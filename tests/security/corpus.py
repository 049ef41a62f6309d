"""Hostile documents, each a file as somebody could send it: alone, nested, or wrong in its form."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from studio.components import JsonObject
from tests.security.payloads import component, payloads
from tests.web.documents import assistant, function_tool, gallery, replay_model, team

Wrap = Callable[[JsonObject], JsonObject]


def agent_with(**config: object) -> JsonObject:
    agent = assistant("holder")
    held = agent["config"]
    assert isinstance(held, dict)
    held.update(config)  # pyright: ignore[reportArgumentType, reportCallIssue] -- some values are wrong on purpose
    return agent


NESTS: dict[str, Wrap] = {
    "in an agent's tools": lambda bad: agent_with(tools=[bad]),
    "in a workbench of a team's agent": lambda bad: team(
        agent_with(workbench=[component("autogen_core.tools.StaticWorkbench", "workbench", tools=[bad])])
    ),
    "as a model": lambda bad: team(agent_with(model_client=bad)),
    "as a memory": lambda bad: agent_with(memory=[bad]),
    "as a termination": lambda bad: component(
        "autogen_agentchat.teams.RoundRobinGroupChat",
        "team",
        participants=[assistant("a")],
        termination_condition=component(
            "autogen_agentchat.base.OrTerminationCondition", "termination", conditions=[bad, bad]
        ),
    ),
    "as executor of a tool": lambda bad: component(
        "autogen_ext.tools.code_execution.PythonCodeExecutionTool", "tool", executor=bad
    ),
    "in the team of a tool": lambda bad: component(
        "autogen_agentchat.tools.TeamTool", "tool", name="t", description="d", team=team(agent_with(tools=[bad]))
    ),
    "as the agent of a tool": lambda bad: component("autogen_agentchat.tools.AgentTool", "tool", agent=bad),
    "in a society of mind": lambda bad: component(
        "autogen_agentchat.agents.SocietyOfMindAgent", "agent", name="s", team=team(bad), model_client=replay_model("x")
    ),
    "behind a filter": lambda bad: component(
        "autogen_agentchat.agents.MessageFilterAgent", "agent", name="f", wrapped_agent=bad, filter={"per_source": []}
    ),
    "in an unknown provider": lambda bad: component(
        "nobody.Knows", "agent", inner=[{"deeper": bad}], participants=[bad]
    ),
    "in an unknown provider in a workbench": lambda bad: agent_with(
        workbench=[component("nobody.Knows", "workbench", tools=[bad], server_params=bad)]
    ),
}


def documents(canary: Path) -> dict[str, bytes]:
    """All documents by a name that says what each tries."""
    bad = {name: {**what, "mark": f"mark-{index}-"} for index, (name, what) in enumerate(payloads(canary).items())}
    found = {name: _as_file(what) for name, what in bad.items()}
    nested = [name for name in bad if not name.startswith("text")]
    for index, (place, wrap) in enumerate(NESTS.items()):
        for name in nested[index :: len(NESTS)][:3]:
            found[f"{name}, {place}"] = _as_file(wrap(bad[name]))
    return found | _odd_galleries(bad) | _odd_files(canary)


def _as_file(document: JsonObject) -> bytes:
    return json.dumps(document).encode()


def _odd_galleries(bad: dict[str, JsonObject]) -> dict[str, bytes]:
    tool = function_tool("def f() -> str:\n    return ''\n")
    everything = gallery("All of it", tools=list(bad.values()))
    climbing = {**gallery("../../../etc/cron.d/x", tools=[tool]), "id": "../../library", "url": "file:///etc/passwd"}
    proto: JsonObject = {**gallery("x", tools=[tool]), "__proto__": {"isAdmin": True}, "constructor": {"prototype": 1}}
    return {
        "a gallery of all": _as_file(everything),
        "a gallery that climbs (CVE-2026-21877)": _as_file(climbing),
        "a gallery with a prototype": _as_file(proto),
        "a gallery named as the library": _as_file({**gallery("library", tools=[tool]), "id": "library"}),
        "a version from the future": _as_file({**tool, "component_version": 2**70, "version": "__import__('os')"}),
    }


def _odd_files(canary: Path) -> dict[str, bytes]:
    """Wrong in their form: for parsers, not for the registry."""
    touch = f"touch {canary}"
    laughs = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    return {
        "YAML that applies": f"provider: !!python/object/apply:os.system ['{touch}']\nconfig: {{}}\n".encode(),
        "YAML that makes": f"!!python/object/new:subprocess.Popen [['sh', '-c', '{touch}']]\n".encode(),
        "YAML that names": b"provider: !!python/name:os.system\nconfig: {}\n",
        "YAML that imports": b"provider: !!python/module:evil_module\nconfig: {}\n",
        "YAML that laughs": laughs.encode(),
        "YAML that refers to itself": b"a: &a\n  config: *a\nprovider: x\n",
        "YAML that merges without end": b"x: &x\n  <<: *x\nprovider: y\n",
        "JSON too deep": b'{"provider": "x", "config": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "JSON with a name twice": b'{"provider": "nobody.Knows", "provider": "os.system", "config": {}}',
        "JSON with a huge number": b'{"provider": "x", "config": {"n": ' + b"9" * 100_000 + b"}}",
        "JSON without numbers": b'{"provider": "x", "config": {"n": NaN, "m": -Infinity}}',
        "JSON with half characters": b'{"provider": "\\ud800", "config": {"\\udfff": "\\ud800"}}',
        "a byte order mark": "\ufeff".encode("utf-16") + '{"provider": "os.system"}'.encode("utf-16-le"),
        "a zip file": b"PK\x03\x04" + b"\0" * 200,
        "a pickle": b"cos\nsystem\n(S'" + touch.encode() + b"'\ntR.",
        "a shell script": f"#!/bin/sh\n{touch}\n".encode(),
        "a Python script": f"import os\nos.system('{touch}')\n".encode(),
        "a page": b"<!doctype html><script>fetch('/api/secrets')</script>",
        "nothing": b"",
        "only null bytes": b"\0" * 1000,
        "providers that are no text": b'[{"provider": {"a": 1}}, {"provider": [1]}, {"provider": 1e999}, null]',
        "a config that is a list": b'{"provider": "autogen_agentchat.agents.AssistantAgent", "config": ["os.system"]}',
    }
