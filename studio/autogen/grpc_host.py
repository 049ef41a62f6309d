"""A host of workers with the private names that AutoGen's own tests look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studio.actors import AgentId, Subscription, TopicId, grpc
from studio.actors.subscription_table import SubscriptionTable


class SubscriptionManager:
    """The subscriptions of a host.

    Args:
        table: Holds them.
    """

    def __init__(self, table: SubscriptionTable) -> None:
        self._table = table

    @property
    def _subscriptions(self) -> Sequence[Subscription]:
        return self._table.all()

    async def get_subscribed_recipients(self, topic: TopicId) -> Sequence[AgentId]:
        return self._table.recipients(topic)


class GrpcWorkerAgentRuntimeHostServicer(grpc.GrpcWorkerAgentRuntimeHostServicer):
    """Passes messages on between workers."""

    def __init__(self) -> None:
        super().__init__()
        self._subscription_manager = SubscriptionManager(self._subscriptions)


class GrpcWorkerAgentRuntimeHost(grpc.GrpcWorkerAgentRuntimeHost):
    """Passes messages on between workers; the arguments are those of AutoGen's."""

    def __init__(self, address: str, extra_grpc_config: Sequence[tuple[str, Any]] | None = None) -> None:
        super().__init__(address, extra_grpc_config)
        self._servicer = GrpcWorkerAgentRuntimeHostServicer()
