"""Approvals of a studio that asks nobody."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


class AllApproved:
    async def active_for(self, hashes: Collection[str], *, team_id: str = "") -> Mapping[str, Sequence[str]]:
        del team_id
        return dict.fromkeys(hashes, ())
