"""Let several workers drive runs: who drives which, and what they have set aside of a day's limits.

Revision: 0020
Follows: 0019
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "worker",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("is_draining", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_worker"),
    )
    op.create_table(
        "run_driver",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("worker_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_run_driver"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_driver_run_id_run", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["worker_id"], ["worker.id"], name="fk_run_driver_worker_id_worker", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_run_driver_worker_id", "run_driver", ["worker_id"])
    op.create_table(
        "spending_hold",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("team_id", sa.String(), nullable=False),
        sa.Column("tokens", COUNTER, nullable=False),
        sa.Column("micro_usd", COUNTER, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_spending_hold"),
    )
    op.create_index("ix_spending_hold_day", "spending_hold", ["day"])


def downgrade() -> None:
    for name in ("spending_hold", "run_driver", "worker"):
        op.drop_table(name)
