"""Evaluations and their cells. All that is known of one is here, so any server of the studio can go on with it."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Literal, NamedTuple
from uuid import UUID, uuid5

from pydantic import JsonValue
from sqlalchemy import BindParameter, ColumnElement, CompoundSelect, bindparam, func, insert, literal, or_
from sqlalchemy import select as columns
from sqlalchemy.orm import aliased
from sqlalchemy.sql.base import ExecutableOption
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import Conflict, NotFound
from studio.store.database import Database
from studio.store.evaluation_tables import (
    Evaluation,
    EvaluationCell,
    EvaluationJudgment,
    EvaluationPreference,
    EvaluationVersion,
)
from studio.store.runs import UNFINISHED
from studio.store.tables import Run, Team, TeamSuite, table_of, without

EVALUATIONS = "evaluations"
"""The topic of which is told that a new one is there."""
MAX_OPEN = 20
"""Evaluations of the studio that are under way."""
MAX_LISTED = 100
MAX_SOURCES = 10
"""Earlier evaluations of a suite whose answers are reused: the newest ones."""
MAX_TWINS = 10_000
"""Of their cells."""
CELLS_AT_ONCE = 250
"""That are made and inserted in one step, between which others have their turn."""
CLAIM = timedelta(seconds=15)
"""How long a cell belongs to the server that claimed it, from when it last said that it is at work on it: as long as a
worker may be silent."""
MOMENT = timedelta(seconds=1)
MAX_ATTEMPTS = 3
"""Of a cell whose run nobody could finish."""
LIMIT_USED_UP = "The spending limit is used up."

EvaluationState = Literal["running", "finished", "canceled", "stopped"]
"""`stopped` is by the studio, such as at the spending limit; `canceled` by a person."""
CellState = Literal["waiting", "starting", "running", "done"]
ACTIVE = ("starting", "running")
_CELLS = UUID("6f0a1c52-8c5e-4a57-9a4b-6c1d0d6f2b11")


class ActiveCell(NamedTuple):
    """A cell that is under way; `run` is None where its run has not begun, or was deleted."""

    cell: EvaluationCell
    run: Run | None


class CellRow(NamedTuple):
    """What of a cell is shown together with all others; as `EvaluationCell`, of which thousands take long to read."""

    position: int
    version: int
    case_key: str
    epoch: int
    run_id: str
    state: str
    verdict: str
    detail: str
    micro_usd: int
    used_tokens: int
    reused_count: int
    asked_count: int
    saved_micro_usd: int
    reused_since: datetime | None


class Judgment(NamedTuple):
    """The run of a judge; `run` is None where it has not begun, or was deleted."""

    run_id: str
    run: Run | None


class Shares(NamedTuple):
    """What a run may take of the limits of its evaluation; None is no limit."""

    micro_usd: int | None
    tokens: int | None


class PlannedCell(NamedTuple):
    """A run that a new evaluation makes, and whose answers it reuses; as `EvaluationCell`.

    `run_id` is a run that was made elsewhere and is only scored; "" where there is none.
    """

    version: int
    case_key: str
    epoch: int
    twin_run_id: str = ""
    twin_position: int | None = None
    run_id: str = ""


class CellReuse(NamedTuple):
    """What the run of a cell took over; as `EvaluationCell`."""

    reused_count: int = 0
    asked_count: int = 0
    saved_micro_usd: int = 0
    saved_tokens: int = 0
    reused_since: datetime | None = None


NOTHING_REUSED = CellReuse()


class Twin(NamedTuple):
    """A cell of a finished evaluation that may give its answers to another one, and its version of the team."""

    revision: int
    case_key: str
    epoch: int
    run_id: str


class EvaluatedRun(NamedTuple):
    """The cell that a run is of. `judged_run_id` is the run that it judges, where it is one of a judge."""

    evaluation_id: str
    suite_name: str
    case_key: str
    epoch: int
    judged_run_id: str = ""


class CellOutcome(NamedTuple):
    """What came of a cell."""

    verdict: str
    detail: str = ""
    scores: Sequence[JsonValue] = ()
    micro_usd: int = 0
    tokens: int = 0
    reuse: CellReuse = NOTHING_REUSED


def judge_run_id(run_id: str, key: str, attempt: int) -> str:
    """The ID of the run in which a judge judges another run."""
    return str(uuid5(_CELLS, f"{run_id} {key} {attempt}"))


def run_id_of(evaluation_id: str, position: int, attempt: int) -> str:
    """The ID of the run of a cell, which is the same whoever begins it."""
    return str(uuid5(_CELLS, f"{evaluation_id} {position} {attempt}"))


@cache
def _cell_of_run() -> CompoundSelect[str, str, str, int, str]:
    """Made once: each page of a run asks this."""
    fields = (
        col(Evaluation.id),
        col(Evaluation.suite_name),
        col(EvaluationCell.case_key),
        col(EvaluationCell.epoch),
    )
    is_of = col(Evaluation.id) == col(EvaluationCell.evaluation_id)
    asked: BindParameter[str] = bindparam("run_id")
    own = columns(*fields, literal("")).join(Evaluation, is_of).where(col(EvaluationCell.run_id) == asked)
    same_cell = (col(EvaluationJudgment.evaluation_id) == col(EvaluationCell.evaluation_id)) & (
        col(EvaluationJudgment.position) == col(EvaluationCell.position)
    )
    judging = columns(*fields, col(EvaluationCell.run_id)).join(Evaluation, is_of)
    judging = judging.join(EvaluationJudgment, same_cell).where(col(EvaluationJudgment.run_id) == asked)
    return own.union_all(judging).limit(1)


class Evaluations:
    """All evaluations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, new: Evaluation, versions: Sequence[EvaluationVersion], cells: Sequence[PlannedCell]) -> None:
        """Keep a new evaluation.

        Args:
            new: The evaluation.
            versions: What it evaluates.
            cells: All of them, in the order of the runs.

        Raises:
            NotFound: The suite or its team was deleted, or the evaluation that this one confirms.
            Conflict: Too many others are under way, or another one confirms the same.
        """
        async with self._database.write() as session:
            if await session.get(TeamSuite, new.suite_id) is None or await session.get(Team, new.team_id) is None:
                raise NotFound("The suite or its team was deleted.")
            count = select(func.count()).select_from(Evaluation).where(col(Evaluation.ended_at).is_(None))
            if (await session.exec(count)).one() >= MAX_OPEN:
                raise Conflict(f"{MAX_OPEN} evaluations are under way.", fix="Wait until one ends, or cancel one.")
            if new.confirms_id is not None:
                await _check_first_confirmation(session, new.confirms_id)
            session.add(new)
            await session.flush()
            session.add_all(versions)
            connection = await session.connection()
            for first in range(0, len(cells), CELLS_AT_ONCE):
                rows = [
                    _cell_row(new.id, position, cell)
                    for position, cell in enumerate(cells[first : first + CELLS_AT_ONCE], first + 1)
                ]
                await connection.execute(insert(table_of(EvaluationCell)), rows)

    async def get(self, evaluation_id: str) -> Evaluation:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get(session, evaluation_id)

    async def progress(self, evaluation_id: str) -> Evaluation:
        """The evaluation without its document, which may be long and never changes.

        Raises:
            NotFound: There is no such evaluation.
        """
        async with self._database.read() as session:
            return await _get(session, evaluation_id, options=without(Evaluation.document))

    async def list(self, *, suite_id: str = "", team_id: str = "", limit: int = MAX_LISTED) -> Sequence[Evaluation]:
        """Those of a suite or of a team without their documents, the newest first."""
        query = select(Evaluation).options(*without(Evaluation.document))
        query = query.where(Evaluation.suite_id == suite_id) if suite_id else query
        query = query.where(Evaluation.team_id == team_id) if team_id else query
        newest = query.order_by(col(Evaluation.created_at).desc(), col(Evaluation.id)).limit(limit)
        async with self._database.read() as session:
            return (await session.exec(newest)).all()

    async def is_kept(self, evaluation_id: str) -> bool:
        """Whether it was not deleted."""
        async with self._database.read() as session:
            return (await session.exec(select(Evaluation.id).where(Evaluation.id == evaluation_id))).first() is not None

    async def confirmation(self, evaluation_id: str) -> Evaluation | None:
        """The newest evaluation that runs the lost cases of this one again."""
        query = select(Evaluation).where(Evaluation.confirms_id == evaluation_id)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Evaluation.created_at).desc()).limit(1))).first()

    async def open_ids(self) -> Sequence[str]:
        """Those that are under way, the oldest first."""
        query = select(Evaluation.id).where(col(Evaluation.ended_at).is_(None)).order_by(col(Evaluation.created_at))
        async with self._database.read() as session:
            return (await session.exec(query)).all()

    async def versions(self, evaluation_ids: Sequence[str]) -> Mapping[str, Sequence[EvaluationVersion]]:
        """What each of them evaluates, without the components, by number."""
        query = select(EvaluationVersion).options(*without(EvaluationVersion.component))
        query = query.where(col(EvaluationVersion.evaluation_id).in_(evaluation_ids))
        found: dict[str, builtins.list[EvaluationVersion]] = {each: [] for each in evaluation_ids}
        async with self._database.read() as session:
            for row in await session.exec(query.order_by(col(EvaluationVersion.number))):
                found[row.evaluation_id].append(row)
        return found

    async def version(self, evaluation_id: str, number: int) -> EvaluationVersion:
        """A version with its component.

        Raises:
            NotFound: The evaluation was deleted.
        """
        async with self._database.read() as session:
            row = await session.get(EvaluationVersion, (evaluation_id, number))
        if row is None:
            raise NotFound(f"There is no evaluation {evaluation_id!r}.")
        return row

    async def cells(self, evaluation_id: str) -> Sequence[CellRow]:
        """All cells in the order of the runs, without what each scorer says."""
        query = columns(*(col(getattr(EvaluationCell, name)) for name in CellRow._fields))
        ordered = query.where(col(EvaluationCell.evaluation_id) == evaluation_id).order_by(col(EvaluationCell.position))
        async with self._database.read() as session:
            return [CellRow(*row) for row in await (await session.connection()).execute(ordered)]

    async def page(self, evaluation_id: str, *, after: int, limit: int) -> Sequence[EvaluationCell]:
        """Cells with what each scorer says, from the one behind `after` on."""
        query = select(EvaluationCell).where(
            EvaluationCell.evaluation_id == evaluation_id, col(EvaluationCell.position) > after
        )
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(EvaluationCell.position)).limit(limit))).all()

    async def scores(self, evaluation_id: str, positions: Sequence[int]) -> Mapping[int, Sequence[JsonValue]]:
        """What each scorer says of some cells, by their positions."""
        query = columns(col(EvaluationCell.position), col(EvaluationCell.scores)).where(
            col(EvaluationCell.evaluation_id) == evaluation_id, col(EvaluationCell.position).in_(positions)
        )
        async with self._database.read() as session:
            return {position: scores for position, scores in await (await session.connection()).execute(query)}

    async def cell(self, evaluation_id: str, position: int) -> EvaluationCell:
        """Raises: NotFound: The evaluation was deleted."""
        async with self._database.read() as session:
            cell = await session.get(EvaluationCell, (evaluation_id, position))
        if cell is None:
            raise NotFound(f"There is no evaluation {evaluation_id!r}.")
        return cell

    async def by_run(self, run_id: str) -> EvaluatedRun | None:
        """The cell of a run, or of the run of a judge; None for all other runs."""
        async with self._database.read() as session:
            row = (await (await session.connection()).execute(_cell_of_run(), {"run_id": run_id})).first()
        return EvaluatedRun(*row) if row else None

    async def twins(self, suite_id: str, revisions: Sequence[int], *, since: datetime, repeats: int) -> Sequence[Twin]:
        """Scored cells of the newest evaluations of a suite that finished, those of the newest first.

        Args:
            suite_id: Of the suite.
            revisions: Versions of its team.
            since: When an evaluation began at the earliest.
            repeats: Cells of higher epochs are left out.
        """
        newest = (
            select(Evaluation.id)
            .where(
                Evaluation.suite_id == suite_id,
                Evaluation.state == "finished",
                Evaluation.created_at >= since,
                col(Evaluation.confirms_id).is_(None),  # only cases with bad luck would be drawn again
            )
            .order_by(col(Evaluation.created_at).desc(), col(Evaluation.id))
            .limit(MAX_SOURCES)
        )
        query = (
            columns(
                col(EvaluationVersion.revision),
                col(EvaluationCell.case_key),
                col(EvaluationCell.epoch),
                col(EvaluationCell.run_id),
            )
            .join(Evaluation, col(Evaluation.id) == col(EvaluationCell.evaluation_id))
            .join(
                EvaluationVersion,
                (col(EvaluationVersion.evaluation_id) == col(EvaluationCell.evaluation_id))
                & (col(EvaluationVersion.number) == col(EvaluationCell.version)),
            )
            .join(Run, col(Run.id) == col(EvaluationCell.run_id))
            .where(
                col(EvaluationVersion.revision).in_(revisions),
                col(EvaluationCell.verdict).in_(("pass", "fail")),
                col(EvaluationCell.epoch) <= repeats,
            )
            .order_by(col(Evaluation.created_at).desc(), col(Evaluation.id), col(EvaluationCell.position))
            .limit(MAX_TWINS)
        )
        async with self._database.read() as session:
            ids = (await session.exec(newest)).all()
            of_these = query.where(col(EvaluationCell.evaluation_id).in_(ids))
            return [Twin(*row) for row in await (await session.connection()).execute(of_these)]

    async def counts(self, evaluation_ids: Sequence[str]) -> Mapping[tuple[str, int, str], int]:
        """How many cells there are by evaluation, version and verdict; "" counts those that have none yet."""
        keys = (EvaluationCell.evaluation_id, EvaluationCell.version, EvaluationCell.verdict)
        query = select(*keys, func.count()).where(col(EvaluationCell.evaluation_id).in_(evaluation_ids))
        async with self._database.read() as session:
            rows = await session.exec(query.group_by(*map(col, keys)))
            return {(evaluation_id, version, verdict): count for evaluation_id, version, verdict, count in rows}

    async def active(self, evaluation_id: str) -> Sequence[ActiveCell]:
        """The cells that are under way, with their runs."""
        query = (
            select(EvaluationCell, Run)
            .join(Run, col(Run.id) == col(EvaluationCell.run_id), isouter=True)
            .where(EvaluationCell.evaluation_id == evaluation_id, col(EvaluationCell.state).in_(ACTIVE))
            .order_by(col(EvaluationCell.position))
        )
        async with self._database.read() as session:
            return [ActiveCell(*row) for row in (await session.exec(query)).all()]

    async def claim_waiting(self, evaluation_id: str, now: datetime) -> Sequence[EvaluationCell]:
        """Cells that begin now, each with what is set aside for its run. Stops the evaluation where nothing is left.

        Looking and claiming are one transaction, so that neither the limits nor the number at once are passed.
        """
        of_evaluation = col(EvaluationCell.evaluation_id) == evaluation_id
        waiting = select(EvaluationCell).where(of_evaluation, EvaluationCell.state == "waiting", _is_ready())
        async with self._database.read() as session:  # mostly nothing waits, and to write is to hold up runs
            if (await session.exec(waiting.limit(1))).first() is None:
                return ()
        async with self._database.write() as session:
            row = await _get(session, evaluation_id, options=without(Evaluation.document))
            if row.state != "running":
                return ()
            used = await _used(session, of_evaluation)
            free = max(0, row.at_once - used.active)
            cells = (await session.exec(waiting.order_by(col(EvaluationCell.position)).limit(free))).all()
            if not cells:
                return ()
            shares = used.shares(row, len(cells))
            if shares is None:
                if not used.active:
                    row.state, row.detail = "stopped", LIMIT_USED_UP
                return ()
            for cell in cells:
                cell.state, cell.try_at = "starting", now + CLAIM
                cell.aside_micro_usd, cell.aside_tokens = shares
        return cells

    async def claim(self, cell: EvaluationCell, now: datetime) -> bool:
        """Whether this server is the one that settles or begins a cell now. Where it is the only one, it is."""
        if not self._database.is_shared:
            return True
        unchanged = (*_is(cell), col(EvaluationCell.state) == cell.state, col(EvaluationCell.run_id) == cell.run_id)
        at = col(EvaluationCell.try_at)
        same = at.is_(None) if cell.try_at is None else at == cell.try_at
        async with self._database.write() as session:
            done = await session.exec(update(EvaluationCell).where(*unchanged, same).values(try_at=now + CLAIM))
        return done.rowcount == 1

    async def keep_claims(self, cells: Sequence[EvaluationCell], now: datetime) -> None:
        """This server is still at work on these cells. What it has done with meanwhile, or leaves alone, it has not."""
        async with self._database.write() as session:
            of_these = (
                col(EvaluationCell.evaluation_id).in_({each.evaluation_id for each in cells}),
                col(EvaluationCell.run_id).in_([each.run_id for each in cells]),
                col(EvaluationCell.state).in_(ACTIVE),
                col(EvaluationCell.try_at) > now + MOMENT,
            )
            await session.exec(update(EvaluationCell).where(*of_these).values(try_at=now + CLAIM))

    async def have_begun(self, evaluation_id: str, cells: Sequence[EvaluationCell]) -> None:
        """The runs of these cells have begun, if they are still those that were starting."""
        if not cells:
            return
        positions = [each.position for each in cells]
        async with self._database.write() as session:
            of_these = (
                col(EvaluationCell.evaluation_id) == evaluation_id,
                col(EvaluationCell.position).in_(positions),
                col(EvaluationCell.run_id).in_([each.run_id for each in cells]),
                col(EvaluationCell.state).in_(ACTIVE),
            )
            await session.exec(update(EvaluationCell).where(*of_these).values(state="running", try_at=None))

    async def look_again(self, cell: EvaluationCell, now: datetime) -> None:
        """Leave a cell alone for a moment, since its judges are at work."""
        await self._change(cell, {"try_at": now + MOMENT})

    async def add_judgment(self, cell: EvaluationCell, run_id: str) -> None:
        """Keep that a run is one of a judge, before it begins."""
        async with self._database.write() as session:
            if await session.get(EvaluationJudgment, run_id) is None:
                session.add(EvaluationJudgment(run_id=run_id, evaluation_id=cell.evaluation_id, position=cell.position))

    async def judgments(self, cell: EvaluationCell) -> Sequence[Judgment]:
        """The runs of the judges of a cell."""
        query = (
            select(EvaluationJudgment.run_id, Run)
            .join(Run, col(Run.id) == col(EvaluationJudgment.run_id), isouter=True)
            .where(EvaluationJudgment.evaluation_id == cell.evaluation_id, EvaluationJudgment.position == cell.position)
        )
        async with self._database.read() as session:
            return [Judgment(*row) for row in (await session.exec(query)).all()]

    async def judging_count(self, evaluation_id: str) -> int:
        """How many runs of judges are under way."""
        query = (
            select(func.count())
            .select_from(EvaluationJudgment)
            .join(Run, col(Run.id) == col(EvaluationJudgment.run_id))
            .where(EvaluationJudgment.evaluation_id == evaluation_id, col(Run.state).in_(UNFINISHED))
        )
        async with self._database.read() as session:
            return (await session.exec(query)).one()

    async def share(self, row: Evaluation, count: int = 0) -> Shares | None:
        """What one of `count` more runs may take, or of as many as may be under way at once; None where nothing is
        left."""
        async with self._database.read() as session:
            used = await _used(session, col(EvaluationCell.evaluation_id) == row.id)
            judging = select(
                func.sum(col(EvaluationPreference.micro_usd)), func.sum(col(EvaluationPreference.tokens))
            ).where(EvaluationPreference.evaluation_id == row.id)
            micro_usd, tokens = (await session.exec(judging)).one()
        used = used._replace(micro_usd=used.micro_usd + int(micro_usd or 0), tokens=used.tokens + int(tokens or 0))
        return used.shares(row, count or row.at_once)

    async def keep_verdict(self, cell: EvaluationCell, outcome: CellOutcome, now: datetime) -> None:
        """Keep the verdict of a cell whose run is to be canceled, which is looked at again in a moment."""
        await self._change(cell, {"verdict": outcome.verdict, "detail": outcome.detail, "try_at": now + MOMENT})

    async def settle(self, cell: EvaluationCell, outcome: CellOutcome) -> None:
        """Keep what came of a cell; nothing of it is tried again."""
        values = {
            "state": "done",
            "verdict": outcome.verdict,
            "detail": outcome.detail,
            "scores": [*outcome.scores],
            **outcome.reuse._asdict(),
            **_paid(outcome),
        }
        await self._change(cell, values)

    async def retry(self, cell: EvaluationCell, outcome: CellOutcome) -> None:
        """Let a cell begin anew, under another run."""
        attempt = cell.attempt + 1
        run_id = run_id_of(cell.evaluation_id, cell.position, attempt)
        await self._change(cell, {"state": "waiting", "attempt": attempt, "run_id": run_id, **_paid(outcome)})

    async def _change(self, cell: EvaluationCell, values: Mapping[str, Any]) -> None:
        """Only where it is as it was read: a server that was frozen meanwhile changes nothing."""
        unchanged = (col(EvaluationCell.state) == cell.state, col(EvaluationCell.run_id) == cell.run_id)
        async with self._database.write() as session:
            await session.exec(update(EvaluationCell).where(*_is(cell), *unchanged).values(**values))

    async def stop(self, evaluation_id: str, state: EvaluationState, detail: str) -> Evaluation:
        """Begin nothing more; one that is over stays as it is.

        Raises:
            NotFound: There is no such evaluation.
        """
        async with self._database.write() as session:
            row = await _get(session, evaluation_id)
            if row.state == "running":
                row.state, row.detail = state, detail
        return row

    async def end(self, evaluation_id: str, now: datetime, sentence: str) -> None:
        """Keep that it has come to its end, where nothing is under way and nothing waits that would still begin.

        Args:
            evaluation_id: Of the evaluation.
            now: The present time.
            sentence: The result of one that was carried out whole. It is added to that of the one that it confirms.
        """
        async with self._database.write() as session:
            row = await _get(session, evaluation_id)
            states = ACTIVE if row.state != "running" else (*ACTIVE, "waiting")
            left = select(EvaluationCell.position).where(
                EvaluationCell.evaluation_id == evaluation_id, col(EvaluationCell.state).in_(states)
            )
            if (await session.exec(left.limit(1))).first() is not None:
                return
            if row.state == "running":
                row.state, row.detail = "finished", sentence
                confirmed = await session.get(Evaluation, row.confirms_id) if row.confirms_id else None
                if confirmed is not None:
                    confirmed.detail = f"{confirmed.detail} {sentence}"
            row.ended_at = now

    async def release(self) -> None:
        """Give up all claims, where this is the only server: whoever held them is gone."""
        async with self._database.write() as session:
            held = col(EvaluationCell.try_at).is_not(None)
            await session.exec(update(EvaluationCell).where(held).values(try_at=None))

    async def delete(self, evaluation_id: str) -> None:
        """Delete one that has ended; its runs go to the trash.

        Raises:
            NotFound: There is no such evaluation.
            Conflict: It is under way.
        """
        async with self._database.write() as session:
            row = await _get(session, evaluation_id)
            await trash_runs(session, col(Evaluation.id) == evaluation_id)
            confirmed = await session.get(Evaluation, row.confirms_id) if row.confirms_id else None
            if confirmed is not None and row.state == "finished":
                confirmed.detail = confirmed.detail.removesuffix(f" {row.detail}")
            await session.delete(row)


async def _check_first_confirmation(session: AsyncSession, evaluation_id: str) -> None:
    """Raises: NotFound, Conflict: It was deleted meanwhile, or another one was first."""
    await _get(session, evaluation_id)
    others = select(Evaluation.id).where(
        Evaluation.confirms_id == evaluation_id, col(Evaluation.state).in_(("running", "finished"))
    )
    if (await session.exec(others.limit(1))).first() is not None:
        raise Conflict("The evaluation is confirmed already, or that is under way.", fix="Open its fresh runs.")


async def trash_runs(session: AsyncSession, *of_evaluations: ColumnElement[bool]) -> None:
    """Move the runs of evaluations that are about to be deleted to the trash: no other list has them.

    Raises:
        Conflict: One of them is under way.
    """
    found = select(Evaluation.id).where(*of_evaluations)
    if (await session.exec(found.where(col(Evaluation.ended_at).is_(None)).limit(1))).first() is not None:
        raise Conflict("The evaluation is under way.", fix="Cancel it first.")
    runs = select(EvaluationCell.run_id).where(col(EvaluationCell.evaluation_id).in_(found))
    judges = select(EvaluationJudgment.run_id).where(col(EvaluationJudgment.evaluation_id).in_(found))
    here = (col(Run.id).in_(runs.union(judges)), col(Run.listing) == "evaluation")
    await session.exec(update(Run).where(*here).values(listing="trashed", trashed_at=datetime.now(UTC)))


class _Used(NamedTuple):
    """What the cells of an evaluation have spent, and what is set aside for those under way."""

    active: int
    micro_usd: int
    tokens: int

    def shares(self, row: Evaluation, count: int) -> Shares | None:
        """What each of `count` more runs may take, of money and of tokens; None where nothing is left of one."""
        shares: list[int | None] = []
        for limit, used in ((row.micro_usd, self.micro_usd), (row.tokens, self.tokens)):
            if limit is not None and used >= limit and (used or self.active):
                return None
            shares.append(None if limit is None else (limit - used) // count)
        return Shares(*shares)


async def _used(session: AsyncSession, of_evaluation: ColumnElement[bool]) -> _Used:
    is_active = col(EvaluationCell.state).in_(ACTIVE)
    active = select(
        func.count(), func.sum(col(EvaluationCell.aside_micro_usd)), func.sum(col(EvaluationCell.aside_tokens))
    ).where(of_evaluation, is_active)
    spent = select(func.sum(col(EvaluationCell.micro_usd)), func.sum(col(EvaluationCell.used_tokens)))
    count, *aside = (await session.exec(active)).one()
    micro_usd, tokens = (await session.exec(spent.where(of_evaluation))).one()
    return _Used(count, int(micro_usd or 0) + int(aside[0] or 0), int(tokens or 0) + int(aside[1] or 0))


def _paid(outcome: CellOutcome) -> dict[str, Any]:
    """What a run took is added to what earlier attempts took, and nothing is set aside any more."""
    return {
        "micro_usd": col(EvaluationCell.micro_usd) + outcome.micro_usd,
        "used_tokens": col(EvaluationCell.used_tokens) + outcome.tokens,
        "aside_micro_usd": None,
        "aside_tokens": None,
        "try_at": None,
    }


def _cell_row(evaluation_id: str, position: int, planned: PlannedCell) -> dict[str, Any]:
    values = planned._asdict()
    if planned.run_id:
        values |= {"state": "running", "attempt": 0}
    else:
        values["run_id"] = run_id_of(evaluation_id, position, 1)
    return EvaluationCell(evaluation_id=evaluation_id, position=position, **values).model_dump()


def _is_ready() -> ColumnElement[bool]:
    """Whether the cell whose answers a cell reuses is done, where it is one of the same evaluation."""
    twin = aliased(EvaluationCell)
    done = select(twin.position).where(
        twin.evaluation_id == EvaluationCell.evaluation_id,
        twin.position == EvaluationCell.twin_position,
        twin.state == "done",
    )
    return or_(col(EvaluationCell.twin_position).is_(None), done.exists())


def _is(cell: EvaluationCell) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return (
        col(EvaluationCell.evaluation_id) == cell.evaluation_id,
        col(EvaluationCell.position) == cell.position,
    )


async def _get(session: AsyncSession, evaluation_id: str, *, options: Sequence[ExecutableOption] = ()) -> Evaluation:
    row = (await session.exec(select(Evaluation).where(Evaluation.id == evaluation_id).options(*options))).first()
    if row is None:
        raise NotFound(f"There is no evaluation {evaluation_id!r}.")
    return row
