"""Read web pages of knowledge bases again on a schedule.

Revision: 0035
Follows: 0033
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0033"

TIME = sa.DateTime(timezone=True)
TEXTS = ("refresh", "refresh_error", "etag")


def upgrade() -> None:
    for name in TEXTS:
        op.add_column("knowledge_document", sa.Column(name, sa.String(), nullable=False, server_default=""))
    for name in ("refresh_at", "checked_at"):
        op.add_column("knowledge_document", sa.Column(name, TIME, nullable=True))
    op.create_index("ix_knowledge_document_refresh_at", "knowledge_document", ["refresh_at"])


def downgrade() -> None:
    op.drop_index("ix_knowledge_document_refresh_at", "knowledge_document")
    for name in (*TEXTS, "refresh_at", "checked_at"):
        op.drop_column("knowledge_document", name)
