"""Breakpoints and rules for tools: how they are kept with a team, and set in a run that is under way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field, ValidationError

from studio.errors import ConfigError
from studio.runs.debugging.breakpoints import MAX_BREAKPOINTS, Breakpoint
from studio.runs.debugging.debugger import Debugger
from studio.runs.debugging.policy import ToolPolicy, check_count
from studio.runs.journal.log import JsonObject


def _each_once(breakpoints: tuple[Breakpoint, ...]) -> tuple[Breakpoint, ...]:
    """Without those that wait where an earlier one does; that one is on when any of them is."""
    found: dict[Breakpoint, Breakpoint] = {}
    for each in breakpoints:
        place = each.model_copy(update={"id": "", "enabled": True})
        known = found.setdefault(place, each)
        if each.enabled and not known.enabled:
            found[place] = known.model_copy(update={"enabled": True})
    return tuple(found.values())


class Breakpoints(BaseModel):
    """The breakpoints of a team or run, in the order of the list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    breakpoints: Annotated[
        tuple[Breakpoint, ...], FailFast(), Field(max_length=MAX_BREAKPOINTS), AfterValidator(_each_once)
    ] = ()

    def model_post_init(self, context: object) -> None:
        check_count(sum(each.is_regex for each in self.breakpoints), context)


class Rules(BaseModel):
    """The rules for the tools of a team or run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: ToolPolicy = ToolPolicy()


class RunSettings(BaseModel):
    """What is kept with a team for its runs, beside its component."""

    model_config = ConfigDict(frozen=True)

    breakpoints: Sequence[Breakpoint] = ()
    policy: ToolPolicy = ToolPolicy()


class SettingsSource(Protocol):
    """Where the settings of teams are kept."""

    async def load(self, team_id: str) -> RunSettings:
        """Those of a team; the empty ones where nobody set any."""
        ...


class EmptySettings:
    """For runs of no team."""

    async def load(self, team_id: str) -> RunSettings:
        del team_id
        return RunSettings()


def set_breakpoints(debugger: Debugger, data: JsonObject, context: object = None) -> bool:
    """Take these breakpoints in place of those before; whether that changes anything.

    Raises:
        ConfigError: They are none.
    """
    try:
        given = Breakpoints.model_validate(data, context=context).breakpoints
    except ValidationError as error:
        raise _refusal("breakpoints", error) from error
    if given == debugger.breakpoints.breakpoints:
        return False
    debugger.set_breakpoints(given)
    return True


def set_policy(debugger: Debugger, data: JsonObject, context: object = None) -> bool:
    """Go on with these rules; whether that changes anything. A question that is open stays open.

    Raises:
        ConfigError: They are none.
    """
    try:
        given = Rules.model_validate(data, context=context).policy
    except ValidationError as error:
        raise _refusal("policy", error) from error
    was = debugger.policy
    if given.known is None:
        given = given.model_copy(update={"known": was.known})
    debugger.policy = given
    return was != given


def _refusal(what: str, error: ValidationError) -> ConfigError:
    first = error.errors()[0]
    where = "/" + "/".join(map(str, first["loc"]))
    return ConfigError(f"These {what} cannot be used: {first['msg']}.", where=where)
