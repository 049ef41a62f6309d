"""What the runtime writes to the event log, as objects whose text is JSON."""

from __future__ import annotations

import json
import logging
from enum import Enum
from typing import Any

from studio.actors.context import MessageHandlerContext
from studio.actors.identity import AgentId, TopicId

EVENT_LOGGER_NAME = "autogen_core.events"
logger = logging.getLogger(EVENT_LOGGER_NAME)


class MessageKind(Enum):
    """How a message goes."""

    DIRECT = 1
    PUBLISH = 2
    RESPOND = 3


class DeliveryStage(Enum):
    """How far it has come."""

    SEND = 1
    DELIVER = 2


class LogEvent:
    """An entry of the log: its fields in `kwargs`, its text JSON."""

    def __init__(self, event: str, /, **fields: Any) -> None:
        self.kwargs: dict[str, Any] = {"type": event, **fields}

    def __str__(self) -> str:
        return json.dumps(self.kwargs, default=str)


class MessageEvent(LogEvent):
    """A message was sent, published, answered or delivered."""

    def __init__(
        self,
        *,
        payload: str,
        sender: AgentId | None,
        receiver: AgentId | TopicId | None,
        kind: MessageKind,
        delivery_stage: DeliveryStage,
        **fields: Any,
    ) -> None:
        about = {"payload": payload, "sender": _text(sender), "receiver": _text(receiver)}
        super().__init__("Message", **about, kind=str(kind), delivery_stage=str(delivery_stage), **fields)


class MessageDroppedEvent(LogEvent):
    """An intervention handler dropped a message."""

    def __init__(
        self,
        *,
        payload: str,
        sender: AgentId | None,
        receiver: AgentId | TopicId | None,
        kind: MessageKind,
        **fields: Any,
    ) -> None:
        about = {"payload": payload, "sender": _text(sender), "receiver": _text(receiver)}
        super().__init__("MessageDropped", **about, kind=str(kind), **fields)


class MessageHandlerExceptionEvent(LogEvent):
    """A handler of a published message has failed."""

    def __init__(self, *, payload: str, handling_agent: AgentId, exception: BaseException, **fields: Any) -> None:
        about = {"payload": payload, "handling_agent": str(handling_agent), "exception": str(exception)}
        super().__init__("MessageHandlerException", **about, **fields)


class AgentConstructionExceptionEvent(LogEvent):
    """An agent could not be made."""

    def __init__(self, *, agent_id: AgentId, exception: BaseException, **fields: Any) -> None:
        super().__init__("AgentConstructionException", agent_id=str(agent_id), exception=str(exception), **fields)


def is_wanted() -> bool:
    """Whether anybody reads the log."""
    return logger.isEnabledFor(logging.INFO)


def handling_agent() -> AgentId | None:
    """The agent whose handler runs."""
    try:
        return MessageHandlerContext.agent_id()
    except RuntimeError:
        return None


def log_message(
    message: object,
    kind: MessageKind,
    stage: DeliveryStage,
    *,
    sender: AgentId | None,
    receiver: AgentId | TopicId | None,
) -> None:
    """Note how far a message has come, where anybody reads that."""
    if is_wanted():
        payload = _payload(message)
        logger.info(MessageEvent(payload=payload, sender=sender, receiver=receiver, kind=kind, delivery_stage=stage))


def log_dropped(
    message: object, kind: MessageKind, *, sender: AgentId | None, receiver: AgentId | TopicId | None
) -> None:
    if is_wanted():
        logger.info(MessageDroppedEvent(payload=_payload(message), sender=sender, receiver=receiver, kind=kind))


def log_failed_handler(message: object, agent: AgentId, error: BaseException) -> None:
    if is_wanted():
        logger.info(MessageHandlerExceptionEvent(payload=_payload(message), handling_agent=agent, exception=error))


def log_failed_construction(agent: AgentId, error: BaseException) -> None:
    if is_wanted():
        logger.info(AgentConstructionExceptionEvent(agent_id=agent, exception=error))


def _payload(message: object) -> str:
    dump = getattr(message, "model_dump_json", None)
    return str(dump()) if callable(dump) else json.dumps(getattr(message, "__dict__", str(message)), default=str)


def _text(name: AgentId | TopicId | None) -> str | None:
    return None if name is None else str(name)
