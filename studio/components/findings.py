"""Pydantic's errors as findings: a sentence, what to do, and the JSON pointer of the place in the document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import LiteralString, cast, get_args, get_origin

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from studio.components.field_titles import title_at
from studio.components.pointers import escape, is_envelope, pointer_of, steps_of
from studio.errors import ConfigError, Finding, Fix

_SENTENCES = {
    "extra_forbidden": ("There is no field {name} here.", "Remove it, or check its spelling."),
    "string_type": ("{name} must be text.", ""),
    "int_type": ("{name} must be a whole number.", ""),
    "int_parsing": ("{name} must be a whole number.", ""),
    "int_from_float": ("{name} must be a whole number.", ""),
    "float_type": ("{name} must be a number.", ""),
    "float_parsing": ("{name} must be a number.", ""),
    "bool_type": ("{name} must be true or false.", ""),
    "bool_parsing": ("{name} must be true or false.", ""),
    "list_type": ("{name} must be a list.", ""),
    "dict_type": ("{name} must be an object.", ""),
    "greater_than": ("{name} must be greater than {gt}.", ""),
    "greater_than_equal": ("{name} must be at least {ge}.", ""),
    "less_than": ("{name} must be less than {lt}.", ""),
    "less_than_equal": ("{name} must be at most {le}.", ""),
    "too_short": ("{name} needs at least {min_length} of them, not {actual_length}.", ""),
    "too_long": ("{name} takes at most {max_length} of them, not {actual_length}.", ""),
    "string_too_short": ("{name} must not be empty.", "Fill it in."),
    "literal_error": ("{name} must be one of {expected}.", ""),
}

_FIXES = {
    "not_a_component": "Write an object with `provider` and `config`, as AutoGen's JSON has it.",
    "newer_version": "Update the studio, or export the component from the newer program in an older form.",
    "config_not_object": "Write `config` as an object of the component's fields.",
}


def findings_from(
    error: ValidationError, document: JsonValue, find_class: Callable[[str], type[BaseModel] | None]
) -> list[Finding]:
    """All the places that Pydantic found wrong, each once, with pointers into `document`.

    Where several kinds of component fit one place, Pydantic reports each kind that did not match; only the reports of
    the kind that did, or one joint sentence, are of use to the author.
    """
    found: dict[tuple[str, str], Finding] = {}
    misfits: dict[str, list[ErrorDetails]] = {}
    for detail in error.errors(include_url=False, include_input=False):
        if detail["type"] == "default_factory_not_called":
            continue  # follows from another error: the default depends on a field that is wrong
        if detail["type"] == "wrong_component":
            misfits.setdefault(pointer_of(detail["loc"], document), []).append(detail)
            continue
        if detail["type"] == "missing":
            findings = [_missing(detail, document, find_class)]
        else:
            findings = _findings(detail, document, find_class)
        for finding in findings:
            found.setdefault((finding.where, finding.message), finding)
    explained = {place for finding in found.values() for place in (finding.where, *_above(finding.where))}
    explained.update(place for where in misfits for place in _above(where))
    for where, details in misfits.items():
        if where not in explained:
            finding = _misfit(where, details)
            found[where, finding.message] = finding
    return list(found.values())


def owner_of(where: str, document: JsonValue) -> str:
    """The innermost component around a place of a document, by its pointer; "" when there is none."""
    return _owner(where, document)[0]


def _owner(where: str, document: JsonValue) -> tuple[str, str]:
    """The pointer of the innermost component around a place, and its provider."""
    owner, pointer, here = "", "", document
    provider = str(here["provider"]) if isinstance(here, dict) and is_envelope(here) else ""
    for step in steps_of(where):
        pointer = f"{pointer}/{escape(step)}"
        if isinstance(here, list):
            here = here[int(step)] if step.isdecimal() and int(step) < len(here) else None
        else:
            here = here.get(step) if isinstance(here, dict) else None
        if isinstance(here, dict) and is_envelope(here):
            owner, provider = pointer, str(here["provider"])
    return owner, provider


def no_warning(_message: str, _where: str) -> None:
    """Drop a warning: the report of `validate_component` collects them, loading does not need them."""


def no_json(name: str) -> ConfigError:
    """The error for a component that only a script can hold."""
    return ConfigError(
        f"{name} contains a value that only a script can hold, such as a function, so it cannot be written as JSON.",
        fix="Use a component that has a config.",
    )


def error_at(code: str, message: str, fix: str, where: str, fixes: Sequence[Fix] = ()) -> PydanticCustomError:
    """The error of a validator that knows the place inside the value that it looks at, and perhaps a remedy.

    Args:
        code: A stable snake_case name.
        message: One sentence.
        fix: What to do.
        where: JSON pointer relative to the value, which must not be a component itself.
        fixes: Their pointers are relative to the value, too.
    """
    return errors_at([Finding(code, message, fix, where, tuple(fixes))])


def errors_at(findings: Sequence[Finding]) -> PydanticCustomError:
    """The same error at several places inside the value, at least one."""
    context = {"message": findings[0].message, "findings": tuple(findings)}
    return PydanticCustomError(cast("LiteralString", findings[0].code), "{message}", context)


def not_an_envelope(document: object) -> Finding:
    """The finding for a document that is no component at all."""
    if isinstance(document, dict):
        keys = cast("Mapping[str, object]", document)
        if "provider" in keys:
            return Finding("provider_not_text", "`provider` must be text.", where="/provider")
        import difflib  # only for documents that are wrong

        close = difflib.get_close_matches("provider", [str(key) for key in keys], n=1)
        fix = f"Did you mean `provider` by `{close[0]}`?" if close else _FIXES["not_a_component"]
        return Finding("not_a_component", "This object is not a component: it has no `provider`.", fix)
    return Finding(
        "not_a_component", f"A component is an object, not a {_json_name(document)}.", "Paste the whole JSON."
    )


def unexpected(error: Exception) -> Finding:
    """The finding for a document that a check of the studio did not foresee."""
    message = f"The studio could not read this: {type(error).__name__}: {error}"[:300]
    return Finding("unexpected", message, "Check this value. (This error has no specific message.)")


def _missing(detail: ErrorDetails, document: JsonValue, find_class: Callable[[str], type[BaseModel] | None]) -> Finding:
    """What is to be filled in, called as the form calls it."""
    location = detail["loc"]
    name = next((step for step in reversed(location) if isinstance(step, str)), "value")
    where = pointer_of(location, document)
    owner, provider = _owner(where, document)
    cls = find_class(provider) if where == f"{owner}/config/{escape(name)}" else None
    field = cls.model_fields.get(name) if cls else None
    if field is None:
        return Finding("missing", f"{_called(name, where, document, find_class)} is required.", "Fill it in.", where)
    kinds = [getattr(each, "component_type", "") for each in (field.annotation, *get_args(field.annotation))]
    if kind := next((each for each in kinds if each and get_origin(field.annotation) is not list), ""):
        return Finding("missing", f"Choose {with_article(kind)}.", where=where)
    return Finding("missing", f"{_called(name, where, document, find_class)} is required.", "Fill it in.", where)


def _called(name: str, where: str, document: JsonValue, find_class: Callable[[str], type[BaseModel] | None]) -> str:
    """The field at a place as its form calls it; by its key where it has no form."""
    owner, provider = _owner(where, document)
    cls = find_class(provider)
    inside = where.removeprefix(f"{owner}/config/") if cls and where.startswith(f"{owner}/config/") else ""
    title = title_at(cls, steps_of(f"/{inside}")) if cls and inside else ""
    return f"“{title}”" if title else f"`{name}`"


def _findings(
    detail: ErrorDetails, document: JsonValue, find_class: Callable[[str], type[BaseModel] | None]
) -> list[Finding]:
    kind, location = detail["type"], detail["loc"]
    name = next((step for step in reversed(location) if isinstance(step, str)), "value")
    where = pointer_of(location, document)
    if kind in _SENTENCES:
        sentence, fix = _SENTENCES[kind]
        called = f"`{name}`" if kind == "extra_forbidden" else _called(name, where, document, find_class)
        return [Finding(kind, sentence.format(name=called, **detail.get("ctx", {})), fix, where)]
    context = detail.get("ctx", {})
    if "findings" in context:
        return [each.moved(where) for each in cast("tuple[Finding, ...]", context["findings"])]
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    message = message if message.endswith((".", "!", "?")) else f"{message}."
    return [Finding(kind, message, _FIXES.get(kind, ""), where)]


def _misfit(where: str, details: Sequence[ErrorDetails]) -> Finding:
    contexts = [detail.get("ctx", {}) for detail in details]
    expected = " or ".join(dict.fromkeys(with_article(str(context["expected"])) for context in contexts))
    found, kind = str(contexts[0]["found"]), str(contexts[0]["kind"])
    message = f"{expected.capitalize()} belongs here, but {found} is {with_article(kind)}."
    if any(context["expected"] == kind for context in contexts):  # not the kind is wrong, but the class
        wanted = " or ".join(dict.fromkeys(str(context["wanted"]) for context in contexts))
        message = f"A {wanted} belongs here, but {found} is another {kind.replace('_', ' ')}."
    return Finding("wrong_component", message, "Use a component of the expected type.", where)


def _above(pointer: str) -> Iterator[str]:
    """The pointers of everything that a place is inside of."""
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield pointer


def with_article(component_type: str) -> str:
    """A component type as words with their article: "an agent"."""
    words = component_type.replace("_", " ")
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _json_name(value: object) -> str:
    names: dict[type, str] = {list: "list", str: "text", bool: "truth value", int: "number", float: "number"}
    return names.get(type(value), "null")
