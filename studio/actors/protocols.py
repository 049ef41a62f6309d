"""What agents and runtimes need of each other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from studio.actors.context import MessageContext
from studio.actors.identity import AgentId, AgentMetadata, AgentType, TopicId
from studio.actors.serialization import MessageSerializer
from studio.actors.subscriptions import Subscription
from studio.messages import CancellationToken

T = TypeVar("T", bound="Agent")


@runtime_checkable
class Agent(Protocol):
    """What a runtime needs of an agent."""

    @property
    def metadata(self) -> AgentMetadata: ...

    @property
    def id(self) -> AgentId: ...

    async def bind_id_and_runtime(self, id: AgentId, runtime: AgentRuntime) -> None:
        """Take an ID and a runtime, for an agent that was not made by the runtime."""

    def on_message(self, message: Any, ctx: MessageContext) -> Coroutine[Any, Any, Any]:
        """Handle a message; what is returned answers one that was sent.

        Raises:
            CantHandleException: There is no handler for it.
        """
        ...

    async def save_state(self) -> Mapping[str, Any]:
        """As JSON."""
        ...

    async def load_state(self, state: Mapping[str, Any]) -> None: ...

    async def close(self) -> None:
        """Called when the runtime closes."""


@runtime_checkable
class AgentRuntime(Protocol):
    """Where agents live: it makes them, brings their messages, and keeps their state."""

    async def send_message(
        self,
        message: Any,
        recipient: AgentId,
        *,
        sender: AgentId | None = None,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> Any:
        """Send a message to one agent, and wait for its answer.

        Args:
            message: Of any type that the agent handles.
            recipient: Made now, if it is the first message for it.
            sender: The agent that sends it.
            cancellation_token: Ends the handling, and what the handler waits for.
            message_id: Made up where it is not given.

        Raises:
            UndeliverableException: There is no such agent, or the runtime was stopped before.
            CantHandleException: The agent has no handler for it.
            MessageDroppedException: An intervention handler dropped it, or its answer.
            Exception: What the handler raised.
        """

    async def publish_message(
        self,
        message: Any,
        topic_id: TopicId,
        *,
        sender: AgentId | None = None,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> None:
        """Publish a message to all agents that subscribe to a topic, but not to its sender. Nobody answers."""

    async def register_factory(
        self,
        type: str | AgentType,
        agent_factory: Callable[[], T | Awaitable[T]],
        *,
        expected_class: type[T] | None = None,
    ) -> AgentType:
        """Let agents of a type be made by a factory. Use `register` of the agent's class, which subscribes it, too.

        Raises:
            AlreadyRegistered: There are such agents.
        """
        ...

    async def register_agent_instance(self, agent_instance: Agent, agent_id: AgentId) -> AgentId:
        """Let this agent be the one of that ID. Use `register_instance` of the agent, which subscribes it, too.

        Raises:
            AlreadyRegistered: The ID is taken, or agents of its type are made otherwise.
        """
        ...

    async def try_get_underlying_agent_instance(self, id: AgentId, type: type[T]) -> T:
        """The agent itself, made now if need be.

        Raises:
            AgentNotFound, NotAccessibleError: It is not here.
            TypeError: It is of another class.
        """
        ...

    async def get(
        self, id_or_type: AgentId | AgentType | str, /, key: str = "default", *, lazy: bool = True
    ) -> AgentId:
        """The ID of an agent.

        Raises:
            AgentNotFound: It is to be made now, and its type is not registered.
        """
        ...

    async def save_state(self) -> Mapping[str, Any]:
        """The states of all agents by their IDs."""
        ...

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore what `save_state` gave; agents whose type is not registered are left out."""

    async def agent_metadata(self, agent: AgentId) -> AgentMetadata: ...

    async def agent_save_state(self, agent: AgentId) -> Mapping[str, Any]: ...

    async def agent_load_state(self, agent: AgentId, state: Mapping[str, Any]) -> None: ...

    async def add_subscription(self, subscription: Subscription) -> None:
        """Raises: AlreadyRegistered: There is an equal one."""

    async def remove_subscription(self, id: str) -> None:
        """Raises: UndeliverableException: There is none with this ID."""

    def add_message_serializer(self, serializer: MessageSerializer[Any] | Sequence[MessageSerializer[Any]]) -> None: ...
