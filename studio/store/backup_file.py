"""The form of a backup: lines of JSON, compressed with gzip, the same for every database.

The first line is the `Header`, the last one the `Trailer`. Each line between is one row: the name of its table, then a
value for each of its columns. Text of JSON is kept as it is, a time is ISO 8601, and bytes are Base64.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import SetupError

MAX_LINE_BYTES = 256 * 1024 * 1024
"""Of one row. What a run was started with, pictures included, is the largest."""
MAX_SHORT_BYTES = 1024 * 1024
"""Of the header and the trailer."""
LEVEL = 6
GB = 1024**3

Value = str | int | float | bool | None
Row = tuple[str, list[Value]]
"""A table's name and the values of its columns, in the header's order."""
Name = Annotated[str, Field(pattern="^[a-z_][a-z0-9_]{0,62}$")]


class BackupDamaged(SetupError):
    """The file is no backup, or not all of one, or was changed."""

    code = "backup_damaged"


class Header(BaseModel):
    """What a backup says of itself: the form of its database and the columns of its tables, parents first."""

    model_config = ConfigDict(frozen=True)

    format: Literal["team-studio-backup"] = "team-studio-backup"
    version: int = 1
    form: Annotated[str, Field(pattern="^[0-9]{4}$")]
    studio: str
    made_at: str
    tables: dict[Name, list[Name]]


class Trailer(BaseModel):
    """Rows by table, and the SHA-256 of all lines before this one."""

    rows: dict[Name, int]
    sha256: str


class BackupWriter:
    """Writes the lines of one backup."""

    def __init__(self, out: IO[bytes], header: Header) -> None:
        self._out = out
        self._hash = hashlib.sha256()
        self.rows: Counter[str] = Counter()
        self._write(header.model_dump_json().encode())

    def add(self, table: str, values: list[Value]) -> None:
        """Raises: SetupError: The row is larger than can be restored."""
        line = json.dumps([table, *values], separators=(",", ":")).encode()
        if len(line) > MAX_LINE_BYTES:
            raise SetupError(f"A row of the table {table!r} has more than {MAX_LINE_BYTES // 1024**2} MB.")
        self._write(line)
        self.rows[table] += 1

    def finish(self) -> None:
        self._write(Trailer(rows=dict(self.rows), sha256=self._hash.hexdigest()).model_dump_json().encode())

    def _write(self, line: bytes) -> None:
        self._out.write(line + b"\n")
        self._hash.update(line + b"\n")


@contextmanager
def writing_backup(raw: IO[bytes], header: Header) -> Generator[BackupWriter]:
    """Compress what is added inside the block into `raw`."""
    with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=LEVEL, mtime=0) as out:
        writer = BackupWriter(cast("IO[bytes]", out), header)
        yield writer
        writer.finish()


class BackupReader:
    """Reads a backup from its start, as often as it is asked to, and never more than one row at a time.

    Args:
        path: The file.
        max_bytes: How large its content may be.

    Raises:
        BackupDamaged: By each method, where the file is not as it was written.
    """

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._path = path
        self._max_bytes = max_bytes

    def header(self) -> Header:
        with self._opened() as lines:
            return _header(next(lines, b""))

    def rows(self) -> Iterator[Row]:
        """All rows; ends without an error only when they are those that were written, and all of them."""
        digest, counts = hashlib.sha256(), Counter[str]()
        with self._opened() as lines:
            line = next(lines, b"")
            header = _header(line)
            for following in lines:
                digest.update(line)
                if following.startswith(b"{"):
                    _check(_trailer(following), counts, digest.hexdigest(), has_more=next(lines, None) is not None)
                    return
                line = following
                table, values = _row(line, header)
                counts[table] += 1
                yield table, values
        raise BackupDamaged(f"The end of {str(self._path)!r} is missing.", fix="Use another copy.")

    @contextmanager
    def _opened(self) -> Generator[Iterator[bytes]]:
        try:
            with gzip.open(self._path, "rb") as file:
                yield self._lines(cast("IO[bytes]", file))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise BackupDamaged(f"{str(self._path)!r} is not a complete backup.", fix="Use another copy.") from error
        except OSError as error:
            raise SetupError(f"{str(self._path)!r} cannot be read: {error.strerror or error}.") from error

    def _lines(self, file: IO[bytes]) -> Iterator[bytes]:
        seen, most = 0, MAX_SHORT_BYTES
        while line := file.readline(most + 1):
            seen += len(line)
            if len(line) > most:
                raise BackupDamaged(f"A line of {str(self._path)!r} is larger than a backup has it.")
            if seen > self._max_bytes:
                raise BackupDamaged(
                    f"The content of {str(self._path)!r} is larger than {self._max_bytes / GB:g} GB.",
                    fix="If you made this backup, raise `--max-gb`.",
                )
            most = MAX_LINE_BYTES
            yield line


def _header(line: bytes) -> Header:
    try:
        header = Header.model_validate_json(line)
    except ValidationError as error:
        raise BackupDamaged("The file does not begin as a backup of the studio.", fix="Choose another file.") from error
    if header.version != 1:
        raise SetupError(
            f"The backup has version {header.version} of its format; this studio reads version 1.",
            fix="Restore it with the version of the studio that made it.",
        )
    return header


def _trailer(line: bytes) -> Trailer:
    try:
        return Trailer.model_validate_json(line)
    except ValidationError as error:
        raise BackupDamaged("The last line of the backup is damaged.", fix="Use another copy.") from error


def _row(line: bytes, header: Header) -> Row:
    try:
        row = cast("object", json.loads(line))
    except (ValueError, RecursionError) as error:
        raise BackupDamaged("A row of the backup cannot be read.", fix="Use another copy.") from error
    table, *values = cast("list[object]", row) if isinstance(row, list) and row else (None,)
    fits = isinstance(table, str) and table in header.tables and len(values) == len(header.tables[table])
    if fits and all(value is None or isinstance(value, str | int | float) for value in values):
        return cast("str", table), cast("list[Value]", values)
    raise BackupDamaged("A row of the backup does not fit its table.", fix="Use another copy.")


def _check(trailer: Trailer, counts: Counter[str], sha256: str, *, has_more: bool) -> None:
    if has_more or trailer.sha256 != sha256 or trailer.rows != dict(counts):
        raise BackupDamaged("The content of the backup does not match its checksum.", fix="Use another copy.")
