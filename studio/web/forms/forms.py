"""The form of one component, or of a part of its config, made from its JSON schema.

Pure: no request and no store. `build_form` needs no class either, so a form can be made for anything that has a schema.
The templates in `fragments/form.html` and `macros/forms.html` draw what is built here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from studio.components import component_classes, find_class, form_schema
from studio.components.pointers import escape, steps_of
from studio.errors import Finding, NotFound
from studio.web.forms.form_fields import FieldMaker, FieldPosition, InPlace, Problems
from studio.web.forms.form_model import Alternative, FormField, FormModel, Json
from studio.web.forms.form_schema import Object, Schemas, accepts, as_list, as_object, filled

_FEW_FIELDS = 4
_MAX_PLAIN_FIELDS = 7
_MAX_FIELDS_IN_PLACE = 4
_MAX_DEPTH_IN_PLACE = 3
_ENVELOPE = ("config", "provider", "component_type", "component_version")


def form_at(
    document: Json,
    pointer: str,
    findings: Iterable[Finding] = (),
    stored_names: Mapping[str, tuple[str, ...]] | None = None,
) -> FormModel:
    """The form of what stands at `pointer` of `document`: a component, or a part of a component's config.

    Args:
        document: The whole of it.
        pointer: What is edited.
        findings: Errors and warnings of the document.
        stored_names: Of what the studio keeps, by what `x-choices` calls it.

    Raises:
        NotFound: Nothing that has a schema stands there.
    """
    chain = _chain(document, pointer)
    if not chain:
        raise NotFound("There is no component at this pointer.", where=pointer)
    where, component = chain[-1]
    schema = _schema_of(component)
    configs = tuple(as_object(owner.get("config")) for _, owner in reversed(chain))
    maker = FieldMaker(Schemas(as_object(schema.get("$defs"))), Problems(tuple(findings)), configs)
    maker = replace(maker, stored_names=stored_names or {})
    if where == pointer:
        slot = _slot_of(chain)
        return _component_form(maker, component, schema, pointer, alternatives=_alternatives(component, slot))
    return _part_form(maker, component, schema, where, pointer)


def build_form(component: Object, schema: Object, pointer: str = "", findings: Iterable[Finding] = ()) -> FormModel:
    """Make the form of `component`, which stands at `pointer` of the document that `findings` speak of.

    Args:
        component: The envelope: provider, component_type, label, config.
        schema: What `form_schema` gives for its class, or {} when the class is unknown.
        pointer: JSON pointer of the component in its document; "" for the document itself.
        findings: Errors and warnings of the whole document; those of other places are left out.
    """
    schemas = Schemas(as_object(schema.get("$defs")))
    maker = FieldMaker(schemas, Problems(tuple(findings)), (as_object(component.get("config")),))
    return _component_form(maker, component, schema, pointer)


class _SmallForms(InPlace):
    """Components of a few plain fields, such as a termination or a context, are edited where they stand."""

    def __init__(self, around: FieldMaker, depth: int) -> None:
        self._around = around
        self._depth = depth

    def form_of(self, envelope: Object, pointer: str) -> FormModel | None:
        schema = _schema_of(envelope)
        properties = as_object(schema.get("properties"))
        if not 0 < len(properties) <= _MAX_FIELDS_IN_PLACE or self._depth > _MAX_DEPTH_IN_PLACE:
            return None
        if not self._around.room.has(len(properties)):
            return None
        owners = (as_object(envelope.get("config")), *self._around.owners)
        maker = replace(self._around, schemas=Schemas(as_object(schema.get("$defs"))), owners=owners)
        return _component_form(maker, envelope, schema, pointer, depth=self._depth + 1)


def _component_form(
    maker: FieldMaker,
    component: Object,
    schema: Object,
    pointer: str,
    *,
    alternatives: tuple[Alternative, ...] = (),
    depth: int = 0,
) -> FormModel:
    inner = replace(maker, in_place=_SmallForms(maker, depth))
    provider = str(component.get("provider") or "")
    found = find_class(provider)
    absent = cast("Object", found.absent_in_json if found else {})
    config = {**absent, **as_object(component.get("config"))}
    properties = as_object(schema.get("properties"))
    fields = inner.fields(properties, as_list(schema.get("required")), config, f"{pointer}/config")
    plain = sum(not each.is_advanced for each in fields)
    fields.sort(key=lambda each: (each.name != "name", not each.is_required, each.is_advanced))
    weighty = [each for each in fields if len(fields) <= _FEW_FIELDS or _is_primary(each, plain)]
    primary = tuple(weighty or [each for each in fields if not each.is_advanced])
    return FormModel(
        pointer=pointer,
        provider=provider,
        component_type=str(component.get("component_type") or ""),
        title=str(schema.get("title") or provider.rsplit(".", 1)[-1]),
        help=first_line(str(schema.get("description") or "")),
        label=FormField("label", "Label", f"{pointer}/label", "text", component.get("label"), "Shown in lists."),
        primary=primary,
        more=tuple(each for each in fields if each not in primary),
        problems=maker.problems.unclaimed(pointer, own=_ENVELOPE),
        alternatives=alternatives,
        is_opaque=not schema,
    )


def _is_primary(field: FormField, plain_count: int) -> bool:
    """Whether a field is shown at once: what few people need never is, the plain ones where they are not many.

    A name is; but that of the whole team is for teams around it, and there is none.
    """
    return (
        field.is_required
        or (field.name == "name" and not (field.is_advanced and field.pointer == "/config/name"))
        or (not field.is_advanced and (field.is_primary or plain_count <= _MAX_PLAIN_FIELDS))
    )


def _part_form(maker: FieldMaker, component: Object, schema: Object, where: str, pointer: str) -> FormModel:
    """The form of an object or entry inside a config.

    Raises:
        NotFound: It is not there, or the schema does not know it.
    """
    part_schema: Object | None = {"type": "object", **schema}
    value: Json = cast("Json", as_object(component.get("config")))
    name, is_required = "config", True
    for step in steps_of(pointer[len(where) :])[1:]:
        read = maker.schemas.read(part_schema, value)
        part_schema, value = maker.schemas.child(read, step), _entry(value, step)
        if part_schema is None or value is None:
            raise NotFound("There is nothing to edit at this pointer.", where=pointer)
        name, is_required = step, step in read.required
    made = maker.field(part_schema, value, FieldPosition(name, pointer, is_required))
    kind = maker.schemas.read(part_schema, value).schema
    has_parts = made.kind == "object"
    owner = as_object(component.get("config")).get("name")
    if not has_parts:
        made = replace(made, label=str(kind.get("x-label") or made.label))
    return FormModel(
        pointer=pointer,
        provider="",
        component_type="",
        title=_part_title(kind, value, made.label, str(owner or "")),
        help=first_line(str(kind.get("description") or "")) if has_parts else "",
        label=None,
        primary=made.parts if has_parts else (made,),
        more=made.folded if has_parts else (),
        problems=maker.problems.unclaimed(pointer, own=()) if has_parts else (),
    )


def _part_title(kind: Object, value: Json, label: str, owner: str) -> str:
    """Such as "Node writer", "Edge to editor" or "writer hands over to editor"."""
    word = str(kind.get("title") or label)
    parts = {"target": value} if isinstance(value, str) else as_object(value)
    title = str(kind.get("x-part-title") or "")
    if title and owner and parts.get("target"):
        return filled(title, {"owner": owner, "target": str(parts["target"])})
    for key, joint in (("name", " "), ("target", " to ")):
        if isinstance(parts.get(key), str) and parts[key]:
            return f"{word}{joint}{parts[key]}"
    return word


def _alternatives(component: Object, accepted: tuple[str, ...]) -> tuple[Alternative, ...]:
    """What may stand in the place of a component, sorted by kind and name."""
    here = find_class(str(component.get("provider") or ""))
    kinds = accepted or ((here.component_type,) if here else ())
    fitting = [cls for cls in component_classes() if cls.component_type in kinds and (cls.is_offered or cls is here)]
    if here is None or len(fitting) < 2:
        return ()
    fitting.sort(key=lambda cls: (cls.component_type != here.component_type, cls.component_type, cls.__name__))
    return tuple(Alternative(cls.provider, cls.__name__, cls is here) for cls in fitting)


def _slot_of(chain: Sequence[tuple[str, Object]]) -> tuple[str, ...]:
    """The component types that the slot of the innermost component takes; () for the outermost."""
    if len(chain) < 2:
        return ()
    (outer_at, outer), (pointer, _) = chain[-2:]
    schema = _schema_of(outer)
    schemas = Schemas(as_object(schema.get("$defs")))
    steps = steps_of(pointer[len(outer_at) :])
    properties = as_object(schema.get("properties"))
    place = as_object(properties.get(steps[1] if len(steps) > 1 else ""))
    return accepts(schemas, schemas.read(place, []).schema) or accepts(schemas, schemas.read(place, {}).schema)


def _schema_of(component: Object) -> Object:
    found = find_class(str(component.get("provider") or ""))
    return form_schema(found) if found else {}


def _chain(document: Json, pointer: str) -> list[tuple[str, Object]]:
    """The components that hold what stands at `pointer`, outermost first, each with its own pointer.

    Raises:
        NotFound: Nothing stands there.
    """
    here: Json = document
    where = ""
    found = [(where, as_object(here))] if _is_component(here) else []
    for step in steps_of(pointer):
        here = _entry(here, step)
        where = f"{where}/{escape(step)}"
        if here is None:
            raise NotFound("There is nothing at this pointer.", where=pointer)
        if _is_component(here):
            found.append((where, as_object(here)))
    return found


def _is_component(value: Json) -> bool:
    return isinstance(as_object(value).get("provider"), str)


def _entry(value: Json, step: str) -> Json:
    if isinstance(value, list):
        return value[int(step)] if step.isdecimal() and int(step) < len(value) else None
    return as_object(value).get(step)


def first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
