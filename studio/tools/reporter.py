"""What a tool tells and changes while it works, beside its result.

Inside a call, `emit` notes an event and `context_variables` gives a copy to work with. Both end up in the call's
effect, so that a recorded run repeats them; whoever made the call hears of them from there.
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.effects.progress import listener, progress_words
from studio.errors import ConfigError, ToolFailed
from studio.messages import BaseMessage, ContextVariablesEvent, ToolEvent
from studio.sandbox.worker import ContextVariables, changes, event
from studio.tools.variables import GIVE_SOME, NO_VARIABLES, apply_changes, team_variables


class ToolReporter:
    """The side of the tool: what it has told and changed so far in this call."""

    def __init__(self) -> None:
        self.events: list[JsonValue] = []
        self._variables: ContextVariables | None = None

    def variables(self) -> ContextVariables:
        """A copy for this call."""
        if self._variables is None:
            self._variables = ContextVariables(copy.deepcopy(team_variables() or {}))
        return self._variables

    def to_effect(self, result: JsonObject) -> JsonObject:
        """The result with all that was told. A call that fails changes no variable.

        Raises:
            ToolFailed: It changed variables where there are none, or to what is no JSON.
        """
        reported: JsonObject = {"events": self.events} if self.events else {}
        if self._variables is not None and "error" not in result and (changed := self._changed(self._variables)):
            reported["context_variables"] = changed
        return {**result, **reported}

    def _changed(self, variables: ContextVariables) -> JsonObject:
        before = team_variables()
        try:
            changed = cast("JsonObject", changes(before or {}, variables))
        except (TypeError, ValueError) as error:
            raise ToolFailed(f"A context variable must be JSON: {error}") from error
        if changed and before is None:
            raise ToolFailed(f"{NO_VARIABLES} {GIVE_SOME}")
        return changed


class ToolUpdate:
    """The side of the caller: what the calls inside a block have told."""

    def __init__(self) -> None:
        self._updates: list[tuple[str, str | None, JsonObject]] = []

    def add(self, tool: str, call_id: str | None, update: JsonObject) -> None:
        self._updates.append((tool, call_id, update))

    def apply(self, source: str) -> list[BaseMessage]:
        """Make the changes, and give all that happened as events of this source."""
        found: list[BaseMessage] = []
        for tool, call_id, update in self._updates:
            for item in cast("list[JsonObject]", update.get("events") or []):
                name, content = str(item["name"]), item["content"]
                found.append(ToolEvent(source=source, tool=tool, call_id=call_id, name=name, content=content))
            if changed := cast("JsonObject", update.get("context_variables") or {}):
                _apply(changed)
                found.append(ContextVariablesEvent.model_validate({**_as_event(changed), "source": source}))
        self._updates.clear()
        return found


_telling: ContextVar[ToolReporter | None] = ContextVar("studio_telling", default=None)
_heard: ContextVar[ToolUpdate | None] = ContextVar("studio_heard", default=None)
_agent: ContextVar[str] = ContextVar("studio_calling_agent", default="")


def emit(name: str, content: object = None) -> None:
    """Tell, from inside a tool, that something happened; it shows as a `ToolEvent` in the run.

    Args:
        name: What kind of thing, such as "progress".
        content: About it, as JSON.

    Where no tool is being called nobody hears it.
    """
    telling = _telling.get()
    if telling is not None:
        reported = event(name, content)
        telling.events.append(cast("JsonObject", reported))
        listener()(progress_words(str(name), reported["content"]))


def context_variables() -> ContextVariables:
    """The variables of the team, to read and to change.

    Inside a tool they are a copy, the changes of which reach the team when the call ends well.

    Raises:
        ConfigError: Nobody around this has any, and no tool is being called.
    """
    telling = _telling.get()
    found = telling.variables() if telling is not None else team_variables()
    if found is None:
        raise ConfigError(NO_VARIABLES, fix=GIVE_SOME)
    return found


@contextmanager
def telling() -> Generator[ToolReporter]:
    """One call of a tool, from inside."""
    present = ToolReporter()
    token = _telling.set(present)
    try:
        yield present
    finally:
        _telling.reset(token)


@contextmanager
def listening(agent: str = "") -> Generator[ToolUpdate]:
    """Hear what the calls inside the block tell, which are this agent's; their changes wait for `take_up`."""
    heard = ToolUpdate()
    token, calling = _heard.set(heard), _agent.set(agent)
    try:
        yield heard
    finally:
        _agent.reset(calling)
        _heard.reset(token)


def calling_agent() -> str:
    """Who makes the calls here; empty where nobody said so."""
    return _agent.get()


def pass_on(tool: str, call_id: str | None, update: JsonObject) -> None:
    """Tell whoever listens; where nobody does the changes are made at once."""
    heard = _heard.get()
    if heard is not None:
        heard.add(tool, call_id, update)
    else:
        _apply(cast("JsonObject", update.get("context_variables") or {}))


def _apply(changed: Mapping[str, JsonValue]) -> None:
    variables = team_variables()
    if variables is not None:
        apply_changes(variables, changed)


def _as_event(changed: JsonObject) -> JsonObject:
    return {"content": changed.get("set") or {}, "removed": changed.get("removed") or []}
