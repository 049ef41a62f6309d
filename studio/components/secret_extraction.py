"""Takes keys that stand in the open out of a document, so that only references are ever stored."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from pydantic import BaseModel, JsonValue

from studio.components.base import Component, JsonObject, find_class
from studio.components.key_patterns import KeySpan, is_key, keys_in, keys_in_arguments, looks_random
from studio.components.pointers import escape
from studio.components.secrets import (
    MASK,
    DefaultEnv,
    is_literal_key,
    is_secret_name,
    scheme_and_key,
    variable_meant,
    variable_of,
)

_FREE_FORM = ("headers", "env", "config", "metadata")
"""How fields end that hold objects in which any name may stand."""
_SETTINGS = (
    "url",
    "uri",
    "path",
    "args",
    "host",
    "address",
    "endpoint",
    "dsn",
    "command",
    "cmd",
    "argv",
    "arguments",
    "flags",
)
"""How fields end whose texts are read by programs; a reference in braces stands for a key there."""
_MIN_KEY = 16
"""Characters of a name in an object that may itself be a key."""


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A key that stood in the open at `where`, and the reference that now stands there."""

    where: str
    reference: str
    value: str
    variable: str
    """The environment variable that a script would usually read it from."""
    is_in_text: bool = False
    """Whether it stood in source or prose, where the reference is only a name that nobody fills in."""


def extract_secrets(document: JsonValue) -> tuple[JsonValue, list[FoundSecret]]:
    """A copy of the document with `secret:NAME` in place of each key in the open, and those keys.

    Keys are secret fields, whatever has a key's usual name in headers, environment variables, and components that the
    studio does not know, and what looks like a key in any text; `Bearer KEY` becomes `Bearer {secret:NAME}`, and a part
    of an argument or a URL `{secret:NAME}`. AutoGen's mask and a placeholder such as `${NAME}` become a reference to an
    environment variable; the same key found twice gets the same name.
    """
    found: list[FoundSecret] = []
    clean = _clean(document, "", found)
    return _clean_texts(clean, "", found), found


def without_keys(values: Mapping[str, str]) -> dict[str, str]:
    """Headers or variables as they are stored: the same references, in place of the keys that stand in the open."""
    found: list[FoundSecret] = []
    return cast("dict[str, str]", _clean_free(dict(values), "", found))


def arguments_without_keys(arguments: Sequence[str]) -> list[str]:
    """Arguments of a program as they are stored."""
    return cast("list[str]", _clean_arguments(list(arguments), "", []))


def _clean(node: JsonValue, where: str, found: list[FoundSecret]) -> JsonValue:
    if isinstance(node, list):
        return [_clean(item, f"{where}/{index}", found) if _is_deep(item) else item for index, item in enumerate(node)]
    if not isinstance(node, dict):
        return node
    out = {key: _clean(item, f"{where}/{escape(key)}", found) if _is_deep(item) else item for key, item in node.items()}
    provider, config = out.get("provider"), out.get("config")
    if isinstance(provider, str) and isinstance(config, dict):
        cls = find_class(provider)
        place = f"{where}/config"
        out["config"] = _clean_config(cls, config, place, found) if cls else _clean_free(config, place, found)
    return out


def _clean_config(cls: type[BaseModel], config: JsonObject, where: str, found: list[FoundSecret]) -> JsonValue:
    out = dict(config)
    for name, field in cls.model_fields.items():
        usual = next((item.name for item in field.metadata if isinstance(item, DefaultEnv)), None)
        value = out.get(name)
        if isinstance(value, dict):
            for part in _models_in(field.annotation):
                value = out[name] = _clean_config(part, cast("JsonObject", value), f"{where}/{name}", found)
            if name.endswith(_FREE_FORM):
                out[name] = _clean_free(value, f"{where}/{name}", found)
        if usual is not None and isinstance(value, str):
            out[name] = f"env:{usual}" if value == MASK else _taken(usual, value, f"{where}/{name}", found, usual)
    unknown = {name: value for name, value in out.items() if name not in cls.model_fields}
    return {**out, **cast("JsonObject", _clean_free(unknown, where, found))}


def _clean_free(node: JsonValue, where: str, found: list[FoundSecret]) -> JsonValue:
    """An object of which nobody knows the fields, cleaned by their names; components inside were cleaned before."""
    if isinstance(node, list):
        return [
            _clean_free(item, f"{where}/{index}", found) if _is_deep(item) else item for index, item in enumerate(node)
        ]
    if not isinstance(node, dict) or isinstance(node.get("provider"), str):
        return node
    out = dict(node)
    for name, value in node.items():
        if _is_deep(value):
            out[name] = _clean_free(value, f"{where}/{escape(name)}", found)
        elif isinstance(value, str) and _is_whole_key(_name_of_pair(name, node) or name, value):
            out[name] = _taken(name, value, f"{where}/{escape(name)}", found)
        elif isinstance(value, str):
            is_prose = re.search(r"\s", value) is not None
            out[name] = _clean_text(value, f"{where}/{escape(name)}", found, is_setting=not is_prose)
    return out


def _name_of_pair(name: str, node: JsonObject) -> str | None:
    """The name that `{"name": NAME, "value": …}` gives to its value."""
    usual = node.get("name", node.get("key")) if name == "value" else None
    return usual if isinstance(usual, str) else None


def _is_whole_key(name: str, value: str) -> bool:
    scheme, key = scheme_and_key(value)
    return is_secret_name(name) or is_key(name, key) or (scheme != "" and looks_random(key))


def _clean_texts(node: JsonValue, where: str, found: list[FoundSecret], *, is_setting: bool = False) -> JsonValue:
    """A copy without what looks like a key in any text, after all that is taken by its name."""
    if isinstance(node, str):
        return _clean_text(node, where, found, is_setting=is_setting)
    if isinstance(node, list):
        if is_setting and node and all(isinstance(item, str) for item in node):
            return _clean_arguments(cast("list[str]", node), where, found)
        return [_clean_texts(item, f"{where}/{index}", found, is_setting=is_setting) for index, item in enumerate(node)]
    if isinstance(node, dict):
        out: JsonObject = {}
        for key, item in node.items():
            name = _clean_text(key, f"{where}/{escape(key)}", found) if len(key) >= _MIN_KEY else key
            place = f"{where}/{escape(name)}"
            if isinstance(item, str) and is_secret_name(key) and looks_random(scheme_and_key(item)[1]):
                out[name] = _taken(key, item, place, found)
            else:
                is_read = not isinstance(item, dict) and key.lower().endswith(_SETTINGS)
                out[name] = _clean_texts(item, place, found, is_setting=is_read)
        return out
    return node


def _clean_text(text: str, where: str, found: list[FoundSecret], *, is_setting: bool = False) -> str:
    parts, done = list[str](), 0
    for span in keys_in(text, is_setting=is_setting):
        reference = _noted(span.name or "key", text[span.start : span.end], where, found, is_in_text=not is_setting)
        parts += text[done : span.start], f"{{{reference}}}" if is_setting else reference
        done = span.end
    return "".join((*parts, text[done:])) if done else text


def _clean_arguments(arguments: list[str], where: str, found: list[FoundSecret]) -> list[JsonValue]:
    out, taken = list(arguments), list[tuple[int, KeySpan, str]]()
    for number, span in keys_in_arguments(arguments):
        key = arguments[number][span.start : span.end]
        taken.append((number, span, _noted(span.name or "key", key, f"{where}/{number}", found)))
    for number, span, reference in reversed(taken):  # from the end, so that places stay
        out[number] = f"{out[number][: span.start]}{{{reference}}}{out[number][span.end :]}"
    return list[JsonValue](out)


def _taken(name: str, value: str, where: str, found: list[FoundSecret], variable: str = "") -> str:
    """What stands in a key's place: a reference, after the scheme of a header."""
    scheme, key = scheme_and_key(value)
    if meant := variable_meant(key):
        return f"{scheme}{{env:{meant}}}" if scheme else f"env:{meant}"
    if not is_literal_key(value):
        return value
    reference = _noted(name, key, where, found, variable)
    return f"{scheme}{{{reference}}}" if scheme else reference


def _noted(
    name: str, key: str, where: str, found: list[FoundSecret], variable: str = "", *, is_in_text: bool = False
) -> str:
    """The reference to a key, which is remembered with it."""
    tag = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80] or "key"
    reference = f"secret:{stem}-{tag}"
    usual = variable or variable_of(reference.partition(":")[2])
    found.append(FoundSecret(where, reference, key, usual, is_in_text))
    return reference


def _is_deep(value: JsonValue) -> bool:
    return isinstance(value, dict | list)


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    """The plain objects that a field may hold; components inside speak for themselves."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if not issubclass(annotation, Component):
            yield annotation
        return
    for part in get_args(annotation):
        yield from _models_in(part)
