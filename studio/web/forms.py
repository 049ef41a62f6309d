"""The form of one component, made from its JSON schema, its values and what is wrong with them.

Pure: no request and no store. `build_form` needs no class either, so a form can be made for anything that has a schema.
The templates in `fragments/form.html` and `macros/forms.html` draw what is built here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from studio.components import find_class, form_schema
from studio.errors import Finding, NotFound
from studio.web.form_model import ComponentValue, FormField, FormModel, Json, Variant

Object = Mapping[str, JsonValue]

_FEW_FIELDS = 4
_UNITS = {
    "_seconds": "s",
    "_s": "s",
    "timeout": "s",
    "_tokens": "tokens",
    "token_limit": "tokens",
    "token_count": "tokens",
}
_JSON_TYPES: dict[type, str] = {bool: "boolean", str: "string", int: "integer", float: "number", list: "array"}
_SIMPLE_KINDS = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}


@dataclass(frozen=True)
class _Builder:
    """Carries what every level needs: the definitions that `$ref` names, and the findings."""

    definitions: Object
    findings: Sequence[Finding]
    claimed: set[int] = field(default_factory=lambda: set[int]())

    def resolve(self, schema: Object) -> Object:
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        target = _object(self.definitions.get(reference.rsplit("/", 1)[-1]))
        return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}

    def error(self, pointer: str, *, with_inner: bool) -> Finding | None:
        for index, finding in enumerate(self.findings):
            if finding.where == pointer or (with_inner and finding.where.startswith(pointer + "/")):
                self.claimed.add(index)
                return finding
        return None

    def problems_within(self, pointer: str) -> int:
        inside = [index for index, each in enumerate(self.findings) if _is_within(each.where, pointer)]
        self.claimed.update(inside)
        return len(inside)


def form_at(document: Json, pointer: str, findings: Iterable[Finding] = ()) -> FormModel:
    """The form of the component at `pointer` of `document`.

    Raises:
        NotFound: No component stands there.
    """
    component = _at(document, pointer)
    provider = component.get("provider")
    if not isinstance(provider, str):
        raise NotFound("No component stands at this place of the document.", where=pointer)
    found = find_class(provider)
    schema = form_schema(found) if found else {}
    absent = cast("Object", found.absent_in_json if found else {})
    return build_form(component, schema, pointer, findings, absent)


def build_form(
    component: Object, schema: Object, pointer: str = "", findings: Iterable[Finding] = (), absent: Object | None = None
) -> FormModel:
    """Make the form of `component`, which stands at `pointer` of the document that `findings` speak of.

    Args:
        component: The envelope: provider, component_type, label, config.
        schema: What `form_schema` gives for its class, or {} when the class is unknown.
        pointer: JSON pointer of the component in its document; "" for the document itself.
        findings: Errors and warnings of the whole document; those of other places are left out.
        absent: What fields mean that the config leaves out, where that is not the schema's default.
    """
    builder = _Builder(_object(schema.get("$defs")), tuple(findings))
    config = {**(absent or {}), **_object(component.get("config"))}
    required = {name for name in _list(schema.get("required")) if isinstance(name, str)}
    fields = [
        _field(
            builder,
            name,
            _object(part),
            config.get(name),
            f"{pointer}/config/{escape(name)}",
            name in required,
            name in config,
        )
        for name, part in _object(schema.get("properties")).items()
    ]
    is_short = len(fields) <= _FEW_FIELDS
    fields.sort(key=lambda each: not each.is_required)
    provider = str(component.get("provider") or "")
    label = FormField("label", "Shown as", f"{pointer}/label", "text", component.get("label"), "Its name in lists.")
    return FormModel(
        pointer=pointer,
        provider=provider,
        component_type=str(component.get("component_type") or ""),
        title=str(schema.get("title") or provider.rsplit(".", 1)[-1]),
        help=first_line(str(schema.get("description") or "")),
        label=label,
        primary=tuple(each for each in fields if is_short or each.is_primary),
        more=() if is_short else tuple(each for each in fields if not each.is_primary),
        problems=_unclaimed(builder, pointer),
        is_opaque=not schema,
    )


def _unclaimed(builder: _Builder, pointer: str) -> tuple[Finding, ...]:
    own = {pointer, *(f"{pointer}/{name}" for name in ("config", "provider", "component_type", "component_version"))}
    return tuple(
        each
        for index, each in enumerate(builder.findings)
        if index not in builder.claimed and (each.where in own or each.where.startswith(f"{pointer}/config/"))
    )


def _field(
    builder: _Builder,
    name: str,
    schema: Object,
    value: Json,
    pointer: str,
    is_required: bool,
    is_present: bool,
    is_removable: bool = False,
) -> FormField:
    variants, is_nullable = _variants(builder, schema)
    outer = builder.resolve(schema)
    if not is_present:
        value = outer.get("default")
    inner = _variant_of(variants, value) if variants else outer
    merged = {**inner, **{key: each for key, each in outer.items() if key not in {"anyOf", "oneOf", "allOf"}}}
    if values := _object(merged.get("additionalProperties")):
        merged["additionalProperties"] = {**builder.resolve(values)}
    kind = _kind(merged)
    has_inner = kind in {"list", "object", "map", "component", "components"}
    finding = builder.error(pointer, with_inner=not has_inner)
    has_default = "default" in outer
    return FormField(
        name=name,
        label=_sentence_case(str(outer.get("title") or name.replace("_", " "))),
        pointer=pointer,
        kind=kind,
        value=value,
        help=str(schema.get("description") or "") if kind == "object" else str(merged.get("description") or ""),
        unit=_unit(name, merged, kind),
        error=finding.message if finding else "",
        fix=finding.fix if finding else "",
        default_json=json.dumps(outer["default"]) if has_default else "",
        item_json=_item_json(builder, merged, kind),
        language=str(merged.get("x-language") or ""),
        minimum=_bound(merged, "minimum", "exclusiveMinimum"),
        maximum=_bound(merged, "maximum", "exclusiveMaximum"),
        is_required=is_required,
        is_nullable=is_nullable,
        is_changed=has_default and is_present and value != outer["default"],
        is_primary=is_required
        or kind in {"component", "components", "multiline", "code"}
        or merged.get("x-primary") is True,
        is_removable=is_removable,
        accepts=_accepts(builder, merged),
        choices=tuple(str(each) for each in _list(merged.get("enum"))),
        variants=_choices_of_variant(builder, variants, inner) if len(variants) > 1 and not _is_slot(merged) else (),
        parts=_parts(builder, merged, kind, value, pointer),
        components=_components(builder, kind, value, pointer),
    )


def _variants(builder: _Builder, schema: Object) -> tuple[list[Object], bool]:
    """What `anyOf` and `oneOf` allow, without null; and whether null was among it."""
    resolved = builder.resolve(schema)
    options = [
        builder.resolve(_object(each)) for key in ("anyOf", "oneOf", "allOf") for each in _list(resolved.get(key))
    ]
    kept: list[Object] = []
    is_nullable = False
    for option in options:
        inner, inner_null = _variants(builder, option) if "anyOf" in option or "oneOf" in option else ([option], False)
        is_nullable = is_nullable or inner_null or option.get("type") == "null"
        kept += [each for each in inner if each.get("type") != "null"]
    return kept, is_nullable


def _variant_of(variants: Sequence[Object], value: Json) -> Object:
    return next((each for each in variants if _fits(each, value)), variants[0])


def _fits(schema: Object, value: Json) -> bool:
    if _is_slot(schema):
        return isinstance(value, Mapping)
    if isinstance(value, Mapping):
        constants = {name: _object(part).get("const") for name, part in _object(schema.get("properties")).items()}
        return schema.get("type") == "object" and all(
            value.get(name) == const for name, const in constants.items() if const is not None
        )
    expected = _JSON_TYPES.get(type(value), "null")
    return schema.get("type") == expected or (expected == "integer" and schema.get("type") == "number")


def _choices_of_variant(builder: _Builder, variants: Sequence[Object], current: Object) -> tuple[Variant, ...]:
    return tuple(
        Variant(_variant_label(each), json.dumps(example(builder.definitions, each)), each is current)
        for each in variants
    )


def _variant_label(schema: Object) -> str:
    names = {"string": "text", "object": "fields", "array": "list", "boolean": "yes or no"}
    kind = str(schema.get("type") or "JSON")
    return str(schema.get("title") or names.get(kind, kind))


def _accepts(builder: _Builder, schema: Object) -> tuple[str, ...]:
    place = schema if _is_slot(schema) else builder.resolve(_object(schema.get("items")))
    nested = [_object(each) for key in ("anyOf", "oneOf") for each in _list(place.get(key))]
    return tuple(str(each) for part in (place, *nested) for each in _list(part.get("x-accepts")))


def _is_slot(schema: Object) -> bool:
    return "x-component" in schema or "x-accepts" in schema


def _kind(schema: Object) -> str:
    items = _object(schema.get("items"))
    kind = schema.get("type")
    if _is_slot(schema):
        return "components" if kind == "array" else "component"
    if kind == "array":
        return "components" if _has_slot(items) else "list"
    if schema.get("x-secret") or schema.get("format") == "password":
        return "secret"
    if "enum" in schema:
        return "choice"
    if kind == "string":
        return "code" if schema.get("x-language") else "multiline" if schema.get("x-multiline") else "text"
    if kind == "object":
        return "object" if schema.get("properties") else "map" if _is_map(schema) else "json"
    return _SIMPLE_KINDS.get(str(kind), "json")


def _has_slot(items: Object) -> bool:
    return _is_slot(items) or any(
        _is_slot(_object(each)) for key in ("anyOf", "oneOf") for each in _list(items.get(key))
    )


def _is_map(schema: Object) -> bool:
    values = _object(schema.get("additionalProperties"))
    return values.get("type") in _SIMPLE_KINDS or bool(values.get("properties"))


def _parts(builder: _Builder, schema: Object, kind: str, value: Json, pointer: str) -> tuple[FormField, ...]:
    if kind == "list":
        items = _object(schema.get("items"))
        return tuple(
            _field(builder, str(index + 1), items, each, f"{pointer}/{index}", False, True, True)
            for index, each in enumerate(_list(value))
        )
    if kind == "map":
        items = _object(schema.get("additionalProperties"))
        return tuple(
            _field(builder, key, {**items, "title": key}, each, f"{pointer}/{escape(key)}", False, True, True)
            for key, each in _object(value).items()
        )
    if kind != "object" or value is None:
        return ()
    required = _list(schema.get("required"))
    given = _object(value)
    return tuple(
        _field(
            builder, name, _object(part), given.get(name), f"{pointer}/{escape(name)}", name in required, name in given
        )
        for name, part in _object(schema.get("properties")).items()
        if "const" not in _object(part) and not _is_kept_only(_object(part), given.get(name))
    )


def _is_kept_only(schema: Object, value: Json) -> bool:
    """An advanced field inside a group, which nobody has changed."""
    return schema.get("x-advanced") is True and value in (None, schema.get("default"))


def _components(builder: _Builder, kind: str, value: Json, pointer: str) -> tuple[ComponentValue, ...]:
    if kind == "component":
        return (_component(builder, value, pointer),) if isinstance(value, Mapping) else ()
    if kind == "components":
        given = _list(value) if isinstance(value, list) else [value]
        return tuple(
            _component(builder, each, f"{pointer}/{index}")
            for index, each in enumerate(given)
            if isinstance(each, Mapping)
        )
    return ()


def _component(builder: _Builder, envelope: Object, pointer: str) -> ComponentValue:
    provider = str(envelope.get("provider") or "")
    name = _object(envelope.get("config")).get("name") or envelope.get("label") or provider.rsplit(".", 1)[-1]
    return ComponentValue(
        pointer, str(name), provider, str(envelope.get("component_type") or ""), builder.problems_within(pointer)
    )


def example(definitions: Object, schema: Object) -> Json:
    """The smallest value a new entry of this schema may start as."""
    schema = _Builder(definitions, ()).resolve(schema)
    if "default" in schema:
        return schema["default"]
    if "const" in schema:
        return schema["const"]
    for key in ("anyOf", "oneOf", "enum"):
        options = _list(schema.get(key))
        if options:
            return options[0] if key == "enum" else example(definitions, _object(options[0]))
    if schema.get("type") == "object":
        required = _list(schema.get("required"))
        parts = _object(schema.get("properties"))
        return {
            name: example(definitions, _object(part))
            for name, part in parts.items()
            if name in required or "const" in _object(part)
        }
    empty: dict[str, Json] = {"string": "", "array": [], "integer": 0, "number": 0, "boolean": False}
    return empty.get(str(schema.get("type")))


def _item_json(builder: _Builder, schema: Object, kind: str) -> str:
    if kind == "list":
        return json.dumps(example(builder.definitions, _object(schema.get("items"))))
    if kind == "map":
        return json.dumps(example(builder.definitions, _object(schema.get("additionalProperties"))))
    return json.dumps(example(builder.definitions, schema)) if kind == "object" else ""


def _unit(name: str, schema: Object, kind: str) -> str:
    if kind not in {"integer", "number"}:
        return ""
    unit = str(schema.get("x-unit") or next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), ""))
    return "" if unit and f"({unit})" in str(schema.get("title")) else unit


def _bound(schema: Object, inclusive: str, exclusive: str) -> float | None:
    bound = schema.get(inclusive, schema.get(exclusive))
    return bound if isinstance(bound, (int, float)) else None


def _sentence_case(title: str) -> str:
    words = title.split()
    kept = [word if word.isupper() or index == 0 else word.lower() for index, word in enumerate(words)]
    return " ".join(kept)


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def escape(name: str) -> str:
    """One step of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def _is_within(pointer: str, outer: str) -> bool:
    return pointer == outer or pointer.startswith(outer + "/")


def _object(value: Json | Object | None) -> Object:
    return value if isinstance(value, Mapping) else {}


def _list(value: Json | Sequence[Json] | None) -> list[Json]:
    return list(value) if isinstance(value, list) else []


def _at(document: Json, pointer: str) -> Object:
    here = document
    for step in pointer.split("/")[1:]:
        if isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            here = here[int(step)]
        else:
            here = _object(here).get(step.replace("~1", "/").replace("~0", "~"))
    return _object(here)
