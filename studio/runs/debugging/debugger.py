"""What people have set to look into one run: its breakpoints, its rules for tools, and what is under way in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from studio.effects import HANDED_IN_BY, HandedIn
from studio.errors import Conflict
from studio.messages import BaseChatMessage, BaseMessage, Explanation, TextMessage
from studio.runs.debugging.breakpoints import Breakpoint, Watch
from studio.runs.debugging.in_flight import Flights, InFlight
from studio.runs.debugging.policy import ToolPolicy, Verdict
from studio.runs.debugging.team_tools import ANY, TeamTool, new_names
from studio.runs.edits import with_text
from studio.runs.gate import Gate
from studio.runs.journal.log import Usage

MAX_UNHEARD = 20
"""Messages that wait for the next turn of a team."""


@dataclass(slots=True)
class Pen:
    """What was changed and not taken up yet."""

    amendable: str = ""
    """Id of the last message, while the team waits to take it up."""
    is_used: bool = False
    """Whether it must be told what comes."""
    handed_in: list[HandedIn] = field(default_factory=list[HandedIn])
    """What people want to be heard before the next turn."""
    _texts: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    _announced: set[str] = field(default_factory=set[str])

    def came(self, item: BaseMessage) -> None:
        """Take note of what is shown now."""
        self.amendable = item.id if item.is_chat and item.id in self._announced else ""
        self.is_used = bool(self._announced)

    def amend(self, text: str | None) -> None:
        """Change the last message; None drops it."""
        self._texts[self.amendable] = text

    def announce(self, message: BaseMessage) -> bool:
        """Told before a message is shown, and again before it is taken up; whether this is the first time."""
        if message.id in self._announced:
            self._announced.remove(message.id)
            self.amendable = ""
            return False
        self._announced.add(message.id)
        self.is_used = True
        return True

    def written(self, message: BaseChatMessage) -> BaseChatMessage | None:
        """The message as it was changed."""
        if message.id not in self._texts:
            return message
        text = self._texts.pop(message.id)
        return None if text is None else with_text(message, text)

    def hand_in(self, given: HandedIn) -> None:
        """Keep words until the team takes its next turn.

        Raises:
            Conflict: The team has not heard many others yet.
        """
        if len(self.handed_in) >= MAX_UNHEARD:
            raise Conflict(
                f"{MAX_UNHEARD} messages wait for the team's next turn already.",
                fix="Send another one when the team has heard these.",
            )
        self.handed_in.append(given)

    def heard_again(self, said: BaseMessage) -> None:
        """Told of a message of a log that the team repeats: it need not be handed in once more."""
        by = said.metadata.get(HANDED_IN_BY) if isinstance(said, BaseChatMessage) else None
        if by is not None and isinstance(said, TextMessage):
            given = HandedIn(said.source, said.content, by)
            if given in self.handed_in:
                self.handed_in.remove(given)

    def take_handed_in(self) -> Sequence[HandedIn]:
        """What was handed in since the last time."""
        found, self.handed_in = self.handed_in, []
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
        self.watch = Watch()
        self.flights = Flights(lambda: None if gate.is_open and not self.is_over else tell(), tell)
        self.pen = Pen()
        self.is_over = False
        """Whether the run is to stop: nothing holds it any more."""

    def begin(
        self, team_id: str, policy: ToolPolicy, breakpoints: Sequence[Breakpoint], tools: Sequence[TeamTool] = ()
    ) -> None:
        """Begin with what is kept with the team of the run."""
        self.team_id = team_id
        self.tools = tools
        self.policy = policy
        self.put(breakpoints)

    def ruling(self, tool: str, arguments: Mapping[str, JsonValue], named: Collection[str]) -> tuple[Verdict, str]:
        """What happens with a call, and the reason that a rule gives. Nothing is permitted to a tool that the team did
        not have like this when the rules were made: a rule names what an approver has seen."""
        verdict, reason = self.policy.ruling(tool, arguments, named)
        return ("ask", "") if verdict == "allow" and self._is_new(tool) else (verdict, reason)

    def may_repeat(self, tool: str) -> bool:
        """Whether a call that was broken off is made again without asking."""
        return self.policy.may_repeat(tool) and not self._is_new(tool)

    def _is_new(self, tool: str) -> bool:
        if self.policy.known is None:
            return False
        return not {tool, ANY}.isdisjoint(new_names(self.tools, frozenset(self.policy.known)))

    def put(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Go on with these breakpoints."""
        self.watch.put(breakpoints)
        self._gate.watch(not self.watch.is_idle)

    def came(self, item: BaseMessage, spender: Spender) -> None:
        """Take note of a message or event that is on its way into the log, and of what was spent until then."""
        gate, pen = self._gate, self.pen
        if pen.is_used:
            pen.came(item)
        if gate.is_free:
            gate.last = item
            return
        gate.came(item)
        if not self.watch.is_idle:
            self._wait_at(self.watch.came(item, spender.usage))

    def told(self, what: Explanation) -> bool:
        """Take note of an explanation; whether the run waits right behind it, where else no step ends."""
        is_held = self._gate.told(what)
        if self.watch.is_idle:
            return is_held
        met = self.watch.progressed(what) or self.watch.told(what)
        return self._wait_at(met) or is_held

    @property
    def finishing(self) -> Sequence[InFlight]:
        """What a run that is held or ends still waits for; nothing while it goes on as it should."""
        return self.flights.listed() if self.is_over or not self._gate.is_open else ()

    def _wait_at(self, met: Breakpoint | None) -> bool:
        if met is None or self.is_over:
            return False
        self._gate.pause("breakpoint", f"Breakpoint: {met.in_words}.")
        return True
