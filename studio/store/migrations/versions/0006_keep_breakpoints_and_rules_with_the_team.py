"""Keep breakpoints and rules for tools with the team.

Revision: 0006
Follows: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "team_settings",
        sa.Column("team_id", sa.String(), nullable=False),
        sa.Column("breakpoints", sa.JSON(), nullable=False),
        sa.Column("policy", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name="fk_team_settings_team_id_team", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("team_id", name="pk_team_settings"),
    )


def downgrade() -> None:
    op.drop_table("team_settings")
