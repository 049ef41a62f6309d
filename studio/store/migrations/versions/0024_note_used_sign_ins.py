"""Note which sign-ins with a provider have come back, for all processes.

Revision: 0024
Follows: 0023
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "used_state",
        sa.Column("state_hash", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("state_hash", name="pk_used_state"),
    )
    op.create_index("ix_used_state_expires_at", "used_state", ["expires_at"])


def downgrade() -> None:
    op.drop_table("used_state")
