"""When a team stops, as functions of the conversation."""

from __future__ import annotations

from typing import Protocol, cast

from studio.code.conversion import Report
from studio.code.dialect import Writer
from studio.code.layout import Call, Expression, Items, Name, Text
from studio.components import Component
from studio.conditions import (
    AndTerminationCondition,
    HandoffTermination,
    MaxMessageTermination,
    OrTerminationCondition,
    SourceMatchTermination,
    TerminationCondition,
    TextMentionTermination,
    TextMessageTermination,
    TimeoutTermination,
)
from studio.exporters.parts import name_of_part, place


class Script(Protocol):
    """What conditions ask of the script that they stand in."""

    report: Report
    parts: dict[str, Component]

    def use(self, helper: str) -> str: ...

    def handoffs(self, where: str, values: Writer) -> Name: ...


def condition_call(condition: TerminationCondition, where: str, values: Writer, script: Script) -> Call:
    """The call that gives the function for a condition."""
    match condition:
        case AndTerminationCondition() | OrTerminationCondition():
            joined = "all_of" if isinstance(condition, AndTerminationCondition) else "any_of"
            items = values.expression(condition.conditions, f"{where}/config/conditions", "conditions")
            return Call(script.use(joined), cast("Items", items).items)
        case TextMentionTermination():
            _note_tools(condition, where, script)
            return Call(script.use("text_mentioned"), _texts([condition.text, *(condition.sources or ())]))
        case MaxMessageTermination():
            return Call(script.use("message_count"), (Name(repr(condition.max_messages)),))
        case SourceMatchTermination():
            return Call(script.use("said_by"), _texts(condition.sources))
        case TextMessageTermination():
            why = "Each message counts, whatever its kind."
            script.report.add("approximated", place(where), name_of_part(condition), why)
            if condition.source is None:
                return Call(script.use("message_count"), (Name("1"),))
            return Call(script.use("said_by"), _texts([condition.source]))
        case TimeoutTermination():
            return Call(script.use("seconds_passed"), (Name(repr(condition.timeout_seconds)),))
        case HandoffTermination():
            return Call(f"{script.handoffs(where, values).text}.reached", _texts([condition.target]))
        case _:
            raise TypeError(type(condition))


def _texts(texts: list[str]) -> tuple[Expression, ...]:
    return tuple(map(Text, texts))


def _note_tools(condition: TerminationCondition, where: str, script: Script) -> None:
    if any(part.component_type in ("tool", "workbench") for part in script.parts.values()):
        why = "Only messages are looked through, not what tools gave within a turn."
        script.report.add("approximated", place(where), name_of_part(condition), why)
