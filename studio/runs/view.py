"""A run as pages show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from studio.runs.debugging.in_flight import InFlightCall
from studio.runs.journal.log import JsonObject, RunStatus


class RunView(RunStatus):
    """A run's status as pages show it.

    `is_finishing`: the run was told to pause or stop and what it has begun still comes.
    """

    is_finishing: bool = False
    in_flight: Sequence[InFlightCall] = ()
    """What a run that is held or ends still waits for."""
    progress: Sequence[InFlightCall] = ()
    """Calls that have told of their progress."""
    hits: Mapping[str, int] = {}
    """How often each breakpoint was met, by its id."""
    editable_id: str = ""
    """Id of the last message of a run that is held, while it can be changed."""
    last_seq: int = 0

    @classmethod
    def from_json(cls, shown: JsonObject) -> RunView:
        """The view that another process tells of in this shape."""
        renamed = {"is_finishing" if name == "finishing" else name: value for name, value in shown.items()}
        return cls.model_validate(renamed)

    def as_json(self) -> JsonObject:
        """The shape that pages get. By `last_seq` they tell the newer of two, that came by different ways."""
        return {
            "state": self.state.value,
            "reason": self.reason,
            "detail": self.detail,
            "pending": self.pending.model_dump() if self.pending else None,
            "finishing": self.is_finishing,
            "in_flight": [each.model_dump(mode="json") for each in self.in_flight],
            "progress": [each.model_dump(mode="json") for each in self.progress],
            "hits": dict(self.hits),
            "editable_id": self.editable_id,
            "last_seq": self.last_seq,
            "usage": asdict(self.usage),
        }
