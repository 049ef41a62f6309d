"""Lets a script's classes be components: AgentChat's bases are plain Python classes, ours are Pydantic models.

A class that a script derives from one of these may set any attribute, in `__init__` before or after the call of
`super().__init__`, or without such a call; its annotations make no fields. What the engine knows of it stays the same:
it is a `Component`, so it can stand in a team beside our own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar, Self, cast

from pydantic import BaseModel, ModelWrapValidatorHandler, SerializerFunctionWrapHandler, model_serializer
from pydantic import model_validator as validator
from pydantic._internal._model_construction import ModelMetaclass
from pydantic_core import PydanticUndefined

from studio.autogen.adapters import adopt, given
from studio.autogen.dual_attribute import DualAttribute, dual_attribute_of, is_called_by_engine, is_dual
from studio.autogen.envelope import ComponentBase, ComponentModel, before_loading, from_config, load
from studio.components import Component, JsonObject, component_classes
from studio.components.base import registry

_MADE_BY_PYTHON = ("__module__", "__qualname__", "__doc__", "__classcell__", "__firstlineno__", "__orig_bases__")


_mixins: dict[type[Any], type[Freed]] = {}
"""By a class of ours; the nearest to the class that is freed gives the mixin."""
_made_by_hand: dict[type[Component], type[Component]] = {}
"""What stands for a class of ours and needed more than `free` does."""


class FreeMeta(ModelMetaclass):
    """Makes the classes of a script without looking for fields in them."""

    stands_for: type[Component] | None

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        stands_for: type[Component] | None = None,
        **kwargs: Any,
    ) -> FreeMeta:
        is_ours = str(namespace.get("__module__")).startswith("studio.")
        if is_ours:
            cls = cast("FreeMeta", super().__new__(mcs, name, bases, namespace, **kwargs))
        else:
            known = {key: namespace[key] for key in _MADE_BY_PYTHON if key in namespace}
            cls = cast("FreeMeta", super().__new__(mcs, name, bases, known, **kwargs))
            _fill(cls, {key: value for key, value in namespace.items() if key not in known}, bases)
        type.__setattr__(cls, "stands_for", stands_for)
        if is_ours and stands_for is not None and namespace["__module__"] != __name__:
            _made_by_hand[stands_for] = cast("type[Component]", cls)
            cls.__doc__ = stands_for.__doc__  # what a file says of the component, whoever wrote it
        return cls

    def __getattr__(cls, name: str) -> Any:
        """AgentChat has the default of an argument as `DEFAULT_` and its name; here it is the field's."""
        field = cast("type[BaseModel]", cls).model_fields.get(default_of(name))
        return cast("Any", super()).__getattr__(name) if field is None else field.get_default(call_default_factory=True)

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls.stands_for is not None and isinstance(instance, cls.stands_for):
            return True
        return super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if cls.stands_for is not None and issubclass(subclass, cls.stands_for):
            return True
        return super().__subclasscheck__(subclass)


def default_of(name: str) -> str:
    """The argument whose default goes by this name; empty when it is no such name."""
    return name.removeprefix("DEFAULT_").lower() if name.startswith("DEFAULT_") else ""


def _fill(cls: FreeMeta, members: Mapping[str, Any], bases: tuple[type, ...]) -> None:
    """Give a script's class its members, as Python would, and undo what Pydantic read into the bases."""
    component = cast("type[Component]", cls)
    for name, member in members.items():
        shown = DualAttribute(name, getattr(component, name, None), member) if is_dual(component, name) else member
        type.__setattr__(cls, name, shown)
        if hasattr(member, "__set_name__"):
            member.__set_name__(cls, name)
    abstract = {
        name for base in cast("tuple[Any, ...]", bases) for name in getattr(base, "__abstractmethods__", ())
    } | set(members)
    missing = (name for name in abstract if getattr(getattr(cls, name, None), "__isabstractmethod__", False))
    type.__setattr__(cls, "__abstractmethods__", frozenset(missing))
    inherited = {field for base in bases if issubclass(base, BaseModel) for field in base.model_fields}
    for name in component.model_fields.keys() - inherited:
        del component.model_fields[name]
    if "dump_component" in members:
        component.writes_itself = True
    if "component_config_schema" in members or "component_provider_override" in members:
        override = members.get("component_provider_override")
        component.provider = override or f"{cls.__module__}.{cls.__qualname__}"
        registry.register(component)


class Config(BaseModel, extra="allow"):
    """A config whose fields can be read as attributes."""


class Freed(Component, ComponentBase[BaseModel], metaclass=FreeMeta):
    """A component as AgentChat's scripts know them."""

    component_config_schema: ClassVar[Any] = None
    component_provider_override: ClassVar[str | None] = None
    component_description: ClassVar[str | None] = None
    component_label: ClassVar[str | None] = None

    def __new__(cls, *_args: Any, **_data: Any) -> Self:
        self = super().__new__(cls)
        set_slot = object.__setattr__
        set_slot(self, "__pydantic_fields_set__", set())
        set_slot(self, "__pydantic_extra__", None)
        private = cls.__private_attributes__.items()
        defaults = {name: item.get_default(call_default_factory=True) for name, item in private}
        known = {name: value for name, value in defaults.items() if value is not PydanticUndefined}
        set_slot(self, "__pydantic_private__", known)
        for name, field in cls.model_fields.items():
            if not field.is_required() and field.default_factory is None:
                vars(self)[name] = field.get_default()
        return self

    def __init__(self, *args: Any, **data: Any) -> None:
        before = {name: value for name, value in vars(self).items() if name not in self.__private_attributes__}
        names = (*self.positional, *("" for _ in args))
        given_by_place = [self._adopted(name, value) for name, value in zip(names, args, strict=False)]
        super().__init__(*given_by_place, **{name: self._adopted(name, value) for name, value in data.items()})
        for name, value in before.items():
            vars(self).setdefault(name, value)

    @classmethod
    def _adopted(cls, name: str, value: Any) -> Any:
        """The value of an argument; None where a component must be is a component that fails when it is used."""
        field = cls.model_fields.get(name)
        return adopt(name, value, is_needed=field is not None and field.is_required())

    @classmethod
    def __class_getitem__(cls, _parameters: object) -> type[Self]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return cls  # the parameters of `BaseTool[Args, Return]` only tell a type checker something

    def __setattr__(self, name: str, value: Any) -> None:
        cls = type(self)
        if is_dual(cls, name):
            by_engine, shared = is_called_by_engine(1), dual_attribute_of(cls, name)
            if shared is None and not by_engine:
                shared = DualAttribute(name, getattr(cls, name, None))
                type.__setattr__(cls, name, shared)
            if shared is not None:
                shared.set(self, value, by_engine=by_engine)
                return
        if name in cls.__private_attributes__:
            cast("dict[str, Any]", self.__pydantic_private__)[name] = vars(self)[name] = value
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)

    def __getattr__(self, name: str) -> Any:
        """AgentChat keeps constructor arguments under `_name`; here they are fields."""
        field = name[1:]
        if name.startswith("_") and field in type(self).model_fields and field in self.__dict__:
            return given(self.__dict__[field])
        if default_of(name):
            return getattr(type(self), name)
        return cast("Any", super()).__getattr__(name)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @classmethod
    def _has_config(cls) -> bool:
        """Whether a script's class says itself what its config is."""
        return not cls._to_config.__module__.startswith("studio.")

    @classmethod
    def _prepare(cls, envelope: JsonObject) -> tuple[JsonObject, JsonObject]:
        config, unknown = super()._prepare(envelope)
        needed = {name for name, field in cls.model_fields.items() if field.is_required()}
        return {name: item for name, item in config.items() if item is not None or name not in needed}, unknown

    @validator(mode="wrap")
    @classmethod
    def _from_envelope(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        provider = cast("dict[str, Any]", value).get("provider") if isinstance(value, dict) else None
        if provider is None and isinstance(value, dict | cls):
            return handler(value)
        if provider and registry.find(str(provider)) is cls and cls._has_config():
            return cast("Self", from_config(cls, ComponentModel.model_validate(value)))
        return super()._from_envelope(value, handler)  # pyright: ignore[reportCallIssue, reportUnknownVariableType]

    @model_serializer(mode="wrap")
    def _to_envelope(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        if self._has_config():
            return ComponentBase[BaseModel].dump_component(self).model_dump(mode="json", exclude_none=True)
        if not type(self).dump_component.__module__.startswith("studio."):
            return self.dump_component().model_dump(mode="json", exclude_none=True)
        return super()._to_envelope(handler)  # pyright: ignore[reportCallIssue] -- a method again, once the class is made

    def dump_component(self) -> Any:
        """This component and all inside it, as the `ComponentModel` that AgentChat's scripts expect."""
        if self._has_config():
            return ComponentBase[BaseModel].dump_component(self)
        if not self.provider:
            raise NotImplementedError("This component does not support dumping to config")
        return ComponentModel.model_validate(Component.dump_component(self))

    @classmethod
    def load_component(cls, document: Any = None, expected: Any = None, *, model: Any = None) -> Any:
        """Make an instance from a component model or its JSON."""
        return load(document if model is None else model, expected or cls)

    def _to_config(self) -> Any:
        """The config with its fields as attributes; AgentChat's subclasses call it."""
        nothing = dict.fromkeys(type(self).model_fields)
        return Config.model_validate({**nothing, **_with_models(self.dump_component().config)})

    @classmethod
    def _from_config(cls, config: BaseModel) -> Self:
        return cls.load_component({"provider": cls.provider, "config": config.model_dump(exclude_none=True)})


def _with_models(value: Any) -> Any:
    """The config with component models in place of their JSON."""
    if isinstance(value, list):
        return [_with_models(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    known = cast("dict[str, Any]", value)
    if "provider" in known and "config" in known:
        return ComponentModel.model_validate(known)
    return {key: _with_models(item) for key, item in known.items()}


@cache
def free(cls: type[Component]) -> type[Component]:
    """Our class as a script knows it; it takes the provider over, so that loading gives the same class."""
    if cls in _made_by_hand:
        return _made_by_hand[cls]
    mixin = next((_mixins[base] for base in cls.__mro__ if base in _mixins), Freed)
    names = {"provider": cls.provider, "aliases": cls.aliases} if cls.__dict__.get("provider") else {}
    # Pydantic would take what runs after validation from the mixin, which comes first.
    members = {"__module__": __name__, "__doc__": cls.__doc__, "model_post_init": cls.model_post_init, **names}
    make = cast("Callable[..., type[Component]]", FreeMeta)
    return make(cls.__name__, (mixin, cls), members, stands_for=cls)


def mix_in(base: type[Component], mixin: type[Freed]) -> None:
    """Let all classes of one kind be freed by their own mixin."""
    _mixins[base] = mixin


def free_all() -> None:
    """Take over every provider, so that what is loaded from JSON behaves like what a script makes."""
    for cls in list(component_classes()):
        if not issubclass(cls, Freed):
            free(cls)


before_loading.append(free_all)
