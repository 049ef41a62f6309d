"""Why a framework cannot have a team at all."""

from __future__ import annotations

from studio.errors import ConfigError


class CannotExport(ConfigError):
    """The framework has nothing that a part could be, and the team is nothing without it."""

    code = "cannot_export"
