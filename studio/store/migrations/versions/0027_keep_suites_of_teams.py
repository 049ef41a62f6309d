"""Keep suites of teams: cases and scorers that runs of a team are judged by.

Revision: 0027
Follows: 0026
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "team_suite",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("team_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("revision", COUNTER, nullable=False),
        sa.Column("case_count", COUNTER, nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_team_suite"),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name="fk_team_suite_team_id_team", ondelete="CASCADE"),
    )
    op.create_index("ix_team_suite_team_id", "team_suite", ["team_id"])


def downgrade() -> None:
    op.drop_table("team_suite")
