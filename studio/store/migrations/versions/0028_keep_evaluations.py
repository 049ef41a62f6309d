"""Keep evaluations: versions of a team, run on the cases of a suite.

Revision: 0028
Follows: 0027
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "evaluation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("suite_id", sa.String(), nullable=False),
        sa.Column("team_id", sa.String(), nullable=False),
        sa.Column("suite_revision", COUNTER, nullable=False),
        sa.Column("suite_name", sa.String(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("repeats", COUNTER, nullable=False),
        sa.Column("at_once", COUNTER, nullable=False),
        sa.Column("micro_usd", COUNTER, nullable=True),
        sa.Column("tokens", COUNTER, nullable=True),
        sa.Column("cell_count", COUNTER, nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("ended_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation"),
        sa.ForeignKeyConstraint(
            ["suite_id"], ["team_suite.id"], name="fk_evaluation_suite_id_team_suite", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name="fk_evaluation_team_id_team", ondelete="CASCADE"),
    )
    op.create_index("ix_evaluation_suite_id_created_at", "evaluation", ["suite_id", "created_at"])
    op.create_index("ix_evaluation_team_id_created_at", "evaluation", ["team_id", "created_at"])
    op.create_index("ix_evaluation_ended_at", "evaluation", ["ended_at"])
    op.create_table(
        "evaluation_version",
        sa.Column("evaluation_id", sa.String(), nullable=False),
        sa.Column("number", COUNTER, nullable=False),
        sa.Column("revision", COUNTER, nullable=False),
        sa.Column("team_name", sa.String(), nullable=False),
        sa.Column("component", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "number", name="pk_evaluation_version"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name="fk_evaluation_version_evaluation_id_evaluation",
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "evaluation_cell",
        sa.Column("evaluation_id", sa.String(), nullable=False),
        sa.Column("position", COUNTER, nullable=False),
        sa.Column("version", COUNTER, nullable=False),
        sa.Column("case_key", sa.String(), nullable=False),
        sa.Column("epoch", COUNTER, nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("attempt", COUNTER, nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("aside_micro_usd", COUNTER, nullable=True),
        sa.Column("aside_tokens", COUNTER, nullable=True),
        sa.Column("micro_usd", COUNTER, nullable=False),
        sa.Column("used_tokens", COUNTER, nullable=False),
        sa.Column("try_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name="pk_evaluation_cell"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name="fk_evaluation_cell_evaluation_id_evaluation",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_evaluation_cell_run_id", "evaluation_cell", ["run_id"], unique=True)
    op.create_index(
        "ix_evaluation_cell_evaluation_id_state_position", "evaluation_cell", ["evaluation_id", "state", "position"]
    )


def downgrade() -> None:
    op.drop_table("evaluation_cell")
    op.drop_table("evaluation_version")
    op.drop_table("evaluation")
