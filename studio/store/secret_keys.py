"""The key file of what is stored encrypted, and the change of its key.

Each line is a key. The first one encrypts, and all of them decrypt, so that a key can be changed while other processes
read the file; they read it each time.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cryptography.fernet import Fernet, MultiFernet
from sqlalchemy import Connection, LargeBinary, and_, select, update

from studio.errors import SetupError
from studio.store.database import Database
from studio.store.private_file import make_once, replace_private
from studio.store.tables import Table

ENCRYPTED = tuple(
    column for table in Table.metadata.sorted_tables for column in table.columns if isinstance(column.type, LargeBinary)
)
"""The columns whose values need the key."""


class SecretKeys:
    """The keys in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def cipher(self) -> MultiFernet:
        """What encrypts and decrypts at this moment; the first key is made at first use.

        Raises:
            SetupError: The file cannot be used, holds no key, or others may read it, too.
        """
        try:
            return MultiFernet([Fernet(key) for key in self._read()])
        except OSError as error:
            raise SetupError(
                f"The secret key {str(self.file)!r} cannot be used: {error.strerror}.",
                fix="Make the data folder writable for the studio's user.",
            ) from error
        except ValueError as error:
            raise SetupError(
                f"{str(self.file)!r} contains no key.", fix="Restore the old key file, or delete it and restart."
            ) from error

    async def rotate(self, database: Database) -> tuple[int, Path]:
        """Encrypt all that is stored with a new key, and keep the older ones in a file of their own.

        Interrupted, it leaves a file with both keys, which open everything; it can then be begun again.

        Returns:
            How many values there were, and the file of the older keys, which backups from before need.

        Raises:
            SetupError: The file cannot be used, or does not open what is stored.
        """
        self.cipher()
        older = self._read()
        try:
            replace_private(self.file, b"\n".join([Fernet.generate_key(), *older]))
        except OSError as error:
            raise SetupError(
                f"The secret key {str(self.file)!r} cannot be replaced: {error.strerror}.",
                fix="Run the command where the data folder can be written.",
            ) from error
        async with database.write() as session:  # whoever encrypts meanwhile waits, and then reads the new key
            count = await (await session.connection()).run_sync(_encrypt_again, self.cipher())
        kept = self.file.with_name(f"{self.file.name}.old")
        oldest = kept.read_bytes().split() if kept.exists() else []
        replace_private(kept, b"\n".join(dict.fromkeys([*older, *oldest])))
        replace_private(self.file, self._read()[0])
        return count, kept

    def _read(self) -> list[bytes]:
        if not self.file.exists():
            make_once(self.file, Fernet.generate_key())
        _check_nobody_else_may_read(self.file)
        return self.file.read_bytes().split()


def _encrypt_again(connection: Connection, cipher: MultiFernet) -> int:
    """With the first key; how many values there are."""
    count = 0
    for column in ENCRYPTED:
        table = column.table
        keys = list(table.primary_key.columns)
        for *key, value in connection.execute(select(*keys, column)).all():
            is_row = and_(*(own == its for own, its in zip(keys, key, strict=True)))
            connection.execute(update(table).where(is_row).values({column.name: cipher.rotate(value)}))
            count += 1
    return count


def _check_nobody_else_may_read(file: Path) -> None:
    mode = stat.S_IMODE(file.stat().st_mode)
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SetupError(
            f"The secret key is not readable only by its owner: {str(file)!r} has the mode {mode:o}.",
            fix=f"Run `chmod 600 {file}`. If it was read, replace the secrets and run `studio secrets rotate`.",
        )
