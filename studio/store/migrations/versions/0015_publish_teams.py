"""Publish teams: deployments with their releases, keys and calls.

Revision: 0015
Follows: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_deployments()
    _create_keys_and_calls()


def _create_deployments() -> None:
    op.create_table(
        "deployment",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("team_id", sa.String(), nullable=True),
        sa.Column("team_name", sa.String(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("live", COUNTER, nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deployment"),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name="fk_deployment_team_id_team", ondelete="SET NULL"),
    )
    op.create_index("ix_deployment_name", "deployment", ["name"], unique=True)
    op.create_index("ix_deployment_team_id", "deployment", ["team_id"])
    op.create_table(
        "release",
        sa.Column("deployment_id", sa.String(), nullable=False),
        sa.Column("number", COUNTER, nullable=False),
        sa.Column("team_revision", COUNTER, nullable=False),
        sa.Column("component", sa.JSON(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("deployment_id", "number", name="pk_release"),
        _of_deployment("release"),
    )


def _create_keys_and_calls() -> None:
    op.create_table(
        "caller_key",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("deployment_id", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("key_hash", sa.String(), nullable=False),
        sa.Column("ending", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=True),
        sa.Column("seen_at", TIME, nullable=True),
        sa.Column("revoked_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_caller_key"),
        _of_deployment("caller_key"),
    )
    op.create_index("ix_caller_key_deployment_id", "caller_key", ["deployment_id"])
    op.create_index("ix_caller_key_key_hash", "caller_key", ["key_hash"], unique=True)
    op.create_table(
        "call",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("deployment_id", sa.String(), nullable=False),
        sa.Column("release", COUNTER, nullable=False),
        sa.Column("key_id", sa.String(), nullable=False),
        sa.Column("thread", sa.String(), nullable=False),
        sa.Column("position", COUNTER, nullable=False),
        sa.Column("protocol", sa.String(), nullable=False),
        sa.Column("idempotency", sa.String(), nullable=True),
        sa.Column("request_hash", sa.String(), nullable=False),
        sa.Column("said_hash", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_call"),
        _of_deployment("call"),
    )
    op.create_index("ix_call_key_id_thread_position", "call", ["key_id", "thread", "position"], unique=True)
    op.create_index("ix_call_key_id_idempotency", "call", ["key_id", "idempotency"], unique=True)
    op.create_index("ix_call_key_id_said_hash", "call", ["key_id", "said_hash"])
    op.create_index("ix_call_deployment_id_at", "call", ["deployment_id", "at"])


def _of_deployment(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_deployment_id_deployment"
    return sa.ForeignKeyConstraint(["deployment_id"], ["deployment.id"], name=name, ondelete="CASCADE")


def downgrade() -> None:
    for table in ("call", "caller_key", "release", "deployment"):
        op.drop_table(table)
