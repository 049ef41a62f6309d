"""Which agents get what is published."""

from __future__ import annotations

from typing import Protocol, runtime_checkable
from uuid import uuid4

from typing_extensions import override

from studio.actors.context import SubscriptionInstantiationContext
from studio.actors.errors import CantHandleException
from studio.actors.identity import AgentId, AgentType, TopicId


@runtime_checkable
class Subscription(Protocol):
    """Says for a topic which agent gets its messages. Equal ones are kept once."""

    @property
    def id(self) -> str:
        """By which it is removed."""
        ...

    def is_match(self, topic_id: TopicId) -> bool: ...

    def map_to_agent(self, topic_id: TopicId) -> AgentId:
        """Raises: CantHandleException: It does not match the topic."""
        ...


class _ByType:
    """Maps topics to the agent of one type whose key is the topic's source."""

    def __init__(self, asked: str, agent_type: str | AgentType, id: str | None) -> None:
        self._asked = asked
        self._agent_type = agent_type.type if isinstance(agent_type, AgentType) else agent_type
        self._id = id or str(uuid4())

    @property
    def id(self) -> str:
        return self._id

    @property
    def agent_type(self) -> str:
        return self._agent_type

    def is_match(self, topic_id: TopicId) -> bool:
        return topic_id.type == self._asked

    def map_to_agent(self, topic_id: TopicId) -> AgentId:
        if not self.is_match(topic_id):
            raise CantHandleException(f"The subscription does not match the topic {topic_id}.")
        return AgentId(self._agent_type, topic_id.source)

    @override
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _ByType) or self._kind is not other._kind:
            return False
        return self._id == other._id or (self._asked, self._agent_type) == (other._asked, other._agent_type)

    @override
    def __hash__(self) -> int:
        return hash((self._asked, self._agent_type))

    @property
    def _kind(self) -> type[_ByType]:
        return TypePrefixSubscription if isinstance(self, TypePrefixSubscription) else TypeSubscription


class TypeSubscription(_ByType):
    """Topics of one type.

    Args:
        topic_type: Of the topics.
        agent_type: Of the agents; the source of the topic is the key of the agent.
        id: Made up where it is not given.
    """

    def __init__(self, topic_type: str, agent_type: str | AgentType, id: str | None = None) -> None:
        super().__init__(topic_type, agent_type, id)

    @property
    def topic_type(self) -> str:
        return self._asked


class TypePrefixSubscription(_ByType):
    """Topics whose type begins so; the arguments are those of `TypeSubscription`."""

    def __init__(self, topic_type_prefix: str, agent_type: str | AgentType, id: str | None = None) -> None:
        super().__init__(topic_type_prefix, agent_type, id)

    @property
    def topic_type_prefix(self) -> str:
        return self._asked

    @override
    def is_match(self, topic_id: TopicId) -> bool:
        return topic_id.type.startswith(self._asked)


class DefaultSubscription(TypeSubscription):
    """The topic type `default`, for the agents that are being registered.

    Raises:
        CantHandleException: No type is given, and none is being registered.
    """

    def __init__(self, topic_type: str = "default", agent_type: str | AgentType | None = None) -> None:
        if agent_type is None:
            try:
                agent_type = SubscriptionInstantiationContext.agent_type()
            except RuntimeError as error:
                raise CantHandleException(
                    "A default subscription without an agent type can only be made while agents are registered.",
                    fix="Give it `agent_type`.",
                ) from error
        super().__init__(topic_type, agent_type)
