"""A PostgreSQL server of the tests' own, in a temporary folder and behind a socket there; gone when they end."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from uuid import uuid4

from anyio.from_thread import start_blocking_portal
from sqlalchemy import URL, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

PROGRAMS = ("initdb", "pg_ctl", "postgres")
# What it holds need not outlive a power cut. Without an address only who reaches the folder reaches the server.
OPTIONS = ("fsync=off", "full_page_writes=off", "listen_addresses=", "shared_buffers=16MB")
FORGETFUL = "synchronous_commit=off"
"""What was committed last is gone after a crash of the server."""
OWNER = "studio"
MEMORY = Path("/dev/shm")
NEEDED_BYTES = 2 * 1024**3


class PostgresServer:
    """Makes databases on a running server.

    Args:
        folder: That of its socket.
        start: Starts it again.
        stop: Ends it at once, as a crash does.
        is_running: Whether it does, of which a full disk may have been the end.
    """

    def __init__(
        self, folder: Path, start: Callable[[], None], stop: Callable[[], None], is_running: Callable[[], bool]
    ) -> None:
        self._folder = folder
        self.start = start
        self.stop = stop
        self.is_running = is_running

    @contextmanager
    def database_of_a_thread(self, template: str = "") -> Generator[str]:
        """The same for a caller that has no loop, or one that is a browser's."""
        with start_blocking_portal() as portal, portal.wrap_async_context_manager(self.database(template)) as url:
            yield url

    @asynccontextmanager
    async def database(self, template: str = "") -> AsyncGenerator[str]:
        """The URL of an empty database, or of a copy of the one at this URL, which is there meanwhile."""
        name = f"test_{uuid4().hex}"
        copied = f" TEMPLATE {make_url(template).database}" if template else ""
        await self._execute(f"CREATE DATABASE {name}{copied}")
        try:
            yield self.url(name).render_as_string()
        finally:
            await self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    async def _execute(self, statement: str) -> None:
        engine = create_async_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        async with engine.connect() as connection:
            await connection.execute(text(statement))
        await engine.dispose()

    def url(self, database: str) -> URL:
        query = {"host": str(self._folder)}
        return URL.create("postgresql+asyncpg", username=OWNER, database=database, query=query)

    @property
    def socket(self) -> Path:
        return self._folder / ".s.PGSQL.5432"


def find_programs() -> Path | None:
    """The folder of a server's programs: of those in the path, or of Debian's newest, which are kept out of it."""
    debian = sorted(Path("/usr/lib/postgresql").glob("[0-9]*/bin"), key=lambda folder: float(folder.parent.name))
    in_path = shutil.which("initdb")
    places = [*([Path(in_path).resolve().parent] if in_path else []), *reversed(debian)]
    return next((place for place in places if all((place / name).is_file() for name in PROGRAMS)), None)


def _memory() -> Path | None:
    """A folder in memory, if there is one with enough room: a database is made there in a seventh of the time."""
    has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > NEEDED_BYTES
    return MEMORY if has_room and os.access(MEMORY, os.W_OK) else None


@contextmanager
def running_server(
    programs: Path, disk: Path | None = None, *, keeps_commits: bool = False
) -> Generator[PostgresServer]:
    """A server that ends with the block.

    Args:
        programs: As `find_programs` finds them.
        disk: Where its data is put; in memory or the system's temporary folder if left out.
        keeps_commits: Whether what is committed outlives a crash of the server, which takes longer.
    """
    # The system's folder, not pytest's: a socket's path must be short, and another user must get there.
    with tempfile.TemporaryDirectory(prefix="studio-postgres-", dir=disk or _memory()) as made:
        folder = Path(made)
        data = folder / "data"
        # PostgreSQL does not run as root.
        user = "nobody" if os.geteuid() == 0 else None
        if user:
            shutil.chown(folder, user)

        def outcome(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
            command = [programs / program, "-D", data, *arguments]
            return subprocess.run(
                command, user=user, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True
            )

        def run(program: str, *arguments: str | Path) -> None:
            done = outcome(program, *arguments)
            assert done.returncode == 0, f"{done.args} failed:\n{done.stdout}{done.stderr}"

        run("initdb", "--username", OWNER, "--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync")
        options = " ".join(f"-c {option}" for option in (*OPTIONS, *(() if keeps_commits else (FORGETFUL,))))

        def start() -> None:
            run("pg_ctl", "start", "--wait", "--log", folder / "log", "--options", f"-k {folder} {options}")

        def stop() -> None:
            run("pg_ctl", "stop", "--mode", "immediate")

        def is_running() -> bool:
            return outcome("pg_ctl", "status").returncode == 0

        start()
        try:
            yield PostgresServer(folder, start, stop, is_running)
        finally:
            if is_running():
                stop()
