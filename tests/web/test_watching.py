"""Runs that are watched over bad lines: nothing is lost, nothing comes twice. `scripts/measure_streams.py` does it with
five hundred runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import httpx
import pytest

from studio.components import JsonObject
from tests.browser.playing import agent, round_robin
from tests.fakes.openai_server import OpenAIServer
from tests.web.serving import studio
from tests.web.watching import Watcher

RUNS = 8
LOSSES = 6
WORDS = " ".join(f"word{number}" for number in range(40))


def start(client: httpx.Client, team_id: str) -> str:
    wish = {"team_id": team_id, "task": "Talk."}
    answer = client.post("/api/runs", json=wish)
    if answer.status_code == 403:
        client.post("/api/approvals", json={"hashes": [each["hash"] for each in answer.json()["missing"]]})
        answer = client.post("/api/runs", json=wish)
    return str(answer.json()["id"])


def talking(url: str) -> JsonObject:
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": url, "api_key": "test-key", "max_retries": 0},
    }
    return round_robin(agent("ann", model), agent("bob", model), message_count=7)


@pytest.mark.slow
def test_pages_that_lose_their_connections_miss_nothing_and_get_nothing_twice(
    tmp_path: Path, openai_server: OpenAIServer
) -> None:
    openai_server.always(WORDS)
    random = Random(7)
    with studio(tmp_path) as (_, client):
        token = client.headers["Authorization"].removeprefix("Bearer ")
        team = client.post("/api/teams", json={"component": talking(openai_server.url)}).json()
        runs = [start(client, team["id"]) for _ in range(RUNS)]
        watchers = [Watcher(str(client.base_url), token, run, Random(random.random()), LOSSES) for run in runs]

        async def watch_all() -> None:
            async with asyncio.TaskGroup() as group:
                for watcher in watchers:
                    group.create_task(watcher.watch())

        asyncio.run(watch_all())
        for watcher in watchers:
            watcher.compare(client.get(f"/api/runs/{watcher.run_id}/events?limit=2000").json()["entries"])
    assert [fault for watcher in watchers for fault in watcher.faults] == []
    assert sum(watcher.connections for watcher in watchers) > 2 * RUNS
    assert any(watcher.texts for watcher in watchers)
