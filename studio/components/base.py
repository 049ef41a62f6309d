"""The base of everything that can stand on the canvas.

A component is one Pydantic class: its fields are the config, the form, the JSON and the constructor's arguments. On
the wire it is AutoGen's envelope, `{provider, component_type, version, component_version, description, label,
config}`. One wrap validator turns an envelope into an instance of the registered class, one wrap serializer turns it
back; Pydantic recurses, so that an error deep inside comes back with its whole path.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar, Literal, Self, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    JsonValue,
    ModelWrapValidatorHandler,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from studio.components.capability import Capability
from studio.components.document import check_bounds
from studio.components.findings import (
    findings_from,
    no_json,
    no_warning,
    not_an_envelope,
    unexpected,
)
from studio.components.former_summaries import FORMER_SUMMARIES
from studio.components.nulls import significant_nulls
from studio.components.pointers import escape, is_envelope
from studio.components.private_attributes import FastPrivateModel
from studio.components.registry import Registry
from studio.components.secrets import SecretRef, discreet
from studio.errors import Finding, InvalidComponent, InvalidDocument

_PLAIN = frozenset((str, int, float, bool, type(None)))
JsonObject = dict[str, JsonValue]
Upgrade = Callable[[JsonObject], JsonObject]
Warn = Callable[[str, str], None]
"""`warn(message, where)`; `where` is relative to the config, such as "/model_info"."""


registry: Registry[type[Component]] = Registry()
find_class = registry.find
component_classes = registry.all
load_packages = registry.load_packages


class Component(FastPrivateModel):
    """Something with a provider and a config that can be put on the canvas."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", polymorphic_serialization=True, arbitrary_types_allowed=True, defer_build=True
    )

    provider: ClassVar[str] = ""
    """Registered name, a public API. AutoGen's own string where AutoGen has the component. Empty: abstract."""
    aliases: ClassVar[tuple[str, ...]] = ()
    component_type: ClassVar[str] = "component"
    component_version: ClassVar[int] = 1
    upgrades: ClassVar[Mapping[int, Upgrade]] = {}
    """From a version to the next: takes the old config, returns the new one."""
    positional: ClassVar[tuple[str, ...]] = ()
    """Fields that the constructor takes by position, in AgentChat's order."""
    writes_itself: ClassVar[bool] = False
    """Whether its JSON is made by a serializer of its own, which knows a provider."""
    absent_in_json: ClassVar[Mapping[str, object]] = {}
    """What a field means that is missing in JSON, where that differs from the constructor's default."""
    starts_with: ClassVar[Mapping[str, JsonValue]] = {}
    """What a new one from the palette holds beside its defaults and the examples of its required fields."""
    keywords: ClassVar[str] = ""
    """Other words that a person may search it by."""
    keep_null: ClassVar[frozenset[str]] = frozenset()
    """Fields written even when null, because AutoGen's loader demands them."""
    is_offered: ClassVar[bool] = True
    """Whether the palette shows it; what cannot run here is only kept."""
    needs_jail: ClassVar[bool] = False
    """Whether it starts foreign programs, which the studio confines."""
    drawn_as: ClassVar[Literal["", "order", "hub", "handoffs", "graph"]] = ""
    """How the canvas shows the participants, for what has some."""
    led_by: ClassVar[str] = ""
    """What chooses the speaker, where participants are drawn around a hub: its name on the canvas."""
    leader_does: ClassVar[str] = "picks who speaks"
    """What that does, in a few words."""
    foreign: ClassVar[frozenset[str]] = frozenset()
    """Fields that hold another program's JSON; what looks like a component in there is none."""

    _label: str | None = PrivateAttr(default=None)
    _note: str | None = PrivateAttr(default=None)
    _unknown: JsonObject = PrivateAttr(default_factory=dict[str, JsonValue])

    def __init__(self, *args: Any, **data: Any) -> None:
        super().__init__(**self._name_arguments(args, data))

    @classmethod
    def _name_arguments(cls, args: Sequence[Any], data: dict[str, Any]) -> dict[str, Any]:
        if not args:
            return data
        names = cls.positional or tuple(cls.model_fields)
        if len(args) > len(names):
            raise TypeError(f"{cls.__name__} takes at most {len(names)} positional arguments, got {len(args)}.")
        named = dict(zip(names, args, strict=False))
        if twice := named.keys() & data.keys():
            raise TypeError(f"{cls.__name__} got {sorted(twice)[0]!r} by position and by name.")
        return {**named, **data}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.__dict__.get("provider"):
            registry.register(cls)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same class and say the same; what either did in a run does not count."""
        return isinstance(other, Component) and type(self) is type(other) and self._said() == other._said()

    def _said(self) -> tuple[object, ...]:
        if not self.provider:
            return (id(self),)  # it holds what no config says, such as a function
        return {name: vars(self).get(name) for name in type(self).model_fields}, self._label, self._note, self._unknown

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        return ((name, discreet(name or "", value)) for name, value in super().__repr_args__())

    # --- the wire ---

    @model_validator(mode="wrap")
    @classmethod
    def _from_envelope(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(value, Component) and not isinstance(value, cls):
            raise _wrong_kind(cls, type(value))
        if not is_envelope(value):
            # A class of a script needs no provider: it is made by its constructor and has no JSON.
            if not cls.provider and cls.__module__.startswith("studio.") and not isinstance(value, cls):
                raise PydanticCustomError(
                    "not_a_component", "A component is an object with 'provider' and 'config'.", {}
                )
            return handler(value)
        envelope = cast("JsonObject", value)
        found = find_class(cast("str", envelope["provider"]))
        if found is None:
            return cast("Self", opaque_class(cls).keep(envelope))
        if found is not cls:
            if not issubclass(found, cls):
                raise _wrong_kind(cls, found)
            return found.model_validate(envelope)
        config, unknown = cls._prepare(envelope)
        loaded = handler(config)
        loaded._label = _unless(envelope.get("label"), cls.__name__)
        loaded._note = _unless(envelope.get("description"), cls.summary(), FORMER_SUMMARIES)
        loaded._unknown = unknown
        return loaded

    @classmethod
    def _prepare(cls, envelope: JsonObject) -> tuple[JsonObject, JsonObject]:
        """Upgrade a config, apply the rules of `coerce`, and set aside what no field takes."""
        config = cls.current_config(envelope)
        config = cls.coerced(config, no_warning)
        # Our own components refuse unknown fields; AutoGen's loader ignores them, so there they are kept.
        known = cls.model_fields.keys()
        unknown = {} if cls.provider.startswith("studio.") else {k: v for k, v in config.items() if k not in known}
        kept = {name: item for name, item in config.items() if name not in unknown}
        return cast("JsonObject", {**cls.absent_in_json, **kept}), unknown

    @classmethod
    def current_config(cls, envelope: JsonObject) -> JsonObject:
        """The envelope's config, brought up to this class's version.

        Raises:
            PydanticCustomError: No config object, or one of a version that this class does not know.
        """
        config = envelope.get("config", {})
        if not isinstance(config, dict):
            raise PydanticCustomError("config_not_object", "`config` must be an object.", {})
        version = envelope.get("component_version") or cls.component_version
        if not isinstance(version, int) or version < 1:
            raise PydanticCustomError("bad_version", "`component_version` must be a whole number from 1 on.", {})
        if version > cls.component_version:
            raise PydanticCustomError(
                "newer_version",
                "Version {version} of this component is newer than the version {known} that this studio knows.",
                {"version": str(version), "known": cls.component_version},
            )
        with _foreseen():
            for step in range(version, cls.component_version):
                config = cls.upgrades[step](config)
        return config

    @classmethod
    def coerced(cls, config: JsonObject, warn: Warn) -> JsonObject:
        """What `coerce` makes of a config.

        Raises:
            ValueError: It holds what the rules did not foresee.
        """
        with _foreseen():
            return cls.coerce(config, warn)

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        """Correct what older files write differently; override per class. Must not change `config` in place."""
        del warn
        return config

    @model_serializer(mode="wrap")
    def _to_envelope(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        config: dict[str, Any] = dict(handler(self))
        for name in (*self.keep_null, *significant_nulls(self, self.absent_in_json)):
            config.setdefault(name, None)
        for name, item in self._unknown.items():
            config.setdefault(name, item)
        return {
            "provider": self.provider,
            "component_type": self.component_type,
            "version": self.component_version,
            "component_version": self.component_version,
            "description": self._note or self.summary(),
            "label": self.label,
            "config": config,
        }

    def dump_component(self) -> JsonObject:
        """This component and all inside it as AutoGen's component JSON; unset fields are left out.

        Raises: ConfigError when a part holds what has no JSON, such as a function of a script.
        """
        parts = (part for _, part in walk(self) if not part.is_opaque and not part.writes_itself)
        if without := next((part for part in parts if not part.provider), None):
            raise no_json(type(without).__name__)
        return cast("JsonObject", self.model_dump(mode="json", exclude_none=True))

    @classmethod
    def load_component(cls, document: JsonValue) -> Self:
        """Make an instance from component JSON. Executes, imports and contacts nothing.

        Raises:
            InvalidComponent: With every finding, each at its JSON pointer.
        """
        check_bounds(document)
        if not is_envelope(document):
            raise InvalidComponent([not_an_envelope(document)])
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            raise InvalidComponent(findings_from(error, document, find_class)) from error
        except (InvalidComponent, InvalidDocument):
            raise
        except Exception as error:  # a check that did not foresee what the document holds
            raise InvalidComponent([unexpected(error)]) from error

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        out = handler(schema)
        handler.resolve_ref_schema(out).update({"x-component": cls.component_type, "x-base": cls.__name__})
        return out

    # --- what a person or program may ask of any component ---

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring: help text everywhere."""
        return (inspect.getdoc(cls) or cls.__name__).split("\n", 1)[0]

    @property
    def label(self) -> str:
        """The author's name for it, or the class's."""
        return self._label or type(self).__name__

    @property
    def is_opaque(self) -> bool:
        """Whether this is a component that the studio keeps but cannot run."""
        return False

    def annotate(
        self, *, label: str | None = None, description: str | None = None, unknown: JsonObject | None = None
    ) -> Self:
        """Set the author's name and note for it, and config fields that only other programs read; returns itself."""
        self._label = _unless(label, type(self).__name__)
        self._note = _unless(description, self.summary())
        self._unknown = unknown or {}
        return self

    def capabilities(self) -> Iterator[Capability]:
        """What this component itself would need when it runs; its children speak for themselves."""
        for _, found in self._held():
            if isinstance(found, SecretRef):
                yield Capability("secret", f"Reads the secret {found.reference}.", found.reference)

    def advice(self) -> Iterator[Finding]:
        """What its author should know though nothing is wrong; pointers are relative to this one. See `Advice`."""
        yield from ()

    def children(self) -> Iterator[tuple[str, Component]]:
        """Components directly inside, each with its JSON pointer relative to this one."""
        for pointer, found in self._held():
            if isinstance(found, Component):
                yield pointer, found

    def _held(self) -> Iterator[tuple[str, Component | SecretRef]]:
        for name in type(self).model_fields:
            if type(value := getattr(self, name)) not in _PLAIN:  # most are
                yield from _held_in(value, f"/config/{escape(name)}")


def walk(component: Component, where: str = "") -> Iterator[tuple[str, Component]]:
    """The component and everything inside it, parents first, each with its JSON pointer."""
    yield where, component
    for pointer, child in component.children():
        yield from walk(child, where + pointer)


@contextmanager
def _foreseen() -> Generator[None]:
    """Turn what upgrades and rules of `coerce` trip over into an error at the component's place."""
    try:
        yield
    except ValueError:
        raise
    except Exception as error:
        raise PydanticCustomError("unexpected", "{message}", {"message": unexpected(error).message}) from error


def _wrong_kind(expected: type[Component], found: type[Component]) -> PydanticCustomError:
    """The error for a component that does not fit its place."""
    return PydanticCustomError(
        "wrong_component",
        "{expected} belongs here, but {found} is {kind}.",
        dict(
            expected=expected.component_type, wanted=expected.__name__, found=found.__name__, kind=found.component_type
        ),
    )


def _unless(value: JsonValue, usual: str, formerly: Container[str] = ()) -> str | None:
    return value if isinstance(value, str) and value != usual and value not in formerly else None


def _held_in(value: object, where: str) -> Iterator[tuple[str, Component | SecretRef]]:
    """The components and secrets of a value, each with its JSON pointer; components speak for what is inside them."""
    if isinstance(value, Component | SecretRef):
        yield where, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _held_in(getattr(value, name), f"{where}/{escape(name)}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(cast("Sequence[object]", value)):
            if not isinstance(item, str):  # a list may hold thousands
                yield from _held_in(item, f"{where}/{index}")
    elif isinstance(value, dict):
        for key, item in cast("dict[object, object]", value).items():
            yield from _held_in(item, f"{where}/{escape(str(key))}")


class Opaque(Component):
    """A component whose provider is not installed: shown and kept as it came, not runnable."""

    _raw: JsonObject = PrivateAttr(default_factory=dict[str, JsonValue])

    @classmethod
    def keep(cls, envelope: JsonObject) -> Self:
        """Hold an envelope whose provider nobody registered."""
        kept = cls.model_construct()
        kept._raw = envelope
        return kept

    @property
    def raw(self) -> JsonObject:
        """The envelope exactly as it came."""
        return self._raw

    def _said(self) -> tuple[object, ...]:
        return (self._raw,)

    @property
    def label(self) -> str:
        return str(self._raw.get("label") or str(self._raw["provider"]).rpartition(".")[2])

    @property
    def is_opaque(self) -> bool:
        return True

    @model_serializer(mode="wrap")
    def _to_envelope(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        del handler
        return self._raw

    def capabilities(self) -> Iterator[Capability]:
        yield from ()

    def children(self) -> Iterator[tuple[str, Component]]:
        yield from ()


@cache
def opaque_class(base: type[Component]) -> type[Opaque]:
    """An opaque class that fits where `base` is expected."""
    if base is Component:
        return Opaque
    return cast("type[Opaque]", type(f"Opaque{base.__name__}", (Opaque, base), {"__module__": __name__}))
