from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from studio.services.retention import prune
from studio.store.unavailable import StorageUnavailable
from tests.store.stores import OpenStore


async def test_what_cannot_be_deleted_keeps_nothing_else_from_it(
    open_it: OpenStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(now: datetime) -> None:
        raise StorageUnavailable(f"The disk is full at {now:%H:%M}.")

    async with open_it() as store:
        await store.audit.add("ann", "GET", object="/", outcome="200")
        monkeypatch.setattr(store.trash, "prune", fails)
        await prune(store, datetime.now(UTC) + timedelta(days=400))
        assert await store.audit.list() == []
    assert "What is in the trash could not be deleted: The disk is full" in caplog.text
