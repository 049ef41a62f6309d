"""Let a deployment send some new threads to a release that is not live.

Revision: 0032
Follows: 0031
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("deployment", sa.Column("canary", COUNTER, nullable=True))
    op.add_column("deployment", sa.Column("canary_percent", COUNTER, nullable=False, server_default="0"))


def downgrade() -> None:
    for name in ("canary_percent", "canary"):
        op.drop_column("deployment", name)
