"""Writes down what the team of a run explains of itself, while nobody looks at it on the way."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import datetime

from pydantic_core import to_json
from typing_extensions import override

from studio.messages import Explanation, Listener, frame_of
from studio.messages.explanation_json import Frame
from studio.runs.active_run import ActiveRun
from studio.runs.journal.log import Draft


class ExplanationWriter(Listener):
    """Writes down what one team tells itself, as text; what comes from inside it is among the events.

    So is everything while the run may be held at an explanation, by a step or a breakpoint.

    Args:
        run: Whose log it is.
        team: The one that is run.
        now: The time, as those say it who speak in the run.
    """

    def __init__(self, run: ActiveRun, team: object, now: Callable[[], datetime]) -> None:
        self._team = team
        self._now = now
        self._hold, self._gate = run.buffer, run.gate
        self._frames: dict[Hashable, Frame] = {}

    @override
    def explain(
        self, team: object, as_text: Callable[[str], str], as_event: Callable[[], Explanation]
    ) -> tuple[Explanation, ...]:
        gate = self._gate
        if team is not self._team or not gate.is_free:
            return (as_event(),)
        gate.explanation = None
        text = as_text(to_json(self._now()).decode())
        self._hold(Draft("explanation", text, text))
        return ()

    @override
    def explain_repeated(
        self, team: object, key: Hashable, as_event: Callable[[], Explanation]
    ) -> tuple[Explanation, ...]:
        gate, frame = self._gate, self._frames.get(key)
        if frame is None or team is not self._team or not gate.is_free:
            event = as_event()
            if team is self._team and (frame := frame_of(event)) is not None:
                self._frames[key] = frame
            return (event,)
        gate.explanation = None
        text = to_json(self._now()).decode().join(frame)
        self._hold(Draft("explanation", text, text))
        return ()
