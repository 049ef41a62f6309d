"""A case: a task, and what is expected of a run of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue

from studio.components.deferred_model import DeferredModel
from studio.effects import sha256_hex

MAX_TASK = 200_000
MAX_SCORERS = 50
_FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")

CaseId = Annotated[str, Field(pattern=r"^[\w.:@ -]{0,100}$")]
Tag = Annotated[str, Field(min_length=1, max_length=60)]


class CaseOrigin(DeferredModel):
    """The run that a case was made from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: Annotated[str, Field(description="ID of the run.", max_length=100)]
    why: Annotated[Literal["went_well", "went_wrong", "random"], Field(description="Why the run was kept.")]


class CaseFields(DeferredModel):
    """What is known of a case beside its own scorers; `{name}` in a scorer stands for one of these."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[CaseId, Field(description="Unique in the suite. Empty: made from the task.")] = ""
    task: Annotated[str, Field(description="The task that the team gets.", min_length=1, max_length=MAX_TASK)]
    target: Annotated[JsonValue, Field(description="The expected answer, as scorers take it: `{target}`.")] = None
    fields: Annotated[dict[str, JsonValue], Field(description="More values for scorers, by name.", max_length=100)] = {}
    tags: Annotated[list[Tag], Field(description="Groups that the case belongs to.", max_length=50)] = []
    cluster: Annotated[
        str, Field(description="What it shares with cases that are not independent of it.", max_length=200)
    ] = ""
    origin: Annotated[
        CaseOrigin | None, Field(description="The run that it was made from, which never counts as a measurement.")
    ] = None
    notes: Annotated[str, Field(description="For people.", max_length=10_000)] = ""

    @property
    def key(self) -> str:
        """Its ID, or the hash of its task, so that a case that is put in renames none."""
        return self.id or sha256_hex(self.task)[:12]

    def value_of(self, name: str) -> JsonValue:
        """A field by its name.

        Raises:
            KeyError: The case has no such field.
        """
        if name in self.fields:
            return self.fields[name]
        if name == "target" and self.target is not None:
            return self.target
        if name in ("id", "task", "cluster"):
            return str(getattr(self, name))
        raise KeyError(name)

    def fill(self, text: str) -> str:
        """The text with the values of the case in place of `{name}`; they are text, and never looked into.

        Raises:
            KeyError: The case lacks a field.
        """
        return _FIELD.sub(lambda found: as_text(self.value_of(found[1])), text)

    def texts(self, text: str) -> list[str]:
        """The same; all items where the text is one field that is a list.

        Raises:
            KeyError: The case lacks a field.
        """
        whole = _FIELD.fullmatch(text)
        value = self.value_of(whole[1]) if whole else None
        return [as_text(each) for each in value] if isinstance(value, list) else [self.fill(text)]


def field_names(value: JsonValue) -> Iterator[str]:
    """The `{name}` in all texts of a value."""
    if isinstance(value, str):
        yield from _FIELD.findall(value)
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from field_names(each)


def as_text(value: JsonValue) -> str:
    """A value as an answer would have it: text as it is, a number without a useless `.0`."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)
