"""Makes messages out of their JSON, the types of a script included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.agents import StructuredMessageFactory as OurStructuredMessageFactory
from studio.autogen.compat_base import Freed
from studio.messages import BaseMessage, StructuredMessage, message_from_json, type_name


class MessageFactory:
    """Knows all types of messages, and those that are registered with it."""

    def __init__(self) -> None:
        self._types: dict[str, type[BaseMessage]] = {}

    def is_registered(self, message_type: type[BaseMessage]) -> bool:
        name = type_name(message_type)
        return name in self._types or (message_type.__module__.startswith("studio.") and "[" not in name)

    def register(self, message_type: type[BaseMessage]) -> None:
        """Make a type known.

        Raises:
            ValueError: It is known already.
        """
        if self.is_registered(message_type):
            raise ValueError(f"Message type {message_type} is already registered.")
        self._types[type_name(message_type)] = message_type

    def create(self, data: Mapping[str, Any]) -> BaseMessage:
        """Make a message.

        Raises:
            ValueError: Its type is missing or unknown.
        """
        kind = data.get("type")
        if not isinstance(kind, str):
            raise ValueError("Field 'type' is required in the message data to recover the message type.")
        known = self._types.get(kind)
        if known is None and kind.startswith("StructuredMessage["):
            raise ValueError(f"Unknown message type: {kind}")
        return message_from_json(dict(data)) if known is None else known.model_validate(dict(data))


class StructuredMessageFactory(Freed, OurStructuredMessageFactory, stands_for=OurStructuredMessageFactory):
    """What an agent's answer must look like."""

    provider = OurStructuredMessageFactory.provider
    aliases = OurStructuredMessageFactory.aliases

    @property
    def StructuredMessage(self) -> Any:
        """The type of the messages it makes."""
        return StructuredMessage[self.content_model]

    @property
    def ContentModel(self) -> Any:
        """The Pydantic model of the answer."""
        return self.content_model
