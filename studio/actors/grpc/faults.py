"""Errors of handlers on their way to a sender in another process."""

from __future__ import annotations

from typing import Any

from studio.actors.errors import (
    AgentNotFound,
    CantHandleException,
    MessageDroppedException,
    RemoteHandlerError,
    UndeliverableException,
)
from studio.actors.grpc.wire import Message

_TYPE = "error-type"
"""Metadata of a response: the class of its error, where the runtime and not the handler raised it."""
_KNOWN: dict[str, type[Exception]] = {
    each.__name__: each
    for each in (AgentNotFound, CantHandleException, MessageDroppedException, UndeliverableException)
}


def error_message(request_id: str, error: BaseException) -> Any:
    """The response that raises an error at the sender."""
    message = Message()
    response = message.response
    response.request_id = request_id
    response.error = str(error) or type(error).__name__  # an empty one would be no error
    kind = next((name for name, cls in _KNOWN.items() if isinstance(error, cls)), "")
    if kind:
        response.metadata[_TYPE] = kind
    return message


def error_of_response(response: Any) -> Exception | None:
    """What the sender gets raised, if anything. Only the runtime's own errors keep their class."""
    if not response.error:
        return None
    cls = _KNOWN.get(response.metadata.get(_TYPE, ""), RemoteHandlerError)
    return cls(response.error)
