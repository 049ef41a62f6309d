"""Keep what people say of the runs of evaluations, which runs are those of judges, and which cases were chosen.

Revision: 0033
Follows: 0032
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    for name in ("only_tag", "without_tag"):
        op.add_column("evaluation", sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.create_table(
        "evaluation_label",
        sa.Column("id", COUNTER, nullable=False),
        sa.Column("evaluation_id", sa.String(), nullable=False),
        sa.Column("position", COUNTER, nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation_label"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name="fk_evaluation_label_evaluation_id_evaluation",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_evaluation_label_evaluation_id_position", "evaluation_label", ["evaluation_id", "position"])
    op.create_table(
        "evaluation_judgment",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("evaluation_id", sa.String(), nullable=False),
        sa.Column("position", COUNTER, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_evaluation_judgment"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name="fk_evaluation_judgment_evaluation_id_evaluation",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_evaluation_judgment_evaluation_id", "evaluation_judgment", ["evaluation_id"])


def downgrade() -> None:
    op.drop_table("evaluation_judgment")
    op.drop_table("evaluation_label")
    for name in ("without_tag", "only_tag"):
        op.drop_column("evaluation", name)
