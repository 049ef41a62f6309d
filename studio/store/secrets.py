"""Secret values, encrypted with a key that lies outside the database. Values come out only to be used by a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography.fernet import InvalidToken
from sqlmodel import col, select

from studio.components.redaction import Redactor
from studio.components.secrets import SecretSource, from_environment
from studio.errors import ConfigError, Conflict, NotFound, SetupError
from studio.store.database import Database
from studio.store.secret_keys import SecretKeys
from studio.store.tables import Secret

NAME = re.compile(r"[A-Za-z0-9_.\-]{1,100}")


@dataclass(frozen=True, slots=True)
class SecretSummary:
    """That a secret is there; never what it is."""

    name: str
    updated_at: datetime


class Secrets:
    """The studio's own secrets. A copy of the database without the key file tells nobody anything."""

    def __init__(self, database: Database, key_file: Path) -> None:
        self._database = database
        self._keys = SecretKeys(key_file)
        self.redactor = Redactor()
        """Knows every value that went through here, for what tells of the server as a whole, such as its log. What a
        run says is cleaned of its own secrets only: else it could find out others by guessing."""

    async def set(self, name: str, value: str) -> None:
        """Store a value, in place of an older one.

        Raises:
            ConfigError: The name cannot stand in a `secret:NAME` reference, or the value is empty.
        """
        if not NAME.fullmatch(name):
            raise ConfigError(
                f"{name!r} is not a valid name for a secret.", fix="Use letters, digits, `_`, `-` and `.`."
            )
        if not value:
            raise ConfigError("A secret needs a value.", fix="Delete the secret to remove it.")
        async with self._database.write() as session:
            await session.merge(self._row(name, value))
        self.redactor.add(f"secret:{name}", value)

    async def keep(self, name: str, value: str) -> None:
        """Store a value under a name that was made from it. What is stored there already stays.

        Raises:
            Conflict: Another value has that name.
        """
        async with self._database.write() as session:
            stored = await session.get(Secret, name)
            if stored is None:
                session.add(self._row(name, value))
            elif self._decrypt(name, stored.encrypted) != value:
                raise Conflict(
                    f"The document holds a key that would be stored as {name!r}, and another key has that name.",
                    fix=f"Write `secret:{name}` in its place, or store the key under another name and refer to that.",
                )
        self.redactor.add(f"secret:{name}", value)

    def _row(self, name: str, value: str) -> Secret:
        return Secret(name=name, encrypted=self._keys.cipher().encrypt(value.encode()), updated_at=datetime.now(UTC))

    async def learn(self) -> None:
        """Let the redactor know all that is stored, as far as the key file opens it."""
        resolve = await self.source()
        for secret in await self.list():
            with suppress(SetupError):
                resolve(f"secret:{secret.name}")

    async def require_key(self) -> None:
        """See that this process has the key of the others, which one that is missing would not be if it were made anew.

        Raises:
            SetupError: It has none, or another one.
        """
        if not self._keys.file.exists():
            raise SetupError(
                f"The secret key {str(self._keys.file)!r} is missing.",
                fix="Use one data folder for all processes of this database, or copies of its files. `studio "
                "migrate` creates the key.",
            )
        await self.make_key()

    async def make_key(self) -> None:
        """Make the key where there is none, and see that it opens what is stored.

        Raises:
            SetupError: What is stored was encrypted with another one.
        """
        async with self._database.read() as session:
            newest = select(Secret).order_by(col(Secret.updated_at).desc()).limit(1)
            stored = (await session.exec(newest)).first()
        if stored is not None:
            self._decrypt(stored.name, stored.encrypted)
        self._keys.cipher()

    async def rotate_key(self) -> tuple[int, Path]:
        """As `SecretKeys.rotate`."""
        return await self._keys.rotate(self._database)

    async def list(self) -> Sequence[SecretSummary]:
        """Names of all secrets."""
        async with self._database.read() as session:
            rows = await session.exec(select(Secret.name, Secret.updated_at).order_by(col(Secret.name)))
            return [SecretSummary(*row) for row in rows]

    async def delete(self, name: str) -> None:
        """Raises: NotFound."""
        async with self._database.write() as session:
            secret = await session.get(Secret, name)
            if secret is None:
                raise NotFound(f"There is no secret {name!r}.")
            await session.delete(secret)

    def encrypt(self, value: str) -> bytes:
        """A value that is kept elsewhere than among the secrets; the redactor knows it from now on.

        Raises:
            SetupError: The key file cannot be used.
        """
        self.redactor.add("secret", value)
        return self._keys.cipher().encrypt(value.encode())

    def decrypt(self, name: str, encrypted: bytes) -> str:
        """What `encrypt` was given.

        Raises:
            SetupError: It was encrypted with another key.
        """
        value = self._decrypt(name, encrypted)
        self.redactor.add("secret", value)
        return value

    async def source(self) -> SecretSource:
        """What resolves `secret:NAME` to its value of this moment, and `env:NAME` as everywhere.

        Each value is decrypted only when it is asked for.
        """
        async with self._database.read() as session:
            encrypted = {row.name: row.encrypted for row in await session.exec(select(Secret))}

        def resolve(reference: str) -> str | None:
            scheme, _, name = reference.partition(":")
            if scheme != "secret" or name not in encrypted:
                return from_environment(reference)
            return self._decrypt(name, encrypted[name])

        return self.redactor.noting(resolve)

    def _decrypt(self, name: str, encrypted: bytes) -> str:
        try:
            return self._keys.cipher().decrypt(encrypted).decode()
        except InvalidToken as error:
            raise SetupError(
                f"The secret {name!r} was encrypted with a different key than {str(self._keys.file)!r}.",
                fix="Restore the old key file, or store the secret again.",
            ) from error
