"""Agents that send each other messages and publish them to topics: AutoGen Core's interface on an engine of our own.

Teams do not need it. It is for programs of any shape, whose agents decide by themselves whom to tell what. See
docs/design/actors.md.
"""

from studio.actors.agent import BaseAgent, default_subscription, handles, subscription_factory, type_subscription
from studio.actors.closure import ClosureAgent, ClosureContext
from studio.actors.context import (
    DefaultTopicId,
    MessageContext,
    MessageHandlerContext,
    SubscriptionInstantiationContext,
)
from studio.actors.handlers import RoutedAgent, event, message_handler, rpc
from studio.actors.identity import AgentId, AgentMetadata, AgentType, TopicId
from studio.actors.instantiation import AgentInstantiationContext
from studio.actors.intervention import DefaultInterventionHandler, DropMessage, InterventionHandler
from studio.actors.protocols import Agent, AgentRuntime
from studio.actors.proxy import AgentProxy
from studio.actors.runtime import SingleThreadedAgentRuntime
from studio.actors.serialization import (
    JSON_DATA_CONTENT_TYPE,
    PROTOBUF_DATA_CONTENT_TYPE,
    MessageSerializer,
    UnknownPayload,
    try_get_known_serializers_for_type,
)
from studio.actors.subscriptions import (
    DefaultSubscription,
    Subscription,
    TypePrefixSubscription,
    TypeSubscription,
)

__all__ = [
    "JSON_DATA_CONTENT_TYPE",
    "PROTOBUF_DATA_CONTENT_TYPE",
    "Agent",
    "AgentId",
    "AgentInstantiationContext",
    "AgentMetadata",
    "AgentProxy",
    "AgentRuntime",
    "AgentType",
    "BaseAgent",
    "ClosureAgent",
    "ClosureContext",
    "DefaultInterventionHandler",
    "DefaultSubscription",
    "DefaultTopicId",
    "DropMessage",
    "InterventionHandler",
    "MessageContext",
    "MessageHandlerContext",
    "MessageSerializer",
    "RoutedAgent",
    "SingleThreadedAgentRuntime",
    "Subscription",
    "SubscriptionInstantiationContext",
    "TopicId",
    "TypePrefixSubscription",
    "TypeSubscription",
    "UnknownPayload",
    "default_subscription",
    "event",
    "handles",
    "message_handler",
    "rpc",
    "subscription_factory",
    "try_get_known_serializers_for_type",
    "type_subscription",
]
