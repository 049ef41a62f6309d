"""Teams whose models answer something else each time, and their suites: an answer that comes twice was reused."""

from __future__ import annotations

import itertools
from typing import Any, cast

from studio.components import JsonObject
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.runs.replay.generated import INFO
from tests.web.documents import assistant, team
from tests.web.evaluating import Door, added_suite


def speak(server: OpenAIServer) -> None:
    """Let each answer be another one than all before."""
    numbers = itertools.count(1)
    server.always(lambda _: Reply(f"Good morning, number {next(numbers)}.", usage=(100, 10)))


def agent(name: str, instruction: str, url: str) -> JsonObject:
    made = assistant(name)
    config = cast("dict[str, Any]", made["config"])
    config["system_message"] = instruction
    config["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "api_key": "env:OPENAI_API_KEY", "base_url": url, "model_info": INFO},
    }
    return made


def pair(url: str, critic: str = "Be kind.", writer: str = "Write.") -> JsonObject:
    """A writer, and a critic who answers it."""
    return team(agent("writer", writer, url), agent("critic", critic, url), max_messages=3)


def saved(client: Door, *versions: JsonObject) -> str:
    """The suite of a team with these versions, all of which may run."""
    team_id = str(client.post("/api/teams", json={"component": versions[0]}).json()["id"])
    for revision, component in enumerate(versions[1:], 1):
        body = {"component": component, "revision": revision}
        client.put(f"/api/teams/{team_id}", json=body).raise_for_status()
    refused = client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()
    body = {"hashes": [each["hash"] for each in refused["missing"]], "team_id": team_id, "scope": "team"}
    client.post("/api/approvals", json=body).raise_for_status()
    return added_suite(client, team_id)
