"""Plays a recorded transcript on this engine and writes what happened in the recorder's form."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from studio import effects
from studio.agents import ChatAgent, Participant
from studio.agents.tasks import Task
from studio.components import JsonObject, load_component, walk
from studio.effects import EffectRequest, HumanQuestion, LiveEffects, Perform, StreamItem
from studio.errors import InvalidComponent, StudioError
from studio.messages import BaseChatMessage, BaseMessage, TaskResult, message_from_json
from studio.teams import Team

IDS = ("id", "full_message_id", "request_id")
NOT_COMPARED = ("created_at", "__class__")


def read(path: Path) -> JsonObject:
    """A golden file."""
    return cast("JsonObject", json.loads(path.read_text()))


def unknown_parts(component: JsonValue) -> list[str]:
    """Components of a document that this engine keeps but cannot run yet."""
    try:
        loaded = load_component(component)
    except InvalidComponent:
        return []
    return sorted({part.label for _, part in walk(loaded) if part.is_opaque})


class Witness(LiveEffects):
    """Lets a run talk to the world, notes each question to a model, and answers for the person."""

    def __init__(self, answers: list[str]) -> None:
        super().__init__(self._reply)
        self._answers = answers
        self.prompts: list[str] = []
        self.model_calls: list[JsonValue] = []

    async def _reply(self, question: HumanQuestion) -> str:
        self.prompts.append(question.prompt)
        return self._answers.pop(0)

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        self._note(request)
        return await super().call(request, perform)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        self._note(request)
        async for item in super().stream(request, perform):
            yield item

    def _note(self, request: EffectRequest) -> None:
        if request.kind != "model":
            return
        body = cast("dict[str, JsonValue]", request.body)
        wanted, tools = body["json_output"], cast("list[Mapping[str, JsonValue]]", body["tools"])
        self.model_calls.append(
            {
                "kind": body["kind"],
                "messages": body["messages"],
                "tools": [tool["name"] for tool in tools],
                "tool_choice": body["tool_choice"],
                "json_output": wanted["name"] if isinstance(wanted, dict) else wanted,
            }
        )


async def play(golden: JsonObject) -> JsonObject:
    """Load the component, go through the runs, and record as the recorder did."""
    component = golden["component"]
    try:
        subject = load_component(component, Participant)
    except InvalidComponent as error:
        return {"load_error": error.findings[0].message}
    witness = Witness(answers_in(golden))
    runs: list[JsonValue] = []
    with effects.use(witness):
        for step in cast("list[JsonObject]", golden["runs"]):
            if step.get("op") == "reset":
                await reset(subject)
                runs.append({"op": "reset"})
            elif step.get("op") == "save_load":
                state = await subject.save_state()
                subject = load_component(component, Participant)
                await subject.load_state(state)
                runs.append({"op": "save_load", "state": dict(state)})
            else:
                witness.model_calls = []
                runs.append({**await _run(subject, step.get("task")), "model_calls": witness.model_calls})
        state = dict(await subject.save_state())
    return {"runs": runs, "user_prompts": list(witness.prompts), "final_state": state}


async def reset(subject: Participant) -> None:
    """Reset a team, or an agent on its own."""
    if isinstance(subject, Team):
        await subject.reset()
    elif isinstance(subject, ChatAgent):
        await subject.on_reset()


async def _run(subject: Participant, task: JsonValue) -> JsonObject:
    events: list[JsonValue] = []
    try:
        async with aclosing(subject.run_stream(_task(task))) as items:
            async for item in items:
                events.append(form_of(item))
    except (StudioError, ValueError, RuntimeError, KeyError) as error:
        return {"events": events, "error": error.what if isinstance(error, StudioError) else str(error)}
    return {"events": events}


def _task(task: JsonValue) -> Task | None:
    if isinstance(task, list):
        return [_message(item) for item in task]
    return _message(task) if isinstance(task, dict) else cast("str | None", task)


def _message(body: JsonValue) -> BaseChatMessage:
    message = message_from_json(cast("JsonObject", body))
    assert isinstance(message, BaseChatMessage)
    return message


def form_of(item: BaseMessage | TaskResult) -> JsonValue:
    """One item of a run as the recorder writes it."""
    return cast("JsonObject", _result(item) if isinstance(item, TaskResult) else item.dump())


def _result(result: TaskResult) -> dict[str, object]:
    messages: list[BaseMessage] = list(result.messages)
    return {
        "__TaskResult__": True,
        "stop_reason": result.stop_reason,
        "n_messages": len(messages),
        "message_types": [message.dump()["type"] for message in messages],
        "sources": [message.source for message in messages],
    }


def answers_in(golden: JsonObject) -> list[str]:
    """What the person said in the recording: the message after each question."""
    asked: str | None = None
    answers: list[str] = []
    for run in cast("list[JsonObject]", golden["runs"]):
        for event in cast("list[JsonObject]", run.get("events", [])):
            if event.get("type") == "UserInputRequestedEvent":
                asked = str(event["source"])
            elif asked is not None and event.get("source") == asked:
                answers.append(str(event["content"]))
                asked = None
    return answers


def comparable(node: JsonValue, names: dict[str, str] | None = None) -> JsonValue:
    """A record without times, and with ids numbered by their first appearance."""
    names = {} if names is None else names
    if isinstance(node, list):
        return [comparable(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    out: JsonObject = {}
    for key, value in node.items():
        if key in NOT_COMPARED:
            continue
        if key in IDS and isinstance(value, str) and "type" in node and "source" in node:
            out[key] = names.setdefault(value, f"<{len(names)}>")
        else:
            out[key] = comparable(value, names)
    return out
