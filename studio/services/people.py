"""Answers what teams ask in runs of evaluations, as their suites say."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from studio.errors import ConfigError, Conflict, NotFound, TooLarge
from studio.evaluation.people import INSTRUCTIONS, People
from studio.evaluation.suites import Case
from studio.runs import RunAlreadyEnded, RunControl, RunState, SpendingScope
from studio.services.evaluation_limits import limit_reached
from studio.services.evaluation_questions import ModelQuestion, begin_asking
from studio.services.judges import WAITS, judge_team, shares_left
from studio.services.past_runs import stored_run
from studio.store import Store
from studio.store.evaluation_tables import Evaluation, EvaluationCell
from studio.store.evaluations import LIMIT_USED_UP, judge_run_id
from studio.store.runs import UNFINISHED
from studio.store.tables import Run

NAME = "Simulated person"
ASKED_MORE = "The team asked {count} times, more often than the person of the case answers."


class GaveUp(NamedTuple):
    """Why a question was not answered, and the verdict of the run for that."""

    verdict: str
    detail: str


@dataclass(frozen=True)
class PeopleOfCases:
    """Answers questions of runs. A question has one answer however often that is tried: the run knows which it has."""

    store: Store
    control: RunControl
    books: SpendingScope
    by: str

    async def answer(
        self, row: Evaluation, cell: EvaluationCell, case: Case, people: People, run: Run
    ) -> GaveUp | bool:
        """Answer the question that a run waits on; False where a simulated person is at work, or just was asked."""
        pending = run.pending or {}
        request_id, prompt = str(pending.get("request_id", "")), str(pending.get("prompt", ""))
        commands = await self.store.runs.read(run.id, kinds={"command"})
        given = [each.body.get("request_id") for each in commands if each.body.get("command") == "answer"]
        if request_id in given:  # another process has answered it since the run was read
            return False
        answered = len(given)
        if answered >= people.count:
            return GaveUp("fail", ASKED_MORE.format(count=answered + 1))
        text: str | GaveUp | None = None
        if people.is_simulated:
            text = await self._simulated(row, cell, case, people, run, answered, prompt)
        else:
            text = case.fill(people.answers[answered])
        if text is None or isinstance(text, GaveUp):
            return text or False
        with suppress(RunAlreadyEnded, NotFound, Conflict, ConfigError):  # another process has answered it
            await self.control.command(run.id, "answer", by=self.by, request_id=request_id, text=text)
        return True

    async def _simulated(
        self, row: Evaluation, cell: EvaluationCell, case: Case, people: People, run: Run, number: int, prompt: str
    ) -> str | GaveUp | None:
        """What a simulated person says; None where that is not known yet."""
        run_id = judge_run_id(cell.run_id, f"{people.key} {number}", 1)
        begun = {each.run_id: each.run for each in await self.store.evaluations.judgments(cell)}
        found = begun.get(run_id)
        if found is None:
            try:
                said = (await stored_run(self.store, run.id)).transcript.said
            except (NotFound, TooLarge) as error:
                return GaveUp("unscored", error.what)
            question = await asyncio.to_thread(people.ask, case, said, prompt)
            return await self._begin(row, cell, people, run, run_id, question)
        if found.state in UNFINISHED:
            if found.state == RunState.PAUSED.value and found.reason in WAITS:
                with suppress(RunAlreadyEnded, NotFound):
                    await self.control.command(found.id, "cancel", by=self.by)
            return None
        if await limit_reached(self.store, found) is not None:
            return GaveUp("unscored", LIMIT_USED_UP)
        turns = (await stored_run(self.store, run_id)).transcript.turns if found.state == "finished" else ()
        text = turns[-1].text.strip() if turns else ""
        return text or GaveUp("unscored", f"The simulated person gave no answer: {found.detail or found.state}")

    async def _begin(
        self, row: Evaluation, cell: EvaluationCell, people: People, run: Run, run_id: str, question: str
    ) -> GaveUp | None:
        begun = await self.store.evaluations.judgments(cell)
        shares = shares_left(cell, run, begun)
        await self.store.evaluations.add_judgment(cell, run_id)
        team = judge_team(people.model or {}, instructions=INSTRUCTIONS)
        asking = ModelQuestion(run_id, team, question, NAME, self.by, shares)
        wrong = await begin_asking(self.control, self.books, row, asking)
        return GaveUp("unscored", f"The simulated person cannot be asked: {wrong}") if wrong else None
