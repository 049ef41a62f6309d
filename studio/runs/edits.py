"""Messages that a person has changed or dropped, at the place where the team takes them up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from studio.effects import Effects, EffectsMiddleware, Message, Recorded
from studio.messages import BaseChatMessage, TextMessage
from studio.runs.journal.log import JsonObject

EDITS = frozenset({"edit", "amend"})
"""The command `{"command": "edit", "message_id": ..., "text": ...}`; without a text the message is dropped.
Logs of earlier versions call it `amend`."""


class AppliedEdits(EffectsMiddleware):
    """Knows other texts for messages, by their ids."""

    def __init__(self, outer: Effects, edits: Mapping[str, str | None]) -> None:
        super().__init__(outer)
        self._edits = dict(edits)

    @property
    def can_edit(self) -> bool:
        return bool(self._edits) or self._outer.can_edit

    def add(self, message_id: str, text: str | None) -> None:
        """Change a message, None to drop it, that the team has not taken up yet."""
        self._edits[message_id] = text

    def note(self, entry: Recorded) -> None:
        """Take up an entry of a log, if it is such a command."""
        body = entry.body
        if entry.name == "command" and body.get("command") in EDITS:
            self.add(str(body.get("message_id")), cast("str | None", body.get("text")))

    async def edited(self, message: Message) -> Message | None:
        said: object = message
        if not isinstance(said, BaseChatMessage) or said.id not in self._edits:
            return await self._outer.edited(message)
        text = self._edits.pop(said.id)
        return None if text is None else cast("Message", with_text(said, text))


def with_text(message: BaseChatMessage, text: str) -> BaseChatMessage:
    """The same message saying something else; what is no text becomes one."""
    if isinstance(message.model_dump().get("content"), str):
        return message.model_copy(update={"content": text})
    plain: JsonObject = {"id": message.id, "source": message.source, "content": text}
    return TextMessage.model_validate(plain | {"models_usage": message.models_usage, "metadata": message.metadata})
