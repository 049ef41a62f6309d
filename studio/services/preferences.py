"""Asks judges which of two versions' answers they prefer, once all runs of an evaluation are done."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, NamedTuple

from studio.errors import NotFound, TooLarge
from studio.evaluation.preferences import INSTRUCTIONS, ORDERS, ChoiceReply, Preference, read_choice
from studio.evaluation.results import BASELINE, CANDIDATE
from studio.evaluation.suites import Case, Suite
from studio.runs import RunAlreadyEnded, RunControl, RunState, SpendingScope
from studio.services.evaluation_limits import held_back, limit_reached
from studio.services.evaluation_questions import ModelQuestion, begin_asking
from studio.services.judges import MAX_ATTEMPTS, NAME, WAITS, judge_team
from studio.services.past_runs import stored_run
from studio.store import Store
from studio.store.evaluation_tables import Evaluation, EvaluationPreference
from studio.store.evaluations import LIMIT_USED_UP, CellRow, Shares, judge_run_id
from studio.store.runs import UNFINISHED
from studio.store.tables import Run

Progress = Literal["done", "waiting", "moved"]


class _Pair(NamedTuple):
    """What is compared: the cell of the candidate, that of the baseline, and the question."""

    candidate: CellRow
    baseline: CellRow
    asked: Preference

    def run_id(self, order: int, attempt: int) -> str:
        """The ID of the run of the judge, which is the same whoever begins it."""
        compared = f"{self.candidate.run_id} {self.baseline.run_id}"
        return judge_run_id(compared, f"{self.asked.key} {order}", attempt)

    @property
    def run_ids(self) -> Sequence[str]:
        return [self.run_id(order, attempt) for order in ORDERS for attempt in range(1, MAX_ATTEMPTS + 1)]


class _Reply(NamedTuple):
    """What became of an order: a choice, or why there is none."""

    choice: ChoiceReply | None
    detail: str = ""


@dataclass(frozen=True)
class PreferenceRuns:
    """The judges of two answers. Their runs are as those of other judges, and all progress is in the database."""

    store: Store
    control: RunControl
    books: SpendingScope
    by: str

    async def advance(self, row: Evaluation, suite: Suite) -> Progress:
        """Do what can be done now. Nothing is asked before all runs are done, nor after the evaluation was stopped."""
        if not suite.prefer or row.confirms_id is not None:
            return "done"
        cells = await self.store.evaluations.cells(row.id)
        known = {(each.position, each.key) for each in await self.store.preferences.list(row.id)}
        pairs = await asyncio.to_thread(lambda: [*_pairs(cells, suite)])
        # Some at a time, all to their end: so what is set aside for them together is never more than what is left.
        some = (pairs[first : first + row.at_once] for first in range(0, len(pairs), row.at_once))
        none: list[_Pair] = []
        batch = next((each for each in some if any(_key(pair) not in known for pair in each)), none)
        open_pairs = [pair for pair in batch if _key(pair) not in known]
        runs = await self.store.preferences.runs([run_id for pair in open_pairs for run_id in pair.run_ids])
        if row.state != "running":
            return await self._cancel(runs)
        if not open_pairs:
            return "done"
        cases = {case.key: case for case in suite.cases}
        progress: Progress = "waiting"
        for pair in open_pairs:
            if await self._advance(row, pair, cases[pair.candidate.case_key], runs):
                progress = "moved"
        return progress

    async def _advance(self, row: Evaluation, pair: _Pair, case: Case, runs: Mapping[str, Run]) -> bool:
        """Ask in both orders, and keep what came of it once both are answered; whether something was done."""
        replies: list[_Reply] = []
        for order in ORDERS:
            reply = await self._reply(row, pair, case, order, runs)
            if reply is True or reply is False:
                return reply
            replies.append(reply)
        begun = [runs[each] for each in pair.run_ids if each in runs]
        first, second = (each.choice.preferred if each.choice else "" for each in replies)
        kept = EvaluationPreference(
            evaluation_id=row.id,
            position=pair.candidate.position,
            key=pair.asked.key,
            in_first=first,
            in_second=second,
            detail=" ".join(each.choice.reason if each.choice else each.detail for each in replies).strip(),
            micro_usd=sum(each.micro_usd for each in begun),
            tokens=sum(each.prompt_tokens + each.completion_tokens for each in begun),
        )
        await self.store.preferences.add(kept)
        return True

    async def _reply(
        self, row: Evaluation, pair: _Pair, case: Case, order: int, runs: Mapping[str, Run]
    ) -> _Reply | bool:
        """What a judge replies in an order; True where it was asked just now, False where it is at work."""
        reply = _Reply(None)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            run = runs.get(run_id := pair.run_id(order, attempt))
            if run is None:
                refused = await self._begin(row, pair, case, order, run_id)
                return True if refused is None else refused
            if run.state in UNFINISHED:
                if run.state == RunState.PAUSED.value and run.reason in WAITS:
                    await self._end(run)
                return False
            reply = await self._reply_in(row, run)
            if reply.choice is not None or run.state in (RunState.CANCELLED.value, RunState.STOPPED.value):
                break
        return reply

    async def _begin(self, row: Evaluation, pair: _Pair, case: Case, order: int, run_id: str) -> _Reply | None:
        """Let a judge begin; what is wrong where it cannot."""
        used = await self.store.evaluations.share(row, row.at_once * len(ORDERS) * MAX_ATTEMPTS)
        if used is None:
            await self.store.evaluations.stop(row.id, "stopped", LIMIT_USED_UP)
            return _Reply(None, LIMIT_USED_UP)
        try:
            candidate, baseline = [await self._answer(each.run_id) for each in (pair.candidate, pair.baseline)]
        except (NotFound, TooLarge) as error:
            return _Reply(None, error.what)
        if not candidate or not baseline:
            return _Reply(None, "A team said nothing.")
        answers = (candidate, baseline) if order == 1 else (baseline, candidate)
        question = await asyncio.to_thread(pair.asked.ask, case, *answers)
        await self.store.preferences.begin(row.id, pair.candidate.position, [run_id])
        team = judge_team(pair.asked.model or {}, instructions=INSTRUCTIONS)
        wrong = await begin_asking(
            self.control, self.books, row, ModelQuestion(run_id, team, question, NAME, self.by, used)
        )
        return _Reply(None, wrong) if wrong else None

    async def _answer(self, run_id: str) -> str:
        turns = (await stored_run(self.store, run_id)).transcript.turns
        return turns[-1].text if turns else ""

    async def _reply_in(self, row: Evaluation, run: Run) -> _Reply:
        """What the run of a judge came to. One that the limit of the evaluation stopped, stops the evaluation."""
        if (error := await limit_reached(self.store, run)) is not None:
            why = held_back(self.books, Shares(row.micro_usd, row.tokens), run, error)
            if why:
                await self.store.evaluations.stop(row.id, "stopped", why)
            return _Reply(None, why or run.detail)
        if run.state != RunState.FINISHED.value:
            return _Reply(None, run.detail or run.state)
        try:
            text = await self._answer(run.id)
        except (NotFound, TooLarge) as wrong:
            return _Reply(None, wrong.what)
        found = read_choice(text)
        return _Reply(found, "" if found else "The reply of the judge cannot be read.")

    async def _cancel(self, runs: Mapping[str, Run]) -> Progress:
        """End the judges of an evaluation that was stopped."""
        under_way = [run for run in runs.values() if run.state in UNFINISHED]
        for run in under_way:
            await self._end(run)
        return "waiting" if under_way else "done"

    async def _end(self, run: Run) -> None:
        with suppress(RunAlreadyEnded, NotFound):
            await self.control.command(run.id, "cancel", by=self.by)


def _pairs(cells: Sequence[CellRow], suite: Suite) -> Iterator[_Pair]:
    """Scored runs of a case in the same epoch, one of each version, with each question."""
    scored = [each for each in cells if each.verdict in ("pass", "fail")]
    baselines = {(each.case_key, each.epoch): each for each in scored if each.version == BASELINE}
    cases = {case.key for case in suite.cases}
    for each in scored:
        other = baselines.get((each.case_key, each.epoch))
        if each.version == CANDIDATE and other is not None and each.case_key in cases:
            for asked in suite.prefer:
                yield _Pair(each, other, asked)


def _key(pair: _Pair) -> tuple[int, str]:
    return pair.candidate.position, pair.asked.key
