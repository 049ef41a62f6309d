"""The tables of deployments, their callers and what calls them; see `tables.py`."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, Index

from studio.components import JsonObject
from studio.store.tables import Counter, ReadableObject, Table, UtcDateTime


class Deployment(Table, table=True):
    """A team under a name that callers use. `settings` are `DeploymentSettings`, `live` the number of a release.

    `canary` is another release, which gets `canary_percent` of the new threads.
    """

    id: str = Field(primary_key=True)
    name: str = Field(index=True, unique=True)
    team_id: str | None = Field(default=None, foreign_key="team.id", ondelete="SET NULL", index=True)
    team_name: str = ""
    summary: str = ""
    settings: JsonObject = Field(sa_type=ReadableObject)
    live: int = Field(sa_type=Counter)
    canary: int | None = Field(default=None, sa_type=Counter)
    canary_percent: int = Field(default=0, sa_type=Counter)
    is_on: bool = True
    by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)


class Release(Table, table=True):
    """A team as a deployment runs it: frozen when it was made, whatever is saved later.

    `live_at` is when it last went live.
    """

    deployment_id: str = Field(primary_key=True, foreign_key="deployment.id", ondelete="CASCADE")
    number: int = Field(primary_key=True, sa_type=Counter)
    team_revision: int = Field(sa_type=Counter)
    component: JsonObject = Field(sa_type=ReadableObject)
    note: str = ""
    by: str = ""
    at: datetime = Field(sa_type=UtcDateTime)
    live_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class CallerKey(Table, table=True):
    """A key that opens one deployment and nothing else. Only its hash is kept; people know it by its `ending`.

    `opens` is a `KeyUse`.
    """

    id: str = Field(primary_key=True)
    deployment_id: str = Field(index=True, foreign_key="deployment.id", ondelete="CASCADE")
    label: str
    key_hash: str = Field(index=True, unique=True)
    ending: str
    opens: str = "calls"
    by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    seen_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class OAuthGrant(Table, table=True):
    """What a person allowed a client of MCP. It gets a code for it, once, and for that code a key.

    Codes and what access is renewed with are kept as hashes. `former_hash` is that of the first that was replaced. All
    later ones begin with it, so whoever brings any but the newest is known to have it from somewhere else.
    """

    id: str = Field(primary_key=True)
    deployment_id: str = Field(index=True, foreign_key="deployment.id", ondelete="CASCADE")
    client_id: str
    client_name: str
    redirect_uri: str
    challenge: str
    resource: str
    by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)
    code_hash: str = Field(index=True, unique=True)
    key_id: str | None = Field(default=None, index=True)
    former_hash: str | None = Field(default=None, index=True)


class Call(Table, table=True):
    """One request of a caller. Its `id` is that of its run, which it is promised before the run begins.

    `position` counts the calls of a `thread` of one key from 1; two that begin at once cannot both be next.
    `idempotency` is the hash of the key that a client sent with the request, `request_hash` that of its body, and
    `said_hash` that of the conversation that came with it, by which its thread is recognized later. After `deleted_at`
    its caller is told of it no more; what it took still counts.
    """

    __table_args__ = (
        Index(None, "key_id", "thread", "position", unique=True),
        Index(None, "key_id", "idempotency", unique=True),
        Index(None, "key_id", "said_hash"),
        Index(None, "deployment_id", "at"),
    )

    id: str = Field(primary_key=True)
    deployment_id: str = Field(foreign_key="deployment.id", ondelete="CASCADE")
    release: int = Field(sa_type=Counter)
    key_id: str
    thread: str
    position: int = Field(sa_type=Counter)
    protocol: str
    idempotency: str | None = None
    request_hash: str = ""
    said_hash: str = ""
    address: str = ""
    at: datetime = Field(sa_type=UtcDateTime)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class Schedule(Table, table=True):
    """A call that a deployment gets at the times of a cron expression in a time zone.

    `due_at` is the next of these times, and empty while the schedule is off.
    """

    id: str = Field(primary_key=True)
    deployment_id: str = Field(index=True, foreign_key="deployment.id", ondelete="CASCADE")
    cron: str
    zone: str
    task: str
    is_on: bool = True
    by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)


class Firing(Table, table=True):
    """One time at which a schedule was due. Its key makes a second one for that time impossible.

    `state` is a `FiringState`, `detail` says why there was no call, and `try_at` is when any server may begin a call
    whose server has not come to it; empty once it is settled.
    """

    schedule_id: str = Field(primary_key=True, foreign_key="schedule.id", ondelete="CASCADE")
    due_at: datetime = Field(primary_key=True, sa_type=UtcDateTime)
    task: str
    state: str
    call_id: str | None = None
    detail: str = ""
    try_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)


class Hook(Table, table=True):
    """An address to which another service posts, and each post calls the deployment.

    `kind` is a `HookKind`, and `task` says what the call is to do, with places for parts of the body.
    """

    id: str = Field(primary_key=True)
    deployment_id: str = Field(index=True, foreign_key="deployment.id", ondelete="CASCADE")
    label: str
    kind: str
    encrypted_secret: bytes
    task: str
    is_on: bool = True
    by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)


class Webhook(Table, table=True):
    """Where a program is told of the calls of a deployment. `kinds` has a comma before and behind each kind."""

    id: str = Field(primary_key=True)
    deployment_id: str = Field(index=True, foreign_key="deployment.id", ondelete="CASCADE")
    address: str
    encrypted_secret: bytes
    kinds: str
    shows_answer: bool = False
    is_on: bool = True
    by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)


class Delivery(Table, table=True):
    """One event on its way to a webhook. `next_at` is when it is tried next, and empty once it is not.

    `status` and the start of the `answer` are those of the last try; without a status there was no answer, and
    `answer` says why.
    """

    __table_args__ = (Index(None, "webhook_id", "at"), Index(None, "at"))

    id: str = Field(primary_key=True)
    webhook_id: str = Field(foreign_key="webhook.id", ondelete="CASCADE")
    call_id: str
    kind: str
    at: datetime = Field(sa_type=UtcDateTime)
    next_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    attempts: int = Field(default=0, sa_type=Counter)
    is_delivered: bool = False
    status: int | None = Field(default=None, sa_type=Counter)
    answer: str = ""
