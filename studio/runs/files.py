"""The files of a run that is under way: what its code finds in its folder, and what is kept of what it writes."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from studio.executors.run_files import MAX_FILE_MB, MB
from studio.executors.workspace_files import OutsideWorkspace, write_within
from studio.files import Attachment
from studio.runs.active_run import ActiveRun

Direction = Literal["in", "out"]


class NumberedFile(NamedTuple):
    """A file of a run; they are counted from 1."""

    number: int
    direction: Direction
    file: Attachment


class RunFileStore(Protocol):
    """Where the files of runs are kept."""

    async def numbered(self, run_id: str) -> Sequence[NumberedFile]:
        """The files of a run, in the order in which they came up."""
        ...

    def content(self, sha256: str) -> AsyncGenerator[bytes]:
        """The content of a file, part by part.

        Raises:
            NotFound: There is none.
        """
        ...

    async def keep(
        self, run_id: str, name: str, content: AsyncIterable[bytes], *, agent: str, seq: int, max_bytes: int
    ) -> Attachment | None:
        """Keep a file that code of a run has written; None where the run has too many.

        Args:
            run_id: The run.
            name: Path within the folder of the code.
            content: Part by part.
            agent: Whose code it was.
            seq: Number of the last entry of the log.
            max_bytes: How large it may be.
        """
        ...


@dataclass(frozen=True, slots=True)
class FilesOfRun:
    """Fulfils `studio.executors.run_files.RunFiles`."""

    store: RunFileStore
    run: ActiveRun

    async def bring_in(self, folder: Path, *, after: int) -> int:
        last = after
        for number, direction, file in await self.store.numbered(self.run.id):
            last = max(last, number)
            if number <= after or (after and direction == "out"):
                continue
            if direction == "out" and (folder / file.name).exists():
                continue
            with tempfile.TemporaryFile() as content:
                async for part in self.store.content(file.sha256):
                    await asyncio.to_thread(content.write, part)
                content.seek(0)
                try:
                    await asyncio.to_thread(write_within, folder, file.name, content)
                except OutsideWorkspace:
                    continue  # code has put something else in its way
        return last

    async def keep(self, name: str, content: AsyncGenerator[bytes], agent: str) -> Attachment | None:
        return await self.store.keep(
            self.run.id, name, content, agent=agent, seq=self.run.last_given_seq, max_bytes=MAX_FILE_MB * MB
        )
