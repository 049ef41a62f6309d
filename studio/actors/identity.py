"""Names of agents and topics."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Self, TypedDict

from studio.actors.errors import InvalidName

_AGENT_TYPE = re.compile(r"[\w.-]+")
_TOPIC_TYPE = re.compile(r"[\w.:=-]+")


@dataclass(frozen=True, slots=True)
class AgentType:
    """What agents of one factory have in common."""

    type: str


class AgentMetadata(TypedDict):
    """What can be told of an agent without asking it."""

    type: str
    key: str
    description: str


@dataclass(frozen=True, init=False)
class AgentId:
    """An agent: its type, and the key by which agents of that type are told apart.

    Raises:
        InvalidName: The type has other characters than letters, digits, `_`, `-` and `.`.
    """

    type: str
    key: str
    _hash: int = field(init=False, repr=False, compare=False)

    def __init__(self, type: str | AgentType, key: str) -> None:
        named = type.type if isinstance(type, AgentType) else type
        if not _AGENT_TYPE.fullmatch(named):
            raise InvalidName(f"Invalid agent id: {named!r}.", fix="Use letters, digits, `_`, `-` and `.` only.")
        object.__setattr__(self, "type", named)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "_hash", hash((named, key)))  # asked for at each message

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        # Texts have other hashes in another process.
        return type(self), (self.type, self.key)

    @classmethod
    def from_str(cls, agent_id: str) -> Self:
        return cls(*_parts_of(agent_id, "agent"))

    def __str__(self) -> str:
        return f"{self.type}/{self.key}"


@dataclass(frozen=True)
class TopicId:
    """A topic: its type, which subscriptions ask for, and its source, the key of the agents that get the message.

    Raises:
        InvalidName: The type has other characters than letters, digits and `_-.:=`.
    """

    type: str
    source: str

    def __post_init__(self) -> None:
        if not _TOPIC_TYPE.fullmatch(self.type):
            raise InvalidName(f"Invalid topic type: {self.type!r}.", fix="Use letters, digits and `_-.:=` only.")

    @classmethod
    def from_str(cls, topic_id: str) -> TopicId:
        return TopicId(*_parts_of(topic_id, "topic"))

    def __str__(self) -> str:
        return f"{self.type}/{self.source}"


def _parts_of(name: str, what: str) -> tuple[str, str]:
    """What stands before and after the slash."""
    before, found, after = name.partition("/")
    if not found:
        raise InvalidName(f"Invalid {what} id: {name!r}.", fix="Write it as TYPE/KEY.")
    return before, after
