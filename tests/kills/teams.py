"""Teams of many kinds, and what their models say, which follows from what they are asked: each run has one true log."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue

from studio.components import JsonObject
from tests.fakes.openai_server import Call, Reply
from tests.web.documents import function_tool, termination

SOURCE = "def shout(text: str) -> str:\n    return text.upper()\n"
ASK: JsonObject = {"policy": {"rules": [{"tool": "shout", "verdict": "ask"}]}}
TOKENS = 18
"""Of each answer: those of `Reply`."""
WORDS = 12
INFO: JsonObject = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "structured_output": False,
    "family": "unknown",
}


@dataclass(frozen=True)
class Kind:
    """A team, the rules for its tools, and the tokens that its runs may take before a person is asked."""

    make: Callable[[str], JsonObject]
    policy: JsonObject | None = None
    tokens: int = 0


def round_robin(url: str) -> JsonObject:
    return group("RoundRobinGroupChat", [agent("ann", url), agent("bob", url, is_streamed=False)], turns=6)


def selector(url: str) -> JsonObject:
    people = [agent(name, url) for name in ("ann", "bob", "cyd")]
    return group("SelectorGroupChat", people, turns=4, model_client=model("selects:ann,bob,cyd", url, 60))


def swarm(url: str) -> JsonObject:
    names = ("ann", "bob", "cyd")
    people = [agent(name, url, role="hands", handoffs=[other for other in names if other != name]) for name in names]
    return group("Swarm", people, turns=6)


def graph(url: str) -> JsonObject:
    """Three that work side by side for different times, between one before and one after them."""
    middle = [agent("bob", url, takes_ms=150), agent("cyd", url, takes_ms=350), agent("dan", url, takes_ms=600)]
    names = ["bob", "cyd", "dan"]
    nodes: JsonObject = {
        "ann": node("ann", names),
        **{name: node(name, ["eve"]) for name in names},
        "eve": node("eve", []),
    }
    config: JsonObject = {"nodes": nodes}
    return group("GraphFlow", [agent("ann", url), *middle, agent("eve", url)], graph=config)


def nested(url: str) -> JsonObject:
    inner = group("RoundRobinGroupChat", [agent("ann", url), agent("bob", url)], turns=2)
    config = cast("JsonObject", inner["config"])
    config |= {"name": "inner", "description": "A team."}
    return group("RoundRobinGroupChat", [inner, agent("cyd", url)], turns=3)


def tools(url: str) -> JsonObject:
    caller = agent("ann", url, role="tools", tools=[function_tool(SOURCE)], tool_call_summary_format="{result}")
    return group("RoundRobinGroupChat", [caller, agent("bob", url)], turns=4)


def questions(url: str) -> JsonObject:
    person: JsonObject = {
        "provider": "autogen_agentchat.agents.UserProxyAgent",
        "component_type": "agent",
        "config": {"name": "person", "description": "A person."},
    }
    return group("RoundRobinGroupChat", [agent("ann", url), person], turns=4)


KINDS: Mapping[str, Kind] = {
    "round robin": Kind(round_robin),
    "selector": Kind(selector),
    "swarm": Kind(swarm),
    "graph": Kind(graph),
    "nested": Kind(nested),
    "tools": Kind(tools),
    "approvals": Kind(tools, policy=ASK),
    "questions": Kind(questions),
    "budget": Kind(round_robin, tokens=2 * TOKENS),
}


def group(name: str, people: Sequence[JsonObject], turns: int = 0, **config: JsonValue) -> JsonObject:
    if turns:
        config["termination_condition"] = termination(turns + 1)
    return {
        "provider": f"autogen_agentchat.teams.{name}",
        "component_type": "team",
        "config": {"participants": list(people), **config},
    }


def agent(
    name: str, url: str, *, role: str = "talks", takes_ms: int = 200, is_streamed: bool = True, **config: JsonValue
) -> JsonObject:
    return {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_type": "agent",
        "component_version": 2,
        "config": {
            "name": name,
            "description": f"Agent {name}.",
            "model_client": model(f"{role}:{name}", url, takes_ms),
            "model_client_stream": is_streamed,
            **config,
        },
    }


def model(name: str, url: str, takes_ms: int) -> JsonObject:
    """A model with its time in its name, where the server that plays it finds it."""
    config: JsonObject = {
        "model": f"{name}:{takes_ms}",
        "api_key": "env:OPENAI_API_KEY",
        "base_url": url,
        "model_info": INFO,
        "max_tokens": TOKENS,
        "include_name_in_message": False,
    }
    return {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": config,
    }


def node(name: str, following: Sequence[str]) -> JsonValue:
    edges: list[JsonValue] = [{"target": target} for target in following]
    return {"name": name, "edges": edges, "activation": "all"}


def reply_to(body: dict[str, Any]) -> Reply:
    """What a model says. It does not depend on the order in which others have spoken side by side."""
    role, name, _ = str(body["model"]).split(":")
    messages = cast("list[dict[str, Any]]", body["messages"])
    said = sorted(json.dumps(message.get("content")) for message in messages)
    number = int(hashlib.sha256(json.dumps([body["model"], said]).encode()).hexdigest()[:8], 16)
    wishes = cast("list[dict[str, Any]]", body.get("tools") or [])
    if role == "selects":
        names = name.split(",")
        return Reply(names[number % len(names)])
    if role == "hands" and messages[-1]["role"] != "tool" and number % 3:
        return Reply(calls=[Call(str(wishes[number % len(wishes)]["function"]["name"]), {}, f"call-{number}")])
    if role == "tools" and messages[-1]["role"] != "tool":
        calls = [Call("shout", {"text": f"{number}-{place}"}, f"call-{number}-{place}") for place in range(2)]
        return Reply(calls=calls[: 1 + number % 2])
    return Reply(" ".join([f"{name} says", *(str(number + place) for place in range(WORDS))]))


def as_compared(text: str) -> str:
    """Without ids, which follow from the run's own, and times."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID", text)
    return re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)", "TIME", text)
