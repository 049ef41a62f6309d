"""`studio users` and `studio audit`: who may come in, for whoever has the studio's folder."""

from __future__ import annotations

import asyncio
import getpass
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from studio.errors import ConfigError, NotFound
from studio.settings import Settings
from studio.store import Store, open_store, role_named
from studio.store.tables import User
from studio.web.auth.passwords import Passwords, checked

OPERATOR = "command line"


def add_user(settings: Settings, name: str, role: str, *, without_password: bool) -> None:
    """Let somebody in.

    Raises:
        ConfigError: The name, the role or the password cannot be one, or the name is taken.
    """
    wanted = role_named(role)
    password = "" if without_password else _password(name)

    async def add() -> None:
        async with _opened(settings) as store:
            hashed = await Passwords().hash(password, name=name) if password else ""
            user = await store.users.add(name, wanted, password=hashed)
            await _record(store, "add a user", user)

    asyncio.run(add())
    print(f"{name} can sign in as {wanted}.")


def list_users(settings: Settings, *, as_json: bool) -> None:
    """Print the users, one per line."""

    async def read() -> list[User]:
        async with _opened(settings) as store:
            return list(await store.users.list())

    users = asyncio.run(read())
    if as_json:
        print(json.dumps([{"id": user.id, "name": user.name, "role": user.role} for user in users], indent=2))
        return
    for user in users:
        print(f"{user.role:<9} {user.name}{'' if user.password else ' (identity provider)'}")
    if not users:
        print("No users. Anyone with the access token has full control.")


def set_role(settings: Settings, name: str, role: str) -> None:
    """Give a user another role.

    Raises:
        StudioError: There is no such user or role, or nobody would be left to manage the users.
    """
    wanted = role_named(role)

    async def change() -> None:
        async with _opened(settings) as store:
            user = await _named(store, name)
            await store.users.set_role(user.id, wanted)
            await _record(store, "set a role", user, wanted)

    asyncio.run(change())
    print(f"{name} is {wanted} now.")


def set_password(settings: Settings, name: str) -> None:
    """Give a user another password, and end their sign-ins.

    Raises:
        StudioError: There is no such user, or the password cannot be one.
    """
    password = _password(name)

    async def change() -> None:
        async with _opened(settings) as store:
            user = await _named(store, name)
            await store.users.set_password(user.id, await Passwords().hash(password, name=name))
            await store.sign_ins.end_all(user.id)
            await _record(store, "set a password", user)

    asyncio.run(change())
    print(f"{name} has a new password and is signed out everywhere.")


def sign_out(settings: Settings, name: str) -> None:
    """End all sign-ins of a user, browsers and tokens.

    Raises:
        NotFound: There is no such user.
    """

    async def end() -> None:
        async with _opened(settings) as store:
            user = await _named(store, name)
            await store.sign_ins.end_all(user.id)
            await _record(store, "end all sign-ins", user)

    asyncio.run(end())
    print(f"{name} is signed out everywhere.")


def remove_user(settings: Settings, name: str) -> None:
    """Take somebody's way in. Without users, the access token opens the studio again.

    Raises:
        StudioError: There is no such user, or nobody would be left to manage the others.
    """

    async def remove() -> int:
        async with _opened(settings) as store:
            user = await _named(store, name)
            await store.users.remove(user.id, even_the_last=True)
            await _record(store, "remove a user", user)
            return await store.users.count()

    left = asyncio.run(remove())
    print(
        f"{name} is removed." + ("" if left else " No users are left. Anyone with the access token has full control.")
    )


def print_audit(settings: Settings, *, who: str) -> None:
    """Print the audit log as JSON lines, the oldest first."""

    async def write() -> None:
        async with _opened(settings) as store:
            async for entry in store.audit.all():
                if not who or entry.who == who:
                    print(json.dumps({**entry.model_dump(exclude={"at"}), "at": entry.at.isoformat()}))

    asyncio.run(write())


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncGenerator[Store]:
    async with open_store(settings.data_dir, settings.database_url) as store:
        yield store


async def _named(store: Store, name: str) -> User:
    user = await store.users.named(name)
    if user is None:
        raise NotFound(f"There is no user {name!r}.", fix="`studio users list` names them.")
    return user


async def _record(store: Store, action: str, user: User, outcome: str = "done") -> None:
    await store.audit.add(OPERATOR, action, object=user.name, outcome=outcome)


def _password(name: str) -> str:
    """Ask for it twice on a terminal; elsewhere it is the first line of standard input."""
    if not sys.stdin.isatty():
        return checked(sys.stdin.readline().rstrip("\r\n"), name=name)
    password = checked(getpass.getpass(f"Password of {name}: "), name=name)
    if getpass.getpass("Once more: ") != password:
        raise ConfigError("The passwords differ.", fix="Try again.")
    return password
