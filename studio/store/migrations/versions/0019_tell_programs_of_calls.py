"""Tell programs of calls: webhooks of deployments, and what is sent to them.

Revision: 0019
Follows: 0018
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("deployment_id", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("encrypted_secret", sa.LargeBinary(), nullable=False),
        sa.Column("kinds", sa.String(), nullable=False),
        sa.Column("shows_answer", sa.Boolean(), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhook"),
        sa.ForeignKeyConstraint(
            ["deployment_id"], ["deployment.id"], name="fk_webhook_deployment_id_deployment", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_webhook_deployment_id", "webhook", ["deployment_id"])
    op.create_table(
        "delivery",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("webhook_id", sa.String(), nullable=False),
        sa.Column("call_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("next_at", TIME, nullable=True),
        sa.Column("attempts", COUNTER, nullable=False),
        sa.Column("is_delivered", sa.Boolean(), nullable=False),
        sa.Column("status", COUNTER, nullable=True),
        sa.Column("answer", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_delivery"),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name="fk_delivery_webhook_id_webhook", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_delivery_webhook_id_at", "delivery", ["webhook_id", "at"])
    op.create_index("ix_delivery_next_at", "delivery", ["next_at"])
    op.create_index("ix_delivery_at", "delivery", ["at"])


def downgrade() -> None:
    op.drop_table("delivery")
    op.drop_table("webhook")
