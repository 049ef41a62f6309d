"""Keep what runs cost, by day, team, agent and model; own prices; and budgets.

Revision: 0005
Follows: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
SUMS = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens", "micro_usd", "unpriced_calls", "ms")


def upgrade() -> None:
    op.add_column("run", sa.Column("micro_usd", COUNTER, nullable=False, server_default="0"))
    op.add_column("run", sa.Column("unpriced_calls", COUNTER, nullable=False, server_default="0"))
    op.create_table(
        "spending",
        *(sa.Column(name, sa.String(), nullable=False) for name in ("run_id", "day", "agent", "kind", "name")),
        sa.Column("team_id", sa.String(), nullable=False),
        sa.Column("team_name", sa.String(), nullable=False),
        *(sa.Column(name, COUNTER, nullable=False) for name in SUMS),
        sa.PrimaryKeyConstraint("run_id", "day", "agent", "kind", "name", name="pk_spending"),
    )
    op.create_index("ix_spending_day_team_id", "spending", ["day", "team_id"])
    op.create_index("ix_spending_team_id", "spending", ["team_id"])
    op.create_table(
        "own_price",
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("input", sa.Float(), nullable=False),
        sa.Column("output", sa.Float(), nullable=False),
        sa.Column("cached_input", sa.Float(), nullable=True),
        sa.Column("as_of", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("model", name="pk_own_price"),
    )
    op.create_table(
        "budget",
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("scope", name="pk_budget"),
    )


def downgrade() -> None:
    for table in ("budget", "own_price", "spending"):
        op.drop_table(table)
    op.drop_column("run", "unpriced_calls")
    op.drop_column("run", "micro_usd")
