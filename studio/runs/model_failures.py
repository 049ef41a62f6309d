"""Notes in the log of a run that the service of a model did not answer as asked, while its client may try again."""

from __future__ import annotations

from asyncio import current_task
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from studio.effects import EffectRequest
from studio.errors import ModelRefused, ModelUnavailable
from studio.runs.active_run import ActiveRun
from studio.runs.concurrency import unwrap_single
from studio.runs.journal.log import Draft, JsonObject
from studio.runs.spending.costs import agent_of, name_of


class ModelFailures:
    """Told of failed requests of one run; those of tools are for the agents that called them.

    Args:
        run: Whose log it is.
        names: The agent that each component of the team works for.
    """

    def __init__(self, run: ActiveRun, names: Mapping[int, str]) -> None:
        self._run = run
        self._names = names
        self._counts: WeakKeyDictionary[EffectRequest, int] = WeakKeyDictionary()

    def failed_call(self, error: Exception) -> JsonObject:
        """`{agent, model}` of the model call that a run ended with, where it did."""
        request = self._run.debugger.in_flight.failed
        if (
            request is None
            or request.kind != "model"
            or not isinstance(unwrap_single(error), ModelRefused | ModelUnavailable)
        ):
            return {}
        return {"agent": agent_of(request, self._names), "model": name_of(request)}

    def log_failure(self, host: str, status: int) -> None:
        """Log `{command, by, agent, model, host, status, attempt}`; `status` is 0 where there was no answer."""
        request = self._run.debugger.in_flight.waited_for_by(current_task())
        if request is None or request.kind != "model":
            return
        attempt = self._counts[request] = self._counts.get(request, 0) + 1
        self._run.buffer(
            Draft(
                "command",
                {
                    "command": "model_failed",
                    "by": "studio",
                    "agent": agent_of(request, self._names),
                    "model": name_of(request),
                    "host": host,
                    "status": status,
                    "attempt": attempt,
                },
            )
        )
