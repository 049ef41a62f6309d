"""Looks at each message on its way, and may change it, drop it or refuse it."""

from __future__ import annotations

from typing import Any, Protocol, final, runtime_checkable

from typing_extensions import override

from studio.actors.context import MessageContext
from studio.actors.identity import AgentId


@final
class DropMessage:
    """Returned by an intervention handler, the class or one of it: the message goes no further."""


@runtime_checkable
class InterventionHandler(Protocol):
    """Called by the runtime before a message goes on; what is raised is raised to its sender.

    Each gives the message that goes on, which may be another one, or `DropMessage`.
    """

    async def on_send(self, message: Any, *, message_context: MessageContext, recipient: AgentId) -> Any:
        """A message was sent to one agent."""

    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any:
        """A message was published."""

    async def on_response(self, message: Any, *, sender: AgentId, recipient: AgentId | None) -> Any:
        """An agent has answered."""


class DefaultInterventionHandler(InterventionHandler):
    """Lets everything pass. Derive from it and write what is to be looked at."""

    @override
    async def on_send(self, message: Any, *, message_context: MessageContext, recipient: AgentId) -> Any:
        return message

    @override
    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any:
        return message

    @override
    async def on_response(self, message: Any, *, sender: AgentId, recipient: AgentId | None) -> Any:
        return message


def is_drop(message: object) -> bool:
    return message is DropMessage or isinstance(message, DropMessage)
