"""The studio is killed while calls wait and run, by each protocol: the callers that come back get the rest exactly."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import Response

from tests.web.documents import assistant, team
from tests.web.mcp_clients import answered_task, begun_task
from tests.web.openai_clients import Server
from tests.web.publishing import ASKS, LIMITS
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
WORKS = team(assistant("writer", "The answer."), assistant("critic", "Fine."), max_messages=3)
COUNT = 4


@dataclass(frozen=True)
class Caller:
    """A key of one deployment, as programs use it by each protocol."""

    rest: httpx.Client
    openai: openai.OpenAI
    name: str
    key: str

    @property
    def url(self) -> str:
        return f"{str(self.rest.base_url).rstrip('/')}/d/{self.name}"

    def call(self, method: str, path: str, **given: Any) -> Any:
        return self.rest.request(method, f"/d/{self.name}/calls{path}", params={"wait_s": 30}, **given).json()

    def respond(self, text: str, **given: Any) -> Response:
        return cast("Response", self.openai.responses.create(model=self.name, input=text, **given))

    def chat(self, *texts: str) -> str:
        roles = ("user", "assistant")
        messages = [{"role": roles[index % 2], "content": text} for index, text in enumerate(texts)]
        done = self.openai.chat.completions.create(
            model=self.name, messages=cast("list[ChatCompletionMessageParam]", messages)
        )
        return done.choices[0].message.content or ""


def caller(clients: ExitStack, owner: httpx.Client, key: str, name: str) -> Caller:
    headers = {"Authorization": f"Bearer {key}"}
    rest = clients.enter_context(httpx.Client(base_url=owner.base_url, headers=headers, timeout=60, trust_env=False))
    url = f"{str(owner.base_url).rstrip('/')}/d/{name}/v1"
    return Caller(rest, clients.enter_context(openai.OpenAI(base_url=url, api_key=key, max_retries=0)), name, key)


def test_calls_by_all_protocols_outlive_a_kill(tmp_path: Path):
    with studio(tmp_path) as (process, owner), ExitStack() as clients:
        server = Server(owner, clients)
        keys = {
            "asks": server.published("asks", ASKS, limits=LIMITS).api_key,
            "works": server.published("works", WORKS, sees="messages", limits=LIMITS).api_key,
        }
        asks, works = (caller(clients, owner, key, name) for name, key in keys.items())
        waiting = [asks.call("POST", "", json={"task": "Go."}) for _ in range(COUNT)]
        asked = [asks.respond("Go.") for _ in range(COUNT)]
        said = [asks.chat(f"Go {number}.") for number in range(COUNT)]
        begun = [works.rest.post("/d/works/calls", json={"task": "Go."}).json() for _ in range(COUNT)]
        tasks = [asyncio.run(begun_task(asks.url, asks.key, asks.name, "Go.")) for _ in range(COUNT)]
        behind = [works.respond("Go.", background=True) for _ in range(COUNT)]
        process.kill()

    with studio(tmp_path) as (_, owner), ExitStack() as clients:
        asks, works = (caller(clients, owner, key, name) for name, key in keys.items())
        for call in waiting:
            assert asks.call("GET", f"/{call['id']}") == call, "it waits as before"
            body = {"question_id": call["question"]["id"], "text": "Go on."}
            asks.call("POST", f"/{call['id']}/answers", json=body)
        for response in asked:
            assert asks.openai.responses.retrieve(response.id).output_text == response.output_text
            done = asks.respond("Go on.", previous_response_id=response.id)
            assert done.output_text.startswith("Another draft.")
        for number, text in enumerate(said):
            assert asks.chat(f"Go {number}.", text, "Go on.").startswith("Another draft.")
        for task_id in tasks:
            done = asyncio.run(answered_task(asks.url, asks.key, task_id, "Go on."))
            assert (done.status, done.result["content"][0]["text"]) == ("completed", "Another draft.")
            assert asks.call("GET", f"/{task_id}")["answer"].startswith("Another draft.")
        for call in begun:
            assert works.call("GET", f"/{call['id']}")["state"] == "finished"
        for response in behind:
            events = list(works.openai.responses.retrieve(response.id, stream=True))
            assert [event.sequence_number for event in events] == [*range(len(events))]
            told = [event.text for event in events if event.type == "response.reasoning_summary_text.done"]
            assert told == ["writer: The answer.", "critic: Fine."]
            assert events[-1].type == "response.completed"
        listed = [owner.get(f"/api/deployments/{name}/calls").json() for name in keys]
        assert [len(calls) for calls in listed] == [4 * COUNT, 2 * COUNT], "none began twice"
