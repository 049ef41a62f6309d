"""Let services call teams: hooks of deployments.

Revision: 0026
Follows: 0025
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "hook",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("deployment_id", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("encrypted_secret", sa.LargeBinary(), nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_hook"),
        sa.ForeignKeyConstraint(
            ["deployment_id"], ["deployment.id"], name="fk_hook_deployment_id_deployment", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_hook_deployment_id", "hook", ["deployment_id"])


def downgrade() -> None:
    op.drop_table("hook")
