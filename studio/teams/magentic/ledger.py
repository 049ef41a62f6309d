"""What the orchestrator of Magentic-One asks about each round, and how it reads the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import cast

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from pydantic.config import JsonDict

FENCED = re.compile(r"```(?:\s*([\w+-]+))?\n([\s\S]*?)```")


def _without_help(schema: JsonDict) -> None:
    """Tell the model the names alone, as AutoGen does."""
    schema.pop("description", None)


class _Part(BaseModel):
    """Something the model is asked for by its schema."""

    model_config = ConfigDict(json_schema_extra=_without_help)


class LedgerEntryBooleanAnswer(_Part):
    """Yes or no, and why."""

    reason: str
    answer: bool


class LedgerEntryStringAnswer(_Part):
    """Text, and why."""

    reason: str
    answer: str


class LedgerEntry(_Part):
    """Where the team stands and who does what next."""

    is_request_satisfied: LedgerEntryBooleanAnswer
    is_in_loop: LedgerEntryBooleanAnswer
    is_progress_being_made: LedgerEntryBooleanAnswer
    next_speaker: LedgerEntryStringAnswer
    instruction_or_question: LedgerEntryStringAnswer

    @property
    def is_stalling(self) -> bool:
        """Whether this round brought nothing."""
        return self.is_in_loop.answer or not self.is_progress_being_made.answer


def read_ledger(text: str, names: Sequence[str]) -> LedgerEntry | None:
    """The model's answer, or None when it cannot be used.

    Args:
        text: JSON, bare or as one fenced block.
        names: Who may speak next; a single participant need not be named.
    """
    blocks = FENCED.findall(text)
    if len(blocks) > 1 or any(language.lower() not in ("", "json") for language, _ in blocks):
        return None
    try:
        found = cast("JsonValue", json.loads(blocks[0][1] if blocks else text))
        if len(names) == 1 and isinstance(found, dict):
            found["next_speaker"] = {"reason": "The team consists of only one agent.", "answer": names[0]}
        entry = LedgerEntry.model_validate(found)
    except (json.JSONDecodeError, ValidationError):
        return None
    is_done = entry.is_request_satisfied.answer
    return entry if is_done or entry.next_speaker.answer in names else None
