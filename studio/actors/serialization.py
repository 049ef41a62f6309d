"""Messages as bytes, for agents in other processes and other languages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from types import UnionType
from typing import Any, Protocol, TypeVar, Union, cast, get_args, get_origin, get_type_hints, runtime_checkable

from pydantic import BaseModel

JSON_DATA_CONTENT_TYPE = "application/json"
PROTOBUF_DATA_CONTENT_TYPE = "application/x-protobuf"
T = TypeVar("T")


@runtime_checkable
class MessageSerializer(Protocol[T]):
    """Writes and reads messages of one type."""

    @property
    def data_content_type(self) -> str:
        """Media type of the bytes."""
        ...

    @property
    def type_name(self) -> str:
        """By which readers know the type."""
        ...

    def deserialize(self, payload: bytes) -> T: ...

    def serialize(self, message: T) -> bytes: ...


@dataclass
class UnknownPayload:
    """A message of a type that nobody here can read."""

    type_name: str
    data_content_type: str
    payload: bytes


class _Json(MessageSerializer[T]):
    """As JSON, under the name of the class."""

    def __init__(self, cls: type[T]) -> None:
        self.cls = cls

    @property
    def data_content_type(self) -> str:
        return JSON_DATA_CONTENT_TYPE

    @property
    def type_name(self) -> str:
        return self.cls.__name__


class DataclassJsonMessageSerializer(_Json[T]):
    """A dataclass of plain values.

    Raises:
        ValueError: A field may hold other messages or one of several types, which JSON does not tell apart.
    """

    def __init__(self, cls: type[T]) -> None:
        super().__init__(cls)
        if not is_dataclass(cls):
            raise ValueError(f"{cls!r} is not a dataclass.")
        for each in _types_of_fields(cls):
            if any(is_dataclass(part) or _is_model(part) for part in _parts_of(each)):
                raise ValueError(f"{cls.__name__} holds other messages. Make it a Pydantic model instead.")
            if get_origin(each) in (Union, UnionType):
                raise ValueError(f"{cls.__name__} has a field of several types. Make it a Pydantic model instead.")

    def deserialize(self, payload: bytes) -> T:
        return self.cls(**json.loads(payload.decode()))

    def serialize(self, message: T) -> bytes:
        return json.dumps(asdict(cast("Any", message))).encode()


Model = TypeVar("Model", bound=BaseModel)


class PydanticJsonMessageSerializer(_Json[Model]):
    """A Pydantic model."""

    def deserialize(self, payload: bytes) -> Model:
        return self.cls.model_validate_json(payload)

    def serialize(self, message: Model) -> bytes:
        return message.model_dump_json().encode()


class ProtobufMessageSerializer(MessageSerializer[T]):
    """A message of Protocol Buffers."""

    def __init__(self, cls: type[T]) -> None:
        self.cls: Any = cls

    @property
    def data_content_type(self) -> str:
        return PROTOBUF_DATA_CONTENT_TYPE

    @property
    def type_name(self) -> str:
        return str(self.cls.DESCRIPTOR.full_name)

    def deserialize(self, payload: bytes) -> T:
        # Inside an Any, as AutoGen's wire has it, so that a reader in another language knows the type.
        from google.protobuf import any_pb2

        packed, found = any_pb2.Any(), self.cls()
        packed.ParseFromString(payload)
        if not packed.Unpack(found):
            raise ValueError(f"The payload is no {self.type_name}.")
        return found

    def serialize(self, message: T) -> bytes:
        from google.protobuf import any_pb2

        packed = any_pb2.Any()
        packed.Pack(cast("Any", message))
        return packed.SerializeToString()


class SerializationRegistry:
    """The serializers of a runtime, by type name and media type."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], MessageSerializer[Any]] = {}

    def add_serializer(self, serializer: MessageSerializer[Any] | Sequence[MessageSerializer[Any]]) -> None:
        for each in serializer if isinstance(serializer, Sequence) else [serializer]:
            self._known[each.type_name, each.data_content_type] = each

    def is_registered(self, type_name: str, data_content_type: str) -> bool:
        return (type_name, data_content_type) in self._known

    def deserialize(self, payload: bytes, *, type_name: str, data_content_type: str) -> Any:
        """Read a message; one of an unknown type as an `UnknownPayload`."""
        found = self._known.get((type_name, data_content_type))
        return found.deserialize(payload) if found else UnknownPayload(type_name, data_content_type, payload)

    def serialize(self, message: Any, *, type_name: str, data_content_type: str) -> bytes:
        """Raises: ValueError: No serializer was added for its type."""
        if (found := self._known.get((type_name, data_content_type))) is None:
            raise ValueError(f"There is no serializer for {type_name!r} as {data_content_type!r}; add one.")
        return found.serialize(message)

    def type_name(self, message: Any) -> str:
        """The type name of a message or of its class."""
        cls: Any = message if isinstance(message, type) else type(message)
        return str(cls.DESCRIPTOR.full_name) if _is_protobuf(cls) else str(cls.__name__)


def try_get_known_serializers_for_type(cls: type[Any]) -> list[MessageSerializer[Any]]:
    """The serializers for a dataclass, a Pydantic model or a Protocol Buffers message; none for others.

    Raises:
        ValueError: The dataclass has fields that JSON does not tell apart.
    """
    if _is_model(cls):
        return [PydanticJsonMessageSerializer(cls)]
    if is_dataclass(cls):
        return [DataclassJsonMessageSerializer(cls)]
    return [ProtobufMessageSerializer(cls)] if _is_protobuf(cls) else []


def has_nested_base_model(cls: type[Any]) -> bool:
    """Whether a field of a dataclass may hold a Pydantic model, at any depth of lists and such."""
    return any(_is_model(part) for each in _types_of_fields(cls) for part in _parts_of(each))


def _types_of_fields(cls: Any) -> list[Any]:
    try:
        hints: Mapping[str, Any] = get_type_hints(cls)
    except NameError:  # a type that is local to a function
        hints = {each.name: each.type for each in fields(cls)}
    return [hints[each.name] for each in fields(cls)]


def _parts_of(annotation: Any) -> list[Any]:
    """The types in an annotation."""
    inner = get_args(annotation)
    return [part for each in inner for part in _parts_of(each)] if inner else [annotation]


def _is_model(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, BaseModel)


def _is_protobuf(cls: Any) -> bool:
    return isinstance(cls, type) and hasattr(cls, "DESCRIPTOR") and hasattr(cls, "SerializeToString")
