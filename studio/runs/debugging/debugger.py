"""What people have set to look into one run: its breakpoints, its rules for tools, and what is under way in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from studio.effects import INJECTED_BY, InjectedMessage
from studio.errors import Conflict
from studio.messages import BaseChatMessage, BaseMessage, Explanation, MultiModalMessage, TextMessage
from studio.runs.debugging.breakpoints import Breakpoint, BreakpointSet
from studio.runs.debugging.in_flight import InFlightCall, InFlightCalls
from studio.runs.debugging.policy import RuleVerdict, ToolPolicy
from studio.runs.debugging.team_tools import ANY, TeamTool, new_names
from studio.runs.edits import with_text
from studio.runs.gate import Gate
from studio.runs.journal.log import Usage

MAX_PENDING_MESSAGES = 20
"""Messages that wait for the next turn of a team."""


@dataclass(slots=True)
class PendingEdits:
    """What was changed and not taken up yet."""

    editable_id: str = ""
    """Id of the last message, while the team waits to take it up."""
    is_active: bool = False
    """Whether it must be told what comes."""
    injected: list[InjectedMessage] = field(default_factory=list[InjectedMessage])
    """What people want to be heard before the next turn."""
    _texts: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    _announced: set[str] = field(default_factory=set[str])

    def note_item(self, item: BaseMessage) -> None:
        """Take note of what is shown now."""
        self.editable_id = item.id if item.is_chat and item.id in self._announced else ""
        self.is_active = bool(self._announced)

    def edit(self, text: str | None) -> None:
        """Change the last message; None drops it."""
        self._texts[self.editable_id] = text

    def announce(self, message: BaseMessage) -> bool:
        """Told before a message is shown, and again before it is taken up; whether this is the first time."""
        if message.id in self._announced:
            self._announced.remove(message.id)
            self.editable_id = ""
            return False
        self._announced.add(message.id)
        self.is_active = True
        return True

    def edited(self, message: BaseChatMessage) -> BaseChatMessage | None:
        """The message as it was changed."""
        if message.id not in self._texts:
            return message
        text = self._texts.pop(message.id)
        return None if text is None else with_text(message, text)

    def inject(self, given: InjectedMessage) -> None:
        """Keep words until the team takes its next turn.

        Raises:
            Conflict: The team has not heard many others yet.
        """
        if len(self.injected) >= MAX_PENDING_MESSAGES:
            raise Conflict(
                f"{MAX_PENDING_MESSAGES} messages are already waiting for the team's next turn.",
                fix="Send another one after the team has received these.",
            )
        self.injected.append(given)

    def discard_repeated(self, said: BaseMessage) -> None:
        """Told of a message of a log that the team repeats: it need not be injected again."""
        if not isinstance(said, TextMessage | MultiModalMessage) or INJECTED_BY not in said.metadata:
            return
        given = InjectedMessage.from_message(said.model_dump(mode="json"))
        if given in self.injected:
            self.injected.remove(given)

    def take_injected(self) -> Sequence[InjectedMessage]:
        """What was injected since the last time."""
        found, self.injected = self.injected, []
        return found


class Spender(Protocol):
    """Whose usage a breakpoint may look at."""

    @property
    def usage(self) -> Usage: ...


class Debugger:
    """Closes the gate of its run where a breakpoint or a step says so.

    Args:
        gate: Of the run.
        tell: Wakes those who look at the run.
    """

    def __init__(self, gate: Gate, tell: Callable[[], None]) -> None:
        self._gate = gate
        self.team_id = ""
        """Of the team whose breakpoints and rules these are; empty for a run of none."""
        self.policy = ToolPolicy()
        self.tools: Sequence[TeamTool] = ()
        """Those of the run."""
        self.breakpoints = BreakpointSet()
        self.in_flight = InFlightCalls(lambda: None if gate.is_open and not self.is_over else tell(), tell)
        self.edits = PendingEdits()
        self.is_over = False
        """Whether the run is to stop: nothing holds it any more."""

    def begin(
        self, team_id: str, policy: ToolPolicy, breakpoints: Sequence[Breakpoint], tools: Sequence[TeamTool] = ()
    ) -> None:
        """Begin with what is kept with the team of the run."""
        self.team_id = team_id
        self.tools = tools
        self.policy = policy
        self.set_breakpoints(breakpoints)

    def decision(
        self, tool: str, arguments: Mapping[str, JsonValue], named: Collection[str]
    ) -> tuple[RuleVerdict, str]:
        """What happens with a call, and the reason that a rule gives. Nothing is permitted to a tool that the team did
        not have like this when the rules were made: a rule names what an approver has seen."""
        verdict, reason = self.policy.decision(tool, arguments, named)
        return ("ask", "") if verdict == "allow" and self._is_new(tool) else (verdict, reason)

    def may_repeat(self, tool: str) -> bool:
        """Whether a call that was broken off is made again without asking."""
        return self.policy.may_repeat(tool) and not self._is_new(tool)

    def _is_new(self, tool: str) -> bool:
        if self.policy.known is None:
            return False
        return not {tool, ANY}.isdisjoint(new_names(self.tools, frozenset(self.policy.known)))

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Go on with these breakpoints."""
        self.breakpoints.replace(breakpoints)
        self._gate.set_watched(not self.breakpoints.is_idle)

    def note_item(self, item: BaseMessage, spender: Spender) -> None:
        """Take note of a message or event that is on its way into the log, and of what was spent until then."""
        gate, edits = self._gate, self.edits
        if edits.is_active:
            edits.note_item(item)
        if gate.is_free:
            gate.last = item
            return
        gate.note_item(item)
        if not self.breakpoints.is_idle:
            self._pause_at(self.breakpoints.match_item(item, spender.usage))

    def note_explanation(self, what: Explanation) -> bool:
        """Take note of an explanation; whether the run waits right behind it, where else no step ends."""
        is_held = self._gate.note_explanation(what)
        if self.breakpoints.is_idle:
            return is_held
        met = self.breakpoints.match_progress(what) or self.breakpoints.match_explanation(what)
        return self._pause_at(met) or is_held

    @property
    def finishing(self) -> Sequence[InFlightCall]:
        """What a run that is held or ends still waits for; nothing while it goes on as it should."""
        return self.in_flight.listed() if self.is_over or not self._gate.is_open else ()

    def _pause_at(self, met: Breakpoint | None) -> bool:
        if met is None or self.is_over:
            return False
        self._gate.pause("breakpoint", f"Breakpoint: {met.description}.")
        return True
