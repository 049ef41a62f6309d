"""What people change in a run while it waits: the last message before the team takes it up, and words of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from studio.effects import Effects, HandedIn, Message, Relay
from studio.messages import BaseChatMessage, BaseMessage
from studio.runs.repeating.amending import with_text


@dataclass(slots=True)
class Pen:
    """What was changed and not taken up yet."""

    amendable: str = ""
    """Id of the last message, while the team waits to take it up."""
    handed_in: list[HandedIn] = field(default_factory=list[HandedIn])
    """What people want to be heard before the next turn."""
    _texts: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    _announced: set[str] = field(default_factory=set[str])

    def came(self, item: BaseMessage) -> None:
        """Take note of what is shown now."""
        self.amendable = item.id if item.is_chat and item.id in self._announced else ""

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
        return True

    def written(self, message: BaseChatMessage) -> BaseChatMessage | None:
        """The message as it was changed."""
        if message.id not in self._texts:
            return message
        text = self._texts.pop(message.id)
        return None if text is None else with_text(message, text)

    def take_handed_in(self) -> Sequence[HandedIn]:
        """What was handed in since the last time."""
        found, self.handed_in = self.handed_in, []
        return found


class Amendable(Relay):
    """Lets the last message of a turn be changed between being shown and being taken up.

    Args:
        outer: The port that it stands before.
        pen: What is changed.
        is_watched: Whether the run may be held behind the next message. Where it goes on, a team takes up what is
            said at once.
    """

    def __init__(self, outer: Effects, pen: Pen, is_watched: Callable[[], bool]) -> None:
        super().__init__(outer)
        self._pen = pen
        self._is_watched = is_watched

    @property
    def amends(self) -> bool:
        return self._is_watched() or bool(self._pen.handed_in)

    async def amended(self, message: Message) -> Message | None:
        said: object = message
        if not isinstance(said, BaseChatMessage) or self._pen.announce(said):
            return await self._outer.amended(message)
        now: object = self._pen.written(said)
        return message if now is said else now  # pyright: ignore[reportReturnType] -- a message of a kind that fits

    async def handed_in(self) -> Sequence[HandedIn]:
        return self._pen.take_handed_in()
