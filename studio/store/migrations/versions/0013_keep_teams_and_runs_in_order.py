"""Keep teams and runs in order: names for runs, tags, stars, an archive and a trash.

Revision: 0013
Follows: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
OLD = {"team": ["updated_at", "id"], "run": ["created_at", "id"]}
NEW = {"team": ["listing", "updated_at", "id"], "run": ["listing", "created_at", "id", "team_id"]}


def upgrade() -> None:
    op.add_column("run", sa.Column("title", sa.String(), nullable=False, server_default=""))
    op.add_column("run", sa.Column("team_revision", COUNTER, nullable=True))
    for table in ("team", "run"):
        op.add_column(table, sa.Column("listing", sa.String(), nullable=False, server_default="active"))
        op.add_column(table, sa.Column("trashed_at", sa.DateTime(timezone=True), nullable=True))
        op.drop_index(f"ix_{table}_{'_'.join(OLD[table])}", table_name=table)
        op.create_index(f"ix_{table}_{'_'.join(NEW[table])}", table, NEW[table])
    op.create_table(
        "tag",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("object_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "name", "object_id", name="pk_tag"),
    )
    op.create_index("ix_tag_kind_object_id", "tag", ["kind", "object_id"])
    op.create_table(
        "star",
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("object_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "kind", "object_id", name="pk_star"),
    )
    op.create_index("ix_star_kind_object_id", "star", ["kind", "object_id"])


def downgrade() -> None:
    op.drop_table("star")
    op.drop_table("tag")
    for table in ("run", "team"):
        op.drop_index(f"ix_{table}_{'_'.join(NEW[table])}", table_name=table)
        op.create_index(f"ix_{table}_{'_'.join(OLD[table])}", table, OLD[table])
        op.drop_column(table, "trashed_at")
        op.drop_column(table, "listing")
    op.drop_column("run", "team_revision")
    op.drop_column("run", "title")
