"""Know when a release went live.

Revision: 0017
Follows: 0016
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("release", sa.Column("live_at", sa.DateTime(timezone=True), nullable=True))
    # Of those before, only the first one and the one that is live are known to have been.
    op.execute(
        "UPDATE release SET live_at = at WHERE number = 1 OR number = "
        "(SELECT live FROM deployment WHERE deployment.id = release.deployment_id)"
    )


def downgrade() -> None:
    op.drop_column("release", "live_at")
