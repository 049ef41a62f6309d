"""What goes wrong between agents."""

from __future__ import annotations

from studio.errors import StudioError


class CantHandleException(StudioError):
    """The agent has no handler for this message."""


class UndeliverableException(StudioError):
    """The message has not reached anybody: there is no such agent, or the runtime was stopped before."""


class MessageDroppedException(StudioError):
    """An intervention handler dropped the message."""


class NotAccessibleError(StudioError):
    """The agent lives in another process."""


class AgentNotFound(UndeliverableException, LookupError):
    """No agent of this type is registered."""


class InvalidName(StudioError, ValueError):
    """An agent or a topic cannot have this name."""


class AlreadyRegistered(StudioError, ValueError):
    """The agent type, the agent or the subscription is there already, or made in another way."""


class WrongMessage(StudioError, TypeError):
    """A handler got or gave a message of a type that it does not name."""


class NoFactory(UndeliverableException, RuntimeError):
    """Agents of this type are registered one by one, and this one was not."""


class HostUnavailable(UndeliverableException):
    """A worker has no connection to its host, or lost it before the answer came."""


class MessageTooLarge(UndeliverableException, ValueError):
    """A message has more bytes than may be sent to another process."""


class RemoteHandlerError(StudioError):
    """A handler in another process failed. This is the text of its error, whose class is not known here."""
