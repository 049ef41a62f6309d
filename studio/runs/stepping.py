"""How far a step goes: one event, one turn, over what is inside, or to the next agent."""

from __future__ import annotations

from typing import Literal

from studio.messages import (
    BaseMessage,
    Explanation,
    SpeakerDecisionEvent,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
)

StepKind = Literal["event", "turn", "over", "agent"]
"""`event`: one message or event. `turn`: until the message that ends a turn. `over`: one event, and a nested team or
the calls of tools count as one. `agent`: until somebody is given the word."""


class Step:
    """One step under way. It is told what comes, and says when it is over.

    Args:
        kind: How far it goes.
        last: What came last before it.
        explained: The newest explanation before it, which says how deep within teams the run was.
    """

    def __init__(self, kind: StepKind, last: BaseMessage | None = None, explained: Explanation | None = None) -> None:
        self._kind: StepKind = kind
        self._depth = self._home = len(explained.path) if explained else 0
        self._calls = 1 if isinstance(last, ToolCallRequestEvent) else 0
        self._caller = last.source if self._calls and last else ""

    def note_item(self, item: BaseMessage) -> bool:
        """Whether the step is over with this message or event."""
        match self._kind:
            case "event":
                return True
            case "turn":
                return item.is_chat
            case "agent":
                return False
            case "over":
                return self._is_past(item)

    def note_explanation(self, what: Explanation) -> bool:
        """Whether the step is over with this explanation."""
        if self._kind == "agent":
            return isinstance(what, SpeakerDecisionEvent)
        was, self._depth = self._depth, len(what.path)
        is_back = was > self._home >= self._depth
        self._home = min(self._home, self._depth)
        return self._kind == "over" and is_back and not self._calls

    def _is_past(self, item: BaseMessage) -> bool:
        if not self._calls:
            return self._depth <= self._home
        if isinstance(item, ToolCallRequestEvent):
            self._calls += 1
        elif isinstance(item, ToolCallExecutionEvent):
            self._calls -= 1
        is_answered = item.is_chat and item.source == self._caller  # a call whose result is not told
        return not self._calls or is_answered
