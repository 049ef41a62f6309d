"""List the newest approvals, and those that were revoked last, without reading and sorting all.

Revision: 0012
Follows: 0011
"""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_index("ix_approval_revoked_at_at_id", "approval", ["revoked_at", "at", "id"])


def downgrade() -> None:
    op.drop_index("ix_approval_revoked_at_at_id", table_name="approval")
