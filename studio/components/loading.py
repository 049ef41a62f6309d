"""The public door: component JSON in, an instance or a full report out. Nothing is executed, imported or contacted."""

from __future__ import annotations

import logging
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Literal, TypeVar, cast

from pydantic import JsonValue

from studio.components.advice import Advice, advice_of
from studio.components.base import Component, JsonObject, find_class, registry, walk
from studio.components.capability import Capability
from studio.components.document import check_bounds
from studio.components.findings import unexpected
from studio.components.pointers import escape, steps_of
from studio.components.python_text import bounded_together
from studio.components.salvage import sound_parts
from studio.components.secrets import MASK, DefaultEnv, is_reference, variable_meant
from studio.errors import Finding, InvalidComponent, InvalidDocument, first_findings

logger = logging.getLogger(__name__)

C = TypeVar("C", bound=Component)
PLACEHOLDER_SECRET = Advice("placeholder_secret", "A key is empty, or a placeholder for an environment variable.")
SECRET_IN_CLEAR = Advice("secret_in_clear", "A document contains a key in plain text.")
UNKNOWN_PROVIDER = Advice("unknown_provider", "A component is not installed: it is preserved but cannot run.")
UPGRADED = Advice("upgraded", "A component was written by an older version and is read as the current one.")
COERCED = Advice("coerced", "A config holds a value that its class corrects or cannot use.")
UNKNOWN_FIELD = Advice("unknown_field", "A config has an unknown field: it is preserved but has no effect.")
MASKED_SECRET = Advice("masked_secret", "A key was masked when a document was exported.")

MAX_PARTS = 20_000
"""Components of one document that are told apart; a team of teams has hundreds."""


@dataclass(frozen=True, slots=True)
class Part:
    """One component of a document and how it fared."""

    where: str
    provider: str
    label: str
    component_type: str
    status: Literal["loaded", "opaque", "wrong"]


@dataclass(frozen=True, slots=True)
class SecretUse:
    """That a component, at a place, reads a secret."""

    reference: str
    where: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything there is to say about a document before anybody runs it."""

    errors: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    parts: tuple[Part, ...] = ()
    secrets: tuple[SecretUse, ...] = ()
    asked: tuple[Capability, ...] = ()
    """As `capabilities`, again for each place that asks for the same thing."""

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
    with bounded_together():
        return expected.load_component(document)


def validate_component(document: JsonValue, expected: type[Component] = Component) -> Report:
    """Report all errors, warnings, capabilities and parts of a document; never raises for what it holds.

    Of errors and warnings the first `MAX_FINDINGS` each. Large documents take seconds: call it in a thread.
    """
    try:
        with bounded_together():
            return _report(document, expected)
    except Exception as error:
        # What people stored must not take down every page that lists it, whatever a check did not foresee.
        logger.warning("A document could not be checked.", exc_info=error)
        return Report(errors=(unexpected(error),))


def _report(document: JsonValue, expected: type[Component]) -> Report:
    try:
        check_bounds(document)
        if sum(1 for _ in islice(envelopes(document), MAX_PARTS + 1)) > MAX_PARTS:
            raise InvalidDocument(f"The document has more than {MAX_PARTS} components.", fix="Split it.")
        component = expected.load_component(document)
    except InvalidDocument as error:
        return Report(errors=(Finding(error.code, error.what, error.fix, error.where),))
    except InvalidComponent as error:
        errors = error.findings
        sound = [part for where, whole in sound_parts(document, _places(errors)) for part in walk(whole, where)]
    else:
        errors, sound = (), list(walk(component))
    capabilities = [_at(place, each) for place, part in sound for each in part.capabilities()]
    return Report(
        first_findings(errors),
        first_findings(chain(_warnings(document), advice_of(sound))),
        tuple(_each_once(capabilities)),
        tuple(_parts(document, errors)),
        tuple(dict.fromkeys(secrets_among(capabilities))),
        tuple(capabilities),
    )


def _places(errors: Sequence[Finding]) -> list[str]:
    return [error.where for error in errors]


def _at(where: str, capability: Capability) -> Capability:
    return replace(capability, where=where)


def _each_once(capabilities: Sequence[Capability]) -> Iterable[Capability]:
    found: dict[str, Capability] = {}
    for capability in capabilities:
        found.setdefault(capability.hash, capability)
    return found.values()


def secrets_among(capabilities: Sequence[Capability]) -> Iterator[SecretUse]:
    """The secrets that are needed."""
    for each in capabilities:
        reference = each.detail.partition(" ")[0]  # where the value goes may follow
        if each.kind == "secret" and is_reference(reference):
            yield SecretUse(reference, each.where)


def all_capabilities(component: Component) -> list[Capability]:
    """What the whole tree would need, in document order, each thing once."""
    return list(_each_once([_at(place, each) for place, part in walk(component) for each in part.capabilities()]))


def envelopes(document: JsonValue, where: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Every component envelope in a document, parents first, each with its JSON pointer."""
    if isinstance(document, dict):
        provider, config = document.get("provider"), document.get("config", {})
        if isinstance(provider, str) and isinstance(config, dict):
            yield where, document
            cls = find_class(provider)
            if cls is not None and cls.foreign:
                own = {name: item for name, item in config.items() if name not in cls.foreign}
                document = {**document, "config": own}
        for key, child in document.items():
            if isinstance(child, dict | list):
                yield from envelopes(child, f"{where}/{escape(key)}")
    elif isinstance(document, list):
        for index, child in enumerate(document):
            if isinstance(child, dict | list):
                yield from envelopes(child, f"{where}/{index}")


def _parts(document: JsonValue, errors: tuple[Finding, ...]) -> Iterator[Part]:
    found = dict(envelopes(document))
    wrong = {_owner(error.where, found.keys()) for error in errors}
    for where, envelope in found.items():
        provider = cast("str", envelope["provider"])
        cls = find_class(provider)
        status = "wrong" if where in wrong else "opaque" if cls is None else "loaded"
        kind = cls.component_type if cls else str(envelope.get("component_type") or "")
        label = str(envelope.get("label") or provider.rpartition(".")[2])
        yield Part(where, provider, label, kind, status)


def _owner(where: str, places: Container[str]) -> str:
    """The innermost of the places around a pointer; the root when there is none."""
    while where and where not in places:
        where = where.rpartition("/")[0]
    return where


_GIVE_SECRETS = "Pass the key in a header, an environment variable or an argument that can reference a secret."


def _warnings(document: JsonValue) -> Iterator[Finding]:
    from studio.components.secret_extraction import extract_secrets  # a program that only loads a team need not wait

    for secret in extract_secrets(document)[1]:
        name = steps_of(secret.where)[-1]
        message = f"`{name}` contains a key in plain text; the studio stores it as {secret.reference} instead."
        fix = f"This text then contains only the reference. {_GIVE_SECRETS}" if secret.is_in_text else ""
        yield SECRET_IN_CLEAR(message, fix, secret.where)
    for where, envelope in envelopes(document):
        provider = cast("str", envelope["provider"])
        cls = find_class(provider)
        if cls is None:
            yield _unknown_provider(provider, where)
        else:
            yield from _component_warnings(cls, envelope, where)


def _unknown_provider(provider: str, where: str) -> Finding:
    close = registry.suggest(provider)
    fix = f"Did you mean {close!r}?" if close else "It is preserved, but a team that contains it cannot run."
    return UNKNOWN_PROVIDER(f"No component is registered as {provider!r}.", fix, f"{where}/provider")


def _component_warnings(cls: type[Component], envelope: JsonObject, where: str) -> Iterator[Finding]:
    version = envelope.get("component_version")
    if isinstance(version, int) and 0 < version < cls.component_version:
        message = f"Written as version {version} of {cls.__name__}; read as version {cls.component_version}."
        yield UPGRADED(message, "Save it in the new form.", where)
    heard: list[Finding] = []

    def note(kind: Advice, message: str, place: str) -> None:
        heard.append(kind(message, where=f"{where}/config{place}"))

    try:
        config = cls.current_config(envelope)
        coerced = cls.coerced(config, partial(note, COERCED))
    except ValueError:
        return  # loading met the same and reported it as an error
    if not cls.provider.startswith("studio."):
        for name in coerced.keys() - cls.model_fields.keys():
            message = f"{cls.__name__} has no field `{name[:100]}`: it is preserved but has no effect."
            note(UNKNOWN_FIELD, message, f"/{escape(name)}")
    for name, field in cls.model_fields.items():
        value = config.get(name)
        if not isinstance(value, str) or not any(isinstance(item, DefaultEnv) for item in field.metadata):
            continue
        if value == MASK:
            message = f"`{name}` was masked when this was exported; it now refers to the environment."
            note(MASKED_SECRET, message, f"/{name}")
        elif not value.strip():
            note(PLACEHOLDER_SECRET, f"`{name}` is empty; it is ignored.", f"/{name}")
        elif variable := variable_meant(value):
            note(PLACEHOLDER_SECRET, f"`{name}` is a placeholder; it is read as `env:{variable}`.", f"/{name}")
    yield from heard
