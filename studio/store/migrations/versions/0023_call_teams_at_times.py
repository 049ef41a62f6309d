"""Call teams at times: schedules of deployments, and when they fired.

Revision: 0023
Follows: 0022
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "schedule",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("deployment_id", sa.String(), nullable=False),
        sa.Column("cron", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("due_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_schedule"),
        sa.ForeignKeyConstraint(
            ["deployment_id"], ["deployment.id"], name="fk_schedule_deployment_id_deployment", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_schedule_deployment_id", "schedule", ["deployment_id"])
    op.create_index("ix_schedule_due_at", "schedule", ["due_at"])
    op.create_table(
        "firing",
        sa.Column("schedule_id", sa.String(), nullable=False),
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("call_id", sa.String(), nullable=True),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("try_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("schedule_id", "due_at", name="pk_firing"),
        sa.ForeignKeyConstraint(
            ["schedule_id"], ["schedule.id"], name="fk_firing_schedule_id_schedule", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_firing_try_at", "firing", ["try_at"])


def downgrade() -> None:
    op.drop_table("firing")
    op.drop_table("schedule")
