"""Keep files by content, and which run uses them under which name.

Revision: 0025
Follows: 0024
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    counter = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "file",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("upload_id", sa.String(), nullable=False),
        sa.Column("size", counter, nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_file"),
    )
    op.create_index("ix_file_upload_id", "file", ["upload_id"], unique=True)
    op.create_index("ix_file_at", "file", ["at"])
    op.create_table(
        "file_portion",
        sa.Column("upload_id", sa.String(), nullable=False),
        sa.Column("number", counter, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("upload_id", "number", name="pk_file_portion"),
    )
    op.create_table(
        "file_upload",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_file_upload"),
    )
    op.create_index("ix_file_upload_at", "file_upload", ["at"])
    op.create_table(
        "run_file",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("number", counter, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("direction", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("seq", counter, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_file_run_id_run", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["sha256"], ["file.sha256"], name="fk_run_file_sha256_file"),
        sa.PrimaryKeyConstraint("run_id", "number", name="pk_run_file"),
    )
    op.create_index("ix_run_file_sha256", "run_file", ["sha256"])


def downgrade() -> None:
    for table in ("run_file", "file_upload", "file_portion", "file"):
        op.drop_table(table)
