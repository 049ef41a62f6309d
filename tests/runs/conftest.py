"""A studio in a temporary folder, and the world that its scripted teams meet."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from studio.runs import RunSupervisor
from studio.runs.supervisor import IDLE_S
from studio.store import open_store
from tests.runs.scripted import OpenStudio, Studio, World, current_world
from tests.runs.tooling import Drawer, current_drawer


@pytest.fixture
def world() -> World:
    world = World()
    world.answers.set()
    current_world.set(world)
    return world


@pytest.fixture
def drawer() -> Drawer:
    drawer = Drawer()
    drawer.opened.set()
    current_drawer.set(drawer)
    return drawer


@pytest.fixture
def open_studio(tmp_path: Path, world: World) -> OpenStudio:
    """Opens a studio on the same folder each time."""
    del world

    @asynccontextmanager
    async def opening(*, rest_s: float = IDLE_S) -> AsyncGenerator[Studio]:
        async with (
            open_store(tmp_path) as store,
            RunSupervisor(store.runs, store.approvals, store.secrets, store.settings, rest_s=rest_s) as supervisor,
        ):
            yield Studio(supervisor, store)

    return opening
