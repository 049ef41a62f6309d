"""What of AutoGen's actor runtime a script for AgentChat touches: names, ids, and a runtime with nothing to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from studio.autogen.unsupported import ACTORS
from studio.messages import CancellationToken

__version__ = "0.7.5"
ROOT_LOGGER_NAME = "autogen_core"
EVENT_LOGGER_NAME = "autogen_core.events"
TRACE_LOGGER_NAME = "autogen_core.trace"
CHAT_EVENTS = "autogen_agentchat.events"
CHAT_TRACE = "autogen_agentchat"


def _parts_of(name: str, what: str) -> tuple[str, str]:
    """What stands before and after the slash."""
    before, found, after = name.partition("/")
    if not found:
        raise ValueError(f"Invalid {what} id: {name}")
    return before, after


@dataclass(frozen=True)
class AgentType:
    """The kind of an agent of the runtime."""

    type: str


@dataclass(frozen=True, init=False)
class AgentId:
    """Names an agent of the runtime."""

    type: str
    key: str

    def __init__(self, type: str | AgentType, key: str) -> None:
        object.__setattr__(self, "type", type.type if isinstance(type, AgentType) else type)
        object.__setattr__(self, "key", key)

    @classmethod
    def from_str(cls, agent_id: str) -> Self:
        return cls(*_parts_of(agent_id, "agent"))

    def __str__(self) -> str:
        return f"{self.type}/{self.key}"


@dataclass(frozen=True)
class TopicId:
    """Names a topic of the runtime."""

    type: str
    source: str

    @classmethod
    def from_str(cls, topic_id: str) -> TopicId:
        return TopicId(*_parts_of(topic_id, "topic"))

    def __str__(self) -> str:
        return f"{self.type}/{self.source}"


class DefaultTopicId(TopicId):
    """The usual topic."""

    def __init__(self, type: str = "default", source: str = "default") -> None:
        super().__init__(type, source)


@dataclass(frozen=True)
class MessageContext:
    """What the runtime tells beside a message."""

    sender: AgentId | None
    topic_id: TopicId | None
    is_rpc: bool
    cancellation_token: CancellationToken
    message_id: str


class AgentRuntime:
    """Where agents live. Teams of this engine need none: they take one and leave it alone."""


class SingleThreadedAgentRuntime(AgentRuntime):
    """Can be started and stopped, and carries no messages."""

    def __init__(self, **options: Any) -> None:
        self._options = options

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"This runtime has no {name!r}. {ACTORS}", name=name)

    def start(self) -> None:
        """Nothing to start."""

    async def stop(self) -> None:
        """Nothing to stop."""

    async def stop_when_idle(self) -> None:
        """It is idle."""

    async def stop_when(self, condition: Any) -> None:
        del condition

    async def close(self) -> None:
        """Nothing to close."""

    async def save_state(self) -> Mapping[str, Any]:
        return {}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        del state
