"""Begins the calls of a deployment, and tells their callers what became of them.

Nothing of a call is held here: its row and the log of its run are all there is, so any server of the studio can answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import NamedTuple
from uuid import uuid4

from pydantic import JsonValue

from studio.components.readable_json import well_formed_json
from studio.deployments import (
    CallEvent,
    CallNotFound,
    CallState,
    CallView,
    DeploymentSettings,
    DeploymentUnavailable,
    Failure,
)
from studio.deployments.view import VIEWED
from studio.errors import ConfigError, Conflict, Forbidden, NotFound, RunFailed, SetupError, StudioError
from studio.runs import InvalidTask, RunAlreadyEnded, RunControl, RunExists, SpendingScope, Usage
from studio.runs.tasks import files_in, task_text
from studio.store import Store
from studio.store.deployment_tables import Call, Deployment
from studio.store.deployments import OpenedDeployment

CANCEL_S = 5.0
"""How long to wait for a canceled call to end, before its caller is told how it is."""
BEGIN_S = 60
"""After which a call whose run never began has failed: the studio was killed between the two."""
NOT_BEGUN = Failure(code="not_begun", message="The studio stopped before this call began. Send it again.")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CallRequest:
    """What a caller asks for.

    Args:
        task: Text, or a list of texts and pictures, as for a run.
        protocol: By which it came.
        thread: The caller's name for a conversation; "" begins a new one.
        idempotency_key: The same request with the same key is the same call.
        said_hash: Of the conversation that came with it; "" where the thread is named.
        address: Where it came from.
        branches_from: ID of a call whose thread has gone on meanwhile; a new thread begins behind it.
        most_from_address: How many such calls that address may begin in a minute; 0 for any number.
    """

    task: JsonValue
    protocol: str
    thread: str = ""
    idempotency_key: str = ""
    said_hash: str = ""
    address: str = ""
    branches_from: str = ""
    most_from_address: int = 0

    @property
    def request_hash(self) -> str:
        return digest([self.task, self.thread, self.said_hash, *([self.branches_from] if self.branches_from else [])])


@dataclass(frozen=True)
class CallStatus:
    """A call as its caller sees it at one moment."""

    call: Call
    view: CallView
    usage: Usage
    events: Sequence[CallEvent] = ()
    """What its caller was told so far."""

    @property
    def has_answer(self) -> bool:
        return self.view.has_answer


class Answering(NamedTuple):
    """The call that answers, and the entry of its log behind which it does: 0, or where its question was answered."""

    call: Call
    after: int = 0


class CallerSaid(NamedTuple):
    """A task or an answer, and the entry of the log at which it came; 0 for the task."""

    seq: int
    task: JsonValue


class CallPage(NamedTuple):
    """Some of a key's calls, the newest first; `next` is the ID of the last one where more follow."""

    calls: Sequence[CallStatus]
    total: int
    next: str


def words_of(task: JsonValue) -> str:
    """What a task says, without its pictures."""
    if isinstance(task, list):
        return "\n".join(part for part in task if isinstance(part, str))
    return task if isinstance(task, str) else ""


def digest(value: JsonValue) -> str:
    """A hash of plain JSON."""
    text = json.dumps(well_formed_json(value), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _release_for(deployment: Deployment, thread: str) -> int:
    """The release of a new thread. Which one follows from its name, so whoever asks again gets the same one."""
    if deployment.canary is None:
        return deployment.live
    drawn = int.from_bytes(hashlib.sha256(f"{deployment.id} {deployment.canary} {thread}".encode()).digest()[:8])
    return deployment.canary if drawn % 100 < deployment.canary_percent else deployment.live


@dataclass(frozen=True)
class CallDesk:
    """The calls of all deployments. Each method is given the key that asks, and tells of that key's calls only."""

    store: Store
    supervisor: RunControl
    books: SpendingScope

    async def begin(self, by: OpenedDeployment, request: CallRequest) -> Call:
        """Begin a call, or find it where the same request came before.

        Raises:
            InvalidTask: There is nothing to do.
            DeploymentUnavailable: It is off, or its team may not run now.
            IdempotencyKeyReused, ThreadBusy, LimitReached: As for `Calls.add`.
        """
        if not by.deployment.is_on:
            raise DeploymentUnavailable("This deployment is turned off.", fix="Ask its owner.", retry_after_s=60)
        task_text(task := well_formed_json(request.task))
        if files_in(task):
            raise InvalidTask("A call takes no files.", fix="Send text and images.", where="/task")
        call_id = str(uuid4())
        parent = await self._get(by, request.branches_from) if request.branches_from else None
        thread = by.thread or request.thread or call_id
        wanted = Call(
            id=call_id,
            deployment_id=by.deployment.id,
            release=parent.release if parent else _release_for(by.deployment, thread),
            key_id=by.key.id,
            thread=thread,
            position=1,
            protocol=request.protocol,
            idempotency=_sent_under(by, request) or None,
            request_hash=request.request_hash,
            said_hash=request.said_hash,
            address=request.address,
            at=datetime.now(UTC),
        )
        limits = settings_of(by).limits
        call, is_new = await self.store.calls.add(wanted, limits, most_from_address=request.most_from_address)
        if is_new or not await self._has_begun(call.id):
            await self._start(by, call, task, parent)
        return call

    async def speak(self, by: OpenedDeployment, request: CallRequest) -> Answering:
        """Begin a call; where the last one of its thread asks its caller something, the task is the answer to that.

        Raises:
            InvalidTask, CallRefused, Conflict: As for `begin` and `answer`.
        """
        sent = _sent_under(by, request)
        if request.thread and not (sent and await self.store.calls.sent_before(by.key.id, sent)):
            last = await self.store.calls.last_of(by.key.id, request.thread)
            before = await self.status(by, last.id) if last else None
            if before is not None and before.view.question is not None and before.view.question.to == "caller":
                await self.answer(by, before.call.id, before.view.question.id, words_of(request.task))
                return Answering(before.call, before.view.last_seq)
        return Answering(await self.begin(by, request))

    async def _start(self, by: OpenedDeployment, call: Call, task: JsonValue, parent: Call | None) -> None:
        try:
            await self._begin_run(by, call, task, parent)
        except RunExists:
            return  # the same request, sent twice at once
        except InvalidTask:
            await self.store.calls.remove(call.id)
            raise
        except (ConfigError, Conflict, Forbidden, NotFound, RunFailed, SetupError) as error:
            await self.store.calls.remove(call.id)
            raise DeploymentUnavailable(
                "This deployment cannot take calls now.", fix="Try again later, or ask its owner.", retry_after_s=30
            ) from error

    async def _begin_run(self, by: OpenedDeployment, call: Call, task: JsonValue, parent: Call | None) -> None:
        deployment, who = by.deployment, f"caller {by.key.label}"
        team_id = deployment.team_id
        general = self.books.budgets.of_run("", team_id or "")
        await self.books.budgets.set(f"run:{call.id}", settings_of(by).limits.budget.over(general))
        if (before := await self.store.calls.last_good(call, parent)) is not None:
            await self.supervisor.start_next(before, task, by=who, next_id=call.id)
            return
        release = await self.store.deployments.release(deployment.id, call.release)
        await self.supervisor.start(
            release.component,
            task,
            team_id=team_id,
            team_name=deployment.team_name,
            team_revision=release.team_revision,
            by=who,
            run_id=call.id,
        )

    async def _has_begun(self, call_id: str) -> bool:
        with suppress(NotFound):
            await self.store.runs.summary(call_id)
            return True
        return False

    async def _get(self, by: OpenedDeployment, call_id: str) -> Call:
        """Raises: CallNotFound: It is none of those that may be seen."""
        call = await self.store.calls.get(call_id, by.key.id)
        if by.thread and call.thread != by.thread:
            raise CallNotFound
        return call

    async def status(self, by: OpenedDeployment, call_id: str, *, answered_after: int | None = None) -> CallStatus:
        """How a call is now; or how it was when it first had an answer behind the entry `answered_after`.

        Raises:
            CallNotFound: The key has no such call.
        """
        call = await self._get(by, call_id)
        return await self.status_of(call, by.deployment, answered_after=answered_after)

    async def status_of(self, call: Call, deployment: Deployment, *, answered_after: int | None = None) -> CallStatus:
        """The same, where nobody asks."""
        view, events = CallView(DeploymentSettings.model_validate(deployment.settings)), list[CallEvent]()

        def is_there() -> bool:
            return answered_after is not None and view.last_seq > answered_after and view.has_answer

        try:
            while not is_there() and (
                entries := await self.store.runs.read(call.id, after=view.last_seq, kinds=VIEWED)
            ):
                for entry in entries:
                    if (event := view.fold(entry)) is not None:
                        events.append(event)
                    if is_there():
                        break
            usage = (await self.store.runs.summary(call.id)).status.usage  # last: an ended call has used all of it
        except NotFound:
            if datetime.now(UTC) - call.at > timedelta(seconds=BEGIN_S):
                view.state, view.failure = CallState.FAILED, NOT_BEGUN
            return CallStatus(call, view, Usage())
        return CallStatus(call, view, usage, events)

    async def page(self, by: OpenedDeployment, thread: str = "", before: str = "", *, limit: int) -> CallPage:
        """The calls of a key, or of one of its threads, behind the call `before`.

        Raises:
            CallNotFound: The key has no call `before`.
        """
        thread = by.thread or thread
        last = await self._get(by, before) if before else None
        found = await self.store.calls.of_key(by.key.id, thread, last, limit=limit + 1)
        shown = [await self.status_of(call, by.deployment) for call in found[:limit]]
        total = await self.store.calls.count_of_key(by.key.id, thread)
        return CallPage(shown, total, found[limit - 1].id if len(found) > limit else "")

    async def follow(
        self, by: OpenedDeployment, call_id: str, after: int = 0
    ) -> AsyncGenerator[tuple[CallEvent, CallView]]:
        """What a caller is told of a call, from what is behind the entry `after` to its end.

        The same entries give the same events, so that a caller who comes back misses nothing and gets nothing twice.

        Raises:
            CallNotFound: The key has no such call, or its run was deleted.
        """
        call = await self._get(by, call_id)
        view = CallView(settings_of(by))
        async with aclosing(self.supervisor.subscribe(call.id, 0, kinds=VIEWED)) as batches:
            async for batch in batches:
                for entry in batch.entries:
                    event = view.fold(entry)
                    if event is not None and event.seq > after:
                        yield event, view

    async def read(self, by: OpenedDeployment, call_id: str) -> AsyncGenerator[tuple[CallEvent, CallView]]:
        """What a caller was told of a call so far, as `follow` tells it.

        Raises:
            CallNotFound: The key has no such call.
        """
        async with aclosing(self._read(await self._get(by, call_id), CallView(settings_of(by)))) as seen:
            async for event, view in seen:
                if event is not None:
                    yield event, view

    async def _read(self, call: Call, view: CallView) -> AsyncGenerator[tuple[CallEvent | None, CallView]]:
        """Fold the log so far into a view; what its caller is told of each entry."""
        while entries := await self.store.runs.read(call.id, after=view.last_seq, kinds=VIEWED):
            for entry in entries:
                yield view.fold(entry), view

    async def wait(
        self,
        by: OpenedDeployment,
        call_id: str,
        seconds: float | None,
        *,
        after: int = 0,
        until: Callable[[CallView], bool] = attrgetter("has_answer"),
    ) -> CallStatus:
        """Wait until a call has an answer or asks its caller, but not longer than this; without a limit for None.

        Its log is read once: what follows is folded into what was there.

        Args:
            by: The key that asks.
            call_id: Of the call.
            seconds: How long to wait.
            after: The entry behind which it answers: where its caller answered a question.
            until: What else to wait for.

        Raises:
            CallNotFound: The key has no such call.
        """
        status = await self.status(by, call_id, answered_after=after or None)
        call, view, events = status.call, status.view, [*status.events]
        if until(view) and view.last_seq > after:
            return status
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds), aclosing(self._folded(call_id, view)) as seen:
                    async for event in seen:
                        events += [event] if event else []
                        if until(view) and view.last_seq > after:
                            break
            usage = (await self.store.runs.summary(call_id)).status.usage
        except NotFound:
            return await self.status(by, call_id, answered_after=after or None)
        return CallStatus(call, view, usage, events)

    async def _folded(self, call_id: str, view: CallView) -> AsyncGenerator[CallEvent | None]:
        """Fold what follows into a view; what its caller is told of each entry."""
        async with aclosing(self.supervisor.subscribe(call_id, view.last_seq, kinds=VIEWED)) as batches:
            async for batch in batches:
                for entry in batch.entries:
                    yield view.fold(entry)

    async def answer(self, by: OpenedDeployment, call_id: str, question_id: str, text: str) -> CallStatus:
        """Answer a question that a call asked its caller.

        Raises:
            CallNotFound: The key has no such call.
            Conflict: It does not wait for an answer to this question.
            ConfigError: The answer does not fit the form of the question.
        """
        question = (await self.status(by, call_id)).view.question
        if question is None or question.to != "caller" or question.id != question_id:
            raise Conflict("This call does not wait for an answer to this question.", fix="Read the call again.")
        await self.supervisor.command(call_id, "answer", by=f"caller {by.key.label}", request_id=question_id, text=text)
        return await self.status(by, call_id)

    async def cancel(self, by: OpenedDeployment, call_id: str) -> CallStatus:
        """End a call now; one that has ended stays as it is.

        Raises:
            CallNotFound: The key has no such call.
        """
        status = await self.status(by, call_id)
        if status.view.state.is_final:
            return status
        with suppress(RunAlreadyEnded, NotFound):
            await self.supervisor.command(call_id, "cancel", by=f"caller {by.key.label}")
        with suppress(TimeoutError, NotFound):
            async with asyncio.timeout(CANCEL_S), aclosing(self.follow(by, call_id)) as events:
                async for _, view in events:
                    if view.state.is_final:
                        break
        return await self.status(by, call_id)

    async def delete(self, by: OpenedDeployment, call_id: str) -> None:
        """End a call and tell its caller no more of it. Its run goes to the trash, from which people can restore it.

        Raises:
            CallNotFound: The key has no such call.
        """
        await self.cancel(by, call_id)
        await self.store.labels.move("run", await self.store.calls.hide(by.key.id, call_id=call_id), "trashed")

    async def delete_thread(self, by: OpenedDeployment, thread: str) -> None:
        """The same for all calls of a thread; one that no call has named is gone already."""
        last = await self.store.calls.last_of(by.key.id, thread)
        if last is not None:
            await self.cancel(by, last.id)  # only the last one may not have ended
        await self.store.labels.move("run", await self.store.calls.hide(by.key.id, thread=thread), "trashed")

    async def has_asked_at(self, by: OpenedDeployment, call_id: str, seq: int) -> bool:
        """Whether a call waited for its caller when this was the last entry of its log that callers are told of."""
        async with aclosing(self._read(await self._get(by, call_id), CallView(settings_of(by)))) as seen:
            async for _, view in seen:
                if view.last_seq >= seq:
                    return view.last_seq == seq and view.question is not None and view.question.to == "caller"
        return False

    async def input_of(self, by: OpenedDeployment, found: Answering) -> JsonValue:
        """What a caller said: the task of its call, or its answer to the question behind which this begins.

        Raises:
            CallNotFound: The key has no such call, its run was deleted, or this caller answered nothing there.
        """
        call = await self._get(by, found.call.id)
        if not found.after:
            try:
                return await self.store.runs.task(call.id)
            except NotFound as error:
                raise CallNotFound from error
        for entry in await self.store.runs.read(call.id, after=found.after, kinds={"command"}):
            body = entry.body
            if body.get("command") == "answer" and body.get("by") == f"caller {by.key.label}":
                return body.get("text")
        raise CallNotFound

    async def words_of_caller(self, by: OpenedDeployment, call: Call) -> Sequence[CallerSaid]:
        """What its caller said in a call, in that order: its task, then its answers. Nothing of a call that is gone."""
        try:
            said = [CallerSaid(0, await self.store.runs.task(call.id))]
            commands = await self.store.runs.read(call.id, kinds={"command"})
        except NotFound:
            return ()
        who = f"caller {by.key.label}"
        answers = (each for each in commands if each.body.get("command") == "answer" and each.body.get("by") == who)
        return [*said, *(CallerSaid(each.seq, each.body.get("text")) for each in answers)]

    async def cancel_unanswered(self, now: datetime) -> None:
        """Cancel the calls that have waited for a person for longer than their deployment allows."""
        hours = {
            each.id: DeploymentSettings.model_validate(each.settings).limits.answer_hours
            for each in await self.store.deployments.list()
        }
        for call in await self.store.calls.waiting():
            changes = await self.store.runs.read(call.id, kinds={"state"})
            if changes and now - changes[-1].at > timedelta(hours=hours[call.deployment_id]):
                with suppress(Conflict, NotFound):
                    await self.supervisor.command(call.id, "cancel", by="time limit for answers")

    async def keep_canceling_unanswered(self, every_s: float = 60.0) -> None:
        """Do so until this is canceled, where runs are driven: once for all servers of a database."""
        while True:
            await asyncio.sleep(every_s)
            try:
                await self.cancel_unanswered(datetime.now(UTC))
            except StudioError as error:
                logger.warning("Unanswered calls cannot be canceled now: %s", error)


def _sent_under(by: OpenedDeployment, request: CallRequest) -> str:
    """What an idempotency key is kept as: who may use one thread only never meets the requests of another."""
    if not request.idempotency_key:
        return ""
    return digest([by.thread, request.idempotency_key] if by.thread else request.idempotency_key)


def settings_of(by: OpenedDeployment) -> DeploymentSettings:
    return DeploymentSettings.model_validate(by.deployment.settings)
