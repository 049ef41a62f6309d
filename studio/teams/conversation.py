"""What was said in a team, and what each participant has not read yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import BaseChatMessage, BaseMessage, message_from_json

OLD_STATE = (
    "Invalid state format. The expected state format has changed since v0.4.9. Please read the release note on GitHub."
)


@dataclass
class Conversation:
    """The thread of a team, oldest first, and the unread chat messages by participant.

    Every message is handed over once, so a turn costs the same however long the thread is.
    """

    thread: list[BaseMessage] = field(default_factory=list[BaseMessage])
    _unread: dict[str, list[BaseChatMessage]] = field(default_factory=dict[str, list[BaseChatMessage]])

    def add(
        self, new: Sequence[BaseMessage], said: Sequence[BaseChatMessage], listeners: Iterable[str]
    ) -> list[BaseChatMessage]:
        """Take up what is new and put what was said of it before the listeners; all new chat messages are returned."""
        for name in listeners:
            self._unread.setdefault(name, []).extend(said)
        self.thread.extend(new)
        return [message for message in new if isinstance(message, BaseChatMessage)]

    def take_unread(self, name: str) -> list[BaseChatMessage]:
        """Hand over what a participant has not read; it counts as read from now on."""
        return self._unread.pop(name, [])

    def clear(self) -> None:
        self.thread.clear()
        self._unread.clear()

    def dump_unread(self, name: str) -> list[JsonValue]:
        return [message.dump() for message in self._unread.get(name, ())]

    def load_unread(self, name: str, saved: JsonValue) -> None:
        messages = [message_from_json(object_in(item)) for item in list_in(saved)]
        self._unread[name] = [message for message in messages if isinstance(message, BaseChatMessage)]

    def dump_thread(self) -> list[JsonValue]:
        return [message.dump() for message in self.thread]

    def load_thread(self, saved: JsonValue) -> list[BaseChatMessage]:
        """Replace the thread; its chat messages are returned."""
        self.thread = [message_from_json(object_in(item)) for item in list_in(saved)]
        return [message for message in self.thread if isinstance(message, BaseChatMessage)]


def object_in(value: JsonValue) -> JsonObject:
    """An object of a saved state.

    Raises:
        ValueError: It is something else.
    """
    if not isinstance(value, dict):
        raise ValueError(OLD_STATE)
    return value


def list_in(value: JsonValue) -> list[JsonValue]:
    """A list of a saved state; a missing one is empty."""
    return value if isinstance(value, list) else []
