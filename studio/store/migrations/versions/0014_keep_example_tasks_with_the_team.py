"""Keep example tasks with the team.

Revision: 0014
Follows: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("team_settings", sa.Column("examples", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("team_settings", "examples")
