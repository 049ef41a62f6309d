"""Let people chat with teams: keys that open the chat page of a deployment.

Revision: 0022
Follows: 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("caller_key", sa.Column("opens", sa.String(), nullable=False, server_default="calls"))


def downgrade() -> None:
    op.drop_column("caller_key", "opens")
