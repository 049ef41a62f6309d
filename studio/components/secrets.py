"""Secrets by reference: a config names where a key is kept, the key itself never reaches a file, page or log."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler, SecretStr
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from studio.errors import MissingSecret

MASK = "**********"
# Patterns are compiled, and kept by `re`, at their first use: most programs that import this need none.
_REFERENCE = r"(env|secret):[A-Za-z0-9_.\-]+"
_PLACEHOLDER = r"{((?:env|secret):[A-Za-z0-9_.\-]+)}"
_OF_SHELLS = r"\s*(?:\$\{\s*(?:env[:.])?NAME\s*\}|\$(?:env:)?NAME|\{\{\s*(?:env\.)?NAME\s*\}\})\s*"
"""How shells and templates name a variable."""
_SECRET_NAME = (
    r"(?:^|[-_ .]|^(?:pg|db|my|mysql|redis|smtp|ldap))(?:authorization|cookie"
    r"|(?:api|access|private|secret|subscription|account|shared)[-_]?key"
    r"|pass(?:wor[dt]|wd|phrase)?|pwd|pat|secret|credentials?|(?<!bos.)(?<!eos.)(?<!pad.)(?<!unk.)(?<!stop.)(?<!next.)token|bearer[-_]?token[-_]\w{1,40})$"
)
"""Names of headers, variables and fields whose values are keys, in lower case; markers in texts are no keys."""
_WORD_START = r"(?<=[a-z0-9])(?=[A-Z])"
_SCHEME = r"(?is)((?:Bearer|Basic|Token|ApiKey|Bot) +)(\S.*)"

SecretSource = Callable[[str], str | None]


def from_environment(reference: str) -> str | None:
    """The value of `env:NAME` from the variable NAME, of `secret:my-key` from STUDIO_SECRET_MY_KEY; None if not set.

    So an exported script, which has no store, can be given the secrets that its team names.
    """
    scheme, _, name = reference.partition(":")
    variable = name if scheme == "env" else variable_of(name)
    return None if is_setting(variable) else os.environ.get(variable)


def is_setting(variable: str) -> bool:
    """Whether an environment variable sets up the studio itself, such as its token: no team is given that."""
    name = variable.upper()
    return name.startswith("STUDIO_") and not name.startswith("STUDIO_SECRET_")


def variable_of(secret: str) -> str:
    """The environment variable that stands in for a stored secret: `my-key` is STUDIO_SECRET_MY_KEY."""
    return "STUDIO_SECRET_" + re.sub(r"[^A-Z0-9]", "_", secret.upper())


secret_source: ContextVar[SecretSource] = ContextVar("studio_secret_source", default=from_environment)
"""Finds the value of a reference. A run of the studio sets one that also knows the studio's own store."""


def _nobody(reference: str, value: str) -> None:
    del reference, value


secret_noted: ContextVar[Callable[[str, str], None]] = ContextVar("studio_secret_noted", default=_nobody)
"""Told of a key that stood in the open and is used: no source knows of it."""


def is_reference(text: str) -> bool:
    """Whether the text names a secret (`env:NAME` or `secret:NAME`) and is not one itself."""
    return re.fullmatch(_REFERENCE, text) is not None


def references_within(text: str) -> Iterator[str]:
    """The secrets that a text names: as a whole (`env:NAME`), or in braces (`Bearer {secret:NAME}`)."""
    if is_reference(text):
        yield text
    else:
        yield from placeholders_in(text)


def filled_in(text: str) -> str:
    """The text with the values of the secrets that it names.

    Raises:
        MissingSecret: One of them has none.
    """
    return SecretRef(text).resolve() if is_reference(text) else placeholders_filled_in(text)


def placeholders_in(text: str) -> Iterator[str]:
    """The secrets that a text names in braces, such as an argument of a program or a URL."""
    yield from (match[1] for match in re.finditer(_PLACEHOLDER, text))


def placeholders_filled_in(text: str) -> str:
    """The text with the values of the secrets that it names in braces; `env:NAME` alone stays as it is.

    Raises:
        MissingSecret: One of them has none.
    """
    return re.sub(_PLACEHOLDER, lambda match: SecretRef(match[1]).resolve(), text)


def variable_meant(text: str) -> str:
    """The environment variable that `$NAME`, `${NAME}` or `{{NAME}}` stands for; empty for other texts."""
    found = re.fullmatch(_OF_SHELLS.replace("NAME", "([A-Za-z_][A-Za-z0-9_]{0,200})"), text)
    return next((name for name in found.groups() if name), "") if found else ""


def is_secret_name(name: str) -> bool:
    """Whether what stands under this name, as a header or variable, is usually a key."""
    if name == "PWD":  # the folder that a shell is in
        return False
    return re.search(_SECRET_NAME, re.sub(_WORD_START, "_", name[-100:]).lower()) is not None


def scheme_and_key(value: str) -> tuple[str, str]:
    """The two parts of a header such as `Bearer KEY`; the first is empty where there is no scheme."""
    found = re.fullmatch(_SCHEME, value)
    return (found[1], found[2]) if found else ("", value)


def is_literal_key(value: str) -> bool:
    """Whether the text is a key in the open, and no reference or mask."""
    key = scheme_and_key(value)[1]
    return bool(key.strip()) and not (
        MASK in key or is_reference(key) or variable_meant(key) or any(references_within(value))
    )


class _Hidden:
    """Stands in a `repr` where a key would."""

    def __repr__(self) -> str:
        return repr(MASK)


class _Fields:
    """A plain object as `repr` shows it."""

    def __init__(self, name: str, fields: Iterator[tuple[str | None, object]]) -> None:
        self._text = f"{name}({', '.join(f'{field}={value!r}' for field, value in fields)})"

    def __repr__(self) -> str:
        return self._text


def discreet(name: str, value: object) -> object:
    """A value to be shown by `repr`, with a mask for the keys in it.

    Args:
        name: The field, header or variable that holds it.
        value: Text, or what holds text.
    """
    if isinstance(value, str):
        return _Hidden() if is_secret_name(name) and is_literal_key(value) else value
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {key: discreet(str(key), item) for key, item in items}
    if isinstance(value, list):
        return [discreet(name, item) for item in cast("list[object]", value)]
    if isinstance(value, BaseModel) and type(value).__repr_args__ is BaseModel.__repr_args__:
        fields = type(value).model_fields
        return _Fields(type(value).__name__, ((field, discreet(field, getattr(value, field))) for field in fields))
    return value


@dataclass(frozen=True, slots=True)
class SecretRef:
    """Names a secret; knows its value only when the author wrote it in the open.

    Only `reference` is ever written or shown.
    """

    reference: str
    literal: SecretStr | None = None

    def resolve(self) -> str:
        """Find the value.

        Raises:
            MissingSecret: Nothing is stored under the reference.
        """
        if self.literal:
            value = self.literal.get_secret_value()
            secret_noted.get()(self.reference, value)
        else:
            value = secret_source.get()(self.reference)
        if value and (usable := value.strip()):  # a line end that was copied along
            if not usable.isprintable():
                raise MissingSecret(
                    f"The secret {self.reference!r} holds characters that cannot be sent.", fix="Store it again."
                )
            return usable
        scheme, _, name = self.reference.partition(":")
        if scheme == "env" and is_setting(name):
            raise MissingSecret(
                f"{name} is a setting of the studio, not a secret for teams.", fix="Choose another secret."
            )
        fix = (
            f"Set the environment variable {name}, or choose another secret."
            if scheme == "env"
            else f"Store a value for {name!r} under Settings, Secrets, or set {variable_of(name)}."
        )
        raise MissingSecret(f"The secret {self.reference!r} has no value.", fix=fix)

    def get_secret_value(self) -> str:
        """Pydantic's name for `resolve`."""
        return self.resolve()

    def __repr__(self) -> str:
        return f"SecretRef({self.reference!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _to_ref,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda ref: ref.reference),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "x-secret": True}


def _none_if_empty(value: object) -> object:
    """Nothing for a key that somebody emptied before they shared a file: it is as if the field were not there."""
    return None if isinstance(value, str) and not value.strip() else value


def _to_ref(value: object) -> SecretRef:
    if isinstance(value, SecretRef):
        return value
    text = value.get_secret_value() if isinstance(value, SecretStr) else value
    if not isinstance(text, str) or not text:
        raise ValueError("Write a secret as `env:NAME` or `secret:NAME`.")
    if is_reference(text):
        return SecretRef(text)
    if variable := variable_meant(text):
        return SecretRef(f"env:{variable}")
    return SecretRef("secret:unnamed", None if text == MASK else SecretStr(text))


class DefaultEnv(NamedTuple):
    """Annotates a `SecretRef` field with the environment variable that usually holds it.

    A key that stands in the open, or AutoGen's mask, is written back as a reference to this variable.
    """

    name: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        named = core_schema.no_info_after_validator_function(self._name_it, handler(source))
        return core_schema.no_info_before_validator_function(_none_if_empty, named)

    def _name_it(self, ref: SecretRef | None) -> SecretRef | None:
        if ref is None or ref.reference != "secret:unnamed":
            return ref
        return SecretRef(f"env:{self.name}", ref.literal)


def env(name: str) -> SecretRef:
    """Refer to an environment variable: `api_key=env("OPENAI_API_KEY")`."""
    return SecretRef(f"env:{name}")
