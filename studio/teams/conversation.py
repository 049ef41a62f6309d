"""What was said in a team, and what each participant has not read yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import BaseChatMessage, BaseMessage, message_from_json

OLD_STATE = (
    "Invalid state format. The expected state format has changed since v0.4.9. Please read the release note on GitHub."
)

Unheard = Callable[[str, Sequence[BaseChatMessage]], Sequence[BaseChatMessage]]
"""What a participant has not taken up of the messages that its turn began with."""


@dataclass
class Conversation:
    """The thread of a team, oldest first, the unread chat messages by participant, and the turns that have begun.

    Every message is handed over once, so a turn costs the same however long the thread is. Only a turn that is broken
    off gives back what its speaker has not taken up.
    """

    thread: list[BaseMessage] = field(default_factory=list[BaseMessage])
    _unread: dict[str, list[BaseChatMessage]] = field(default_factory=dict[str, list[BaseChatMessage]])
    _begun: list[tuple[str, list[BaseChatMessage]]] = field(default_factory=list[tuple[str, list[BaseChatMessage]]])

    def add(
        self, new: Sequence[BaseMessage], said: Sequence[BaseChatMessage], listeners: Iterable[str]
    ) -> list[BaseChatMessage]:
        """Take up what is new and put what was said of it before the listeners; all new chat messages are returned."""
        unread = self._unread
        for name in listeners:
            if name in unread:
                unread[name] += said
            else:
                unread[name] = [*said]
        self.thread.extend(new)
        return [message for message in new if isinstance(message, BaseChatMessage)]

    @property
    def speaking(self) -> list[str]:
        """Who has the word: their turns are not over, though they may have been broken off."""
        return [name for name, _ in self._begun]

    def give_word(self, names: Iterable[str]) -> None:
        """Note who speaks next."""
        self._begun = [(name, []) for name in names]

    def begin_turns(self, names: Sequence[str]) -> list[list[BaseChatMessage]]:
        """Hand over what these participants have not read; it counts as read from now on."""
        self._begun = [(name, self._unread.pop(name, [])) for name in names]
        return [unread for _, unread in self._begun]

    def end_turn(self, name: str) -> None:
        """Note that a participant has spoken."""
        for place, (speaker, _) in enumerate(self._begun):
            if speaker == name:
                del self._begun[place]
                return

    def take_back(self, unheard: Unheard) -> list[str]:
        """Let turns that were broken off count as not begun; whose they were is returned."""
        names = self.speaking
        for name, unread in reversed(self._begun):
            if again := unheard(name, unread):
                self._unread[name] = [*again, *self._unread.get(name, ())]
        self._begun = []
        return names

    def clear(self) -> None:
        self.thread.clear()
        self._unread.clear()
        self._begun = []

    def dump_unread(self, name: str, unheard: Unheard) -> list[JsonValue]:
        """What a participant would have to read if its turn were broken off now."""
        given = [message for speaker, unread in self._begun if speaker == name for message in unheard(name, unread)]
        return [message.dump() for message in (*given, *self._unread.get(name, ()))]

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
