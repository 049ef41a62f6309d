"""Count wrong guesses of passwords and tokens for all processes.

Revision: 0021
Follows: 0020
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "wrong_guess",
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("guesses", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_wrong_guess"),
    )
    op.create_index("ix_wrong_guess_began_at", "wrong_guess", ["began_at"])


def downgrade() -> None:
    op.drop_table("wrong_guess")
