"""The fields of a form, each made from its schema, its value and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.components import sentence_case, title_from_name, unit_from_name
from studio.components.pointers import escape
from studio.errors import Finding
from studio.models.service_list import known_models
from studio.web.forms.form_model import ComponentValue, FormField, FormModel, Json, Variant
from studio.web.forms.form_schema import (
    Object,
    Read,
    Schemas,
    accepts,
    as_list,
    as_object,
    filled,
    is_advanced,
    is_slot,
    names_at,
    type_word,
)

_PRIMARY_KINDS = frozenset({"component", "components", "multiline", "code", "secret"})
_NUMBERS = frozenset({"integer", "number"})
_SCALARS = frozenset({"text", "multiline", "code", "choice", "secret", "boolean", *_NUMBERS})
MAX_FIELDS = 5_000
MAX_NAMES = 50_000


@dataclass
class Problems:
    """The findings of a document, at most as many as are listed, and which of them a field has already shown."""

    findings: Sequence[Finding]
    claimed: set[int] = field(default_factory=lambda: set[int]())

    def at(self, pointer: str, *, with_inner: bool) -> Finding | None:
        for index, finding in enumerate(self.findings):
            if finding.where == pointer or (with_inner and finding.where.startswith(pointer + "/")):
                self.claimed.add(index)
                return finding
        return None

    def count_within(self, pointer: str) -> int:
        inside = [index for index, each in enumerate(self.findings) if is_within(each.where, pointer)]
        self.claimed.update(inside)
        return len(inside)

    def unclaimed(self, pointer: str, *, own: Sequence[str]) -> tuple[Finding, ...]:
        """Those at `pointer`, or at its parts named in `own` and below, that no field has shown."""
        exact = {pointer, *(f"{pointer}/{name}" for name in own)}
        inside = f"{pointer}/config/" if own else f"{pointer}/"
        return tuple(
            each
            for index, each in enumerate(self.findings)
            if index not in self.claimed and (each.where in exact or each.where.startswith(inside))
        )


@dataclass
class FieldBudget:
    """How much a form may still show: of more, lists are edited as JSON and texts come without names to choose from."""

    fields: int = MAX_FIELDS
    names: int = MAX_NAMES

    def has(self, field_count: int) -> bool:
        """Whether so many more fields fit; then they are counted."""
        if field_count > self.fields:
            return False
        self.fields -= field_count
        return True

    def names_at(self, owners: Sequence[Object], pointer: str) -> tuple[str, ...]:
        names = names_at(owners, pointer) if self.names > 0 else ()
        self.names -= len(names)
        return names


@dataclass(frozen=True)
class FieldPosition:
    """Where a field stands in its parent."""

    name: str
    pointer: str
    is_required: bool = False
    is_present: bool = True
    is_removable: bool = False


class InPlace:
    """Decides which components get their form inside the form around them; this one: none."""

    def form_of(self, envelope: Object, pointer: str) -> FormModel | None:
        del envelope, pointer
        return None


@dataclass(frozen=True)
class FieldMaker:
    """Carries what every level needs."""

    schemas: Schemas
    problems: Problems
    owners: Sequence[Object] = ()
    """Configs from the component itself outwards, in which choices are looked up."""
    in_place: InPlace = field(default_factory=InPlace)
    room: FieldBudget = field(default_factory=FieldBudget)
    stored_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Of what the studio keeps, by what `x-choices` calls it."""

    def field(self, schema: Object, value: Json, place: FieldPosition) -> FormField:
        read = self.schemas.read(schema, value)
        has_default = "default" in read.outer
        if not place.is_present:
            read = self.schemas.read(schema, value := read.outer.get("default"))
        chosen = read.schema
        kind = _kind_for(read.kind, value)
        if isinstance(value, list | Mapping) and kind in {"list", "map", "object"} and not self.room.has(len(value)):
            kind = "json"
        choice = str(chosen.get("x-choices") or "")
        choices = self.stored_names.get(choice) or self.room.names_at(self.owners, choice)
        if choices and kind == "text":
            kind = "choice"
        options = choices or tuple(str(each) for each in as_list(chosen.get("enum")))
        finding = self.problems.at(place.pointer, with_inner=kind in {*_SCALARS, "json"})
        label, unit = _label_and_unit(place.name, read, kind)
        parts, folded = self._parts(read, kind, value, place.pointer)
        return FormField(
            name=place.name,
            label=label,
            pointer=place.pointer,
            kind=kind,
            value=value,
            help=_help(schema, read, kind),
            unit=unit,
            error=finding.message if finding else "",
            fix=finding.fix if finding else "",
            default_json=json.dumps(read.outer["default"], ensure_ascii=False) if has_default else "",
            item_json=self._item_json(chosen, kind),
            language=str(chosen.get("x-language") or ""),
            minimum=_bound(chosen, "minimum", "exclusiveMinimum"),
            maximum=_bound(chosen, "maximum", "exclusiveMaximum"),
            is_above_minimum="minimum" not in chosen and "exclusiveMinimum" in chosen,
            is_required=place.is_required,
            is_nullable=read.is_nullable,
            is_absent_when_empty=not (place.is_required or has_default or place.is_removable) and kind in _SCALARS,
            is_changed=has_default and place.is_present and value != read.outer["default"],
            is_primary=place.is_required or kind in _PRIMARY_KINDS or chosen.get("x-primary") is True,
            is_advanced=is_advanced(chosen),
            is_removable=place.is_removable,
            accepts=accepts(self.schemas, chosen),
            choices=_with_current(options, value) if kind == "choice" else (),
            suggestions=self.room.names_at(self.owners, str(chosen.get("x-suggestions") or ""))
            or self._known_models(chosen, place),
            has_service=place.name == "model" and "x-service" in chosen,
            variants=self._variants(read, value),
            parts=parts,
            folded=folded,
            components=self._components(kind, value, place.pointer),
            said=_description(chosen, value),
            said_else=str(chosen.get("x-says-else") or ""),
            has_fixed_keys=chosen.get("x-fixed-keys") is True,
        )

    def fields(self, properties: Object, required: Sequence[Json], values: Object, pointer: str) -> list[FormField]:
        """The fields of an object, without those that only tell its variant or follow from something else."""
        return [
            self.field(
                as_object(part),
                values.get(name),
                FieldPosition(name, f"{pointer}/{escape(name)}", name in required, name in values),
            )
            for name, part in properties.items()
            if "const" not in as_object(part) and as_object(part).get("x-hidden") is not True
        ]

    def _known_models(self, schema: Object, place: FieldPosition) -> tuple[str, ...]:
        """Names that the catalogue knows of the service which the field's own component asks."""
        if place.name != "model" or "x-service" not in schema:
            return ()
        config: Object = self.owners[0] if self.owners else {}
        address = config.get("base_url") or config.get("azure_endpoint") or ""
        return tuple(known_models(str(schema["x-service"]), str(address)))

    def _parts(
        self, read: Read, kind: str, value: Json, pointer: str
    ) -> tuple[tuple[FormField, ...], tuple[FormField, ...]]:
        if kind == "list":
            items = as_object(read.schema.get("items"))
            if hint := read.schema.get("x-suggestions"):
                items = {**items, "x-suggestions": hint}
            entries = enumerate(as_list(value))
            return tuple(self._entry(items, str(index + 1), f"{pointer}/{index}", each) for index, each in entries), ()
        if kind == "map":
            items = as_object(read.schema.get("additionalProperties"))
            given = as_object(value).items()
            return tuple(
                self._entry({**items, "title": key}, key, f"{pointer}/{escape(key)}", each) for key, each in given
            ), ()
        if kind != "object" or not isinstance(value, Mapping):
            return (), ()
        fields = self.fields(read.properties, read.required, value, pointer)
        return tuple(each for each in fields if not each.is_advanced), tuple(
            each for each in fields if each.is_advanced
        )

    def _entry(self, schema: Object, name: str, pointer: str, value: Json) -> FormField:
        return self.field(schema, value, FieldPosition(name, pointer, is_removable=True))

    def _variants(self, read: Read, value: Json) -> tuple[Variant, ...]:
        if len(read.variants) < 2 or is_slot(read.schema):
            return ()
        return tuple(
            Variant(
                type_word(each),
                json.dumps(self.schemas.example(each)),
                index == read.current,
                _kept(self.schemas, each, value),
                next((_text_part(other) for other in read.variants if _text_part(other)), ""),
            )
            for index, each in enumerate(read.variants)
        )

    def _components(self, kind: str, value: Json, pointer: str) -> tuple[ComponentValue, ...]:
        if kind not in {"component", "components"}:
            return ()
        several = [(f"{pointer}/{index}", each) for index, each in enumerate(as_list(value))]
        given = several if isinstance(value, list) else [(pointer, value)]
        return tuple(self._component(each, at) for at, each in given if isinstance(each, Mapping))

    def _component(self, envelope: Object, pointer: str) -> ComponentValue:
        provider = str(envelope.get("provider") or "")
        name = as_object(envelope.get("config")).get("name") or envelope.get("label") or provider.rsplit(".", 1)[-1]
        return ComponentValue(
            pointer,
            str(name),
            provider,
            str(envelope.get("component_type") or ""),
            self.problems.count_within(pointer),
            self.in_place.form_of(envelope, pointer),
        )

    def _item_json(self, schema: Object, kind: str) -> str:
        source = {"list": schema.get("items"), "map": schema.get("additionalProperties")}.get(kind)
        if source is not None:
            return json.dumps(self.schemas.example(as_object(source)))
        return json.dumps(self.schemas.example(schema)) if kind == "object" else ""


def _description(schema: Object, value: Json) -> str:
    """A value in the words of its schema: each of its phrases that names a part that is there."""
    values = {name: str(part) for name, part in as_object(value).items() if part not in (None, "")}
    phrases = [str(each) for each in as_list(schema.get("x-says"))]
    return " ".join(filled(each, values) for each in phrases if any(f"{{{name}}}" in each for name in values))


def _kind_for(kind: str, value: Json) -> str:
    """How a value is edited that may be of another type than its schema says, or one of several."""
    expected: dict[str, type] = {"list": list, "map": dict, "object": dict, "component": dict}
    if value is not None and not isinstance(value, expected.get(kind, object)):
        return "json"
    is_mixed = kind == "components" and any("provider" not in as_object(each) for each in as_list(value))
    return "list" if is_mixed else kind


def _kept(schemas: Schemas, variant: Object, value: Json) -> tuple[str, ...]:
    """The parts of a value that this variant takes over."""
    if not isinstance(value, Mapping):
        return ()
    properties = as_object(schemas.resolve(variant).get("properties"))
    return tuple(name for name, part in properties.items() if name in value and "const" not in as_object(part))


def _text_part(variant: Object) -> str:
    required = as_list(variant.get("required"))
    properties = as_object(variant.get("properties"))
    names = [
        str(name)
        for name in required
        if as_object(properties.get(str(name))).get("type") == "string"
        and "const" not in as_object(properties.get(str(name)))
    ]
    return names[0] if len(names) == 1 else ""


def _help(schema: Object, read: Read, kind: str) -> str:
    """What the field says of itself; the docstring of its group is no help at the field."""
    return str((schema if kind == "object" else read.schema).get("description") or "")


def _with_current(options: tuple[str, ...], value: Json) -> tuple[str, ...]:
    """A value that is none of the choices stays visible."""
    is_foreign = isinstance(value, str) and value != "" and value not in options
    return (*options, str(value)) if is_foreign else options


def _label_and_unit(name: str, read: Read, kind: str) -> tuple[str, str]:
    title = str(read.outer.get("title") or title_from_name(name))
    return sentence_case(title), unit_from_name(name) if kind in _NUMBERS else ""


def _bound(schema: Object, inclusive: str, exclusive: str) -> float | None:
    bound = schema.get(inclusive, schema.get(exclusive))
    return bound if isinstance(bound, (int, float)) else None


def is_within(pointer: str, outer: str) -> bool:
    return pointer == outer or pointer.startswith(outer + "/")
