"""All subscriptions of a runtime. Publishing asks for a topic's subscribers each time, so they are kept by topic."""

from __future__ import annotations

from collections.abc import Sequence

from studio.actors.errors import AlreadyRegistered, UndeliverableException
from studio.actors.identity import AgentId, TopicId
from studio.actors.subscriptions import Subscription, TypeSubscription

MAX_TOPICS = 10_000
"""Topics whose subscribers are remembered; made anew where there are more."""


class SubscriptionTable:
    """Finds subscribers without asking each subscription, as long as these only look at the type of a topic."""

    def __init__(self) -> None:
        self._by_id: dict[str, Subscription] = {}
        self._by_type: dict[str, list[Subscription]] = {}
        self._others: list[Subscription] = []
        self._known: dict[tuple[str, str], Sequence[AgentId]] = {}

    def all(self) -> list[Subscription]:
        """In the order in which they were added."""
        return [*self._by_id.values()]

    def add(self, subscription: Subscription) -> None:
        """Raises: AlreadyRegistered: There is an equal one."""
        beside = self._beside(subscription)
        if subscription.id in self._by_id or subscription in beside:
            raise AlreadyRegistered("Subscription already exists")
        self._by_id[subscription.id] = subscription
        beside.append(subscription)
        self._known.clear()

    def remove(self, id: str) -> None:
        """Raises: UndeliverableException: There is none with this ID."""
        if (found := self._by_id.pop(id, None)) is None:
            raise UndeliverableException(f"There is no subscription {id!r}.")
        self._beside(found).remove(found)
        self._known.clear()

    def recipients(self, topic_id: TopicId) -> Sequence[AgentId]:
        """The agents that get what is published there, each once."""
        topic = topic_id.type, topic_id.source
        if (known := self._known.get(topic)) is None:
            if len(self._known) >= MAX_TOPICS:
                self._known.clear()
            asked = (*self._by_type.get(topic_id.type, ()), *(each for each in self._others if each.is_match(topic_id)))
            known = self._known[topic] = list(dict.fromkeys(each.map_to_agent(topic_id) for each in asked))
        return known

    def _beside(self, subscription: Subscription) -> list[Subscription]:
        """Those among which an equal one would be."""
        if isinstance(subscription, TypeSubscription):
            return self._by_type.setdefault(subscription.topic_type, [])
        return self._others
