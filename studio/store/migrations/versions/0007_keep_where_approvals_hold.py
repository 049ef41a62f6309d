"""Keep where an approval holds, what it lets code reach and who revoked it, and what was last approved of a team.

Revision: 0007
Follows: 0006
"""

from __future__ import annotations

from uuid import uuid4

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

KEPT = ("hash", "kind", "text", "detail", "by", "at")


def upgrade() -> None:
    rows = [dict(row) for row in op.get_bind().execute(_approval(*KEPT).select()).mappings()]
    op.drop_table("approval")
    op.create_table(
        "approval",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("hosts", sa.JSON(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_by", sa.String(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_approval"),
    )
    op.create_index("ix_approval_hash_scope", "approval", ["hash", "scope"])
    if rows:
        fresh: dict[str, object] = {"scope": "", "hosts": list[str](), "revoked_by": ""}
        op.bulk_insert(
            _approval(*KEPT, "id", "scope", "hosts", "revoked_by"),
            [{**row, **fresh, "id": str(uuid4())} for row in rows],
        )
    op.create_table(
        "team_review",
        sa.Column("team_id", sa.String(), nullable=False),
        sa.Column("items", sa.JSON(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name="fk_team_review_team_id_team", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("team_id", name="pk_team_review"),
    )
    op.add_column("team", sa.Column("publisher", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("team", "publisher")
    op.drop_table("team_review")
    approval = _approval(*KEPT, "scope", "revoked_at")
    holding = approval.select().where(approval.c.scope == "", approval.c.revoked_at.is_(None))
    rows = [{name: row[name] for name in KEPT} for row in op.get_bind().execute(holding).mappings()]
    op.drop_index("ix_approval_hash_scope", "approval")
    op.drop_table("approval")
    op.create_table(
        "approval",
        *(sa.Column(name, sa.String(), nullable=False) for name in KEPT if name != "at"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_approval"),
    )
    if rows:
        op.bulk_insert(_approval(*KEPT), rows)


def _approval(*names: str) -> sa.TableClause:
    return sa.table("approval", *(_column(name) for name in names))


def _column(name: str) -> sa.ColumnClause[object]:
    if name in ("at", "revoked_at"):
        return sa.column(name, sa.DateTime(timezone=True))
    return sa.column(name, sa.JSON() if name == "hosts" else sa.String())
