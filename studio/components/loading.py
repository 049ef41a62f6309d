"""The public door: component JSON in, an instance or a full report out. Nothing is executed, imported or contacted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar, cast

from pydantic import JsonValue
from pydantic_core import PydanticCustomError

from studio.components.base import Component, JsonObject, all_capabilities, find_class, registry
from studio.components.capability import Capability
from studio.components.document import check_bounds
from studio.components.secrets import MASK, DefaultEnv, is_reference
from studio.errors import Finding, InvalidComponent, InvalidDocument

C = TypeVar("C", bound=Component)


@dataclass(frozen=True, slots=True)
class Part:
    """One component of a document and how it fared."""

    where: str
    provider: str
    label: str
    component_type: str
    status: Literal["loaded", "opaque", "wrong"]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything there is to say about a document before anybody runs it."""

    errors: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.errors

    @property
    def is_runnable(self) -> bool:
        """Whether every part is loaded; opaque parts can be kept and shown, not run."""
        return self.ok and all(part.status == "loaded" for part in self.parts)

    def as_json(self) -> JsonObject:
        return cast(
            "JsonObject",
            {
                "ok": self.ok,
                "runnable": self.is_runnable,
                "errors": [finding.as_json() for finding in self.errors],
                "warnings": [finding.as_json() for finding in self.warnings],
                "capabilities": [capability.as_json() for capability in self.capabilities],
                "parts": [
                    {
                        "where": part.where,
                        "provider": part.provider,
                        "label": part.label,
                        "component_type": part.component_type,
                        "status": part.status,
                    }
                    for part in self.parts
                ],
            },
        )


def load_component(document: JsonValue, expected: type[C] = Component) -> C:
    """Make a component from its JSON.

    Args:
        document: An envelope; unknown providers inside become opaque components.
        expected: The kind wanted, such as `Team`.

    Raises:
        InvalidComponent: With every finding, each at its JSON pointer.
        InvalidDocument: Too deep, cyclic or not JSON.
    """
    return expected.load_component(document)


def validate_component(document: JsonValue, expected: type[Component] = Component) -> Report:
    """Report all errors, warnings, capabilities and parts of a document; never raises for what it holds."""
    try:
        check_bounds(document)
        component = expected.load_component(document)
    except InvalidDocument as error:
        return Report(errors=(Finding(error.code, error.what, error.fix, error.where),))
    except InvalidComponent as error:
        errors = error.findings
        capabilities: tuple[Capability, ...] = ()
    else:
        errors = ()
        capabilities = tuple(all_capabilities(component))
    warnings = tuple(_warnings(document))
    return Report(errors, warnings, capabilities, tuple(_parts(document, errors)))


def envelopes(document: JsonValue, where: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Every component envelope in a document, parents first, each with its JSON pointer."""
    if isinstance(document, dict):
        if isinstance(document.get("provider"), str) and isinstance(document.get("config", {}), dict):
            yield where, document
        for key, child in document.items():
            step = key.replace("~", "~0").replace("/", "~1")
            yield from envelopes(child, f"{where}/{step}")
    elif isinstance(document, list):
        for index, child in enumerate(document):
            yield from envelopes(child, f"{where}/{index}")


def _parts(document: JsonValue, errors: tuple[Finding, ...]) -> Iterator[Part]:
    found = list(envelopes(document))
    wrong = {_deepest([where for where, _ in found], error.where) for error in errors}
    for where, envelope in found:
        provider = cast("str", envelope["provider"])
        cls = find_class(provider)
        status = "wrong" if where in wrong else "opaque" if cls is None else "loaded"
        kind = cls.component_type if cls else str(envelope.get("component_type") or "")
        label = str(envelope.get("label") or provider.rpartition(".")[2])
        yield Part(where, provider, label, kind, status)


def _deepest(places: list[str], where: str) -> str:
    around = [place for place in places if where == place or where.startswith(f"{place}/")]
    return max(around, key=len, default="")


def _warnings(document: JsonValue) -> Iterator[Finding]:
    for where, envelope in envelopes(document):
        provider = cast("str", envelope["provider"])
        cls = find_class(provider)
        if cls is None:
            yield _unknown_provider(provider, where)
        else:
            yield from _component_warnings(cls, envelope, where)


def _unknown_provider(provider: str, where: str) -> Finding:
    close = registry.similar(provider)
    fix = f"Did you mean {close!r}?" if close else "It is kept as it is, but a team that holds it cannot run."
    return Finding("unknown_provider", f"No component is registered as {provider!r}.", fix, f"{where}/provider")


def _component_warnings(cls: type[Component], envelope: JsonObject, where: str) -> Iterator[Finding]:
    version = envelope.get("component_version")
    if isinstance(version, int) and 0 < version < cls.component_version:
        message = f"Written as version {version} of {cls.__name__}; read as version {cls.component_version}."
        yield Finding("upgraded", message, "Save it to keep the new form.", where)
    try:
        config = cls.current_config(envelope)
    except PydanticCustomError:
        return  # reported as an error
    heard: list[Finding] = []

    def note(code: str, message: str, place: str) -> None:
        heard.append(Finding(code, message, where=f"{where}/config{place}"))

    mended = cls.lenient(config, partial(note, "lenient"))
    if not cls.provider.startswith("studio."):
        for name in mended.keys() - cls.model_fields.keys():
            note("unknown_field", f"{cls.__name__} has no field `{name}`; it is kept and not used.", f"/{name}")
    for name, field in cls.model_fields.items():
        value = config.get(name)
        is_secret = any(isinstance(item, DefaultEnv) for item in field.metadata)
        if is_secret and isinstance(value, str) and (warning := _secret_warning(name, value)):
            note(*warning, f"/{name}")
    yield from heard


def _secret_warning(name: str, value: str) -> tuple[str, str] | None:
    if value == MASK:
        return "masked_secret", f"`{name}` was masked when this was exported; it now refers to the environment."
    if value and not is_reference(value):
        return "secret_in_clear", f"`{name}` holds a key in the open; it is never written back."
    return None
