"""Let revisions be as large as all other counters.

Revision: 0009
Follows: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

COLUMNS = (("team", "revision"), ("team_version", "number"))


def upgrade() -> None:
    _make(sa.Integer(), sa.BigInteger())


def downgrade() -> None:
    _make(sa.BigInteger(), sa.Integer())


def _make(old: sa.Integer, new: sa.Integer) -> None:
    if op.get_bind().dialect.name == "sqlite":
        return  # There every integer may be as large.
    for table, column in COLUMNS:
        op.alter_column(table, column, existing_type=old, type_=new, existing_nullable=False)
