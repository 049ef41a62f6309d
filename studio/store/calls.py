"""Calls: what callers asked for, and whether there is room for another. The limits hold for all servers together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, cast

from sqlalchemy import ColumnElement, func, or_
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.deployments import CallLimits, CallNotFound, IdempotencyKeyReused, LimitReached, ThreadBusy
from studio.runs import RunState
from studio.store.database import Database
from studio.store.deployment_tables import Call, CallerKey
from studio.store.runs import UNFINISHED
from studio.store.tables import Run, Spending

MINUTE = timedelta(minutes=1)
GOOD = (RunState.FINISHED.value, RunState.STOPPED.value)
"""A thread goes on from the last call that ended so."""
IS_THERE = col(Call.deleted_at).is_(None)
"""Of a call: its caller has not deleted it."""
MAX_LISTED = 200
MAX_ALIKE = 3
"""Threads that begin with the same words; the newest are looked at."""


class CallSummary(NamedTuple):
    """A call as its deployment's page lists it; `run` is None once it was deleted."""

    call: Call
    key_label: str
    run: Run | None


class Calls:
    """All calls. Each belongs to the key that began it, and others are not told of it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self, call: Call, limits: CallLimits, *, most_from_address: int = 0, now: datetime | None = None
    ) -> tuple[Call, bool]:
        """Keep a call that is about to begin, with its place in its thread; or find it, where it was sent before.

        Args:
            call: Its `position` is set here, and its `release`, where its thread began on another one.
            limits: Those of its deployment.
            most_from_address: How many calls of its protocol its address may begin in a minute; 0 for any number.
                With a number, half of the calls at once are left to others.
            now: The present time.

        Returns:
            The call, and whether it is new.

        Raises:
            IdempotencyKeyReused: The idempotency key came with another request before.
            ThreadBusy: The call before it in its thread has not ended.
            LimitReached: There is no room for it now.
        """
        try:
            async with self._database.write() as session:
                if (earlier := await _sent_before(session, call)) is not None:
                    return earlier, False
                await _join_thread(session, call)
                if most_from_address:
                    most_open = max(1, limits.calls_at_once // 2)
                    await _check_address(session, call, most_from_address, most_open, now or datetime.now(UTC))
                await _check_room(session, call.deployment_id, limits, now or datetime.now(UTC))
                session.add(call)
            return call, True
        except IntegrityError as error:  # another server was faster
            async with self._database.read() as session:
                if (earlier := await _sent_before(session, call)) is not None:
                    return earlier, False
            raise ThreadBusy("Another call of this thread has just started.", fix="Wait until it ends.") from error

    async def remove(self, call_id: str) -> None:
        """Forget a call whose run could not begin, so that it can be sent again."""
        async with self._database.write() as session:
            await session.exec(delete(Call).where(col(Call.id) == call_id))

    async def get(self, call_id: str, key_id: str) -> Call:
        """A call of that key.

        Raises:
            CallNotFound: There is none, or it belongs to another key.
        """
        async with self._database.read() as session:
            call = await session.get(Call, call_id)
        if call is None or call.key_id != key_id or call.deleted_at is not None:
            raise CallNotFound
        return call

    async def hide(self, key_id: str, *, call_id: str = "", thread: str = "") -> Sequence[str]:
        """Tell a key no more of one of its calls, or of all in a thread. Returns which they are."""
        which = col(Call.id) == call_id if call_id else col(Call.thread) == thread
        async with self._database.write() as session:
            found = (await session.exec(select(Call).where(Call.key_id == key_id, which, IS_THERE))).all()
            for call in found:
                call.deleted_at = datetime.now(UTC)
            return [call.id for call in found]

    async def sent_before(self, key_id: str, idempotency: str) -> Call | None:
        """The call of a key that came with this idempotency key before."""
        query = select(Call).where(Call.key_id == key_id, Call.idempotency == idempotency)
        async with self._database.read() as session:
            return (await session.exec(query)).first()

    async def last_good(self, call: Call, parent: Call | None = None) -> str | None:
        """The run that a call goes on from: the last one before it in its thread that has come to an end.

        Args:
            call: The call.
            parent: Where the first call of a thread branches from another thread; that call, or one before it.
        """
        query = (
            select(Call.id)
            .join(Run, col(Run.id) == col(Call.id))
            .where(Call.key_id == call.key_id, col(Run.state).in_(GOOD), IS_THERE)
        )
        if parent is not None:
            query = query.where(Call.thread == parent.thread, Call.position <= parent.position)
        else:
            query = query.where(Call.thread == call.thread, Call.position < call.position)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Call.position).desc()).limit(1))).first()

    async def last_of(self, key_id: str, thread: str) -> Call | None:
        """The last call of a thread; None where no call has named it."""
        query = select(Call).where(Call.key_id == key_id, Call.thread == thread, IS_THERE)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Call.position).desc()).limit(1))).first()

    async def of_thread(self, key_id: str, thread: str, *, limit: int) -> Sequence[CallSummary]:
        """The last calls of a thread with their runs, the oldest first."""
        query = (
            select(Call, CallerKey.label, Run)
            .join(CallerKey, col(CallerKey.id) == col(Call.key_id))
            .join(Run, col(Run.id) == col(Call.id), isouter=True)
            .where(Call.key_id == key_id, Call.thread == thread, IS_THERE)
            .order_by(col(Call.position).desc())
            .limit(limit)
        )
        async with self._database.read() as session:
            found = [CallSummary(*each) for each in (await session.exec(query)).all()]
        return found[::-1]

    async def of_key(self, key_id: str, thread: str = "", before: Call | None = None, *, limit: int) -> Sequence[Call]:
        """The calls of a key, or of one of its threads, the newest first; those behind the call `before`."""
        query = select(Call).where(*_of_key(key_id, thread))
        if before is not None:
            is_as_old = (col(Call.at) == before.at) & (col(Call.id) > before.id)
            query = query.where((col(Call.at) < before.at) | is_as_old)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Call.at).desc(), col(Call.id)).limit(limit))).all()

    async def count_of_key(self, key_id: str, thread: str = "") -> int:
        """How many calls a key has, or one of its threads."""
        query = select(func.count()).select_from(Call).where(*_of_key(key_id, thread))
        async with self._database.read() as session:
            return (await session.exec(query)).one()

    async def is_last(self, call: Call) -> bool:
        """Whether nothing has followed a call in its thread."""
        last = await self.last_of(call.key_id, call.thread)
        return last is None or last.id == call.id

    async def thread_ends(self, key_id: str, said_hash: str) -> Sequence[Call]:
        """The calls of a key that came with this conversation and are the last of their threads, the newest first."""
        later = aliased(Call)
        is_followed = select(later.id).where(
            later.key_id == Call.key_id, later.thread == Call.thread, col(later.position) > col(Call.position)
        )
        alike = (Call.key_id == key_id, Call.said_hash == said_hash, IS_THERE)
        query = select(Call).where(*alike, ~is_followed.exists())
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Call.at).desc()).limit(MAX_ALIKE))).all()

    async def newest_like(self, key_id: str, said_hash: str, protocol: str, since: datetime) -> Call | None:
        """The newest call of a key that came with this conversation."""
        alike = (Call.key_id == key_id, Call.said_hash == said_hash, Call.protocol == protocol, IS_THERE)
        query = select(Call).where(*alike)
        async with self._database.read() as session:
            return (
                await session.exec(query.where(col(Call.at) > since).order_by(col(Call.at).desc()).limit(1))
            ).first()

    async def list(
        self, deployment_id: str, *, before: str | None = None, limit: int = MAX_LISTED
    ) -> Sequence[CallSummary]:
        """Those of a deployment, the newest first; those behind the call `before`, where that is given."""
        query = (
            select(Call, CallerKey.label, Run)
            .join(CallerKey, col(CallerKey.id) == col(Call.key_id), isouter=True)
            .join(Run, col(Run.id) == col(Call.id), isouter=True)
            .where(Call.deployment_id == deployment_id)
            .order_by(col(Call.at).desc(), col(Call.id))
            .limit(limit)
        )
        async with self._database.read() as session:
            if before is not None:
                last = await session.get(Call, before)
                if last is None or last.deployment_id != deployment_id:
                    return []
                is_older = col(Call.at) < last.at
                query = query.where(is_older | ((col(Call.at) == last.at) & (col(Call.id) > last.id)))
            return [CallSummary(call, label or "", run) for call, label, run in (await session.exec(query)).all()]

    async def waiting(self) -> Sequence[Call]:
        """The calls that wait for a person."""
        query = select(Call).join(Run, col(Run.id) == col(Call.id)).where(Run.state == RunState.PAUSED.value)
        async with self._database.read() as session:
            return (await session.exec(query.order_by(col(Call.at)))).all()


def _of_key(key_id: str, thread: str) -> Sequence[ColumnElement[bool]]:
    of_key = col(Call.key_id) == key_id
    return (of_key, IS_THERE, col(Call.thread) == thread) if thread else (of_key, IS_THERE)


async def _sent_before(session: AsyncSession, call: Call) -> Call | None:
    if call.idempotency is None:
        return None
    query = select(Call).where(Call.key_id == call.key_id, Call.idempotency == call.idempotency)
    earlier = (await session.exec(query)).first()
    if earlier is not None and earlier.request_hash != call.request_hash:
        raise IdempotencyKeyReused(
            "This idempotency key was used for another request.", fix="Send a new key with each new request."
        )
    return earlier


async def _join_thread(session: AsyncSession, call: Call) -> None:
    """Be the next call of the thread, on the release that the thread began with."""
    query = (
        select(Call.position, Call.release, Call.at, Run.state)
        .join(Run, col(Run.id) == col(Call.id), isouter=True)
        .where(Call.key_id == call.key_id, Call.thread == call.thread)
        .order_by(col(Call.position).desc())
        .limit(1)
    )
    before = (await session.exec(query)).first()
    if before is None:
        call.position = 1
        return
    position, release, at, state = cast("tuple[int, int, datetime, str | None]", before)
    if state in UNFINISHED or (state is None and datetime.now(UTC) - at < MINUTE):
        raise ThreadBusy("The previous call of this thread is still active.", fix="Wait until it ends.")
    call.position, call.release = position + 1, release


async def _check_address(session: AsyncSession, call: Call, most: int, most_open: int, now: datetime) -> None:
    """One address must not keep all others out, by what it sends or by questions that it leaves open."""
    same = (
        Call.deployment_id == call.deployment_id,
        Call.protocol == call.protocol,
        Call.address == call.address,
    )
    recent = select(func.count()).select_from(Call).where(*same, col(Call.at) > now - MINUTE)
    if (await session.exec(recent)).one() >= most:
        raise LimitReached("Too many messages per minute from your network.", fix="Wait a minute.", retry_after_s=30)
    open_calls = select(func.count()).select_from(Call).join(Run, col(Run.id) == col(Call.id), isouter=True)
    if (await session.exec(open_calls.where(*same, _is_open(now)))).one() >= most_open:
        raise LimitReached("Too many open chats from your network.", fix="End one of them.", retry_after_s=30)


def _is_open(now: datetime) -> ColumnElement[bool]:
    """Of a call joined with its run, which may be about to begin."""
    return or_(col(Run.state).in_(UNFINISHED), col(Run.id).is_(None) & (col(Call.at) > now - MINUTE))


async def _check_room(session: AsyncSession, deployment_id: str, limits: CallLimits, now: datetime) -> None:
    """Open calls may still spend all that a call may, so that the limits of the day hold whatever they do."""
    of_deployment = Call.deployment_id == deployment_id
    recent = select(func.count()).select_from(Call).where(of_deployment, col(Call.at) > now - MINUTE)
    if (await session.exec(recent)).one() >= limits.calls_per_minute:
        raise LimitReached("Too many calls per minute.", fix="Send fewer requests.", retry_after_s=30)
    open_calls = select(func.count()).select_from(Call).join(Run, col(Run.id) == col(Call.id), isouter=True)
    count = (await session.exec(open_calls.where(of_deployment, _is_open(now)))).one()
    if count >= limits.calls_at_once:
        raise LimitReached("Too many calls at once.", fix="Wait until others end.", retry_after_s=10)
    micro_usd, tokens = await _spent_on(session, of_deployment, now)
    day, most = limits.day, count + 1
    is_full = micro_usd + most * limits.call_micro_usd > (day.micro_usd or 0)
    if is_full or tokens + most * limits.call_tokens > (day.tokens or 0):
        midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        raise LimitReached(
            "Today's limit of this deployment is used up.",
            fix="Try again tomorrow (UTC).",
            retry_after_s=int((midnight - now).total_seconds()) + 1,
        )


async def _spent_on(session: AsyncSession, of_deployment: ColumnElement[bool] | bool, now: datetime) -> tuple[int, int]:
    """Millionths of a dollar, and tokens."""
    tokens = col(Spending.prompt_tokens) + col(Spending.completion_tokens)
    query = (
        select(func.coalesce(func.sum(Spending.micro_usd), 0), func.coalesce(func.sum(tokens), 0))
        .select_from(Spending)
        .join(Call, col(Call.id) == col(Spending.run_id))
        .where(of_deployment, col(Spending.day) == now.date().isoformat())  # pyright: ignore[reportArgumentType]
    )
    row = (await session.exec(query)).one()
    return int(row[0]), int(row[1])
