"""Keep whether an evaluation stops when it is clear which version is better.

Revision: 0037
Follows: 0036
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.add_column("evaluation", sa.Column("stops_when_clear", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("evaluation", "stops_when_clear")
