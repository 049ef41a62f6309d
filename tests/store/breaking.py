"""A way to a PostgreSQL server that can be cut, as a network can."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from sqlalchemy import make_url

MAX_READ = 65536


class BreakableWay:
    """Carries bytes between clients and a server. `cut_commits` loses the answers to so many commits."""

    def __init__(self, server: Path) -> None:
        self._server = server
        self._open: set[asyncio.StreamWriter] = set()
        self.cut_commits = 0
        self.is_open = True
        """Whether new connections get through."""
        self._flows = asyncio.Event()
        self._flows.set()

    def cut(self) -> None:
        """Break all connections off."""
        for writer in self._open:
            writer.close()

    def freeze(self) -> None:
        """Carry nothing more; nobody is told that the other side is not there."""
        self._flows.clear()

    def thaw(self) -> None:
        """Carry on, with all that was kept back."""
        self._flows.set()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.is_open:
            writer.close()
            return
        try:
            far_reader, far_writer = await asyncio.open_unix_connection(str(self._server))
        except OSError:  # the server is gone itself
            writer.close()
            return
        ends = {writer, far_writer}
        self._open |= ends
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(reader, far_writer))
                group.create_task(self._answers(far_reader, writer, far_writer))
        finally:
            self._open -= ends
            for each in ends:
                each.close()

    async def _answers(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, far_writer: asyncio.StreamWriter
    ) -> None:
        with suppress(ConnectionError):
            while some := await reader.read(MAX_READ):
                if self.cut_commits and b"COMMIT\0" in some:  # it has committed, and nobody is told
                    self.cut_commits -= 1
                    break
                await self._flows.wait()
                writer.write(some)
                await writer.drain()
        writer.close()
        far_writer.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while some := await reader.read(MAX_READ):
                await self._flows.wait()
                writer.write(some)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def breakable(url: str, server: Path, folder: Path) -> AsyncGenerator[tuple[str, BreakableWay]]:
    """The URL of the same database by a way that can be cut; its socket lies in the folder."""
    way = BreakableWay(server)
    async with await asyncio.start_unix_server(way.carry, str(folder / ".s.PGSQL.5432")):
        try:
            yield make_url(url).update_query_dict({"host": str(folder)}).render_as_string(), way
        finally:
            way.cut()
