"""What a form shows, field by field: plain values that the templates draw."""

import json
from dataclasses import dataclass

from pydantic import JsonValue

from studio.errors import Finding

Json = JsonValue


@dataclass(frozen=True)
class ComponentValue:
    """A component that fills a slot, as one line of the form."""

    pointer: str
    label: str
    provider: str
    component_type: str
    problem_count: int


@dataclass(frozen=True)
class Variant:
    """One way to fill a field that may hold different things; `value_json` is what choosing it writes."""

    label: str
    value_json: str
    is_current: bool


@dataclass(frozen=True)
class FormField:
    """One value of a config: what it is called, what it holds, how it is edited, what is wrong with it."""

    name: str
    label: str
    pointer: str
    kind: str
    """A JSON type, or the way to edit it: multiline, code, choice, secret, component, components, list, map."""
    value: Json = None
    help: str = ""
    unit: str = ""
    error: str = ""
    fix: str = ""
    default_json: str = ""
    """JSON that a reset writes; empty when the field has no default."""
    item_json: str = ""
    """JSON that one more entry of a list or map starts as."""
    language: str = ""
    minimum: float | None = None
    maximum: float | None = None
    is_required: bool = False
    is_nullable: bool = False
    is_changed: bool = False
    is_primary: bool = False
    is_removable: bool = False
    accepts: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    parts: tuple["FormField", ...] = ()
    components: tuple[ComponentValue, ...] = ()

    @property
    def control_id(self) -> str:
        return "field" + self.pointer.replace("/", "-").replace("~", "_")

    @property
    def data_kind(self) -> str:
        """How the page turns the text of the control into a JSON value."""
        kind = {"text": "string", "multiline": "string", "code": "string", "secret": "string", "choice": "string"}.get(
            self.kind, self.kind
        )
        return f"null-{kind}" if self.is_nullable and kind in {"string", "integer", "number", "boolean"} else kind

    @property
    def text(self) -> str:
        """The value as the text of a control. A literal secret is never repeated."""
        if self.value is None or (self.kind == "secret" and not self.is_reference):
            return ""
        if isinstance(self.value, str):
            return self.value
        return json.dumps(self.value, ensure_ascii=False, indent=2 if self.kind == "json" else None)

    @property
    def is_reference(self) -> bool:
        return isinstance(self.value, str) and self.value.startswith(("env:", "secret:"))

    @property
    def has_error(self) -> bool:
        return (
            bool(self.error)
            or any(part.has_error for part in self.parts)
            or any(c.problem_count for c in self.components)
        )


@dataclass(frozen=True)
class FormModel:
    """All that the form of one component shows."""

    pointer: str
    provider: str
    component_type: str
    title: str
    help: str
    label: FormField
    primary: tuple[FormField, ...]
    more: tuple[FormField, ...]
    problems: tuple[Finding, ...]
    """Findings about this component that belong to none of its fields."""
    is_opaque: bool = False

    @property
    def changed_count(self) -> int:
        return sum(each.is_changed for each in self.more)

    @property
    def is_more_open(self) -> bool:
        return any(each.has_error for each in self.more)
