"""Marks that fields carry for their forms, beside those that Pydantic knows."""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue

PARTICIPANT_NAMES: Final[dict[str, JsonValue]] = {"x-suggestions": "/participants"}
"""Marks a text that usually is the name of somebody in the team."""
