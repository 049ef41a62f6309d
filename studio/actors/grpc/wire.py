"""The wire between a host and its workers: AutoGen's `agents.AgentRpc`, with CloudEvents for what is published.

The messages are described here and not generated, in a pool of their own, so that AutoGen's package may describe the
same ones in the same process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from google.protobuf import any_pb2, descriptor_pb2, timestamp_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from studio.actors.identity import AgentId
from studio.actors.serialization import PROTOBUF_DATA_CONTENT_TYPE
from studio.actors.subscriptions import Subscription, TypePrefixSubscription, TypeSubscription

Fields = Mapping[str, str]
SERVICE = "agents.AgentRpc"
CLIENT_ID = "client-id"
"""Metadata of each call: the connection to which it belongs."""
MAX_RECEIVE_BYTES = "max-receive-bytes"
"""Metadata of `OpenChannel`: the largest message that the worker reads. AutoGen's workers do not say."""

_CLOUD_EVENTS: Mapping[str, Fields] = {
    "CloudEvent": {
        "id": "string 1",
        "source": "string 2",
        "spec_version": "string 3",
        "type": "string 4",
        "attributes": "map CloudEvent.CloudEventAttributeValue 5",
        "binary_data": "bytes 6 in data",
        "text_data": "string 7 in data",
        "proto_data": "google.protobuf.Any 8 in data",
    },
    "CloudEvent.CloudEventAttributeValue": {
        "ce_boolean": "bool 1 in attr",
        "ce_integer": "int32 2 in attr",
        "ce_string": "string 3 in attr",
        "ce_bytes": "bytes 4 in attr",
        "ce_uri": "string 5 in attr",
        "ce_uri_ref": "string 6 in attr",
        "ce_timestamp": "google.protobuf.Timestamp 7 in attr",
    },
}
"""Source: CloudEvents 1.0, protobuf format."""

_AGENTS: Mapping[str, Fields] = {
    "AgentId": {"type": "string 1", "key": "string 2"},
    "Payload": {"data_type": "string 1", "data_content_type": "string 2", "data": "bytes 3"},
    "RpcRequest": {
        "request_id": "string 1",
        "source": "AgentId 2",
        "target": "AgentId 3",
        "method": "string 4",
        "payload": "Payload 5",
        "metadata": "map string 6",
    },
    "RpcResponse": {
        "request_id": "string 1",
        "payload": "Payload 2",
        "error": "string 3",
        "metadata": "map string 4",
    },
    "RegisterAgentTypeRequest": {"type": "string 1"},
    "RegisterAgentTypeResponse": {},
    "TypeSubscription": {"topic_type": "string 1", "agent_type": "string 2"},
    "TypePrefixSubscription": {"topic_type_prefix": "string 1", "agent_type": "string 2"},
    "Subscription": {
        "id": "string 1",
        "typeSubscription": "TypeSubscription 2 in subscription",
        "typePrefixSubscription": "TypePrefixSubscription 3 in subscription",
    },
    "AddSubscriptionRequest": {"subscription": "Subscription 1"},
    "AddSubscriptionResponse": {},
    "RemoveSubscriptionRequest": {"id": "string 1"},
    "RemoveSubscriptionResponse": {},
    "GetSubscriptionsRequest": {},
    "GetSubscriptionsResponse": {"subscriptions": "repeated Subscription 1"},
    "Message": {
        "request": "RpcRequest 1 in message",
        "response": "RpcResponse 2 in message",
        "cloudEvent": "io.cloudevents.v1.CloudEvent 3 in message",
    },
}
"""Source: AutoGen 0.7.5, `agent_worker.proto`. The control channel is left out: AutoGen's workers do not open it."""

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "bool": _Field.TYPE_BOOL,
    "bytes": _Field.TYPE_BYTES,
    "int32": _Field.TYPE_INT32,
    "string": _Field.TYPE_STRING,
}


def _describe(message: Any, fields: Fields, package: str) -> None:
    """Fill the descriptor of a message; a field is `[repeated|map] TYPE NUMBER [in ONEOF]`."""
    for name, text in fields.items():
        words = text.split()
        rule = words.pop(0) if words[0] in ("repeated", "map") else ""
        field = message.field.add(name=name, number=int(words[1]), label=_Field.LABEL_OPTIONAL)
        if rule:
            field.label = _Field.LABEL_REPEATED
        if rule == "map":
            entry = message.nested_type.add(name=f"{name.title()}Entry")
            entry.options.map_entry = True
            _describe(entry, {"key": "string 1", "value": f"{words[0]} 2"}, package)
            _set_type(field, f"{package}.{message.name}.{entry.name}", package)
        else:
            _set_type(field, words[0], package)
        if len(words) > 2:
            known = [each.name for each in message.oneof_decl]
            if words[3] not in known:
                message.oneof_decl.add(name=words[3])
                known.append(words[3])
            field.oneof_index = known.index(words[3])


def _set_type(field: Any, named: str, package: str) -> None:
    if named in _SCALARS:
        field.type = _SCALARS[named]
    else:
        field.type = _Field.TYPE_MESSAGE
        is_full = named.startswith((f"{package}.", "google.", "io."))
        field.type_name = f".{named}" if is_full else f".{package}.{named}"


def _file(name: str, package: str, messages: Mapping[str, Fields], imports: list[str]) -> Any:
    file = descriptor_pb2.FileDescriptorProto(name=name, package=package, syntax="proto3", dependency=imports)
    made: dict[str, Any] = {}
    for full, fields in messages.items():
        outer, _, own = full.rpartition(".")
        made[full] = made[outer].nested_type.add(name=own) if outer else file.message_type.add(name=own)
        _describe(made[full], fields, package)
    return file


def _pool() -> DescriptorPool:
    pool: Any = DescriptorPool()
    for known in (any_pb2, timestamp_pb2):
        pool.AddSerializedFile(known.DESCRIPTOR.serialized_pb)
    imports = ["google/protobuf/any.proto", "google/protobuf/timestamp.proto"]
    for file in (
        _file("cloudevent.proto", "io.cloudevents.v1", _CLOUD_EVENTS, imports),
        _file("agent_worker.proto", "agents", _AGENTS, ["cloudevent.proto"]),
    ):
        pool.AddSerializedFile(file.SerializeToString())
    return cast("DescriptorPool", pool)


_POOL = _pool()


def message_class(name: str) -> Any:
    """The class of a message of the wire, such as `agents.Message`."""
    return GetMessageClass(_POOL.FindMessageTypeByName(name))


Message = message_class("agents.Message")
RpcRequest = message_class("agents.RpcRequest")
RpcResponse = message_class("agents.RpcResponse")
WireSubscription = message_class("agents.Subscription")
CALLS: Mapping[str, tuple[Any, Any]] = {
    name: (message_class(f"agents.{asked}Request"), message_class(f"agents.{asked}Response"))
    for name, asked in {
        "RegisterAgent": "RegisterAgentType",
        "AddSubscription": "AddSubscription",
        "RemoveSubscription": "RemoveSubscription",
        "GetSubscriptions": "GetSubscriptions",
    }.items()
}
"""The calls with one request and one response; `OpenChannel` streams `Message` both ways."""


def subscription_as_message(subscription: Subscription) -> Any:
    """Raises: ValueError: It is of a class of the program's own, which a host cannot ask."""
    if isinstance(subscription, TypeSubscription):
        fields = {"topic_type": subscription.topic_type, "agent_type": subscription.agent_type}
        return WireSubscription(id=subscription.id, typeSubscription=fields)
    if isinstance(subscription, TypePrefixSubscription):
        fields = {"topic_type_prefix": subscription.topic_type_prefix, "agent_type": subscription.agent_type}
        return WireSubscription(id=subscription.id, typePrefixSubscription=fields)
    raise ValueError(
        f"{type(subscription).__name__} cannot be sent to a host. Use a TypeSubscription or a TypePrefixSubscription."
    )


def subscription_from_message(message: Any) -> TypeSubscription | TypePrefixSubscription:
    """Raises: ValueError: It names neither a type nor the beginning of one, or no agents."""
    found = message.WhichOneof("subscription")
    if found is None:
        raise ValueError("The subscription names no topics.")
    asked = getattr(message, found)
    agents = AgentId(asked.agent_type, "default").type  # which says what is wrong with the name
    if found == "typeSubscription":
        return TypeSubscription(asked.topic_type, agents, message.id)
    return TypePrefixSubscription(asked.topic_type_prefix, agents, message.id)


# --- what is published ---

_CONTENT_TYPE, _TYPE_NAME, _KIND = "datacontenttype", "dataschema", "agmsgkind"
_SENDER_TYPE, _SENDER_KEY = "agagentsendertype", "agagentsenderkey"
_NO_AGENT = AgentId("unknown", "unknown")
"""AutoGen's name for code outside of agents."""


def event_message(
    id: str, topic: tuple[str, str], sender: AgentId | None, type_name: str, content_type: str, data: bytes
) -> Any:
    """A message that is published.

    Args:
        topic: Its type and its source.
        content_type: Of the data.
        data: For Protocol Buffers an `Any`.
    """
    named = sender or _NO_AGENT
    attributes = {
        _CONTENT_TYPE: content_type,
        _TYPE_NAME: type_name,
        _SENDER_TYPE: named.type,
        _SENDER_KEY: named.key,
        _KIND: "publish",
    }
    message = Message()
    event = message.cloudEvent
    event.id, event.spec_version, (event.type, event.source) = id, "1.0", topic
    for name, value in attributes.items():
        event.attributes[name].ce_string = value
    if content_type == PROTOBUF_DATA_CONTENT_TYPE:
        event.proto_data.ParseFromString(data)
    else:
        event.binary_data = data
    return message


def sender_of_event(event: Any) -> AgentId | None:
    """Raises: InvalidName: No agent can have the name."""
    found = _attribute(event, _SENDER_TYPE), _attribute(event, _SENDER_KEY)
    return AgentId(*found) if found[0] and found != (_NO_AGENT.type, _NO_AGENT.key) else None


def content_of_event(event: Any) -> tuple[str, str, bytes]:
    """Name of the type, media type, and data."""
    kind = event.WhichOneof("data")
    data: Any = getattr(event, kind) if kind else b""
    if kind == "proto_data":
        data = data.SerializeToString()
    elif kind == "text_data":
        data = data.encode()
    return _attribute(event, _TYPE_NAME), _attribute(event, _CONTENT_TYPE), data


def _attribute(event: Any, name: str) -> str:
    return str(event.attributes[name].ce_string) if name in event.attributes else ""
