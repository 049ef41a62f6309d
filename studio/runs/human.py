"""Questions of a run to its person. One is open at a time; its answer is bound to its id and used once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pydantic import ValidationError

from studio.effects import HumanQuestion
from studio.errors import ConfigError, Conflict
from studio.models.schema_model import model_from_schema
from studio.runs.concurrency import Notifier
from studio.runs.journal.log import JsonObject, PendingInput


class HumanPort:
    """Where the engine asks and a command answers.

    Args:
        announce: Called before waiting; writes into the log that the run waits.
    """

    def __init__(self, announce: Callable[[PendingInput], Awaitable[None]]) -> None:
        self._announce = announce
        self._turn = asyncio.Lock()
        self._open: tuple[str, asyncio.Future[str]] | None = None
        self._recalled: dict[str, list[str]] = {}
        self._decided: dict[tuple[str, str], list[str]] = {}
        self._expected: PendingInput | None = None
        self._changed = Notifier()

    async def ask(self, question: HumanQuestion) -> str:
        """Put a question of the team; see `put`."""
        details: JsonObject = {}
        if question.choices:
            details["choices"] = list(question.choices)
        if question.schema:
            details["schema"] = question.schema
        return await self.open_question_of(
            PendingInput(
                request_id=question.request_id, source=question.source, prompt=question.prompt, details=details
            )
        )

    async def open_question_of(self, question: PendingInput, timeout_s: float | None = None) -> str:
        """Wait for the answer; cancelling the caller ends the wait at once.

        Args:
            question: What is asked.
            timeout_s: How long it may stay open, once it is asked; None waits forever.

        Raises:
            TimeoutError: Nobody answered in time, and from now on nobody can.
        """
        if (recalled := self._recalled_for(question)) is not None:
            return recalled
        async with self._turn:
            question = self._as_before(question)
            answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            self._open = (question.request_id, answer)
            try:
                await self._announce(question)
                return await _within(timeout_s, answer)
            finally:
                self._open = None

    def expect_answer(self, question: PendingInput | None) -> None:
        """Tell which question was open when the run was left, and will come again; None when none will."""
        self._expected = question
        self._changed.notify()

    async def has_recorded(self, request_id: str) -> None:
        """Wait while that question is still to come again."""
        while self._expected is not None and self._expected.request_id == request_id:
            await self._changed.wait_handle().wait()

    def _as_before(self, question: PendingInput) -> PendingInput:
        """The question with the id under which a person may have seen it before the run was left."""
        before, about = self._expected, _about(question)
        self.expect_answer(None)
        if before is None or about is None or before.kind != question.kind or _about(before) != about:
            return question
        return question.model_copy(update={"request_id": before.request_id})

    def recall(self, request_id: str, text: str) -> None:
        """Keep an answer that is in the log, but nothing that came of it, for when its question comes again."""
        self._recalled.setdefault(request_id, []).append(text)

    def recall_decision(self, question: PendingInput, text: str) -> None:
        """The same with what was decided about a call, whose question comes again under another id."""
        self._decided.setdefault(_subject(question), []).append(text)

    def forget(self, request_hash: str) -> None:
        """What was decided about a call has been carried out."""
        for key in [key for key in self._decided if key[1] == request_hash]:
            del self._decided[key]

    def _recalled_for(self, question: PendingInput) -> str | None:
        for texts in (self._recalled.get(question.request_id), self._decided.get(_subject(question))):
            if texts:
                return texts.pop(0)
        return None

    @property
    def open_question(self) -> str | None:
        """Id of the question that somebody waits on now."""
        return None if self._open is None or self._open[1].done() else self._open[0]

    def answer(self, request_id: str, text: str) -> None:
        """Hand the answer to whoever asked.

        Raises:
            Conflict: Nobody waits for an answer to this question, or no longer.
        """
        if self._open is None or self.open_question != request_id:
            raise Conflict(f"No question {request_id!r} is pending.", fix="It may have been answered in another tab.")
        self._open[1].set_result(text)


def check_answer(question: PendingInput, text: str) -> None:
    """Refuse an answer that does not fit the form of its question; any text fits one without a form.

    Raises:
        ConfigError: With what is wrong with it.
    """
    schema = question.details.get("schema")
    if not isinstance(schema, dict):
        return
    try:
        model_from_schema(schema, "Answer").model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = "/" + "/".join(map(str, first["loc"]))
        raise ConfigError(f"The answer does not fit its form: {first['msg']}.", where=where) from error


def _about(question: PendingInput) -> object:
    """By which it is told that a question with another id is the same; None for one that is told by its id."""
    if question.kind == "budget":
        return [question.details.get(name) for name in ("scope", "name", "measure")]
    return question.details.get("hash")


def _subject(question: PendingInput) -> tuple[str, str]:
    """What a decision is about. To let a call go on from a breakpoint does not approve the same call."""
    return question.kind, str(question.details.get("hash"))


async def _within(timeout_s: float | None, answer: asyncio.Future[str]) -> str:
    try:
        async with asyncio.timeout(timeout_s):
            return await answer
    except TimeoutError:
        if answer.done() and not answer.cancelled():
            return answer.result()  # it came at the last moment, and whoever gave it was told that it counts
        raise
