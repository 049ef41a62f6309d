"""Give versions a title, an author, and what changed in them.

Revision: 0003
Follows: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

COLUMNS = ("title", "changes", "author", "kind")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("team_version", sa.Column(name, sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    for name in reversed(COLUMNS):
        op.drop_column("team_version", name)
