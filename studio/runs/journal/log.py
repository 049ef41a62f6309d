"""The log of a run: what is written, by whom, and the Protocol that a store fulfils."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, NamedTuple, Protocol, cast

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, JsonValue
from pydantic_core import from_json

from studio.components import JsonObject
from studio.components.readable_json import stored_json, stored_text
from studio.effects import InjectedMessage
from studio.errors import Conflict, RunFailed
from studio.messages import unchecked
from studio.runs.state import Reason, RunState

EntryKind = Literal["message", "event", "explanation", "effect", "intent", "command", "state"]
"""An explanation says why the next speaker was chosen, or how far the conditions are; it is no step of the run.
An intent says that something is about to be done that may change the world; the effect says what came of it."""

SHOWN: frozenset[EntryKind] = frozenset({"message", "event", "explanation", "command", "state"})
"""The kinds that pages show. Effects are for repeating a run; they hold whole model replies and tool results."""


Body = JsonObject | str
"""What an entry says, or the JSON text of that: most entries are only written and sent, and never looked into here."""

MAX_PAGE_BYTES = 1024 * 1024
"""Of what entries say, in one page of a log. One larger entry makes a page of its own."""


_ODD = ("NaN", "Infinity", "\\ud")
"""One of them is in each text of which a part may be no JSON, or half a character."""


class LogEntry(NamedTuple):
    """One entry of a run's log. `seq` is dense from 1 within the run; `at` is in UTC."""

    run_id: str
    seq: int
    at: datetime
    kind: EntryKind
    body_json: Body

    @property
    def body(self) -> JsonObject:
        """What it says; read anew each time from one that is text, so keep it where you need it twice."""
        return body_of(self.body_json)

    @property
    def text(self) -> str:
        """What it says as JSON, to be passed on as it is."""
        return text_of(self.body_json)


class Draft(NamedTuple):
    """An entry that has no number yet. `text` is what it says as JSON, where somebody has made that already."""

    kind: EntryKind
    body_json: Body
    text: str | None = None

    @property
    def body(self) -> JsonObject:
        """As that of an entry."""
        return body_of(self.body_json)


def body_of(said: Body) -> JsonObject:
    """What an entry says, read from its text."""
    if not isinstance(said, str):
        return said
    try:
        return from_json(said, allow_inf_nan=False)
    except ValueError:  # older studios kept what is not well formed
        return cast("JsonObject", stored_json(said))


def text_of(said: Body) -> str:
    """What an entry says as JSON."""
    text = said if isinstance(said, str) else json.dumps(said)
    is_odd = any(mark in text for mark in _ODD)  # mostly an emoji or a word
    return stored_text(text) if is_odd else text


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to append to a run's log, until somebody takes the run over with a higher epoch."""

    run_id: str
    epoch: int


@dataclass(slots=True)
class Usage:
    """What all model calls of a run so far took. `micro_usd` is in millionths of a dollar, without the
    `unpriced_calls`: what those cost is not known."""

    # Nobody changes one. Each model call makes one, and a frozen one takes three times as long.
    prompt_tokens: int = 0
    completion_tokens: int = 0
    micro_usd: int = 0
    unpriced_calls: int = 0


QuestionKind = Literal["input", "approval", "budget", "outcome", "breakpoint"]
"""Of the team to its person; or of the studio: whether a tool may run, whether to spend more, what came of a call that
was under way when the server was killed, what to do at a breakpoint before or after a tool."""


class PendingInput(BaseModel):
    """A question that a run waits on. `details` is what the page shows beside the prompt, by the kind of question."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    source: str
    prompt: str
    kind: QuestionKind = "input"
    details: JsonObject = {}


class RunStatus(BaseModel):
    """What the run row says beside the log; committed together with the entries that brought it about."""

    model_config = ConfigDict(frozen=True)

    state: RunState = RunState.CREATED
    reason: Reason | Literal[""] = ""
    detail: str = ""
    pending: PendingInput | None = None
    usage: Usage = Usage()

    def with_usage(self, usage: Usage) -> RunStatus:
        """The same with another usage."""
        return unchecked(RunStatus, self.model_fields_set | {"usage"}, {**vars(self), "usage": usage})


Origin = Literal["", "fork", "rerun", "replay", "import"]
"""How a run came about that goes on from another one."""


RunList = Literal["active", "evaluation"]
"""The list that a run begins in: with those of people, or with those of its evaluation."""


class Mocked(BaseModel):
    """A part of the team that a run replaced: `studio/runs/mocks.py`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    place: str
    name: str
    kind: Literal["disable", "fixed", "pin"]


class Reuse(BaseModel):
    """A run whose recorded answers another one takes for exactly the same requests, if they are new enough."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    not_before: datetime


class Changes(BaseModel):
    """What a run does otherwise than the one it goes on from, beside another team or task. Also its mocks and its twin.

    Args:
        edits: Other texts for messages, by their ids; None drops the message.
        results: Other results of effects, by the hashes of their requests.
        is_other_team: Whether what was recorded can only be told to fit by its place.
        initial_state: What the team remembered of earlier tasks when the run began.
        continues: Id of the run at whose end it remembered that.
        mocks: What stands in its team for other parts, which are not in it any more.
        reuse: Whose answers it takes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    edits: Annotated[dict[str, str | None], Field(validation_alias=AliasChoices("edits", "amendments"))] = {}
    results: dict[str, JsonValue] = {}
    is_other_team: bool = False
    initial_state: Annotated[JsonObject, Field(validation_alias=AliasChoices("initial_state", "began_with"))] = {}
    continues: str = ""
    mocks: tuple[Mocked, ...] = ()
    reuse: Reuse | None = None

    def without_reuse(self) -> Changes:
        """The same for a run that has all it needs in its own log, or belongs to another studio."""
        return self if self.reuse is None else self.model_copy(update={"reuse": None})


NO_CHANGES = Changes()


class RunSummary(BaseModel):
    """A run as a list shows it. `task_text` is the start of the task, without pictures; `title` what a person calls it.

    One that goes on from another has that one's entries up to `parent_seq` as its first ones. `root_id` is the oldest
    of the line, whose ids all have.
    """

    id: str
    team_id: str | None
    team_name: str
    task_text: str
    status: RunStatus
    title: str = ""
    team_revision: int | None = None
    last_seq: int
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    parent_id: str | None = None
    parent_seq: int = 0
    root_id: str | None = None
    session_id: str | None = None
    origin: Origin = ""


class RunRecord(RunSummary):
    """A run with what it was started with. `component` holds references in place of secrets."""

    component: JsonObject
    task: JsonValue
    changes: Changes = NO_CHANGES

    @property
    def namespace(self) -> str:
        """From which the ids of its messages follow: the same in all of a line, so that they can be compared."""
        return self.root_id or self.id


@dataclass(frozen=True, slots=True)
class NewRun:
    """What a run is started with. `said` is what a person says first, before anybody has the word.

    `id` is its own where somebody has promised it already, so that it begins once however often that is tried.
    """

    component: JsonObject
    task: JsonValue
    task_text: str
    team_id: str | None = None
    team_name: str = ""
    parent_id: str | None = None
    parent_seq: int = 0
    root_id: str | None = None
    session_id: str | None = None
    origin: Origin = ""
    changes: Changes = NO_CHANGES
    team_revision: int | None = None
    first_message: InjectedMessage | None = None
    id: str = ""
    listing: RunList = "active"


class RunExists(Conflict):
    """Raised when a run begins under the ID of another: it has begun already."""

    code = "run_exists"


class LeaseLost(RunFailed):
    """Raised by an append: another owner has taken the run over. Not safe to retry; stop driving the run."""

    code = "lease_lost"


class LogUnavailable(RunFailed):
    """Raised by an append: the database did not take the entries; none of them is in the log."""

    code = "log_unavailable"


class RunLog(Protocol):
    """Where entries are kept."""

    def append(self, lease: Lease, drafts: Sequence[Draft], status: RunStatus) -> asyncio.Future[Sequence[LogEntry]]:
        """Add entries at the end and set the run's status, in one transaction.

        Entries stand in the log in the order in which `append` was called. The future is done after the commit; they
        are written also when nobody waits for it any more.

        Raises, when awaited:
            LeaseLost: The lease is of an older epoch; nothing was written.
            LogUnavailable: Nothing was written.
        """
        ...

    async def read(
        self, run_id: str, *, after: int = 0, limit: int = 500, kinds: Collection[EntryKind] | None = None
    ) -> Sequence[LogEntry]:
        """The entries after `after`, oldest first; all kinds unless told.

        At most `limit`, and at most `MAX_PAGE_BYTES` or one entry: fewer than `limit` need not be the end; none are.
        """
        ...


class RunStore(RunLog, Protocol):
    """The log together with the rows of the runs."""

    async def create(self, run: NewRun) -> Lease:
        """Add a run in state `created` and own it.

        Raises:
            RunExists: A run has the ID that this one was promised.
        """
        ...

    async def summary(self, run_id: str) -> RunSummary:
        """The run without what it was started with, which can be large.

        Raises:
            NotFound: There is no such run.
        """
        ...

    async def get(self, run_id: str) -> RunRecord:
        """The run with what it was started with.

        Raises:
            NotFound: There is no such run.
        """
        ...

    async def line(self, run_id: str) -> Sequence[RunSummary]:
        """A run, those it goes on from, and those that go on from these, the oldest first.

        Raises:
            NotFound: There is no such run.
        """
        ...

    async def unfinished(self) -> Sequence[str]:
        """Ids of the runs that have not ended and that a supervisor takes up when it begins."""
        ...

    async def take_over(self, run_id: str) -> tuple[Lease, RunStatus]:
        """Become the owner: from now on every older lease is refused. Numbers go on behind the last entry.

        Raises:
            NotFound: There is no such run.
            LeaseLost: Another worker drives it.
        """
        ...

    def own_runs(self) -> AbstractAsyncContextManager[None]:
        """Held by a supervisor that may take over unfinished runs: the only one, or one of those that share a database.

        Raises:
            SetupError: Another server holds it.
        """
        ...
