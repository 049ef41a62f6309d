"""Why a run goes as it goes: events of ours that AgentChat does not have.

They are told to whoever asks for them, inside `with explained():`, by all teams of the run, also nested ones. They
change nothing: no result, thread, saved state or model ever holds one, and no condition sees one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Self, TypeVar

from pydantic import Field

from studio import effects
from studio.messages.chat import BaseAgentEvent
from studio.messages.unchecked import unchecked

Item = TypeVar("Item")

_EMPTY = {"id", "models_usage", "metadata"}

MAX_TEXT = 4_000
"""Characters of a prompt or an answer that an explanation repeats; a run of any length logs no more per turn."""


class Explanation(BaseAgentEvent):
    """Says why something happened, or how things stand."""

    is_kept: ClassVar[bool] = False

    id: str = ""
    """Empty: asking for explanations must not shift the ids of a recorded run. Its place in the log names it."""
    team: str
    """Name of the team that it is about."""
    path: list[str] = Field(default_factory=list[str])
    """Participants through whom it came, from the outside in; empty for the team that was run."""

    @classmethod
    def create(cls, *, source: str, team: str, **what: Any) -> Self:
        """One of values that are known to be of their types, all of them and in their order."""
        shared: dict[str, Any] = {"id": "", "source": source, "models_usage": None, "metadata": {}}
        values: dict[str, Any] = {
            **shared,
            "created_at": effects.now(),
            "team": team,
            "path": [],
            **what,
            "type": cls.__name__,
        }
        return unchecked(cls, {"source", "team", *what}, values)

    def dump(self) -> dict[str, Any]:
        """As plain JSON, without what is empty in every one of them: there are two for each turn."""
        return self.model_dump(mode="json", exclude=_EMPTY, exclude_none=True)

    def dump_json(self) -> str:
        """The same as text."""
        return self.model_dump_json(exclude=_EMPTY, exclude_none=True)


class Listener:
    """Who asks for explanations. This one is given all of them among the events.

    Another kind may write them down as text, which takes far less than to make an event.
    """

    def explain(
        self, team: object, as_text: Callable[[str], str], as_event: Callable[[], Explanation]
    ) -> tuple[Explanation, ...]:
        """What is among the events of an explanation of this team: nothing where it is taken as text.

        Args:
            team: Who explains.
            as_text: Gives the JSON of the event, with the time as which JSON it is given.
            as_event: Gives the event.
        """
        del team, as_text
        return (as_event(),)

    def explain_repeated(
        self, team: object, key: Hashable, as_event: Callable[[], Explanation]
    ) -> tuple[Explanation, ...]:
        """As `explain`, of what comes again and again in a run, by the same key and the same but for its time."""
        del team, key
        return (as_event(),)


_listener: ContextVar[Listener | None] = ContextVar("studio_listener", default=None)


@contextmanager
def explained(to: Listener | None = None) -> Generator[None]:
    """Inside the block, runs give their explanations among their events, or to a listener."""
    token = _listener.set(to or Listener())
    try:
        yield
    finally:
        _listener.reset(token)


def listener() -> Listener | None:
    """Who asks for explanations here."""
    return _listener.get()


def is_explained() -> bool:
    """Whether explanations are asked for here."""
    return _listener.get() is not None


def seen_through(item: Item, name: str) -> Item:
    """What comes from inside a participant, as its team passes it on."""
    if isinstance(item, Explanation):
        return item.model_copy(update={"path": [name, *item.path]})
    return item


def clipped(text: str) -> str:
    """A text that may be long, cut in its middle."""
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} more characters]\n{text[-half:]}"
