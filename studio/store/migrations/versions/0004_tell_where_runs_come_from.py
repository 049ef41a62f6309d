"""Tell which run another one goes on from, from where, and what was changed.

Revision: 0004
Follows: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    for name in ("parent_id", "root_id", "session_id"):
        op.add_column("run", sa.Column(name, sa.String(), nullable=True))
    op.add_column("run", sa.Column("parent_seq", COUNTER, nullable=False, server_default="0"))
    op.add_column("run", sa.Column("origin", sa.String(), nullable=False, server_default=""))
    op.add_column("run_start", sa.Column("changes", sa.JSON(), nullable=False, server_default="{}"))
    for name in ("parent_id", "root_id", "session_id"):
        op.create_index(op.f(f"ix_run_{name}"), "run", [name])


def downgrade() -> None:
    for name in ("session_id", "root_id", "parent_id"):
        op.drop_index(op.f(f"ix_run_{name}"), "run")
    op.drop_column("run_start", "changes")
    for name in ("origin", "parent_seq", "session_id", "root_id", "parent_id"):
        op.drop_column("run", name)
