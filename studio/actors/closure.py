"""Agents that are one function."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, Self, TypeVar, get_type_hints

from typing_extensions import override

from studio.actors.agent import BaseAgent
from studio.actors.context import MessageContext, SubscriptionInstantiationContext
from studio.actors.errors import CantHandleException
from studio.actors.handlers import get_types
from studio.actors.identity import AgentId, AgentType, TopicId
from studio.actors.protocols import AgentRuntime
from studio.actors.serialization import try_get_known_serializers_for_type
from studio.actors.subscriptions import Subscription
from studio.messages import CancellationToken

UnknownTypePolicy = Literal["error", "warn", "ignore"]
T = TypeVar("T")


class ClosureContext(Protocol):
    """What the function of a `ClosureAgent` can do as an agent."""

    @property
    def id(self) -> AgentId: ...

    async def send_message(
        self,
        message: Any,
        recipient: AgentId,
        *,
        cancellation_token: CancellationToken | None = None,
        message_id: str | None = None,
    ) -> Any: ...

    async def publish_message(
        self, message: Any, topic_id: TopicId, *, cancellation_token: CancellationToken | None = None
    ) -> None: ...


Closure = Callable[[ClosureContext, T, MessageContext], Awaitable[Any]]


class ClosureAgent(BaseAgent, ClosureContext):
    """Calls a function with each message, and answers what it returns.

    Args:
        description: What the agent is for.
        closure: Its second argument's annotation names the types that it takes.
        unknown_type_policy: What becomes of a message of another type.
    """

    def __init__(
        self, description: str, closure: Closure[Any], *, unknown_type_policy: UnknownTypePolicy = "warn"
    ) -> None:
        super().__init__(description)
        self._closure = closure
        self._policy = unknown_type_policy
        self._expected = _types_of(closure)

    @override
    async def on_message_impl(self, message: Any, ctx: MessageContext) -> Any:
        if type(message) in self._expected:
            return await self._closure(self, message, ctx)
        what = f"A message of type {type(message).__name__} is not one of those that {self.id} takes."
        if self._policy == "error":
            raise CantHandleException(what, fix="Name its type in the annotation of the function.")
        if self._policy == "warn":
            warnings.warn(what, stacklevel=1)
        return None

    @override
    async def save_state(self) -> Mapping[str, Any]:
        """Nothing: a function keeps none."""
        return {}

    @override
    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Nothing to load."""

    @classmethod
    async def register_closure(
        cls,
        runtime: AgentRuntime,
        type: str,
        closure: Closure[Any],
        *,
        unknown_type_policy: UnknownTypePolicy = "warn",
        skip_direct_message_subscription: bool = False,
        description: str = "",
        subscriptions: Callable[[], list[Subscription] | Awaitable[list[Subscription]]] | None = None,
    ) -> AgentType:
        """Register agents that call a function; the arguments are those of the class and of `register`.

        Args:
            subscriptions: Gives the subscriptions of the agents.

        Raises:
            AlreadyRegistered: There are such agents.
        """

        def make() -> Self:
            return cls(description, closure, unknown_type_policy=unknown_type_policy)

        made = await cls.register(
            runtime, type, make, skip_direct_message_subscription=skip_direct_message_subscription
        )
        if subscriptions is not None:
            with SubscriptionInstantiationContext.populate_context(made):
                given = subscriptions()
                found: Sequence[Subscription] = await given if inspect.isawaitable(given) else given
            for each in found:
                await runtime.add_subscription(each)
        for each in _types_of(closure):
            runtime.add_message_serializer(try_get_known_serializers_for_type(each))
        return made


def _types_of(closure: Closure[Any]) -> Sequence[Any]:
    """The types of messages that a function names.

    Raises:
        TypeError: It names none.
    """
    named = closure if inspect.isroutine(closure) else type(closure).__call__
    parameters = [each for each in inspect.signature(closure).parameters]
    hints = get_type_hints(named)
    found = get_types(hints[parameters[1]]) if len(parameters) > 1 and parameters[1] in hints else None
    if found is None:
        raise TypeError(f"{closure!r} needs an annotation of its second argument, the message.")
    return found
