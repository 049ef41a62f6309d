"""Hypothesis strategies for the config of any component, made from the types of its fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue
from typing_extensions import is_typeddict

from studio.components import Component, JsonObject, SecretRef, component_classes, template, validate_component
from tests.code.envelopes import PROSE, TEXT

Strategy = st.SearchStrategy[Any]

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(-9, 9), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(TEXT, inner, max_size=2)),
    max_leaves=4,
)
PLAIN: dict[object, Strategy] = {
    bool: st.booleans(),
    int: st.integers(-9, 99),
    float: st.floats(-9, 99),
    str: st.one_of(PROSE, TEXT, st.sampled_from(["writer", "env:A_KEY"])),
    type(None): st.none(),
    SecretRef: st.sampled_from(["env:A_KEY", "secret:a-key"]),
    JsonValue: JSON,
}


def values(annotation: Any) -> Strategy:
    """JSON of a type, often valid."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation in PLAIN:
        return PLAIN[annotation]
    if origin is Annotated:
        return values(parts[0])
    if origin is Literal:
        return st.sampled_from(parts)
    if origin in (Union, UnionType):
        return st.one_of([values(part) for part in parts])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return st.dictionaries(st.sampled_from(["a", "b-c", "Ä/~"]), values(parts[1]), max_size=2)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return st.lists(values(parts[0]), max_size=2)
    return values_of(annotation) if isinstance(annotation, type) else JSON


def values_of(cls: type[object]) -> Strategy:
    """JSON of a class, often valid."""
    if issubclass(cls, Component):
        return components_of(cls)
    if issubclass(cls, BaseModel):
        return objects({name: field.annotation for name, field in cls.model_fields.items()})
    return objects(get_type_hints(cls)) if is_typeddict(cls) else JSON


def components_of(base: type[Component]) -> Strategy:
    """A new component of a kind, as it comes from the palette."""
    fitting = [cls for cls in component_classes() if issubclass(cls, base) and cls.provider.startswith("auto")]
    return st.sampled_from([template(cls) for cls in fitting]) if fitting else st.none()


def objects(fields: Mapping[str, Any]) -> Strategy:
    return st.fixed_dictionaries({}, optional={name: values(annotation) for name, annotation in fields.items()})


@st.composite
def components(draw: st.DrawFn, cls: type[Component]) -> JsonObject:
    """A component of a class with some fields that are not as the palette gives them; what is wrong is taken out."""
    first = template(cls)
    usual = cast("JsonObject", first["config"])
    config = {**usual, **draw(objects({name: field.annotation for name, field in cls.model_fields.items()}))}
    while errors := validate_component({**first, "config": cast("JsonObject", config)}).errors:
        wrong = {finding.where.split("/")[2] for finding in errors if finding.where.count("/") > 1} & config.keys()
        changed = {name for name in wrong if config[name] != usual.get(name)}
        if not changed:
            return first
        config = {name: usual.get(name) if name in changed else item for name, item in config.items()}
        config = {name: item for name, item in config.items() if name in usual or name not in changed}
    label = draw(st.sampled_from(["", "Ärger", 'a "quoted" one']))
    return {**first, "config": cast("JsonObject", config), **({"label": label} if label else {})}
