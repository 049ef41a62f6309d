"""Ready teams: each is one file of a built-in gallery, with a team, a task, sample files, and a recording of a run.

The recording is the run as a reader would tell it: who says or calls what, in order. The scripted replies of each model
are made from it, so the page that shows a run and the team that repeats it cannot differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from studio.agents import UserProxyAgent
from studio.components import Component, JsonObject, find_class, group_of, load_component, parse_document
from studio.errors import InvalidDocument
from studio.messages import CreateResult
from studio.models import ReplayChatCompletionClient
from studio.tools import HttpTool, ScriptedTool

TEAM = "team"
"""Who speaks in a recording where the model of the team itself is asked: it selects, or plans."""
MODEL = "model_client"
DELAY_S = 0.02
"""Between the words of a recording that is run."""
CAN_DO: JsonObject = {
    "vision": True,
    "function_calling": True,
    "json_output": True,
    "family": "unknown",
    "structured_output": True,
}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Step(_Part):
    """One line of a recording.

    Args:
        by: Name of the agent, or `team`.
        text: What it says; beside a call, what it thinks.
        call: The tool that it calls, with `arguments`.
        result: What the tool answered, or what code printed. Empty for an agent as a tool: its own step follows. A tool
            that reaches a network is called once.
        handoff: The agent that it hands off to.
        next: The agent that the team's model selects; with a text, what the agent is to do.
        done: Why the team's model takes the task as done.
    """

    by: str
    text: str = ""
    call: str = ""
    arguments: JsonObject = Field(default_factory=dict[str, JsonValue])
    result: str = ""
    handoff: str = ""
    next: str = ""
    done: str = ""


class Knowledge(_Part):
    """The knowledge base that a team answers from, and names of the sample files in it."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    files: Annotated[list[str], Field(min_length=1)]


class _File(_Part):
    """A ready team as its file has it."""

    label: Annotated[str, Field(min_length=1, max_length=60)]
    description: Annotated[str, Field(min_length=1, max_length=240)]
    tags: list[str]
    task: Annotated[str, Field(min_length=1, max_length=4000)]
    files: list[str] = Field(default_factory=list[str])
    knowledge: Knowledge | None = None
    team: JsonObject
    recording: Annotated[list[Step], Field(min_length=2)]


@dataclass(frozen=True)
class SampleFile:
    """A file that goes with the sample task."""

    name: str
    path: Path

    @property
    def size(self) -> int:
        return self.path.stat().st_size


@dataclass(frozen=True)
class SampleKnowledge:
    """A knowledge base to fill for a team that answers from it."""

    name: str
    files: tuple[SampleFile, ...]


@dataclass(frozen=True)
class ReadyTeam:
    """A team for a job, with what it takes to try it.

    Args:
        component: Speaks from its recording: without a model, and without a network for its tools.
        live: The same with its own tools.
        slug: Name of its file, which is its address.
        people: Names of the agents that are a person.
    """

    slug: str
    label: str
    description: str
    tags: tuple[str, ...]
    task: str
    files: tuple[SampleFile, ...]
    component: JsonObject
    live: JsonObject
    recording: tuple[Step, ...]
    people: frozenset[str]
    knowledge: SampleKnowledge | None = None

    @property
    def samples(self) -> tuple[SampleFile, ...]:
        """All sample files: of the task, and of the knowledge base."""
        return (*self.files, *(self.knowledge.files if self.knowledge else ()))

    def answers(self) -> list[str]:
        """What people say in the recording, in order."""
        return [step.text for step in self.recording if step.by in self.people]

    def agents(self) -> list[tuple[str, str]]:
        """Name and description of each, at any depth."""
        return [
            (str(config.get("name")), str(config.get("description")))
            for cls, config in _components(self.component)
            if group_of(cls.component_type) == "agents"
        ]

    def with_model(self, model: JsonObject) -> JsonObject:
        """The team with this model for all that spoke from the recording."""
        return cast("JsonObject", _with_model(self.live, model))


def read_ready_team(file: Path) -> ReadyTeam:
    """Read one; nothing is executed. The folder `files` beside it holds its sample files.

    Raises:
        InvalidDocument: The file is not a ready team, or names an agent or a file that is not there.
    """
    try:
        read = _File.model_validate(parse_document(file.read_bytes()))
    except ValidationError as error:
        raise InvalidDocument(f"{file.name} is not a ready team: {error}", fix="Correct the file.") from error
    names = set(_names(read.team)) | {TEAM}
    if strangers := sorted({step.by for step in read.recording} - names):
        raise InvalidDocument(
            f"The recording of {file.name} has steps by {strangers}.", fix="Name an agent of the team."
        )
    files = _samples(file, read.files)
    knowledge = SampleKnowledge(read.knowledge.name, _samples(file, read.knowledge.files)) if read.knowledge else None
    scripts = {name: [_reply(step, index) for index, step in _steps_of(read.recording, name)] for name in names}
    results = {step.call: step.result.strip() for step in reversed(read.recording) if step.call}
    live = {**_scripted(read.team, scripts), "label": read.label, "description": read.description}
    offline = cast("JsonObject", _without_network(live, results))
    component = load_component(offline).dump_component()
    return ReadyTeam(
        slug=file.stem,
        label=read.label,
        description=read.description,
        tags=tuple(read.tags),
        task=read.task.strip(),
        files=files,
        component=component,
        live=component if offline == live else load_component(live).dump_component(),
        recording=tuple(read.recording),
        people=frozenset(_people(read.team)),
        knowledge=knowledge,
    )


def _samples(file: Path, names: Sequence[str]) -> tuple[SampleFile, ...]:
    found = tuple(SampleFile(name, file.parent / "files" / Path(name).name) for name in names)
    if missing := [each.name for each in found if not each.path.is_file()]:
        raise InvalidDocument(f"{file.name} names files that do not exist: {missing}.", fix="Add them to `files`.")
    return found


def _steps_of(recording: Sequence[Step], name: str) -> Iterator[tuple[int, Step]]:
    """The steps in which an agent asks its model; those with nothing but a result are no replies."""
    for index, step in enumerate(recording, 1):
        if step.by == name and (step.text or step.call or step.handoff or step.next or step.done):
            yield index, step


def _reply(step: Step, index: int) -> JsonValue:
    if step.done or (step.next and step.text):
        return _ledger(step)
    if not (step.call or step.handoff):
        return (step.next or step.text).strip()
    name, arguments = step.call or f"transfer_to_{step.handoff}", json.dumps(step.arguments, ensure_ascii=False)
    call = {"id": f"call_{index}", "name": name, "arguments": arguments}
    reply = {
        "finish_reason": "function_calls",
        "content": [call],
        "usage": {"prompt_tokens": 0, "completion_tokens": len(arguments.split())},
        "cached": False,
        "thought": step.text.strip() or None,
    }
    return CreateResult.model_validate(reply).model_dump(mode="json", exclude_none=True)


def _ledger(step: Step) -> str:
    """What the orchestrator of a Magentic-One team answers when it is asked for the progress."""
    reason = step.done or step.text.strip()
    answers: Mapping[str, JsonValue] = {
        "is_request_satisfied": bool(step.done),
        "is_in_loop": False,
        "is_progress_being_made": True,
        "next_speaker": step.next,
        "instruction_or_question": reason,
    }
    return json.dumps({name: {"reason": reason, "answer": answer} for name, answer in answers.items()})


def _scripted(value: JsonObject, scripts: Mapping[str, Sequence[JsonValue]]) -> JsonObject:
    """The component with a scripted model in each place that waits for one."""
    changed = {key: _scripted_within(item, scripts) for key, item in value.items()}
    cls, config = _class_of(value), changed.get("config")
    if cls is None or not isinstance(config, dict) or MODEL in config or MODEL not in cls.model_fields:
        return changed
    script = scripts.get(_speaker(cls, config), ())
    if script or cls.model_fields[MODEL].is_required():
        config[MODEL] = {
            "provider": ReplayChatCompletionClient.provider,
            "label": "Recording",
            "config": {"chat_completions": list(script), "model_info": CAN_DO, "delay_s": DELAY_S},
        }
    return changed


def _scripted_within(value: JsonValue, scripts: Mapping[str, Sequence[JsonValue]]) -> JsonValue:
    if isinstance(value, dict):
        return _scripted(value, scripts)
    return [_scripted_within(item, scripts) for item in value] if isinstance(value, list) else value


def _without_network(value: JsonValue, results: Mapping[str, str]) -> JsonValue:
    """The component with the recorded result of each tool that reaches a network in place of the tool."""
    if isinstance(value, list):
        return [_without_network(item, results) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("provider") != HttpTool.provider:
        return {key: _without_network(item, results) for key, item in value.items()}
    tool = HttpTool.model_validate(value)
    return (
        ScriptedTool(
            name=tool.name,
            description=tool.description or "",
            parameters=tool.json_schema,
            result=results.get(tool.name, ""),
        )
        .annotate(label="Recording")
        .dump_component()
    )


def _with_model(value: JsonValue, model: JsonObject) -> JsonValue:
    if isinstance(value, list):
        return [_with_model(item, model) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("provider") == ReplayChatCompletionClient.provider:
        return model
    return {key: _with_model(item, model) for key, item in value.items()}


def _speaker(cls: type[Component], config: JsonObject) -> str:
    return TEAM if group_of(cls.component_type) == "teams" else str(config.get("name"))


def _names(value: JsonValue) -> Iterator[str]:
    """Names of all agents, at any depth."""
    for cls, config in _components(value):
        if group_of(cls.component_type) == "agents":
            yield str(config.get("name"))


def _people(value: JsonValue) -> Iterator[str]:
    for cls, config in _components(value):
        if issubclass(cls, UserProxyAgent):
            yield str(config.get("name"))


def _components(value: JsonValue) -> Iterator[tuple[type[Component], JsonObject]]:
    if isinstance(value, dict):
        config = value.get("config")
        if (cls := _class_of(value)) is not None and isinstance(config, dict):
            yield cls, config
        for item in value.values():
            yield from _components(item)
    elif isinstance(value, list):
        for item in value:
            yield from _components(item)


def _class_of(value: JsonObject) -> type[Component] | None:
    return find_class(str(value["provider"])) if "provider" in value else None
