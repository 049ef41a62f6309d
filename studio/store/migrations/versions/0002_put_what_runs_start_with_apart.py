"""Put what runs start with into a table of its own.

Revision: 0002
Follows: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "run_start",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("component", sa.JSON(), nullable=False),
        sa.Column("task", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_run_start_run_id_run"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_start")),
    )
    op.execute("INSERT INTO run_start (run_id, component, task) SELECT id, component, task FROM run")
    # Not in a batch: on SQLite that makes the table anew, and dropping the old one would delete the logs with it.
    op.drop_column("run", "task")
    op.drop_column("run", "component")


def downgrade() -> None:
    op.add_column("run", sa.Column("component", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("run", sa.Column("task", sa.JSON(), nullable=False, server_default="null"))
    op.execute(
        "UPDATE run SET (component, task) = (SELECT component, task FROM run_start WHERE run_start.run_id = run.id)"
    )
    op.drop_table("run_start")
