"""Files that are uploaded, and a team whose code reads and writes them."""

from __future__ import annotations

import json
from typing import Any, cast

import httpx
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.documents import assistant, team
from tests.web.following import stream

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


def uploaded(client: TestClient, content: bytes, name: str = "notes.txt", **headers: str) -> dict[str, Any]:
    answer = client.post("/api/files", params={"name": name}, content=content, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()


def executor() -> JsonObject:
    return {
        "provider": "autogen_ext.code_executors.local.LocalCommandLineCodeExecutor",
        "component_type": "code_executor",
        "config": {"timeout": 30},
    }


def coder() -> JsonObject:
    """An agent that runs the code of the task."""
    settings: JsonObject = {"name": "coder", "code_executor": executor(), "sources": ["user"]}
    return {"provider": "autogen_agentchat.agents.CodeExecutorAgent", "component_type": "agent", "config": settings}


def analyst(code: str) -> JsonObject:
    """A team of an agent that calls the tool for code once."""
    agent = cast("Any", assistant("analyst"))
    call = {"id": "1", "name": "CodeExecutor", "arguments": json.dumps({"code": code})}
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    answer = {"finish_reason": "function_calls", "content": [call], "usage": usage, "cached": False}
    agent["config"]["model_client"]["config"]["chat_completions"] = [answer]
    provider = "autogen_ext.tools.code_execution.PythonCodeExecutionTool"
    tool = {"provider": provider, "component_type": "tool", "config": {"executor": executor()}}
    agent["config"]["workbench"] = {
        "provider": "autogen_core.tools.StaticWorkbench",
        "component_type": "workbench",
        "config": {"tools": [tool]},
    }
    return team(agent, max_messages=2)


def approved(client: httpx.Client | TestClient, component: JsonObject) -> None:
    """Approve all that a component asks for."""
    missing = client.post("/api/part-runs", json={"component": component, "message": "{}"}).json()["missing"]
    body = {"hashes": [each["hash"] for each in missing], "component": component}
    assert client.post("/api/approvals", json=body).status_code == 201


def run_with(client: TestClient, *files: tuple[bytes, str]) -> str:
    """A run whose task has these files, once it has ended."""
    component = team(assistant("writer", "Done."), max_messages=2)
    team_id = client.post("/api/teams", json={"component": component}).json()["id"]
    given = [{"id": uploaded(client, content, name)["id"], "name": name} for content, name in files]
    run_id = client.post("/api/runs", json={"team_id": team_id, "task": "Go.", "files": given}).json()["id"]
    stream(client, run_id)
    return run_id
