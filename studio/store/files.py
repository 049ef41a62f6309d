"""Files, kept once by content: in portions, so that none is ever whole in memory."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import AsyncGenerator, AsyncIterable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from sqlalchemy import insert
from sqlmodel import col, delete, select

from studio.errors import NotFound, TooLarge
from studio.files import TypeFinder, sized
from studio.store.database import Database
from studio.store.knowledge_tables import KnowledgeDocument
from studio.store.tables import File, FilePortion, FileUpload, RunFile, table_of
from studio.store.unavailable import StorageUnavailable

PORTION_BYTES = 256 * 1024
"""Of one row. A backup holds some of them at a time."""
KEPT_UNFINISHED = timedelta(days=1)
"""How long an upload may take; what is left of one that broke off goes then."""
KEPT_UNUSED = timedelta(days=1)
"""How long a file that no run uses is kept."""
RESERVED_BYTES = 100 * 1024 * 1024
"""Of the disk, which no upload takes. On a disk that is full to its end, not even the upload could be deleted."""
FILES_AT_ONCE = 20
"""That are deleted in one transaction: others want to write as well."""


class Files:
    """The content of all files, and which of them are in use."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, content: AsyncIterable[bytes], *, max_bytes: int) -> File:
        """Keep a file; one whose content is here already is kept once.

        What was read of one that breaks off is removed, by `prune` where this process did not live to do so.

        Args:
            content: In parts of any length, which are counted and looked at on the way.
            max_bytes: How large it may be.

        Raises:
            TooLarge: It is larger.
            StorageUnavailable: The disk is almost full.
        """
        upload_id, number, size = uuid4().hex, 0, 0
        digest, kind = hashlib.sha256(), TypeFinder()

        def look_at(portion: bytes) -> None:
            digest.update(portion)
            kind.add(portion)
            self._require_space()

        async with self._database.write() as session:
            session.add(FileUpload(id=upload_id, at=datetime.now(UTC)))
        try:
            async for portion in _portions(content):
                size += len(portion)
                if size > max_bytes:
                    raise TooLarge(
                        f"The file is larger than {max_bytes // 1024**2} MB.",
                        fix="Attach a smaller file, or raise `STUDIO_MAX_FILE_MB`.",
                    )
                await asyncio.to_thread(look_at, portion)
                row = {"upload_id": upload_id, "number": number, "content": portion}
                async with self._database.write() as session:
                    await (await session.connection()).execute(insert(table_of(FilePortion)), row)
                number += 1
            return await self._finish(upload_id, digest.hexdigest(), size, kind.finish())
        except BaseException:
            await asyncio.shield(self._drop(upload_id))
            raise

    def _require_space(self) -> None:
        """Raises: StorageUnavailable: What is left of the disk is for the logs of runs, and for deleting."""
        folder = self._database.folder
        if folder is not None and shutil.disk_usage(folder).free < RESERVED_BYTES:
            raise StorageUnavailable(
                f"The disk of the data folder is almost full: {sized(RESERVED_BYTES)} stay free.",
                fix="Free disk space, or attach a smaller file.",
            )

    async def _finish(self, upload_id: str, sha256: str, size: int, media_type: str) -> File:
        now = datetime.now(UTC)
        async with self._database.write() as session:
            row = await session.get(File, sha256)
            if row is None:
                row = File(sha256=sha256, upload_id=upload_id, size=size, media_type=media_type, at=now)
                session.add(row)
            else:
                row.at = now  # whoever has sent it again has as long to use it
                await session.exec(delete(FilePortion).where(col(FilePortion.upload_id) == upload_id))
            await session.exec(delete(FileUpload).where(col(FileUpload.id) == upload_id))
        return row

    async def _drop(self, upload_id: str) -> None:
        async with self._database.write() as session:
            await session.exec(delete(FilePortion).where(col(FilePortion.upload_id) == upload_id))
            await session.exec(delete(FileUpload).where(col(FileUpload.id) == upload_id))

    async def get(self, sha256: str) -> File:
        """Raises: NotFound."""
        async with self._database.read() as session:
            row = await session.get(File, sha256)
        if row is None:
            raise NotFound("There is no such file.", fix="Files that nothing uses are deleted after a day.")
        return row

    async def read(self, file: File) -> AsyncGenerator[bytes]:
        """Its content, portion by portion.

        Raises:
            NotFound: It was deleted meanwhile.
        """
        number, size = 0, 0
        while size < file.size:
            query = select(FilePortion.content).where(
                col(FilePortion.upload_id) == file.upload_id, col(FilePortion.number) == number
            )
            async with self._database.read() as session:
                portion = (await session.exec(query)).first()
            if portion is None:
                raise NotFound("The file was deleted while it was read.")
            yield portion
            number, size = number + 1, size + len(portion)

    async def read_whole(self, file: File, most: int) -> bytes:
        """The first `most` bytes of its content."""
        parts, size = list[bytes](), 0
        async for portion in self.read(file):
            parts.append(portion)
            size += len(portion)
            if size >= most:
                break
        return b"".join(parts)[:most]

    async def prune(self, now: datetime) -> None:
        """Delete what is left of uploads that broke off, and files that no run and no knowledge base uses."""
        broken_off = select(FileUpload.id).where(col(FileUpload.at) < now - KEPT_UNFINISHED).limit(FILES_AT_ONCE)
        of_run = select(RunFile.sha256).where(RunFile.sha256 == File.sha256).exists()
        of_base = select(KnowledgeDocument.sha256).where(KnowledgeDocument.sha256 == File.sha256).exists()
        unused = select(File).where(col(File.at) < now - KEPT_UNUSED, ~of_run, ~of_base).limit(FILES_AT_ONCE)
        while True:
            async with self._database.read() as session:
                if (await session.exec(broken_off)).first() is None and (await session.exec(unused)).first() is None:
                    return
            async with self._database.write() as session:
                ids = list((await session.exec(broken_off)).all())
                files = (await session.exec(unused)).all()
                gone = [*ids, *(file.upload_id for file in files)]
                await session.exec(delete(FilePortion).where(col(FilePortion.upload_id).in_(gone)))
                await session.exec(delete(FileUpload).where(col(FileUpload.id).in_(ids)))
                await session.exec(delete(File).where(col(File.sha256).in_([file.sha256 for file in files])))


async def _portions(content: AsyncIterable[bytes]) -> AsyncGenerator[bytes]:
    """The same bytes in portions of one length; the last may be shorter."""
    held = bytearray()
    async for part in content:
        held += part
        while len(held) >= PORTION_BYTES:
            yield bytes(held[:PORTION_BYTES])
            del held[:PORTION_BYTES]
    if held:
        yield bytes(held)
