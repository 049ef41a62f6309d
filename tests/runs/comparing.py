"""What a comparison shows."""

from __future__ import annotations

from studio.runs.comparing.alignment import Row


def shown(rows: list[Row]) -> list[tuple[str, str, str]]:
    return [(row.state, row.before.text if row.before else "", row.after.text if row.after else "") for row in rows]
