"""What an agent of a runtime is, and the base of those that are written as classes."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from inspect import isawaitable
from typing import Any, ClassVar, Self, TypeVar, final, overload

from studio.actors.context import MessageContext, SubscriptionInstantiationContext
from studio.actors.errors import AlreadyRegistered
from studio.actors.identity import AgentId, AgentMetadata, AgentType, TopicId
from studio.actors.instantiation import AgentInstantiationContext
from studio.actors.protocols import Agent, AgentRuntime
from studio.actors.serialization import MessageSerializer, try_get_known_serializers_for_type
from studio.actors.subscriptions import (
    DefaultSubscription,
    Subscription,
    TypePrefixSubscription,
    TypeSubscription,
)
from studio.messages import CancellationToken

SubscriptionFactory = Callable[[], Sequence[Subscription] | Awaitable[Sequence[Subscription]]]
Handled = tuple[type[Any], Sequence[MessageSerializer[Any]]]
AgentClass = TypeVar("AgentClass", bound="type[BaseAgent]")


class BaseAgent(Agent):
    """Derive from this, or from `RoutedAgent`, and write `on_message_impl`.

    Args:
        description: What the agent is for.
    """

    internal_unbound_subscriptions_list: ClassVar[list[SubscriptionFactory]] = []
    """Factories of the subscriptions that come with the class."""
    internal_extra_handles_types: ClassVar[list[Handled]] = []
    """Message types that the class handles besides those of its handlers."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # Each class has lists of its own, so that a decorator of one does not change another.
        cls.internal_unbound_subscriptions_list = list(cls.internal_unbound_subscriptions_list)
        cls.internal_extra_handles_types = list(cls.internal_extra_handles_types)

    def __init__(self, description: str) -> None:
        if not isinstance(description, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- scripts are not checked
            raise TypeError("The description of an agent is a text.")
        self._description = description
        self._id: AgentId | None = None
        self._runtime: AgentRuntime | None = None
        if AgentInstantiationContext.is_in_factory_call():
            self._runtime = AgentInstantiationContext.current_runtime()
            self._id = AgentInstantiationContext.current_agent_id()

    @property
    def metadata(self) -> AgentMetadata:
        return AgentMetadata(type=self.id.type, key=self.id.key, description=self._description)

    @property
    def type(self) -> str:
        return self.id.type

    @property
    def id(self) -> AgentId:
        """Raises: RuntimeError: The agent belongs to no runtime."""
        if self._id is None:
            raise RuntimeError("This agent has no ID: register it, or its factory, with a runtime.")
        return self._id

    @property
    def runtime(self) -> AgentRuntime:
        """Raises: RuntimeError: The agent belongs to none."""
        if self._runtime is None:
            raise RuntimeError("This agent has no runtime: register it, or its factory, with one.")
        return self._runtime

    async def bind_id_and_runtime(self, id: AgentId, runtime: AgentRuntime) -> None:
        if self._id not in (None, id) or self._runtime not in (None, runtime):
            raise AlreadyRegistered(f"The agent is {self._id} of a runtime already.")
        self._id, self._runtime = id, runtime

    @final
    def on_message(self, message: Any, ctx: MessageContext) -> Coroutine[Any, Any, Any]:
        return self.on_message_impl(message, ctx)

    async def on_message_impl(self, message: Any, ctx: MessageContext) -> Any:
        """Handle a message; what is returned answers one that was sent."""
        raise NotImplementedError

    async def send_message(
        self,
        message: Any,
        recipient: AgentId,
        *,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> Any:
        """Send a message to one agent, and wait for its answer. See `AgentRuntime.send_message`."""
        return await self.runtime.send_message(
            message, recipient, sender=self.id, cancellation_token=cancellation_token, message_id=message_id
        )

    async def publish_message(
        self, message: Any, topic_id: TopicId, *, cancellation_token: CancellationToken | None = None
    ) -> None:
        """Publish a message to all agents that subscribe to a topic, but not to this one."""
        await self.runtime.publish_message(message, topic_id, sender=self.id, cancellation_token=cancellation_token)

    async def save_state(self) -> Mapping[str, Any]:
        warnings.warn(f"{type(self).__name__} has no save_state; nothing of it is saved.", stacklevel=2)
        return {}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        del state
        warnings.warn(f"{type(self).__name__} has no load_state; nothing of it is loaded.", stacklevel=2)

    async def close(self) -> None:
        """Release what the agent holds."""

    @classmethod
    def _unbound_subscriptions(cls) -> Sequence[SubscriptionFactory]:
        return cls.internal_unbound_subscriptions_list

    @classmethod
    def _handles_types(cls) -> Sequence[Handled]:
        return cls.internal_extra_handles_types

    @classmethod
    async def register(
        cls,
        runtime: AgentRuntime,
        type: str,
        factory: Callable[[], Self | Awaitable[Self]],
        *,
        skip_class_subscriptions: bool = False,
        skip_direct_message_subscription: bool = False,
    ) -> AgentType:
        """Let a runtime make agents of this class when a message comes for them.

        Args:
            runtime: The runtime.
            type: Of the agents.
            factory: Makes one; `AgentInstantiationContext` tells it which.
            skip_class_subscriptions: Whether those of decorators are left out.
            skip_direct_message_subscription: Whether topics whose type is `TYPE:…` are left out.

        Raises:
            AlreadyRegistered: There are such agents.
        """
        made = await runtime.register_factory(type=AgentType(type), agent_factory=factory, expected_class=cls)
        with SubscriptionInstantiationContext.populate_context(made):
            await cls._subscribe(
                runtime, made, with_class=not skip_class_subscriptions, with_direct=not skip_direct_message_subscription
            )
        return made

    async def register_instance(
        self,
        runtime: AgentRuntime,
        agent_id: AgentId,
        *,
        skip_class_subscriptions: bool = True,
        skip_direct_message_subscription: bool = False,
    ) -> AgentId:
        """Let this very agent be the one of that ID. It subscribes to the topics whose type is its key.

        Raises:
            AlreadyRegistered: The ID is taken, or agents of its type are made by a factory or are of another class.
        """
        made = await runtime.register_agent_instance(agent_instance=self, agent_id=agent_id)
        kind = AgentType(made.type)
        with SubscriptionInstantiationContext.populate_context(kind):
            await self._subscribe(
                runtime, kind, with_class=not skip_class_subscriptions, with_direct=not skip_direct_message_subscription
            )
        with suppress(AlreadyRegistered):  # by a decorator of the class
            await runtime.add_subscription(TypeSubscription(made.key, kind))
        return made

    @classmethod
    async def _subscribe(cls, runtime: AgentRuntime, kind: AgentType, *, with_class: bool, with_direct: bool) -> None:
        """Add what comes with the class; what is there already, of a sibling, stays."""
        if with_class:
            for factory in cls._unbound_subscriptions():
                made = factory()
                for each in await made if isawaitable(made) else made:
                    await runtime.add_subscription(each)
        if with_direct:
            with suppress(AlreadyRegistered):  # by another instance of this type
                await runtime.add_subscription(TypePrefixSubscription(f"{kind.type}:", kind))
        for _, serializer in cls._handles_types():
            runtime.add_message_serializer(serializer)


def subscription_factory(factory: SubscriptionFactory) -> Callable[[AgentClass], AgentClass]:
    """Let agents of the class subscribe to what the factory gives, when they are registered."""

    def decorate(cls: AgentClass) -> AgentClass:
        cls.internal_unbound_subscriptions_list.append(factory)
        return cls

    return decorate


def handles(
    type: type[Any], serializer: Sequence[MessageSerializer[Any]] | None = None
) -> Callable[[AgentClass], AgentClass]:
    """Name a message type that the class handles besides those of its handlers.

    Raises:
        ValueError: There is no serializer for it.
    """

    def decorate(cls: AgentClass) -> AgentClass:
        known = try_get_known_serializers_for_type(type) if serializer is None else serializer
        if not known:
            raise ValueError(f"There is no serializer for {type!r}; give one.")
        cls.internal_extra_handles_types.append((type, known))
        return cls

    return decorate


@overload
def default_subscription() -> Callable[[AgentClass], AgentClass]: ...


@overload
def default_subscription(cls: AgentClass) -> AgentClass: ...


def default_subscription(cls: Any = None) -> Any:
    """Let agents of the class subscribe to the topic type `default`."""
    decorate = subscription_factory(lambda: [DefaultSubscription()])
    return decorate if cls is None else decorate(cls)


def type_subscription(topic_type: str) -> Callable[[AgentClass], AgentClass]:
    """Let agents of the class subscribe to a topic type."""
    return subscription_factory(partial(_to_type, topic_type))


def _to_type(topic_type: str) -> Sequence[Subscription]:
    return [TypeSubscription(topic_type, SubscriptionInstantiationContext.agent_type())]
