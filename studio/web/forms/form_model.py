"""What a form shows, field by field: plain values that the templates draw."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components import is_reference
from studio.components.secrets import MASK
from studio.errors import Finding

Json = JsonValue

_BLOCKS = frozenset({"list", "map", "object", "component", "components"})
_TEXTS = {"text": "string", "multiline": "string", "code": "string", "choice": "string"}
_MAX_IN_SUMMARY = 3
_SCALARS = frozenset({"string", "integer", "number", "boolean", "secret", "option"})


@dataclass(frozen=True)
class ComponentValue:
    """A component that fills a slot: one line of the form, or a form in place where it is small."""

    pointer: str
    label: str
    provider: str
    component_type: str
    problem_count: int
    form: "FormModel | None" = None


@dataclass(frozen=True)
class Variant:
    """One way to fill a field that may hold different things; `value_json` is what choosing it writes."""

    label: str
    value_json: str
    is_current: bool
    kept: tuple[str, ...] = ()
    """Parts of the present value that it takes over."""
    text_part: str = ""
    """The part that a plain text becomes, and that becomes a plain text."""


@dataclass(frozen=True)
class Alternative:
    """A component that may stand in the place of another."""

    provider: str
    label: str
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
    is_above_minimum: bool = False
    """Whether the minimum itself is already too small."""
    is_required: bool = False
    is_nullable: bool = False
    is_absent_when_empty: bool = False
    """Whether emptying the control takes the field out of the config, since null is no value of it."""
    is_changed: bool = False
    is_primary: bool = False
    is_advanced: bool = False
    is_removable: bool = False
    accepts: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    has_service: bool = False
    """Whether a service can be asked for the names."""
    variants: tuple[Variant, ...] = ()
    parts: tuple["FormField", ...] = ()
    folded: tuple["FormField", ...] = ()
    """Parts that few people need."""
    components: tuple[ComponentValue, ...] = ()
    said: str = ""
    """An entry in words, where its schema has some; `said_else` are those for one of which there is nothing to say."""
    said_else: str = ""
    has_fixed_keys: bool = False
    """Whether the names of a map's entries are those of something else."""

    @property
    def control_id(self) -> str:
        return "field" + self.pointer.replace("/", "-").replace("~", "_")

    @property
    def data_kind(self) -> str:
        """How the page turns the text of the control into a JSON value."""
        kind = _TEXTS.get(self.kind, self.kind)
        if kind not in _SCALARS:
            return kind
        return f"null-{kind}" if self.is_nullable else f"absent-{kind}" if self.is_absent_when_empty else kind

    @property
    def may_be_unset(self) -> bool:
        return self.is_nullable or self.is_absent_when_empty

    @property
    def is_block(self) -> bool:
        """Whether it is more than one control."""
        return self.kind in _BLOCKS

    @property
    def is_short(self) -> bool:
        """Whether it shares its row with its neighbours."""
        is_short_text = self.kind == "choice" or (self.kind == "boolean" and self.may_be_unset)
        return (self.kind in {"integer", "number"} or is_short_text) and not self.variants

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
        return isinstance(self.value, str) and is_reference(self.value)

    @property
    def is_masked(self) -> bool:
        """Whether the key was masked by the program that wrote the document."""
        return self.kind == "secret" and self.value == MASK

    @property
    def range_text(self) -> str:
        """The numbers that are allowed, in few signs."""
        whole = self.kind == "integer" and self.is_above_minimum
        least = None if self.minimum is None else self.minimum + whole
        low, high = (None if bound is None else f"{bound:g}" for bound in (least, self.maximum))
        if self.is_above_minimum and not whole and self.minimum == 0:
            low = None  # nobody expects a time or a number of nothing to count
        if low is not None and high is not None:
            return f"{low} to {high}"
        if low is not None:
            return f"over {low}" if self.is_above_minimum and not whole else f"{low} or more"
        return "" if high is None else f"up to {high}"

    @property
    def aside(self) -> str:
        """What stands beside the text of a number: its unit and range."""
        is_open = self.maximum is None and self.minimum in (0, 1)  # what the unit lets expect
        return " · ".join(each for each in (self.unit, "" if self.unit and is_open else self.range_text) if each)

    @property
    def summary(self) -> str:
        """An entry of several fields in a few words: its own texts, the required first, else those of its entries."""
        if self.said:
            return self.said
        parts = sorted(self.parts, key=lambda each: not each.is_required)
        shown = [each for each in parts if each.is_required or each.is_changed]
        texts = [each.text for each in shown if each.kind in _TEXTS and each.text not in {"", self.name}]
        inner = [entry.summary or entry.text for part in parts if part.kind == "list" for entry in part.parts]
        own = " · ".join(text.partition("\n")[0] for text in texts[:_MAX_IN_SUMMARY])
        return own or ", ".join(inner) or self.said_else

    @property
    def default_text(self) -> str:
        """The default as a person reads it."""
        value = json.loads(self.default_json) if self.default_json else None
        return "not set" if value in (None, "", [], {}) else value if isinstance(value, str) else self.default_json

    @property
    def has_error(self) -> bool:
        return (
            bool(self.error)
            or any(part.has_error for part in (*self.parts, *self.folded))
            or any(c.problem_count for c in self.components)
        )


@dataclass(frozen=True)
class FormModel:
    """All that the form of one component, or of a part of one, shows."""

    pointer: str
    provider: str
    component_type: str
    title: str
    help: str
    label: FormField | None
    """The author's name for a component; a part has none."""
    primary: tuple[FormField, ...]
    more: tuple[FormField, ...]
    problems: tuple[Finding, ...]
    """Findings about this component that belong to none of its fields."""
    alternatives: tuple[Alternative, ...] = ()
    """What may stand in its place, itself among it; empty when there is nothing else."""
    is_opaque: bool = False

    @property
    def is_part(self) -> bool:
        return not self.provider

    @property
    def fields(self) -> tuple[FormField, ...]:
        return (*self.primary, *self.more)

    @property
    def changed_count(self) -> int:
        return sum(each.is_changed for each in self.more)

    @property
    def is_more_open(self) -> bool:
        return any(each.has_error for each in self.more)


@dataclass(frozen=True)
class SecretOffer:
    """A reference that a form may use for a key."""

    reference: str
    is_set: bool


@dataclass(frozen=True)
class Secrets:
    """Which references there are, and which of them have a value on this machine; never a value."""

    offers: tuple[SecretOffer, ...]
    states: Mapping[str, bool]
    is_told: bool = True
    """Whether the reader may know that."""


NOT_TOLD = Secrets((), {}, is_told=False)
"""For who only looks: they would learn of variables and secrets by naming them."""
