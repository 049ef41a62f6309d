"""Let the runs of evaluations reuse answers, and let evaluations confirm others.

Revision: 0029
Follows: 0028
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
COUNTS = ("reused_count", "asked_count", "saved_micro_usd", "saved_tokens")


def upgrade() -> None:
    op.add_column("evaluation", sa.Column("reuse_days", COUNTER, nullable=True))
    op.add_column("evaluation", sa.Column("confirms_id", sa.String(), nullable=True))
    op.create_index("ix_evaluation_confirms_id", "evaluation", ["confirms_id"])
    op.add_column("evaluation_cell", sa.Column("twin_run_id", sa.String(), nullable=False, server_default=""))
    op.add_column("evaluation_cell", sa.Column("twin_position", COUNTER, nullable=True))
    for name in COUNTS:
        op.add_column("evaluation_cell", sa.Column(name, COUNTER, nullable=False, server_default="0"))
    op.add_column("evaluation_cell", sa.Column("reused_since", TIME, nullable=True))


def downgrade() -> None:
    for name in ("reused_since", *COUNTS, "twin_position", "twin_run_id"):
        op.drop_column("evaluation_cell", name)
    op.drop_index("ix_evaluation_confirms_id", "evaluation")
    op.drop_column("evaluation", "confirms_id")
    op.drop_column("evaluation", "reuse_days")
