"""Keep which of two answers the judges of an evaluation prefer.

Revision: 0036
Follows: 0035
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "evaluation_preference",
        sa.Column("evaluation_id", sa.String(), nullable=False),
        sa.Column("position", COUNTER, nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("in_first", sa.String(), nullable=False),
        sa.Column("in_second", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("micro_usd", COUNTER, nullable=False),
        sa.Column("tokens", COUNTER, nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "position", "key", name="pk_evaluation_preference"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name="fk_evaluation_preference_evaluation_id_evaluation",
            ondelete="CASCADE",
        ),
    )


def downgrade() -> None:
    op.drop_table("evaluation_preference")
