"""The tables of evaluations; see `tables.py`."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlmodel import Field, Index

from studio.components import JsonObject
from studio.store.tables import Counter, ReadableJson, ReadableObject, Table, UtcDateTime


class Evaluation(Table, table=True):
    """A frozen plan and how far it is: versions of a team, run on the cases of a suite.

    `document` is the suite as it was at `suite_revision`. `state` is an `EvaluationState`; `ended_at` is set once none
    of its cells is under way any more. `micro_usd` and `tokens` are what all its runs together may take; None is no
    limit. `reuse_days` is how old answers may be that its runs reuse; None where they reuse none.
    `confirms_id` is the evaluation whose lost cases it runs anew. It has only the cases of the suite with the tag
    `only_tag`, and none with `without_tag`; "" is any. It begins nothing more once it is clear which version is better,
    where `stops_when_clear`.
    """

    __table_args__ = (Index(None, "suite_id", "created_at"), Index(None, "team_id", "created_at"))

    id: str = Field(primary_key=True)
    suite_id: str = Field(foreign_key="team_suite.id", ondelete="CASCADE")
    team_id: str = Field(foreign_key="team.id", ondelete="CASCADE")
    suite_revision: int = Field(sa_type=Counter)
    suite_name: str
    document: JsonObject = Field(sa_type=ReadableObject)
    repeats: int = Field(sa_type=Counter)
    at_once: int = Field(sa_type=Counter)
    micro_usd: int | None = Field(default=None, sa_type=Counter)
    tokens: int | None = Field(default=None, sa_type=Counter)
    reuse_days: int | None = Field(default=None, sa_type=Counter)
    confirms_id: str | None = Field(default=None, index=True)
    only_tag: str = ""
    without_tag: str = ""
    stops_when_clear: bool = False
    cell_count: int = Field(sa_type=Counter)
    state: str
    detail: str = ""
    by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)


class EvaluationVersion(Table, table=True):
    """A version of the team as an evaluation runs it; `number` 1 is the one in question, 2 what it is compared with."""

    evaluation_id: str = Field(primary_key=True, foreign_key="evaluation.id", ondelete="CASCADE")
    number: int = Field(primary_key=True, sa_type=Counter)
    revision: int = Field(sa_type=Counter)
    team_name: str
    component: JsonObject = Field(sa_type=ReadableObject)


class EvaluationCell(Table, table=True):
    """One case, run once by one version. `position` is its place in the order of the runs.

    `run_id` follows from its key and `attempt`, so that a run begins once however often that is tried; `attempt` is 0
    for one that was made elsewhere. `state` is a `CellState`, and `try_at` is how long it belongs to the server that
    claimed it. `aside_micro_usd` and `aside_tokens` are set aside of the evaluation's limits while it is under way.

    Its run reuses the answers of `twin_run_id`, or of the cell of this evaluation at `twin_position`, which is done
    before it. `reused_count` is how many answers those were, `asked_count` how many calls of models it made itself,
    `saved_micro_usd` and `saved_tokens` what the answers took when they were drawn, the oldest at `reused_since`.
    """

    __table_args__ = (Index(None, "evaluation_id", "state", "position"),)

    evaluation_id: str = Field(primary_key=True, foreign_key="evaluation.id", ondelete="CASCADE")
    position: int = Field(primary_key=True, sa_type=Counter)
    version: int = Field(sa_type=Counter)
    case_key: str
    epoch: int = Field(sa_type=Counter)
    run_id: str = Field(index=True, unique=True)
    attempt: int = Field(default=1, sa_type=Counter)
    state: str = "waiting"
    verdict: str = ""
    detail: str = ""
    scores: list[JsonValue] = Field(default_factory=list[JsonValue], sa_type=ReadableJson)
    aside_micro_usd: int | None = Field(default=None, sa_type=Counter)
    aside_tokens: int | None = Field(default=None, sa_type=Counter)
    micro_usd: int = Field(default=0, sa_type=Counter)
    used_tokens: int = Field(default=0, sa_type=Counter)
    try_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    twin_run_id: str = ""
    twin_position: int | None = Field(default=None, sa_type=Counter)
    reused_count: int = Field(default=0, sa_type=Counter)
    asked_count: int = Field(default=0, sa_type=Counter)
    saved_micro_usd: int = Field(default=0, sa_type=Counter)
    saved_tokens: int = Field(default=0, sa_type=Counter)
    reused_since: datetime | None = Field(default=None, sa_type=UtcDateTime)


class EvaluationLabel(Table, table=True):
    """What a person says of the run of a cell. Nothing is replaced: the newest label of a person counts.

    `verdict` is a `LabelVerdict`, `note` why.
    """

    __table_args__ = (Index(None, "evaluation_id", "position"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=Counter)
    evaluation_id: str = Field(foreign_key="evaluation.id", ondelete="CASCADE")
    position: int = Field(sa_type=Counter)
    by: str
    verdict: str
    note: str = ""
    at: datetime = Field(sa_type=UtcDateTime)


class EvaluationJudgment(Table, table=True):
    """The run of a judge, which says what it thinks of the run of a cell."""

    run_id: str = Field(primary_key=True)
    evaluation_id: str = Field(index=True, foreign_key="evaluation.id", ondelete="CASCADE")
    position: int = Field(sa_type=Counter)


class EvaluationPreference(Table, table=True):
    """Which answer a judge prefers of those of a cell and of its counterpart of the other version.

    `position` is the cell of the version in question, `key` what was asked. `in_first` is the choice where its answer
    comes first, `in_second` where it comes second; "" is none, and `detail` says why.
    """

    evaluation_id: str = Field(primary_key=True, foreign_key="evaluation.id", ondelete="CASCADE")
    position: int = Field(primary_key=True, sa_type=Counter)
    key: str = Field(primary_key=True)
    in_first: str = ""
    in_second: str = ""
    detail: str = ""
    micro_usd: int = Field(default=0, sa_type=Counter)
    tokens: int = Field(default=0, sa_type=Counter)
