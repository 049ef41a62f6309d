"""What people change in a run while it waits: the last message before the team takes it up, and words of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from studio.effects import HANDED_IN_BY, HandedIn
from studio.errors import Conflict
from studio.messages import BaseChatMessage, BaseMessage, TextMessage
from studio.runs.repeating.amending import with_text

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
