"""Show who else has a team open.

Revision: 0018
Follows: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    # What it holds lasts for seconds and is of no use after a crash.
    prefixes = ["UNLOGGED"] if op.get_bind().dialect.name == "postgresql" else []
    op.create_table(
        "open_window",
        sa.Column("team_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("tab", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("pointer", sa.String(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_open_window_team_id_team"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("team_id", "user_id", "tab", name=op.f("pk_open_window")),
        prefixes=prefixes,
    )
    op.create_index(op.f("ix_open_window_seen_at"), "open_window", ["seen_at"])


def downgrade() -> None:
    op.drop_table("open_window")
