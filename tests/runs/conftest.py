"""A studio in a temporary folder, and the world that its scripted teams meet."""

from __future__ import annotations

import asyncio
import shutil
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


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that nobody has used: to make its tables takes longer than most tests."""
    folder = tmp_path_factory.mktemp("new")

    async def make() -> None:
        async with open_store(folder):
            pass

    with asyncio.Runner() as runner:
        runner.run(make())
    return folder / "studio.db"


@pytest.fixture
def open_studio(tmp_path: Path, world: World, new_database: Path) -> OpenStudio:
    """Opens a studio on the same folder each time."""
    del world
    shutil.copy(new_database, tmp_path)

    @asynccontextmanager
    async def opening(*, rest_s: float = IDLE_S) -> AsyncGenerator[Studio]:
        async with (
            open_store(tmp_path) as store,
            RunSupervisor(store.runs, store.approvals, store.secrets, store.settings, rest_s=rest_s) as supervisor,
        ):
            yield Studio(supervisor, store)

    return opening
