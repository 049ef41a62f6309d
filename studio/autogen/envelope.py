"""AutoGen's protocol of component classes: a class that says its config schema, `_to_config` and `_from_config`."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar, cast
from warnings import warn

from pydantic import BaseModel, JsonValue, ValidationError

from studio.components import Component as StudioComponent
from studio.components import load_component
from studio.errors import InvalidComponent

ComponentType = str
ConfigT = TypeVar("ConfigT", bound=BaseModel)
_SECTIONS = ("\n\nArgs:", "\n\nParameters:", "\n\nAttributes:", "\n\n")


class ComponentModel(BaseModel):
    """A component's JSON, as AgentChat's scripts hold it."""

    provider: str
    component_type: str | None = None
    version: int | None = None
    component_version: int | None = None
    description: str | None = None
    label: str | None = None
    config: dict[str, Any]


class ComponentFromConfig(Generic[ConfigT]):
    """Can be made from its config."""

    @classmethod
    def _from_config(cls, config: ConfigT) -> Any:
        del config
        raise NotImplementedError("This component does not support loading from config")

    @classmethod
    def _from_config_past_version(cls, config: dict[str, Any], version: int) -> Any:
        del config, version
        raise NotImplementedError("This component does not support loading from past versions")


class ComponentToConfig(Generic[ConfigT]):
    """Can say its config."""

    component_version: ClassVar[int] = 1
    component_provider_override: ClassVar[str | None] = None
    component_description: ClassVar[str | None] = None
    component_label: ClassVar[str | None] = None

    def _to_config(self) -> ConfigT:
        raise NotImplementedError("This component does not support dumping to config")

    def dump_component(self) -> ComponentModel:
        """The component as JSON.

        Raises:
            TypeError: Its class is local to a function, so nobody else can find it.
        """
        cls = type(self)
        provider = self.component_provider_override or provider_of(cls)
        if "<locals>" in provider:
            raise TypeError("Cannot dump component with local class")
        return ComponentModel(
            provider=provider,
            component_type=cast("Any", self).component_type,
            version=self.component_version,
            component_version=self.component_version,
            description=self.component_description or _first_section(cls),
            label=self.component_label or cls.__name__,
            config=self._to_config().model_dump(exclude_none=True),
        )


class ComponentLoader:
    """Finds the class that a component's JSON names, and makes an instance of it."""

    @classmethod
    def load_component(cls, document: Any = None, expected: Any = None, *, model: Any = None) -> Any:
        """Make an instance from a component model or its JSON.

        Raises:
            TypeError: It is no instance of `expected`, or of this class.
        """
        return load(document if model is None else model, expected or cls)


class ComponentSchemaType(Generic[ConfigT]):
    """Names its config schema in `component_config_schema`."""


class ComponentBase(ComponentToConfig[ConfigT], ComponentLoader, Generic[ConfigT]):
    """What an interface derives from whose implementations are components."""


class Component(ComponentFromConfig[ConfigT], ComponentSchemaType[ConfigT], Generic[ConfigT], metaclass=ABCMeta):
    """What an implementation derives from beside its interface."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in ("component_config_schema", "component_type"):
            if not hasattr(cls, name):
                lacks = f"Class variable '{name}' must be defined in {cls.__name__} to be a valid component"
                warn(lacks, stacklevel=2)
        provider = cls.__dict__.get("component_provider_override") or provider_of(cls)
        _plain_components[provider] = cls


Component.register(StudioComponent)

_plain_components: dict[str, type[Any]] = {}
"""Component classes of the script that derive from none of the engine's, by provider."""


before_loading: list[Callable[[], None]] = []
"""What must be done before a component is loaded."""


def provider_of(cls: type[Any]) -> str:
    """The provider of a class that names none."""
    return f"{cls.__module__}.{cls.__qualname__}"


def is_component_class(cls: type[Any]) -> bool:
    return issubclass(cls, StudioComponent) or all(
        issubclass(cls, part) for part in (ComponentFromConfig, ComponentToConfig, ComponentSchemaType, ComponentLoader)
    )


def is_component_instance(instance: object) -> bool:
    return is_component_class(type(instance))


def load(model: ComponentModel | dict[str, Any], expected: type[Any]) -> Any:
    """Make a component and see that it is of the kind wanted.

    Raises:
        TypeError: It is of another kind.
        ValueError: The provider names no class.
    """
    for prepare in before_loading:
        prepare()
    envelope = model if isinstance(model, ComponentModel) else ComponentModel(**model)
    plain = _plain_components.get(envelope.provider)
    if plain is not None and not issubclass(plain, StudioComponent):
        loaded = from_config(plain, envelope)
    else:
        loaded = _load(envelope)
        if loaded.is_opaque:
            raise ValueError(f"No component is registered as {envelope.provider!r}.")
    if expected is not ComponentLoader and not isinstance(loaded, expected):
        raise TypeError("Expected type does not match")
    return loaded


def _load(envelope: ComponentModel) -> StudioComponent:
    try:
        return load_component(cast("JsonValue", envelope.model_dump(mode="json", exclude_none=True)))
    except InvalidComponent as error:
        if isinstance(error.__cause__, ValidationError):
            raise error.__cause__ from error  # which AutoGen's scripts expect
        raise


def from_config(cls: Any, envelope: ComponentModel) -> Any:
    """Make an instance by the class's own `_from_config`."""
    version = envelope.component_version or cls.component_version
    if version < cls.component_version:
        return cls._from_config_past_version(envelope.config, version)
    return cls._from_config(cls.component_config_schema.model_validate(envelope.config))


def _first_section(cls: type[Any]) -> str | None:
    text = (inspect.cleandoc(cls.__doc__) if cls.__doc__ else "").strip()
    for mark in _SECTIONS:
        text = text.split(mark)[0]
    return text.strip() or None
