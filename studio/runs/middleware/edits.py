"""The port through which people change what is said in a run, with the pen of its debugger."""

from __future__ import annotations

from collections.abc import Sequence

from studio.effects import Effects, HandedIn, Message, Relay
from studio.messages import BaseChatMessage
from studio.runs.active_run import LiveRun


class Amendable(Relay):
    """Lets the last message of a turn be changed between being shown and being taken up.

    Only where the run may be held behind the next message: where it goes on, a team takes up what is said at once.
    """

    def __init__(self, outer: Effects, run: LiveRun) -> None:
        super().__init__(outer)
        self._gate = run.gate
        self._pen = run.debugger.pen

    @property
    def amends(self) -> bool:
        return not self._gate.is_free or bool(self._pen.handed_in)

    async def amended(self, message: Message) -> Message | None:
        said: object = message
        if not isinstance(said, BaseChatMessage) or self._pen.announce(said):
            return await self._outer.amended(message)
        now: object = self._pen.written(said)
        return message if now is said else now  # pyright: ignore[reportReturnType] -- a message of a kind that fits

    async def handed_in(self) -> Sequence[HandedIn]:
        return self._pen.take_handed_in()
