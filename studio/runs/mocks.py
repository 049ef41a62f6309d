"""Parts of a team that a test run replaces: an agent left out, a model or a tool that gives a fixed answer.

The replacement is made in the document, before anything is loaded or approved. So what runs, what an approver is shown
and what is kept of the run are the same team, and a replay, a fork or a resume needs to know nothing of it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from studio.agents import ChatAgent
from studio.components import Component, JsonObject, load_component
from studio.components.pointers import steps_of
from studio.components.titles import title_of
from studio.errors import ConfigError, InvalidComponent
from studio.models import ChatCompletionClient, ReplayChatCompletionClient
from studio.models.info import ModelInfo
from studio.runs.journal.log import Mocked
from studio.teams import Team
from studio.tools import BaseTool, ScriptedTool

MAX_MOCKS = 200
MAX_TEXT = 100_000
MAX_NAME = 200


class Mock(BaseModel):
    """What a test run does with one part.

    Args:
        kind: `disable` leaves an agent out; `fixed` gives `text` for a model's reply or a tool's result; `pin` does the
            same with what a run gave.
        text: What is given.
        is_error: Whether a tool fails with it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["disable", "fixed", "pin"]
    text: Annotated[str, Field(max_length=MAX_TEXT)] = ""
    is_error: bool = False


Mocks = Annotated[dict[Annotated[str, Field(max_length=1000)], Mock], Field(max_length=MAX_MOCKS)]
"""By the places of parts: as JSON pointers, without `config`, and with an agent's or tool's name in place of its number
in a list, such as `/participants/writer/tools/search`. So they hold in another order too."""
_MOCKS: TypeAdapter[dict[str, Mock]] = TypeAdapter(Mocks)


def mocks_in(layout: JsonObject) -> dict[str, Mock]:
    """The mocks that are kept with a team, beside its document.

    Raises:
        ConfigError: They are not as a builder writes them.
    """
    try:
        return _MOCKS.validate_python(layout.get("mocks") or {})
    except ValidationError as error:
        raise ConfigError(
            f"The mocks of this team cannot be read: {error.errors()[0]['msg']}.",
            fix="Remove them in the run panel of the builder, or run the team without mocks.",
            where="/layout/mocks",
        ) from error


def mocked(team: JsonObject, mocks: Mapping[str, Mock]) -> tuple[JsonObject, tuple[Mocked, ...]]:
    """A copy of the team with its mocks in place, and what was replaced.

    Raises:
        ConfigError: A part is not there, cannot be mocked like this, or the team cannot do without it.
    """
    if not mocks:
        return team, ()
    changed = copy.deepcopy(team)
    applied: list[Mocked] = []
    # Innermost first: what is in a part that is left out needs no place any more.
    for place, mock in sorted(mocks.items(), key=lambda item: item[0].count("/"), reverse=True):
        around, owner, key, part = _find(changed, place)
        name = _called(around, part, place) if mock.kind != "disable" else title_of(part)
        applied.append(Mocked(place=place, name=name[:MAX_NAME], kind=mock.kind))
        if mock.kind == "disable":
            _leave_out(around, owner, key, part, name)
        else:
            cast("dict[str | int, JsonValue]", owner)[key] = _fixed(part, mock, name, place)
    try:
        load_component(changed, Team)
    except InvalidComponent as error:
        if _loads(team):
            left_out = ", ".join(each.name for each in applied if each.kind == "disable")
            raise ConfigError(
                f"The team cannot run with its mocks: {error.what}",
                fix=f"Enable {left_out} again." if left_out else "Remove its mocks.",
                where=error.where,
            ) from error
    return changed, tuple(reversed(applied))


def _loads(team: JsonObject) -> bool:
    try:
        load_component(team, Team)
    except InvalidComponent:
        return False
    return True


def _find(team: JsonObject, place: str) -> tuple[JsonObject, JsonObject | list[JsonValue], str | int, JsonObject]:
    """The config around a part, where in it the part stands, and the part."""
    around: JsonObject = {}
    owner: JsonObject | list[JsonValue] = team
    key: str | int = ""
    here: JsonValue = team
    for name in steps_of(place):
        if isinstance(here, dict):
            config = here.get("config") if isinstance(here.get("provider"), str) else here
            owner = around = config if isinstance(config, dict) else {}
            key, here = name, owner.get(name)
        elif isinstance(here, list):
            owner, key = here, _index(here, name)
            here = here[key] if 0 <= key < len(here) else None
        else:
            here = None
    if not place or not isinstance(here, dict) or not isinstance(here.get("provider"), str):
        raise ConfigError(f"The part {place} is mocked but no longer in the team.", fix="Remove its mock.", where=place)
    return around, owner, key, here


def _called(around: JsonObject, part: JsonObject, place: str) -> str:
    """What a part is called, with whose it is: an agent's model is mostly called like that of another one."""
    owner = around.get("name")
    return f"{owner} › {title_of(part)}" if isinstance(owner, str) and place.count("/") > 1 else title_of(part)


def _index(entries: list[JsonValue], step: str) -> int:
    """The entry of this name; else the one with this number: it has no name, or shares it."""
    names = [_name(entry) for entry in entries]
    if step in names:
        return names.index(step)
    return int(step) if step.isdigit() and len(step) < 6 else -1


def _name(entry: JsonValue) -> str | None:
    config = entry.get("config") if isinstance(entry, dict) else None
    name = config.get("name") if isinstance(config, dict) else None
    return name if isinstance(name, str) else None


def _leave_out(
    around: JsonObject, owner: JsonObject | list[JsonValue], key: str | int, part: JsonObject, name: str
) -> None:
    if not isinstance(owner, list) or not isinstance(key, int) or not isinstance(_loaded(part, name), ChatAgent | Team):
        raise ConfigError(f"Only an agent of a team can be disabled; {name} is none.", fix="Remove its mock.")
    graph = around.get("graph")
    nodes = graph.get("nodes") if isinstance(graph, dict) else None
    if isinstance(nodes, dict) and name in nodes:
        raise ConfigError(f"{name} is a node of a graph, which needs all of its nodes.", fix=f"Enable {name} again.")
    del owner[key]
    for entry in owner:  # nobody can hand over to who is not there
        config = entry.get("config") if isinstance(entry, dict) else None
        handoffs = config.get("handoffs") if isinstance(config, dict) else None
        if isinstance(config, dict) and isinstance(handoffs, list):
            config["handoffs"] = [each for each in handoffs if _target(each) != name]


def _target(handoff: JsonValue) -> JsonValue:
    return handoff.get("target") if isinstance(handoff, dict) else handoff


def _loaded(part: JsonObject, name: str) -> Component:
    try:
        return load_component(part)
    except InvalidComponent as error:
        raise ConfigError(f"{name} cannot be mocked: {error.what}", fix="Fix it, or remove its mock.") from error


def _fixed(part: JsonObject, mock: Mock, name: str, place: str) -> JsonObject:
    """What stands in for a model or a tool. It looks the same to the agent that uses it."""
    component = _loaded(part, name)
    if isinstance(component, ChatCompletionClient):
        stands_in: Component = ReplayChatCompletionClient(
            chat_completions=[mock.text], model_info=cast("ModelInfo", dict(component.info)), repeats=True
        )
    elif isinstance(component, BaseTool) and not component.is_opaque:
        schema = component.schema
        stands_in = ScriptedTool(
            name=schema["name"],
            description=schema.get("description", ""),
            parameters=cast("JsonObject", schema.get("parameters") or {"type": "object", "properties": {}}),
            result=mock.text,
            is_error=mock.is_error,
        )
    else:
        raise ConfigError(
            f"{name} cannot be mocked: only models and tools can return a fixed result.",
            fix="Remove its mock.",
            where=place,
        )
    return {**stands_in.dump_component(), "label": name}
