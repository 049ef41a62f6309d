"""The tables. A change here needs a migration beside it; `tests/store/test_migrations.py` holds the two together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, cast

from pydantic import JsonValue
from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, LargeBinary, MetaData
from sqlalchemy import Table as SqlTable
from sqlalchemy.orm import QueryableAttribute, declared_attr, defer, registry
from sqlalchemy.sql.base import ExecutableOption
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, Index, SQLModel

from studio.components import JsonObject
from studio.components.readable_json import DAMAGED

Kind = Literal["team", "run"]
"""What can have tags and stars."""
Listing = Literal["active", "archived", "trashed"]
"""The list that shows a team or a run; the trash is emptied after a while."""

# Constraints need names that are the same everywhere, or a later migration could not drop them.
NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def without(*columns: object) -> Sequence[ExecutableOption]:
    """Query options that leave these columns of a table unread, for lists of rows that hold large JSON."""
    return [defer(cast("QueryableAttribute[object]", column)) for column in columns]


Counter = BigInteger().with_variant(Integer, "sqlite")


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time in UTC; SQLite keeps no zone, so it is put back on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        del dialect
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        del dialect
        return value.replace(tzinfo=UTC) if value and value.tzinfo is None else value


class ReadableJson(TypeDecorator[JsonValue]):
    """A document, or JSON of a run. What is broken is read as `DAMAGED`: one must not take down a list of all."""

    impl = JSON
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        read = JSON().result_processor(dialect, coltype)

        def read_all(value: Any) -> Any:
            try:
                return read(value) if read else value
            except (ValueError, TypeError):  # SQLite gives a number for one that stands alone
                return DAMAGED

        return read_all


class ReadableObject(ReadableJson):
    """The same for what is an object always."""

    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        read = super().result_processor(dialect, coltype)

        def read_object(value: Any) -> Any:
            found = read(value)
            return cast("JsonObject", found) if isinstance(found, dict) else DAMAGED

        return read_object


class Table(SQLModel, registry=registry(metadata=MetaData(naming_convention=NAMES))):
    """Base of all tables, with metadata of its own: nothing else that uses SQLModel ends up in our database."""

    # SQLModel's own annotation of this name does not agree with SQLAlchemy's.
    @declared_attr  # pyright: ignore[reportArgumentType]
    def __tablename__(cls) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return _sql_name(cls.__name__)


def _sql_name(class_name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", class_name).lower()


def table_of(cls: type[Table]) -> SqlTable:
    """The plain SQL table of a class, for statements that must be fast."""
    return Table.metadata.tables[_sql_name(cls.__name__)]


class Team(Table, table=True):
    """A team as it is now. `component` may be unfinished or wrong: what a person saved is kept as it is.

    `publisher` is whose gallery it was taken from: `url:ADDRESS`, or `gallery:ID` where no address tells; else "".
    `listing` is a `Listing`.
    """

    __table_args__ = (Index(None, "listing", "updated_at", "id"),)

    id: str = Field(primary_key=True)
    name: str
    summary: str = ""
    publisher: str = ""
    revision: int = Field(sa_type=Counter)
    component: JsonObject = Field(sa_type=ReadableObject)
    layout: JsonObject = Field(sa_type=ReadableObject)
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)
    listing: str = "active"
    trashed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class TeamVersion(Table, table=True):
    """A team as it was saved as revision `number`; only its title may change later.

    `title` is what a person calls this version, `note` why it was made, `changes` what differs from the one before.
    `author` is who saved it, as the caller says; `kind` is "" for a save, "merge" for one that brought two together,
    and "side" for one that was brought into the merge after it and never was the team's newest by itself.
    """

    team_id: str = Field(primary_key=True, foreign_key="team.id", ondelete="CASCADE")
    number: int = Field(primary_key=True, sa_type=Counter)
    name: str
    title: str = ""
    note: str = ""
    changes: str = ""
    author: str = ""
    kind: str = ""
    component: JsonObject = Field(sa_type=ReadableObject)
    layout: JsonObject = Field(sa_type=ReadableObject)
    at: datetime = Field(sa_type=UtcDateTime)


class TeamSettings(Table, table=True):
    """Breakpoints, rules for tools and example tasks of a team: set by those who run it, and no part of a version."""

    team_id: str = Field(primary_key=True, foreign_key="team.id", ondelete="CASCADE")
    breakpoints: list[JsonValue] = Field(sa_type=ReadableJson)
    policy: JsonObject = Field(sa_type=ReadableObject)
    examples: list[JsonValue] = Field(default_factory=list[JsonValue], sa_type=ReadableJson)


class OpenWindow(Table, table=True):
    """A builder that somebody has open, and what is selected in it; gone some seconds after it was last heard of."""

    team_id: str = Field(primary_key=True, foreign_key="team.id", ondelete="CASCADE")
    user_id: str = Field(primary_key=True)
    tab: str = Field(primary_key=True)
    name: str = ""
    pointer: str = ""
    seen_at: datetime = Field(sa_type=UtcDateTime, index=True)


class Gallery(Table, table=True):
    """A gallery: components to take from. `origin` says how it came here, `source` from which file or URL."""

    id: str = Field(primary_key=True)
    name: str
    origin: str
    source: str = ""
    config: JsonObject = Field(sa_type=ReadableObject)
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)


class Run(Table, table=True):
    """One execution of a team. State and usage repeat what the log says, so that a list needs no log.

    Written again with every entry of the log, so nothing large belongs here: that is in `RunStart`.
    `epoch` is the lease: only its newest holder may append. `last_seq` hands out the sequence numbers.
    A run that goes on from another one has that one's entries up to `parent_seq` as its first; `root_id` is the
    oldest of such a line, and `origin` says how it came about. `session_id` is that of a conversation of several runs.
    `title` is the name that a person gave it, `listing` a `RunListing`; the runs of a trashed team are in the trash as
    well, whatever their `listing`. `team_revision` is the version of the team that it was started with.
    """

    __table_args__ = (
        Index(None, "team_id", "created_at", "id"),
        Index(None, "listing", "created_at", "id", "team_id"),
    )

    id: str = Field(primary_key=True)
    team_id: str | None = Field(default=None, foreign_key="team.id", ondelete="SET NULL")
    team_name: str = ""
    team_revision: int | None = Field(default=None, sa_type=Counter)
    task_text: str = ""
    title: str = ""
    listing: str = "active"
    trashed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    state: str = Field(index=True)
    reason: str = ""
    detail: str = ""
    pending: JsonObject | None = Field(default=None, sa_type=ReadableJson)
    prompt_tokens: int = Field(default=0, sa_type=Counter)
    completion_tokens: int = Field(default=0, sa_type=Counter)
    micro_usd: int = Field(default=0, sa_type=Counter)
    unpriced_calls: int = Field(default=0, sa_type=Counter)
    epoch: int = Field(default=1, sa_type=Counter)
    last_seq: int = Field(default=0, sa_type=Counter)
    parent_id: str | None = Field(default=None, index=True)
    parent_seq: int = Field(default=0, sa_type=Counter)
    root_id: str | None = Field(default=None, index=True)
    session_id: str | None = Field(default=None, index=True)
    origin: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class RunStart(Table, table=True):
    """What a run was started with; never changed. Pictures make it large."""

    run_id: str = Field(primary_key=True, foreign_key="run.id", ondelete="CASCADE")
    component: JsonObject = Field(sa_type=ReadableObject)
    task: JsonValue = Field(default=None, sa_type=ReadableJson)
    changes: JsonObject = Field(default_factory=dict[str, JsonValue], sa_type=ReadableJson)


class RunSubmission(Table, table=True):
    """A run that another process is to drive for the first time; `body` is a `studio.runs.submission.Submission`."""

    run_id: str = Field(primary_key=True, foreign_key="run.id", ondelete="CASCADE")
    body: JsonObject = Field(sa_type=JSON)
    at: datetime = Field(sa_type=UtcDateTime)


class RunCommand(Table, table=True):
    """A command on its way to the process that drives its run. Once there is an `outcome`, `body` is empty: it may have
    held what a person said."""

    id: int | None = Field(default=None, primary_key=True, sa_type=Counter)
    run_id: str = Field(index=True, foreign_key="run.id", ondelete="CASCADE")
    body: JsonObject = Field(sa_type=JSON)
    outcome: JsonObject | None = Field(default=None, sa_type=JSON(none_as_null=True))
    at: datetime = Field(sa_type=UtcDateTime)


class Worker(Table, table=True):
    """A process that drives runs, for as long as it shows that it lives. `name` is its host and process number.

    Times are the database's. Whoever finds `seen_at` too long ago deletes the row, and with it go its rows of
    `run_driver`.
    """

    id: str = Field(primary_key=True)
    name: str
    started_at: datetime = Field(sa_type=UtcDateTime)
    seen_at: datetime = Field(sa_type=UtcDateTime)
    is_draining: bool = False


class RunDriver(Table, table=True):
    """Which worker drives a run, where several share the database. Only this one may raise the run's epoch."""

    run_id: str = Field(primary_key=True, foreign_key="run.id", ondelete="CASCADE")
    worker_id: str = Field(index=True, foreign_key="worker.id", ondelete="CASCADE")


class RunLive(Table, table=True):
    """What of a run that is driven now is not in its log: its view, and unfinished messages."""

    run_id: str = Field(primary_key=True, foreign_key="run.id", ondelete="CASCADE")
    view: JsonObject = Field(sa_type=JSON)
    written: list[JsonValue] = Field(sa_type=JSON)


class RunEvent(Table, table=True):
    """One entry of a run's log. The primary key is the second guard, beside the epoch, against two writers."""

    run_id: str = Field(primary_key=True, foreign_key="run.id", ondelete="CASCADE")
    seq: int = Field(primary_key=True, sa_type=Counter)
    epoch: int = Field(sa_type=Counter)
    at: datetime = Field(sa_type=UtcDateTime)
    kind: str
    body: JsonObject = Field(sa_type=ReadableJson)


class File(Table, table=True):
    """A file, once for each content. Its bytes are the portions of the upload that brought it first.

    `media_type` is found in the content; `at` is when somebody last brought it.
    """

    sha256: str = Field(primary_key=True)
    upload_id: str = Field(index=True, unique=True)
    size: int = Field(sa_type=Counter)
    media_type: str
    at: datetime = Field(sa_type=UtcDateTime, index=True)


class FilePortion(Table, table=True):
    """A part of a file's content, or of an upload under way."""

    upload_id: str = Field(primary_key=True)
    number: int = Field(primary_key=True, sa_type=Counter)
    content: bytes = Field(sa_type=LargeBinary)


class FileUpload(Table, table=True):
    """An upload under way, or one that broke off."""

    id: str = Field(primary_key=True)
    at: datetime = Field(sa_type=UtcDateTime, index=True)


class RunFile(Table, table=True):
    """A file of a run under its name: attached to it (`direction` "in"), or written by its code ("out").

    `number` counts the files of a run from 1. `seq` is the last entry of the log before it came up, `agent` whose code
    wrote it.
    """

    run_id: str = Field(primary_key=True, foreign_key="run.id", ondelete="CASCADE")
    number: int = Field(primary_key=True, sa_type=Counter)
    name: str
    sha256: str = Field(index=True, foreign_key="file.sha256")
    direction: str
    agent: str = ""
    seq: int = Field(default=0, sa_type=Counter)
    at: datetime = Field(sa_type=UtcDateTime)


class Spending(Table, table=True):
    """What one agent of one run took on one day (UTC) of one model or tool. Stays when the run or the team goes.

    `micro_usd` is in millionths of a dollar, without the `unpriced_calls`. `kind` is that of the effect.
    """

    __table_args__ = (Index(None, "day", "team_id"),)

    run_id: str = Field(primary_key=True)
    day: str = Field(primary_key=True)
    agent: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    team_id: str = Field(index=True)
    team_name: str
    calls: int = Field(sa_type=Counter)
    prompt_tokens: int = Field(sa_type=Counter)
    completion_tokens: int = Field(sa_type=Counter)
    cached_tokens: int = Field(sa_type=Counter)
    micro_usd: int = Field(sa_type=Counter)
    unpriced_calls: int = Field(sa_type=Counter)
    ms: int = Field(sa_type=Counter)


class SpendingHold(Table, table=True):
    """What is set aside of a day's limits for a call that is under way, where several workers share the database.

    It goes in the transaction that logs what the call took. One whose outcome nobody knows counts until the day ends.
    """

    id: str = Field(primary_key=True)
    day: str = Field(index=True)
    team_id: str
    tokens: int = Field(sa_type=Counter)
    micro_usd: int = Field(sa_type=Counter)


class Tag(Table, table=True):
    """A word that people find teams or runs by. `kind` is a `Kind`."""

    __table_args__ = (Index(None, "kind", "object_id"),)

    kind: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    object_id: str = Field(primary_key=True)


class Star(Table, table=True):
    """A team or run that a person keeps at hand; `user_id` is empty in a studio without users."""

    __table_args__ = (Index(None, "kind", "object_id"),)

    user_id: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    object_id: str = Field(primary_key=True)


class OwnPrice(Table, table=True):
    """What a model costs by its user's word: US dollars for a million tokens, since the day `as_of`."""

    model: str = Field(primary_key=True)
    input: float
    output: float
    cached_input: float | None = None
    as_of: str


class Budget(Table, table=True):
    """Limits of the studio (`studio`), a team (`team:ID`) or a run (`run:ID`)."""

    scope: str = Field(primary_key=True)
    limits: JsonObject = Field(sa_type=ReadableObject)


class ModelConnection(Table, table=True):
    """A model service under a name. `component` is a complete model, with a reference for its key."""

    id: str = Field(primary_key=True)
    name: str = Field(index=True, unique=True)
    component: JsonObject = Field(sa_type=ReadableObject)
    is_default: bool = False
    created_at: datetime = Field(sa_type=UtcDateTime)


class Secret(Table, table=True):
    """A secret value, encrypted; the key is a file outside the database."""

    name: str = Field(primary_key=True)
    encrypted: bytes = Field(sa_type=LargeBinary)
    updated_at: datetime = Field(sa_type=UtcDateTime)


class Approval(Table, table=True):
    """A person's yes to one capability, by the hash of exactly that thing; kept when it is revoked.

    `scope` says where it holds: "" wherever the thing is used, `team:ID`, or a publisher as `Team.publisher` names it.
    `hosts` are those that code may reach; none is no network.
    """

    __table_args__ = (Index(None, "hash", "scope"), Index(None, "revoked_at", "at", "id"))

    id: str = Field(primary_key=True)
    hash: str
    scope: str = ""
    kind: str
    text: str
    detail: str = ""
    hosts: list[JsonValue] = Field(default_factory=list[JsonValue], sa_type=JSON)
    by: str = ""
    at: datetime = Field(sa_type=UtcDateTime)
    revoked_by: str = ""
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class TeamReview(Table, table=True):
    """What of a team was allowed when somebody last decided about it: `items` are `{"place", "hash"}`."""

    team_id: str = Field(primary_key=True, foreign_key="team.id", ondelete="CASCADE")
    items: list[JsonValue] = Field(sa_type=JSON)
    by: str = ""
    at: datetime = Field(sa_type=UtcDateTime)


class User(Table, table=True):
    """Somebody who may sign in.

    `password` is an argon2 hash, or empty for who comes by the identity provider only. `identity` is who they are
    there: its issuer and their subject, once they have come.
    """

    id: str = Field(primary_key=True)
    name: str = Field(index=True, unique=True)
    role: str
    password: str = ""
    identity: str | None = Field(default=None, index=True, unique=True)
    created_at: datetime = Field(sa_type=UtcDateTime)


class WrongGuess(Table, table=True):
    """How often a password or token was guessed wrongly since `began_at`.

    `subject` is a digest of the address that the guesses come from, or of the name that they are about.
    """

    subject: str = Field(primary_key=True)
    began_at: datetime = Field(sa_type=UtcDateTime, index=True)
    guesses: int = Field(sa_type=Counter)


class UsedState(Table, table=True):
    """The state of a sign-in with an identity provider that came back: it is used once, also in vain."""

    state_hash: str = Field(primary_key=True)
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)


class SignIn(Table, table=True):
    """A way in for a user: a browser that signed in, or a token for programs (`kind`). Only the key's hash is kept."""

    id: str = Field(primary_key=True)
    user_id: str = Field(index=True, foreign_key="user.id", ondelete="CASCADE")
    kind: str
    label: str = ""
    key_hash: str = Field(index=True, unique=True)
    address: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)
    seen_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)


class AuditEntry(Table, table=True):
    """Who did what, or tried to. Never holds what was sent: no bodies, no values, no wrong names or passwords."""

    __table_args__ = (Index(None, "who", "id"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=Counter)
    at: datetime = Field(sa_type=UtcDateTime, index=True)
    who: str
    action: str
    object: str = ""
    address: str = ""
    outcome: str


class TeamSuite(Table, table=True):
    """A suite of a team as it is now. `document` is what a suite file holds."""

    id: str = Field(primary_key=True)
    team_id: str = Field(index=True, foreign_key="team.id", ondelete="CASCADE")
    name: str
    revision: int = Field(sa_type=Counter)
    case_count: int = Field(sa_type=Counter)
    document: JsonObject = Field(sa_type=ReadableObject)
    by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)
