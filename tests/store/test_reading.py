"""A store that is opened beside a server's reads what that has written, and writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.store import read_store
from tests.store.conftest import OpenStore


async def test_it_reads_and_refuses_to_write(open_it: OpenStore, tmp_path: Path, database: str) -> None:
    async with open_it() as store, read_store(tmp_path, database) as beside:
        made = await store.teams.create({"provider": "x", "label": "Seen"})
        assert (await beside.teams.get(made.id)).name == "Seen"
        with pytest.raises(Exception, match=r"only be read|read-only"):
            await beside.teams.delete(made.id)
        assert (await store.teams.get(made.id)).name == "Seen"
