"""The port through which people change what is said in a run, through the edits of its debugger."""

from __future__ import annotations

from collections.abc import Sequence

from studio.effects import Effects, EffectsMiddleware, InjectedMessage, Message
from studio.messages import BaseChatMessage
from studio.runs.active_run import ActiveRun


class EditableEffects(EffectsMiddleware):
    """Lets the last message of a turn be changed between being shown and being taken up.

    Only where the run may be held behind the next message: where it goes on, a team takes up what is said at once.
    """

    def __init__(self, outer: Effects, run: ActiveRun) -> None:
        super().__init__(outer)
        self._gate = run.gate
        self._pen = run.debugger.edits

    @property
    def can_edit(self) -> bool:
        return not self._gate.is_free or bool(self._pen.injected)

    async def edited(self, message: Message) -> Message | None:
        said: object = message
        if not isinstance(said, BaseChatMessage) or self._pen.announce(said):
            return await self._outer.edited(message)
        now: object = self._pen.edited(said)
        return message if now is said else now  # pyright: ignore[reportReturnType] -- a message of a kind that fits

    async def injected(self) -> Sequence[InjectedMessage]:
        return self._pen.take_injected()
