"""Judges that say what a test wants, from a script or from a fake service."""

from __future__ import annotations

import json
from typing import Any

from studio.components import JsonObject
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.web.reusing import agent

MET = ("met", "good   Morning", "It greets.")
NOT_MET = ("not met", "", "No name.")


def reply(*criteria: tuple[str, str, str]) -> str:
    """What a judge says: a verdict, a quote and a reason for each criterion."""
    keys = ("verdict", "quote", "reason")
    return json.dumps({"criteria": [dict(zip(keys, each, strict=True)) for each in criteria]})


def is_to_judge(body: dict[str, Any]) -> bool:
    """Whether a request is the question of a judge."""
    return "You check the work" in json.dumps(body)


def speak_and_judge(server: OpenAIServer) -> None:
    """Let agents greet, and judges find that they do."""

    def answer(body: dict[str, Any]) -> Reply:
        return Reply(reply(MET) if is_to_judge(body) else "Good morning.", usage=(100, 10))

    server.always(answer)


def judge_model(url: str) -> JsonObject:
    """The model of a judge, with a key of its own, which nobody has approved."""
    made: Any = agent("judge", "", url)["config"]
    model = made["model_client"]
    return {**model, "config": {**model["config"], "api_key": "env:JUDGE_KEY", "temperature": 0}}
