"""Context variables, which a team shares: who is in force here, and what a call changes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from typing import TypeVar, cast

from studio.components import JsonObject
from studio.sandbox.worker import ContextVariables as ContextVariables

Item = TypeVar("Item")

_in_force: ContextVar[ContextVariables | None] = ContextVar("studio_context_variables", default=None)

NO_VARIABLES = "There are no context variables: no team that contains this agent has any."
GIVE_SOME = "Give the team context variables; an empty object is enough."


def team_variables() -> ContextVariables | None:
    """The variables of the innermost team around this that has any; not to be changed while a tool is called."""
    return _in_force.get()


@contextmanager
def use_variables(variables: ContextVariables | None) -> Generator[None]:
    """Make these the variables inside the block."""
    token = _in_force.set(variables)
    try:
        yield
    finally:
        _in_force.reset(token)


async def with_variables(items: AsyncGenerator[Item, None], variables: ContextVariables) -> AsyncGenerator[Item, None]:
    """The same items; while they are made, these are the variables."""
    async with aclosing(items):
        while True:
            try:
                with use_variables(variables):
                    item = await anext(items)
            except StopAsyncIteration:
                return
            yield item


def apply_changes(variables: ContextVariables, changes: Mapping[str, object]) -> None:
    """Set and remove what a call has changed."""
    variables.update(cast("JsonObject", changes.get("set") or {}))
    for name in cast("list[str]", changes.get("removed") or []):
        variables.remove(name)
