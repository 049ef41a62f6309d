"""Answers a run with what another one was answered to exactly the same request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.effects import AsyncGeneratorLike, EffectRequest, Effects, EffectsMiddleware, Perform, StreamItem, current
from studio.effects.outcomes import outcome_of
from studio.models.spending import Spending
from studio.runs.active_run import ActiveRun
from studio.runs.journal.answers import REUSED, DrawnAnswer, RecordedAnswers

_KEPT = ("effect", "source", "request", "result", "error")


def may_reuse(request: EffectRequest) -> bool:
    """Whether a recorded answer may take the place of a new one. A scripted model's may not: its script, which may have
    been changed, is no part of the request."""
    if request.kind == "model":
        about = request.about
        return not (isinstance(about, Spending) and getattr(about.owner, "is_scripted", False))
    return request.kind == "tool" and request.is_safe


class ReusingEffects(EffectsMiddleware):
    """Stands before the budget: an answer that is reused costs nothing, and is in the run's log like any other.

    Models are reused, and tools that are safe to repeat. A tool that may change the world is called anew; whether what
    follows fits again is seen by the hashes of the requests.

    Args:
        outer: Asked for what the other run was not answered.
        run: The run that asks.
        answers: Those of the other run.
    """

    def __init__(self, outer: Effects, run: ActiveRun, answers: RecordedAnswers) -> None:
        super().__init__(outer)
        self._run = run
        self._answers = answers

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        found = await self._reused_entry(request)
        return await self._outer.call(request, perform) if found is None else outcome_of(found)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        if (found := await self._reused_entry(request)) is not None:
            yield cast("StreamItem", outcome_of(found))
            return
        async with aclosing(cast("AsyncGeneratorLike", self._outer.stream(request, perform))) as items:
            async for item in items:
                yield item

    async def _reused_entry(self, request: EffectRequest) -> JsonObject | None:
        """The entry of the answer, which is in this run's log now; None where the world is to be asked."""
        if not self._may_reuse(request):
            return None
        answer = await self._answers.pop(request.hash, self._run.id)
        if answer is None:
            return None
        body = self._entry(answer)
        if (rest := self._run.record_effect(body)) is not None:
            await rest
        return body

    def _may_reuse(self, request: EffectRequest) -> bool:
        if request.kind != "tool":
            return may_reuse(request)
        name = request.tool.name if request.tool is not None else request.source
        return may_reuse(request) or self._run.debugger.may_repeat(name)

    def _entry(self, answer: DrawnAnswer) -> JsonObject:
        kept = {name: answer.body[name] for name in _KEPT if name in answer.body}
        scope: JsonObject = {"scope": current().scope} if current().scope else {}
        origin: JsonObject = {
            "run_id": self._answers.run_id,
            "seq": answer.seq,
            "at": answer.drawn_at.isoformat(),
            "spent": answer.spent,
        }
        return {**kept, **scope, REUSED: origin}
