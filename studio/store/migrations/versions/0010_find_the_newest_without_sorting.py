"""Find the newest runs and teams, and what one person did, without reading and sorting all.

Revision: 0010
Follows: 0009
"""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"

INDEXES = (
    ("run", ("created_at", "id")),
    ("run", ("team_id", "created_at", "id")),
    ("audit_entry", ("who", "id")),
    ("team", ("updated_at", "id")),
)


def upgrade() -> None:
    for table, columns in INDEXES:
        op.create_index(f"ix_{table}_{'_'.join(columns)}", table, columns)
    op.drop_index("ix_run_team_id_created_at", table_name="run")


def downgrade() -> None:
    op.create_index("ix_run_team_id_created_at", "run", ["team_id", "created_at"])
    for table, columns in INDEXES:
        op.drop_index(f"ix_{table}_{'_'.join(columns)}", table_name=table)
