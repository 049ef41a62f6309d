"""What was said in a team, and what each participant has not read yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import BaseChatMessage, BaseMessage, in_portions, message_from_json

OLD_STATE = (
    "Invalid state format. The expected state format has changed since v0.4.9. Please read the release note on GitHub."
)

Unheard = Callable[[str, Sequence[BaseChatMessage]], Sequence[BaseChatMessage]]
"""What a participant has not taken up of the messages that its turn began with."""


@dataclass(slots=True)
class Conversation:
    """The thread of a team, oldest first, what all are told of it, and the turns that have begun.

    What is told stands in one list, in which each participant has a place up to which it has read. So a turn costs the
    same however long the thread is and however many listen. Only a turn that is broken off gives back what its speaker
    has not taken up.
    """

    thread: list[BaseMessage] = field(default_factory=list[BaseMessage])
    _messages: list[BaseChatMessage] = field(default_factory=list[BaseChatMessage], init=False)
    _tellers: list[str | None] = field(default_factory=list[str | None], init=False)
    """For each that is told, the one participant who need not hear it: whoever said it."""
    _places: dict[str, int] = field(default_factory=dict[str, int], init=False)
    _given_back: dict[str, list[BaseChatMessage]] = field(default_factory=dict[str, list[BaseChatMessage]], init=False)
    """What a participant reads before it goes on at its place."""
    _begun: list[tuple[str, list[BaseChatMessage]]] = field(
        default_factory=list[tuple[str, list[BaseChatMessage]]], init=False
    )

    def add(self, new: Sequence[BaseMessage], said: Sequence[BaseChatMessage], speaker: str | None) -> None:
        """Take up what is new; what was said of it is told to all but the speaker."""
        messages = self._messages
        has_read_all = speaker is not None and self._places.get(speaker) == len(messages)
        messages += said
        self._tellers += (speaker,) * len(said)
        self.thread += new
        if has_read_all and speaker is not None:
            self._places[speaker] = len(messages)  # so that its own words need not be left out later

    @property
    def speaking(self) -> list[str]:
        """Who has the word: their turns are not over, though they may have been broken off."""
        return [name for name, _ in self._begun]

    def set_speakers(self, names: Iterable[str]) -> None:
        """Note who speaks next."""
        self._begun = [(name, []) for name in names]

    def begin_turns(self, names: Sequence[str]) -> list[list[BaseChatMessage]]:
        """Hand over what these participants have not read; it counts as read from now on."""
        unread = [self.begin_turn(name) for name in names]
        self._begun = list(zip(names, unread, strict=True))
        return unread

    def begin_turn(self, name: str) -> list[BaseChatMessage]:
        """As `begin_turns`, for one."""
        unread, self._places[name] = self._unread_by(name), len(self._messages)
        if self._given_back:
            self._given_back.pop(name, None)
        self._begun = [(name, unread)]
        return unread

    def _unread_by(self, name: str) -> list[BaseChatMessage]:
        place = self._places.get(name, 0)
        unread, tellers = self._messages[place:], self._tellers[place:]
        if name in tellers:
            unread = [message for message, teller in zip(unread, tellers, strict=True) if teller != name]
        return [*self._given_back.get(name, ()), *unread] if self._given_back else unread

    def end_turn(self, name: str) -> None:
        """Note that a participant has spoken."""
        if len(self._begun) == 1 and self._begun[0][0] == name:
            self._begun = []
            return
        for place, (speaker, _) in enumerate(self._begun):
            if speaker == name:
                del self._begun[place]
                return

    def take_back(self, unheard: Unheard) -> list[str]:
        """Let turns that were broken off count as not begun; whose they were is returned."""
        names = self.speaking
        for name, unread in reversed(self._begun):
            if again := unheard(name, unread):
                self._given_back[name] = [*again, *self._given_back.get(name, ())]
        self._begun = []
        return names

    def clear(self) -> None:
        self.thread.clear()
        self._messages.clear()
        self._tellers.clear()
        self._places.clear()
        self._given_back.clear()
        self._begun = []

    def dump_unread(self, name: str, unheard: Unheard) -> list[JsonValue]:
        """What a participant would have to read if its turn were broken off now."""
        given = [message for speaker, unread in self._begun if speaker == name for message in unheard(name, unread)]
        return [message.dump() for message in (*given, *self._unread_by(name))]

    def load_unread(self, name: str, saved: JsonValue) -> None:
        messages = [message_from_json(object_in(item)) for item in list_in(saved)]
        self._places[name] = len(self._messages)
        self._given_back[name] = [message for message in messages if isinstance(message, BaseChatMessage)]

    async def dump_thread(self) -> list[JsonValue]:
        """The thread as it is now."""
        return await in_portions(tuple(self.thread), lambda some: [message.dump() for message in some])

    async def load_thread(self, saved: JsonValue) -> list[BaseChatMessage]:
        """Replace the thread; its chat messages are returned."""
        self.thread = await in_portions(
            list_in(saved), lambda some: [message_from_json(object_in(item)) for item in some]
        )
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
