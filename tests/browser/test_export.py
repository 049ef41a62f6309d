"""The dialog that exports a team: the target, the report, the download."""

from __future__ import annotations

