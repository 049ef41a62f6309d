"""Keep vectors of passages, and which model makes them.

Revision: 0031
Follows: 0030
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    for name in ("embedding_connection", "embedding_model"):
        op.add_column("knowledge_base", sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.create_table(
        "knowledge_vector",
        sa.Column("passage_id", COUNTER, nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("passage_id", name="pk_knowledge_vector"),
        sa.ForeignKeyConstraint(
            ["passage_id"],
            ["knowledge_passage.id"],
            name="fk_knowledge_vector_passage_id_knowledge_passage",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_knowledge_vector_base_id", "knowledge_vector", ["base_id"])


def downgrade() -> None:
    op.drop_table("knowledge_vector")
    for name in ("embedding_model", "embedding_connection"):
        op.drop_column("knowledge_base", name)
