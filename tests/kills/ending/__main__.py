"""`python -m tests.kills.ending COUNT MOMENT FILE serve …`: `studio serve`, killed at a transaction of an evaluation.

Transactions are counted from the moment that an evaluation is kept; FILE grows by a byte with each. The process is
killed as by `kill -9`, `before` or `after` the one that has the number COUNT is committed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.cli import main as studio_main
from studio.store.database import Database
from studio.store.evaluations import Evaluations


@dataclass
class _Steps:
    """The transactions of a process."""

    at: int
    moment: str
    file: Path
    count: int = 0
    is_counting: bool = False

    def come(self, moment: str) -> None:
        if not self.is_counting:
            return
        if moment == "before":
            self.count += 1
            with self.file.open("ab") as opened:
                opened.write(b".")
        if self.count == self.at and moment == self.moment:
            os.kill(os.getpid(), signal.SIGKILL)


def main(arguments: Sequence[str]) -> int:
    at, moment, file, *rest = arguments
    steps = _Steps(int(at), moment, Path(file))
    write, transact, add = Database.write, Database.run_in_transaction, Evaluations.add

    @asynccontextmanager
    async def counted_write(database: Database) -> AsyncGenerator[AsyncSession]:
        async with write(database) as session:
            yield session
            steps.come("before")
        steps.come("after")

    async def counted_transaction(database: Database, work: Callable[[Any], Any]) -> Any:
        def counted(connection: Any) -> Any:
            done = work(connection)
            steps.come("before")
            return done

        done = await transact(database, counted)
        steps.come("after")
        return done

    async def counted_add(evaluations: Evaluations, *kept: Any) -> None:
        adding: Awaitable[None] = add(evaluations, *kept)
        await adding
        steps.is_counting = True

    patch = pytest.MonkeyPatch()
    patch.setattr(Database, "write", counted_write)
    patch.setattr(Database, "run_in_transaction", counted_transaction)
    patch.setattr(Evaluations, "add", counted_add)
    return studio_main(rest)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
