"""Calls that were under way when the server was killed: nobody knows whether they were carried out."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Literal, NamedTuple, cast, get_args

from pydantic import JsonValue

from studio.effects import (
    AsyncGeneratorLike,
    EffectRequest,
    Effects,
    EffectsMiddleware,
    Perform,
    Recorded,
    StreamItem,
    current,
    idempotency_scope,
)
from studio.errors import RunFailed
from studio.runs.active_run import STOPPED_AT_QUESTION, ActiveRun
from studio.runs.journal.log import PendingInput

Outcome = Literal["again", "result", "failed", "stop"]
"""Retry; completed with this result; failed; stop run."""

PROMPT = "The server stopped while {} was running; its outcome is unknown. Did it complete?"
FAILED = "The call was interrupted and counts as failed."


class OutcomeUnknown(RunFailed):
    """What was under way when the server stopped counts as failed."""

    code = "outcome_unknown"


RESULT_NAMES = ("result", "came")
"""The second is that of earlier versions."""


class Attempts(NamedTuple):
    """Numbers of the intents of one call: of the first, and of the last, whose outcome nobody knows.

    `result` holds that of one that was carried out and then looked at by a person.
    """

    first: int
    last: int
    result: tuple[JsonValue] | None = None


class UnresolvedIntents:
    """Intents whose effects are not in the log."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Attempts] = {}

    def add(self, intent: Recorded) -> None:
        """Something was about to be carried out."""
        key = str(intent.body.get("scope", "")), str(intent.body.get("request"))
        before = self._open.get(key)
        result = next(((intent.body[name],) for name in RESULT_NAMES if name in intent.body), before and before.result)
        self._open[key] = Attempts(before.first if before else intent.seq, intent.seq, result)

    def pop(self, request: EffectRequest) -> Attempts | None:
        """The intents of this request; they are settled."""
        return self._open.pop((current().scope, request.hash), None) if self._open else None


class UnresolvedEffects(EffectsMiddleware):
    """Asks a person about unresolved calls before they are made again, and gives results that are known beforehand.

    Args:
        outer: Makes calls.
        recording: Only keeps what came of them.
        unresolved: What was under way.
        run: Whose person is asked.
        results: Results by the hash of their request, of which each is given once.
    """

    def __init__(
        self,
        outer: Effects,
        recording: Effects,
        unresolved: UnresolvedIntents,
        run: ActiveRun,
        results: Mapping[str, JsonValue],
    ) -> None:
        super().__init__(outer)
        self._recording = recording
        self._unresolved = unresolved
        self._run = run
        self._results = dict(results)

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if self._results and request.hash in self._results:
            return await self._settle(request, self._results.pop(request.hash))
        attempts = self._unresolved.pop(request)
        if attempts is None:
            return await self._outer.call(request, perform)
        if attempts.result is not None:
            return await self._outer.call(*_known(request, attempts.result[0]))
        outcome, text = ("again", "") if self._may_repeat(request) else await self._ask(request, attempts)
        if outcome == "stop":
            self._run.interrupt(STOPPED_AT_QUESTION)
        if outcome == "result":
            return await self._settle(request, _result(request, text))
        if outcome == "failed":
            return await self._fail(request)

        async def again() -> JsonValue:
            with idempotency_scope(self._key(attempts.first)):
                return await perform()

        return await self._outer.call(request, again)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        if self._results and request.hash in self._results:
            yield cast("StreamItem", await self._settle(request, self._results.pop(request.hash)))
            return
        async with aclosing(cast("AsyncGeneratorLike", self._outer.stream(request, perform))) as items:
            async for item in items:
                yield item

    def _may_repeat(self, request: EffectRequest) -> bool:
        tool_call = request.tool
        return request.is_safe or (tool_call is not None and self._run.debugger.may_repeat(tool_call.name))

    async def _ask(self, request: EffectRequest, attempts: Attempts) -> tuple[Outcome, str]:
        tool_call = request.tool
        question = PendingInput(
            request_id=self._key(attempts.last),
            source=tool_call.agent if tool_call and tool_call.agent else request.source,
            prompt=PROMPT.format(request.source),
            kind="outcome",
            details={
                "kind": request.kind,
                "tool": request.source,
                "request": request.body,
                "idempotency_key": self._key(attempts.first),
                "choices": list(get_args(Outcome)),
            },
        )
        while True:
            if (answer := outcome_in(await self._run.human.open_question_of(question))) is not None:
                return answer

    def _key(self, seq: int) -> str:
        """By which whoever carries out a call can tell that it is the same again."""
        return f"{self._run.id}:{seq}"

    async def _settle(self, request: EffectRequest, result: JsonValue) -> JsonValue:
        async def known() -> JsonValue:
            return result

        return await self._recording.call(replace(request, is_safe=True), known)

    async def _fail(self, request: EffectRequest) -> JsonValue:
        if request.tool:
            return await self._settle(request, request.tool.answer(FAILED, True))

        async def fail() -> JsonValue:
            raise OutcomeUnknown(FAILED, fix="Fork the run before it to try again.")

        return await self._recording.call(replace(request, is_safe=True), fail)


def _known(request: EffectRequest, result: JsonValue) -> tuple[EffectRequest, Perform]:
    """The request, and how it is carried out, when what it gave is known: a person may still look at that."""

    async def known(*_: object) -> JsonValue:
        return result

    return replace(request, tool=request.tool and replace(request.tool, perform_with=known)), known


def outcome_in(text: str) -> tuple[Outcome, str] | None:
    """What a person says came of a call: a word, or `{"outcome": "result", "text": "..."}`; None if it is neither."""
    try:
        said: object = json.loads(text)
    except ValueError:
        said = {"outcome": text.strip()}
    answer = cast("dict[str, object]", said) if isinstance(said, dict) else {}
    outcome = answer.get("outcome")
    return (cast("Outcome", outcome), str(answer.get("text", ""))) if outcome in get_args(Outcome) else None


def _result(request: EffectRequest, text: str) -> JsonValue:
    if request.tool:
        return request.tool.answer(text, False)
    return {"exit_code": 0, "output": text} if request.kind == "code" else text or None
