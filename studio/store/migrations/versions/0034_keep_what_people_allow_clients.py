"""Keep what people allow clients of MCP by OAuth, and which calls their callers have deleted.

Revision: 0034
Follows: 0033
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("call", sa.Column("deleted_at", TIME, nullable=True))
    op.create_table(
        "oauth_grant",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("deployment_id", sa.String(), nullable=False),
        sa.Column("client_id", sa.String(), nullable=False),
        sa.Column("client_name", sa.String(), nullable=False),
        sa.Column("redirect_uri", sa.String(), nullable=False),
        sa.Column("challenge", sa.String(), nullable=False),
        sa.Column("resource", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("code_hash", sa.String(), nullable=False),
        sa.Column("key_id", sa.String(), nullable=True),
        sa.Column("former_hash", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_grant"),
        sa.ForeignKeyConstraint(
            ["deployment_id"], ["deployment.id"], name="fk_oauth_grant_deployment_id_deployment", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_oauth_grant_deployment_id", "oauth_grant", ["deployment_id"])
    op.create_index("ix_oauth_grant_code_hash", "oauth_grant", ["code_hash"], unique=True)
    op.create_index("ix_oauth_grant_key_id", "oauth_grant", ["key_id"])
    op.create_index("ix_oauth_grant_former_hash", "oauth_grant", ["former_hash"])


def downgrade() -> None:
    op.drop_table("oauth_grant")
    op.drop_column("call", "deleted_at")
