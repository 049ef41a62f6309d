from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, select, update

from studio.errors import ConfigError, NotFound, SetupError
from studio.store.secret_keys import ENCRYPTED
from tests.store.full_tables import fill, outside
from tests.store.stores import OpenStore, sqlite_only

VALUE = "sk-a-value-that-nobody-may-read"


async def test_a_secret_comes_out_only_when_it_is_resolved(open_it: OpenStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "from outside")
    async with open_it() as store:
        await store.secrets.set("openai", VALUE)
        assert VALUE not in repr(await store.secrets.list())
    async with open_it() as store:
        resolve = await store.secrets.source()
        assert resolve("secret:openai") == VALUE
        assert resolve("secret:other") is None
        assert resolve("env:SOME_KEY") == "from outside"


@sqlite_only
async def test_a_secret_lies_nowhere_in_the_clear(open_it: OpenStore, tmp_path: Path) -> None:
    async with open_it() as store:
        await store.secrets.set("openai", VALUE)
    assert not [name for name in os.listdir(tmp_path) if VALUE.encode() in (tmp_path / name).read_bytes()]
    key = tmp_path / "secret.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_bytes() not in (tmp_path / "studio.db").read_bytes()


async def test_a_new_value_replaces_the_old_one(open_it: OpenStore) -> None:
    async with open_it() as store:
        await store.secrets.set("openai", "old")
        await store.secrets.set("openai", "new")
        assert [secret.name for secret in await store.secrets.list()] == ["openai"]
        assert (await store.secrets.source())("secret:openai") == "new"
        await store.secrets.delete("openai")
        with pytest.raises(NotFound):
            await store.secrets.delete("openai")


@pytest.mark.parametrize(("name", "value"), [("with space", "x"), ("", "x"), ("a/b", "x"), ("fine", "")])
async def test_what_no_reference_can_name_is_refused(open_it: OpenStore, name: str, value: str) -> None:
    async with open_it() as store:
        with pytest.raises(ConfigError):
            await store.secrets.set(name, value)


async def test_a_lost_key_is_told_and_nothing_else_is_lost(open_it: OpenStore, tmp_path: Path) -> None:
    async with open_it() as store:
        await store.secrets.set("openai", VALUE)
        (tmp_path / "secret.key").unlink()
        await store.secrets.set("other", "x")
        resolve = await store.secrets.source()
        with pytest.raises(SetupError, match="different key"):
            resolve("secret:openai")
        assert resolve("secret:other") == "x"


async def test_a_key_that_others_may_read_is_refused(open_it: OpenStore, tmp_path: Path) -> None:
    async with open_it() as store:
        await store.secrets.set("openai", VALUE)
        (tmp_path / "secret.key").chmod(0o640)
        with pytest.raises(SetupError, match="has the mode 640") as refused:
            await store.secrets.set("openai", VALUE)
        assert "chmod 600" in refused.value.fix
        (tmp_path / "secret.key").chmod(0o600)
        assert (await store.secrets.source())("secret:openai") == VALUE


async def test_a_new_key_opens_all_that_was_stored_and_the_old_one_does_not(
    open_it: OpenStore, tmp_path: Path, database: str
) -> None:
    await fill(tmp_path, database)
    async with open_it() as store:
        sealed = store.secrets.encrypt(VALUE)
    await outside(tmp_path, database, lambda connection: _put(connection, sealed))
    async with open_it() as store, open_it() as other:
        old = (tmp_path / "secret.key").read_bytes()
        count, kept = await store.secrets.rotate_key()
        assert count == 2 * len(ENCRYPTED) >= 4
        assert (kept.read_bytes(), stat.S_IMODE(kept.stat().st_mode)) == (old, 0o600)
        values = await outside(tmp_path, database, _sealed)
        assert {other.secrets.decrypt("x", value) for value in values} == {
            VALUE
        }  # another process reads the file again
        (tmp_path / "secret.key").write_bytes(old)
        for value in values:
            with pytest.raises(SetupError, match="different key"):
                store.secrets.decrypt("x", value)


def _put(connection: Connection, sealed: bytes) -> None:
    for column in ENCRYPTED:
        connection.execute(update(column.table).values({column.name: sealed}))


def _sealed(connection: Connection) -> list[bytes]:
    return [value for column in ENCRYPTED for value in connection.execute(select(column)).scalars()]


async def test_a_change_of_the_key_that_was_interrupted_is_begun_again(open_it: OpenStore, tmp_path: Path) -> None:
    file = tmp_path / "secret.key"
    async with open_it() as store:
        await store.secrets.set("openai", VALUE)
        old, new = file.read_bytes(), Fernet.generate_key()
        file.write_bytes(new + b"\n" + old)  # killed before anything was encrypted with it
        await store.secrets.set("other", VALUE)
        assert (await store.secrets.source())("secret:openai") == VALUE
        await store.secrets.rotate_key()
        assert old not in file.read_bytes()
        assert {(await store.secrets.source())(f"secret:{name}") for name in ("openai", "other")} == {VALUE}


async def test_what_is_stored_is_known_to_be_hidden_or_too_short_for_it(open_it: OpenStore) -> None:
    async with open_it() as store:
        await store.secrets.set("openai", VALUE)
        await store.secrets.set("pin", "1234")
    async with open_it() as store:
        assert not store.secrets.redactor
        await store.secrets.learn()
        assert store.secrets.redactor.clean_text(f"<{VALUE}> 1234") == "<[removed: secret:openai]> 1234"
        assert store.secrets.redactor.too_short == {"secret:pin"}
