"""Which run has which files, under which names."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from datetime import UTC, datetime
from typing import Literal, cast

from sqlalchemy import func
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import Conflict, NotFound
from studio.files import Attachment, clean_path, named_type, sized
from studio.runs import NewRun
from studio.runs.files import NumberedFile
from studio.runs.tasks import files_in
from studio.store.database import Database
from studio.store.files import Files
from studio.store.tables import File, RunFile

MAX_RUN_FILES = 500
MAX_RUN_BYTES = 1024**3


class RunFileBook:
    """The files of all runs. Fulfils `studio.runs.files.RunFileStore`."""

    def __init__(self, database: Database, files: Files) -> None:
        self._database = database
        self._files = files

    async def list(self, run_id: str) -> Sequence[tuple[RunFile, File]]:
        """The files of a run with their contents' rows, in the order in which they came up."""
        query = (
            select(RunFile, File)
            .join(File, col(File.sha256) == col(RunFile.sha256))
            .where(RunFile.run_id == run_id)
            .order_by(col(RunFile.number))
        )
        async with self._database.read() as session:
            return [(use, file) for use, file in (await session.exec(query)).all()]

    async def get(self, run_id: str, number: int) -> tuple[RunFile, File]:
        """Raises: NotFound: The run has no such file."""
        found = [pair for pair in await self.list(run_id) if pair[0].number == number]
        if not found:
            raise NotFound(f"The run has no file {number}.")
        return found[0]

    async def numbered(self, run_id: str) -> Sequence[NumberedFile]:
        return [
            NumberedFile(use.number, cast("Literal['in', 'out']", use.direction), attachment_of(use.name, file))
            for use, file in await self.list(run_id)
        ]

    async def content(self, sha256: str) -> AsyncGenerator[bytes]:
        async for portion in self._files.read(await self._files.get(sha256)):
            yield portion

    async def keep(
        self, run_id: str, name: str, content: AsyncIterable[bytes], *, agent: str, seq: int, max_bytes: int
    ) -> Attachment | None:
        file = await self._files.add(content, max_bytes=max_bytes)
        async with self._database.write() as session:
            count, size = await _amount(session, run_id)
            if count >= MAX_RUN_FILES or size + file.size > MAX_RUN_BYTES:
                return None
            use = RunFile(
                run_id=run_id,
                number=await _next_number(session, run_id),
                name=clean_path(name),
                sha256=file.sha256,
                direction="out",
                agent=agent,
                seq=seq,
                at=datetime.now(UTC),
            )
            session.add(use)
        return attachment_of(use.name, file)

    async def attach(self, run_id: str, given: Sequence[Attachment], seq: int) -> Sequence[int]:
        """Give a run files that a person sends it while it is under way, and return their numbers.

        Args:
            run_id: The run.
            given: Those that the studio has.
            seq: The last entry of the log.

        Raises:
            Conflict: The run has too many files.
        """
        numbers = list[int]()
        async with self._database.write() as session:
            count, size = await _amount(session, run_id)
            if count + len(given) > MAX_RUN_FILES or size + sum(file.size for file in given) > MAX_RUN_BYTES:
                raise Conflict(
                    f"A run has up to {MAX_RUN_FILES} files, of {sized(MAX_RUN_BYTES)} together.",
                    fix="Start another run with these files.",
                )
            first = await _next_number(session, run_id)
            for number, file in enumerate(given, first):
                session.add(
                    RunFile(
                        run_id=run_id,
                        number=number,
                        name=file.name,
                        sha256=file.sha256,
                        direction="in",
                        seq=seq,
                        at=datetime.now(UTC),
                    )
                )
                numbers.append(number)
        return numbers

    async def detach(self, run_id: str, numbers: Sequence[int]) -> None:
        """Take back files that the run was not told of."""
        async with self._database.write() as session:
            given = col(RunFile.run_id) == run_id, col(RunFile.number).in_(numbers)
            await session.exec(delete(RunFile).where(*given))


async def _amount(session: AsyncSession, run_id: str) -> tuple[int, int]:
    """How many files a run has, and their bytes."""
    query = select(func.count(), func.coalesce(func.sum(File.size), 0)).select_from(RunFile)
    of_run = query.join(File, col(File.sha256) == col(RunFile.sha256)).where(RunFile.run_id == run_id)
    count, size = (await session.exec(of_run)).one()
    return count, int(size)


def attachment_of(name: str, file: File) -> Attachment:
    """The file under a name, with the type that both make it."""
    media_type = named_type(file.media_type, name)
    return Attachment(name=name, sha256=file.sha256, size=file.size, media_type=media_type)


async def add_first_files(session: AsyncSession, run_id: str, new: NewRun, now: datetime) -> None:
    """Give a new run its files: those of the run that it goes on from, and those that are attached to its task."""
    uses = await _inherited(session, new)
    known = {(use.name, use.sha256) for use in uses if use.direction == "in"}
    attached = [file for file in files_in(new.task) if (file.name, file.sha256) not in known]
    if attached:
        hashes = [file.sha256 for file in attached]
        there = set((await session.exec(select(File.sha256).where(col(File.sha256).in_(hashes)))).all())
        uses += [
            RunFile(run_id=run_id, number=0, name=file.name, sha256=file.sha256, direction="in", at=now)
            for file in attached
            if file.sha256 in there
        ]
    for number, use in enumerate(uses[:MAX_RUN_FILES], 1):
        session.add(_copied(use, run_id=run_id, number=number))


async def _inherited(session: AsyncSession, new: NewRun) -> list[RunFile]:
    """A fork has what was there at its entry, a replay all that people gave on its way.

    The next run of a conversation finds the newest of each name.
    """
    source = new.parent_id or new.changes.continues
    if not source:
        return []
    uses = (await session.exec(select(RunFile).where(RunFile.run_id == source).order_by(col(RunFile.number)))).all()
    if new.parent_id:
        is_told = new.origin == "replay"
        return [use for use in uses if use.seq <= new.parent_seq or (is_told and use.direction == "in")]
    newest = {use.name: use for use in uses}
    return [_copied(use, direction="in", seq=0) for use in newest.values()]


def _copied(use: RunFile, **changed: object) -> RunFile:
    return RunFile.model_validate(use.model_dump() | changed)


async def _next_number(session: AsyncSession, run_id: str) -> int:
    last = (await session.exec(select(func.max(RunFile.number)).where(RunFile.run_id == run_id))).one()
    return (last or 0) + 1
