"""Carries out evaluations. All progress is in the database, so any process that drives runs may do each next step."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from studio.components import JsonObject
from studio.errors import ConfigError, Forbidden, NotFound, SetupError, StudioError, TooLarge
from studio.evaluation.suites import Case, Suite, score_run
from studio.evaluation.transcript import ReusedAnswers, Transcript
from studio.runs import RunAlreadyEnded, RunControl, RunExists, RunState, SpendingScope, until_left
from studio.runs.admission import ApprovalSource
from studio.runs.journal.log import Reuse
from studio.services.code_scores import with_code_scores
from studio.services.evaluation_limits import budget_within, held_back, limit_reached
from studio.services.evaluations import report_of
from studio.services.judges import Judges, has_judges
from studio.services.past_runs import score_json, stored_run
from studio.services.people import GaveUp, PeopleOfCases
from studio.services.preferences import PreferenceRuns
from studio.store import StorageUnavailable, Store
from studio.store.evaluation_tables import Evaluation, EvaluationCell, EvaluationVersion
from studio.store.evaluations import CLAIM, EVALUATIONS, MAX_ATTEMPTS, ActiveCell, CellOutcome, CellReuse, Shares
from studio.store.runs import UNFINISHED
from studio.store.tables import Run

LOOK_S = 1.0
FIRST_LOOK_S, BUSY_LOOK_S = 0.02, 0.2
"""How soon is looked again after a step of an evaluation, and how late at most: each time twice as late."""
CLEAR_LOOK = timedelta(seconds=1)
"""How often is looked whether it is clear which version is better."""
KEEP_S = CLAIM.total_seconds() / 3
"""How often the process that is at work on a cell says so."""
BY = "evaluation"
OVER_BUDGET = "With the answers that it reused, the run took more than the budget of this run."

_WAITS = {
    "input": ("fail", "The team asked a person. An evaluation answers no questions."),
    "approval": ("unscored", "A call waits for approval. An evaluation approves nothing."),
    "breakpoint": ("unscored", "A breakpoint of the team stopped the run."),
    "budget": ("unscored", "The run waits for a higher limit."),
    "killed": ("unscored", "The run stopped the server twice."),
    "error": ("unscored", "The run could not resume after a restart."),
}
"""Reasons for which a run would wait for a person, and what its cell gets instead. Others resume by themselves, or were
brought about by a person who is looking at the run."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _FrozenPlan:
    """What does not change of an evaluation. `cases` are by their keys, `versions` by numbers, read when needed."""

    suite: Suite
    cases: Mapping[str, Case]
    asks_models: bool
    versions: dict[int, EvaluationVersion] = field(default_factory=dict[int, EvaluationVersion])

    @classmethod
    def from_document(cls, document: JsonObject) -> _FrozenPlan:
        suite = Suite.model_validate(document)
        return cls(suite, {each.key: each for each in suite.cases}, has_judges(suite))


@dataclass
class EvaluationRuns:
    """The evaluations of a studio, as one process carries them out beside others.

    Args:
        approvals: Know which scorers in Python may be called.
    """

    store: Store
    control: RunControl
    books: SpendingScope
    approvals: ApprovalSource
    _plans: dict[str, _FrozenPlan] = field(default_factory=dict[str, "_FrozenPlan"])
    """Those of evaluations that are under way: to read them again for each run would cost more than to score it."""
    _looked: dict[str, datetime] = field(default_factory=dict[str, datetime])
    """When was looked whether one is clear."""

    @property
    def _preferences(self) -> PreferenceRuns:
        return PreferenceRuns(self.store, self.control, self.books, BY)

    @property
    def _judges(self) -> Judges:
        return Judges(self.store, self.control, self.books, BY)

    async def keep_running(self) -> None:
        """Carry out what there is until this is canceled."""
        is_first = not self.store.is_shared
        topic, busy_s = self.store.notifications.topic(EVALUATIONS), BUSY_LOOK_S
        while True:
            rung, wait_s = topic.wait_handle(), LOOK_S
            try:
                if is_first:
                    await self.store.evaluations.release()
                    is_first = False
                open_ids = await self.store.evaluations.open_ids()
                self._plans = {key: plan for key, plan in self._plans.items() if key in open_ids}
                self._looked = {key: at for key, at in self._looked.items() if key in open_ids}
                # One step of each, so that none holds up the others.
                if any([await self._advance_safely(each) for each in open_ids]):
                    wait_s = busy_s = 0
                elif open_ids:
                    wait_s = busy_s = min(max(2 * busy_s, FIRST_LOOK_S), BUSY_LOOK_S)
            except StudioError as error:
                logger.warning("Evaluations cannot be read now: %s", error)
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await rung.wait()

    async def _advance_safely(self, evaluation_id: str) -> bool:
        """As `advance`; whatever is wrong with one, the others continue."""
        try:
            return await self.advance(evaluation_id, datetime.now(UTC))
        except StudioError as error:
            logger.warning("Evaluation %s cannot continue now: %s", evaluation_id, error)
        except Exception:
            logger.exception("Evaluation %s cannot continue", evaluation_id)
        return False

    async def advance(self, evaluation_id: str, now: datetime) -> bool:
        """Do what can be done now, and tell whether that was anything."""
        evaluations = self.store.evaluations
        row, has_moved = await evaluations.progress(evaluation_id), False
        under_way = await evaluations.active(evaluation_id)
        for active in under_way:
            cell = active.cell
            is_held = cell.try_at is not None and cell.try_at > now
            if not is_held and _is_due(row, active) and await evaluations.claim(cell, datetime.now(UTC)):
                async with self._holding([cell]):
                    await self._take_on(row, active)
                has_moved = True
        if has_moved and row.stops_when_clear and row.state == "running":
            row = await self._stop_if_clear(row, now)
        if row.state == "running" and len(under_way) < row.at_once:
            claimed = await evaluations.claim_waiting(evaluation_id, datetime.now(UTC))
            async with self._holding(claimed):
                begun = [cell for cell in claimed if await self._begin(row, cell)]
                await evaluations.have_begun(row.id, begun)
            has_moved = has_moved or bool(claimed)
        if not under_way and not has_moved:
            progress = await self._preferences.advance(row, await self._suite(row))
            if progress != "done":
                return progress == "moved"
            row = await evaluations.progress(evaluation_id)
            sentence = (await report_of(self.store, row.id, is_done=True)).sentence if row.state == "running" else ""
            await evaluations.end(evaluation_id, now, sentence)
        return has_moved

    @asynccontextmanager
    async def _holding(self, cells: Sequence[EvaluationCell]) -> AsyncGenerator[None]:
        """Keep cells that this process has claimed while it is at work on them, however long that takes."""
        if not (cells and self.store.is_shared):
            yield
            return
        async with until_left(self._keep_claims(cells), name="keep the cells of an evaluation"):
            yield

    async def _keep_claims(self, cells: Sequence[EvaluationCell]) -> None:
        while True:
            await asyncio.sleep(KEEP_S)
            with suppress(StudioError):  # the next time may be early enough
                await self.store.evaluations.keep_claims(cells, datetime.now(UTC))

    async def _stop_if_clear(self, row: Evaluation, now: datetime) -> Evaluation:
        """Begin nothing more once it is clear which version is better. What is looked at is the same whenever one
        looks, so that is done now and then."""
        if now - self._looked.get(row.id, now - CLEAR_LOOK) < CLEAR_LOOK:
            return row
        self._looked[row.id] = now
        report = await report_of(self.store, row.id, is_done=True)
        return (
            row
            if report.result.early is None
            else await self.store.evaluations.stop(row.id, "finished", report.sentence)
        )

    async def _take_on(self, row: Evaluation, active: ActiveCell) -> None:
        """Do the next step of a cell that this process has claimed."""
        cell, run = active
        if run is None:
            if cell.state == "running":
                await self.store.evaluations.settle(cell, CellOutcome("unscored", "The run was deleted."))
            elif row.state == "canceled":
                await self.store.evaluations.settle(cell, CellOutcome("unscored", "The evaluation was canceled."))
            elif await self._begin(row, cell):
                await self.store.evaluations.have_begun(row.id, [cell])
        elif run.state not in UNFINISHED:
            await self._settle(row, cell, run)
        elif cell.state == "starting":
            await self.store.evaluations.have_begun(row.id, [cell])
        elif run.reason == "input" and row.state in ("running", "finished") and not cell.verdict:
            await self._answer(row, cell, run)
        else:
            await self._give_up(row, cell, run)

    async def _answer(self, row: Evaluation, cell: EvaluationCell, run: Run) -> None:
        """Answer what a run asks, as its case says; give it up where nothing answers that."""
        suite, case = await self._suite(row), await self._case(row, cell)
        people = suite.people_of(case) if case is not None else None
        if case is None or people is None:
            await self._give_up(row, cell, run)
            return
        found = await PeopleOfCases(self.store, self.control, self.books, BY).answer(row, cell, case, people, run)
        if isinstance(found, GaveUp):
            await self._give_up(row, cell, run, found)
        elif found:
            await self.store.evaluations.have_begun(row.id, [cell])
        else:
            await self.store.evaluations.look_again(cell, datetime.now(UTC))

    async def _begin(self, row: Evaluation, cell: EvaluationCell) -> bool:
        """Begin the run of a cell, and tell whether it began. The run's ID makes a second one impossible."""
        evaluations = self.store.evaluations
        case = await self._case(row, cell)
        if case is None:
            await evaluations.settle(cell, CellOutcome("unscored", "The suite has no such case."))
            return False
        version = await self._version(row, cell.version)
        reuse = await self._reuse(row, cell)
        await self.books.budgets.set(f"run:{cell.run_id}", budget_within(self.books, row.team_id, _aside(cell)))
        try:
            with suppress(RunExists):  # a process began it that was killed before it could say so
                await self.control.start(
                    version.component,
                    case.task,
                    team_id=row.team_id,
                    team_name=version.team_name,
                    team_revision=version.revision,
                    by=f"{BY} {row.id}",
                    run_id=cell.run_id,
                    listing="evaluation",
                    reuse=reuse,
                )
        except StorageUnavailable:
            raise
        except (ConfigError, Forbidden, SetupError) as error:
            await evaluations.settle(cell, CellOutcome("unscored", f"The run could not begin: {error.what}"))
            return False
        return True

    async def _reuse(self, row: Evaluation, cell: EvaluationCell) -> Reuse | None:
        """Whose answers the run of a cell takes. Of a run that nobody could score, none."""
        if row.reuse_days is None:
            return None
        run_id = cell.twin_run_id
        if cell.twin_position is not None:
            twin = await self.store.evaluations.cell(row.id, cell.twin_position)
            run_id = twin.run_id if twin.verdict in ("pass", "fail") else ""
        return Reuse(run_id=run_id, not_before=row.created_at - timedelta(days=row.reuse_days)) if run_id else None

    async def _settle(self, row: Evaluation, cell: EvaluationCell, run: Run) -> None:
        """Score a run that has ended, or let the cell begin anew where nobody could finish it."""
        evaluations = self.store.evaluations
        plan = await self._plan(row)
        if plan.asks_models and await self._judges.must_wait(row, cell):
            await evaluations.look_again(cell, datetime.now(UTC))
        elif cell.verdict:  # it was given up before it ended
            spent = await self._judges.spent(cell)
            await evaluations.settle(cell, _paid(cell, CellOutcome(cell.verdict, cell.detail, (), *spent), run))
        elif (error := await limit_reached(self.store, run)) is not None:
            spent = await self._judges.spent(cell)
            if why := held_back(self.books, _aside(cell), run, error):
                await evaluations.settle(cell, _paid(cell, CellOutcome("unscored", why, (), *spent), run))
                await evaluations.stop(row.id, "stopped", why)
            else:
                await evaluations.settle(cell, _paid(cell, CellOutcome("fail", run.detail, (), *spent), run))
        else:
            scored = await self._score(row, cell)
            if scored is None:
                await evaluations.look_again(cell, datetime.now(UTC))
                return
            outcome, is_broken = scored
            outcome = _paid(cell, outcome, run)
            if is_broken and row.state == "running" and cell.attempt < MAX_ATTEMPTS:
                await evaluations.retry(cell, outcome)
            else:
                await evaluations.settle(cell, outcome)

    async def _score(self, row: Evaluation, cell: EvaluationCell) -> tuple[CellOutcome, bool] | None:
        """The verdict, and whether the run ended for reasons that are not the team's; None while a judge is asked."""
        suite, case = await self._suite(row), await self._case(row, cell)
        if case is None:
            return CellOutcome("unscored", "The suite has no such case."), False
        try:
            past = await stored_run(self.store, cell.run_id)
        except (NotFound, TooLarge) as error:
            return CellOutcome("unscored", error.what), False
        judged = await self._judges.ask(row, cell, suite, case, past.transcript)
        if judged.replies is None:
            return None
        if judged.stops:
            await self.store.evaluations.stop(row.id, "stopped", judged.stops)
        try:
            run = await with_code_scores(suite, case, past.transcript, self.approvals, row.team_id)
            run = replace(run, replies={**run.replies, **judged.replies})
            score = await asyncio.to_thread(score_run, suite, case, run)
        except Exception as error:  # or the evaluation would never end
            logger.exception("A scorer failed for run %s", cell.run_id)
            return CellOutcome("unscored", f"A scorer failed: {type(error).__name__}."), False
        first = next((each for each in score.scores if each.score.verdict == score.verdict), None)
        detail = first.score.reason if first and score.verdict != "pass" else ""
        scores = score_json(score)["scores"]
        assert isinstance(scores, list)
        ending, state = past.transcript.ending, past.transcript.status.state
        is_broken = ending == "unavailable" or state is RunState.INTERRUPTED
        spent = judged.micro_usd, judged.tokens
        outcome = CellOutcome(score.verdict, detail, scores, *spent, _reuse_of(past.transcript.reused))
        if self._is_over_budget(row, past.transcript):
            outcome = outcome._replace(verdict="fail", detail=OVER_BUDGET)
        return outcome, is_broken

    def _is_over_budget(self, row: Evaluation, run: Transcript) -> bool:
        """Whether a run would have been stopped at a limit of the team if its answers had not been reused."""
        limits = self.books.budgets.of_run("", row.team_id).run
        took = ((limits.tokens, run.tokens), (limits.micro_usd, run.micro_usd))
        return run.reused.count > 0 and any(limit is not None and amount > limit for limit, amount in took)

    async def _give_up(self, row: Evaluation, cell: EvaluationCell, run: Run, why: GaveUp | None = None) -> None:
        """End a run that would wait for a person, or whose evaluation was canceled. The verdict is kept first."""
        if not cell.verdict:
            verdict, detail = why or _WAITS.get(run.reason, ("unscored", "The evaluation was canceled."))
            if row.state == "canceled":
                verdict, detail = "unscored", "The evaluation was canceled."
            await self.store.evaluations.keep_verdict(cell, CellOutcome(verdict, detail), datetime.now(UTC))
        with suppress(RunAlreadyEnded, NotFound):
            await self.control.command(cell.run_id, "cancel", by=BY)

    async def _suite(self, row: Evaluation) -> Suite:
        """The suite of an evaluation."""
        return (await self._plan(row)).suite

    async def _case(self, row: Evaluation, cell: EvaluationCell) -> Case | None:
        """The case of a cell."""
        return (await self._plan(row)).cases.get(cell.case_key)

    async def _plan(self, row: Evaluation) -> _FrozenPlan:
        """What does not change of an evaluation; its suite was checked before it was kept."""
        plan = self._plans.get(row.id)
        if plan is None:
            whole = await self.store.evaluations.get(row.id)
            plan = self._plans[row.id] = await asyncio.to_thread(_FrozenPlan.from_document, whole.document)
        return plan

    async def _version(self, row: Evaluation, number: int) -> EvaluationVersion:
        """A version as it was frozen."""
        versions = (await self._plan(row)).versions
        if number not in versions:
            versions[number] = await self.store.evaluations.version(row.id, number)
        return versions[number]


def _is_due(row: Evaluation, active: ActiveCell) -> bool:
    """Whether something is to be done about a cell that is under way."""
    cell, run = active
    if run is None or cell.state == "starting" or run.state not in UNFINISHED:
        return True
    if row.state == "canceled":
        return True
    return run.state == RunState.PAUSED.value and run.reason in _WAITS


def _reuse_of(found: ReusedAnswers) -> CellReuse:
    if not found.count:
        return CellReuse()
    return CellReuse(found.count, found.asked, found.micro_usd, found.tokens, found.since)


def _paid(cell: EvaluationCell, outcome: CellOutcome, run: Run) -> CellOutcome:
    """What the run took, beside its judges; a recorded one was paid for elsewhere."""
    if not cell.attempt:
        return outcome
    tokens = outcome.tokens + run.prompt_tokens + run.completion_tokens
    return outcome._replace(micro_usd=outcome.micro_usd + run.micro_usd, tokens=tokens)


def _aside(cell: EvaluationCell) -> Shares:
    return Shares(cell.aside_micro_usd, cell.aside_tokens)
