"""Teams of every kind, made from a number, and the model behind them: what it says follows from what it is asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import ToolSchema
from studio.tools import BaseTool, ToolReturn
from tests.fakes.openai_server import Call, Reply

KINDS = ("round robin", "selector", "swarm", "graph", "magentic", "nested", "nested graph")
INFO: JsonObject = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "structured_output": False,
    "family": "unknown",
}


def generated_team(seed: int, base_url: str) -> JsonObject:
    """A team; the same for the same number."""
    return _Maker(Random(seed), base_url).team(KINDS[seed % len(KINDS)])


class NotingTool(BaseTool):
    """Gives its argument back. Those who run it are told by `noted`."""

    provider = "tests.runs.repeating.NotingTool"
    name: str = "note"

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride]
        return ToolSchema(name=self.name, description="Notes.", parameters={"type": "object", "properties": {}})

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        noted(arguments)
        return ToolReturn(f"noted {arguments.get('text')}", f"noted {arguments.get('text')}")


def _nobody(arguments: Mapping[str, JsonValue]) -> None:
    del arguments


noted = _nobody


class _Maker:
    def __init__(self, random: Random, base_url: str) -> None:
        self._random = random
        self._base_url = base_url
        self._names = iter([f"p{number}" for number in range(100)])

    def team(self, kind: str) -> JsonObject:
        turns = self._random.randint(3, 6)
        match kind:
            case "selector":
                people = self._agents(3)
                return self._group("SelectorGroupChat", people, max_turns=turns, model_client=self._selecting(people))
            case "swarm":
                names = [next(self._names) for _ in range(3)]
                people = [self._agent(name, handoffs=[each for each in names if each != name]) for name in names]
                return self._group("Swarm", people, max_turns=turns)
            case "graph":
                return self._graph([self._anybody() for _ in range(2)])
            case "magentic":
                people = self._agents(2)
                client = self._model("orchestrator:" + ",".join(map(name_of, people)))
                return self._group("MagenticOneGroupChat", people, max_turns=4, model_client=client)
            case "nested":
                return self._group("RoundRobinGroupChat", [self._inner(), self._anybody()], max_turns=3)
            case "nested graph":
                return self._graph([self._inner(), self._anybody(), self._anybody()])
            case _:
                people = [self._anybody() for _ in range(self._random.randint(2, 3))]
                return self._group("RoundRobinGroupChat", people, max_turns=turns)

    def _inner(self) -> JsonObject:
        kind = self._random.choice(("round robin", "selector", "graph"))
        inner = self.team(kind)
        config = cast("JsonObject", inner["config"])
        return {**inner, "config": {**config, "name": next(self._names), "description": "A team."}}

    def _graph(self, branches: Sequence[JsonObject]) -> JsonObject:
        """One that begins, some side by side, one that comes after all of them."""
        first, last = self._agents(2)
        middle = [name_of(each) for each in branches]
        nodes: JsonObject = {
            name_of(first): _node(name_of(first), middle),
            **{name: _node(name, [name_of(last)]) for name in middle},
            name_of(last): _node(name_of(last), []),
        }
        return self._group("GraphFlow", [first, *branches, last], graph={"nodes": nodes})

    def _group(self, name: str, people: Sequence[JsonObject], **config: JsonValue) -> JsonObject:
        return {
            "provider": f"autogen_agentchat.teams.{name}",
            "component_type": "team",
            "config": {"participants": list(people), **config},
        }

    def _anybody(self) -> JsonObject:
        return self._human() if self._random.random() < 0.2 else self._agents(1)[0]

    def _human(self) -> JsonObject:
        config: JsonObject = {"name": next(self._names), "description": "A person."}
        return {"provider": "autogen_agentchat.agents.UserProxyAgent", "component_type": "agent", "config": config}

    def _agents(self, count: int) -> list[JsonObject]:
        return [self._agent(next(self._names)) for _ in range(count)]

    def _agent(self, name: str, **config: JsonValue) -> JsonObject:
        has_tools = "handoffs" not in config and self._random.random() < 0.6
        role = "hands" if "handoffs" in config else "tools" if has_tools else "talks"
        tool: JsonValue = {"provider": NotingTool.provider, "component_type": "tool", "config": {}}
        return {
            "provider": "autogen_agentchat.agents.AssistantAgent",
            "component_type": "agent",
            "component_version": 2,
            "config": {
                "name": name,
                "description": f"Agent {name}.",
                "model_client": self._model(f"{role}:{name}"),
                "tools": [tool] if has_tools else [],
                "model_client_stream": self._random.random() < 0.5,
                "reflect_on_tool_use": has_tools and self._random.random() < 0.5,
                "tool_call_summary_format": "{result}",
                **config,
            },
        }

    def _selecting(self, people: Sequence[JsonObject]) -> JsonValue:
        return self._model("selects:" + ",".join(map(name_of, people)))

    def _model(self, name: str) -> JsonValue:
        return {
            "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
            "component_type": "model",
            "config": {"model": name, "api_key": "env:OPENAI_API_KEY", "base_url": self._base_url, "model_info": INFO},
        }


def name_of(participant: JsonObject) -> str:
    """A participant's name."""
    return str(cast("JsonObject", participant["config"])["name"])


def _node(name: str, following: Sequence[str]) -> JsonValue:
    edges: list[JsonValue] = [{"target": target} for target in following]
    return {"name": name, "edges": edges, "activation": "all"}


def digest_of(body: Mapping[str, Any]) -> tuple[int, int]:
    """Two numbers that tell a request from others. They are the tokens that it is said to have used."""
    digest = hashlib.sha256(json.dumps([body["model"], body["messages"]], sort_keys=True).encode()).hexdigest()
    return int(digest[:6], 16), int(digest[6:12], 16)


def answer(body: dict[str, Any]) -> Reply:
    """What the model says. Texts do not depend on the order in which others have spoken side by side."""
    role, _, rest = str(body["model"]).partition(":")
    messages = cast("list[dict[str, Any]]", body["messages"])
    said = sorted(json.dumps(message.get("content")) for message in messages)
    number = int(hashlib.sha256(json.dumps([body["model"], said]).encode()).hexdigest()[:8], 16)
    usage = digest_of(body)
    text = f"{rest} says {number}"
    last = messages[-1]
    match role:
        case "selects":
            names = rest.split(",")
            return Reply(names[number % len(names)], usage=usage)
        case "hands" if last["role"] != "tool":
            tools = cast("list[dict[str, Any]]", body.get("tools") or [])
            if number % 3 and tools:
                wish = str(tools[number % len(tools)]["function"]["name"])
                return Reply(calls=[Call(wish, {}, f"call-{number}")], usage=usage)
        case "tools" if last["role"] != "tool" and number % 2 and body.get("tools"):
            calls = [Call("note", {"text": f"{number}-{place}"}, f"call-{number}-{place}") for place in range(2)]
            return Reply(calls=calls[: 1 + number % 3 // 2], usage=usage)
        case "orchestrator" if "is_request_satisfied" in json.dumps(last):
            return Reply(_ledger(rest.split(","), number, is_done=len(messages) > 6), usage=usage)
        case _:
            pass
    return Reply(text, usage=usage)


def _ledger(names: Sequence[str], number: int, *, is_done: bool) -> str:
    def told(value: JsonValue) -> JsonObject:
        return {"reason": "So it is.", "answer": value}

    return json.dumps(
        {
            "is_request_satisfied": told(is_done),
            "is_in_loop": told(False),
            "is_progress_being_made": told(True),
            "next_speaker": told(names[number % len(names)]),
            "instruction_or_question": told(f"Do {number}."),
        }
    )
