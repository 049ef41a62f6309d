"""Who may sign in, and as what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal, get_args
from uuid import uuid4

from sqlalchemy import func
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import ConfigError, Conflict, NotFound
from studio.store.database import Database
from studio.store.tables import Star, User

Role = Literal["viewer", "editor", "approver", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each may do what those before it may."""
NAME = re.compile(r"[\w.@+-][\w .@+-]{0,98}[\w.@+-]|[\w]")


class NameTaken(Conflict):
    """Raised when somebody of that name is here already."""

    code = "name_taken"


class LastAdmin(Conflict):
    """Raised when nobody would be left who may manage the users."""

    code = "last_admin"


def role_named(name: str) -> Role:
    """The role of that name.

    Raises:
        ConfigError: There is none.
    """
    for role in ROLES:
        if role == name:
            return role
    raise ConfigError(f"{name!r} is not a role.", fix=f"Choose one of {', '.join(ROLES)}.")


class Users:
    """The people of a studio. As long as there is none, its token opens it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, name: str, role: Role, *, password: str = "", identity: str | None = None) -> User:
        """Let somebody in.

        Args:
            password: Its argon2 hash; empty for who comes by the identity provider.

        Raises:
            ConfigError: The name cannot be one, or the first user would be no admin.
            NameTaken: Somebody has it, in whatever case.
        """
        name = name.strip()
        if not NAME.fullmatch(name):
            raise ConfigError(f"{name!r} is not a valid user name.", fix="Use letters, digits, spaces and `. _ @ + -`.")
        async with self._database.write() as session:
            if await _named(session, name):
                raise NameTaken(f"There is a user {name!r} already.", fix="Choose another name.")
            is_first = (await session.exec(select(func.count()).select_from(User))).one() == 0
            if is_first and role != "admin" and identity is None:
                raise ConfigError("The first user must be an admin.", fix="Otherwise, no one could manage users.")
            user = User(
                id=uuid4().hex,
                name=name,
                role=role,
                password=password,
                identity=identity,
                created_at=datetime.now(UTC),
            )
            session.add(user)
            return user

    async def list(self) -> Sequence[User]:
        """All users by name."""
        async with self._database.read() as session:
            return (await session.exec(select(User).order_by(func.lower(User.name)))).all()

    async def count(self) -> int:
        async with self._database.read() as session:
            return (await session.exec(select(func.count()).select_from(User))).one()

    async def get(self, user_id: str) -> User:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _existing(session, user_id)

    async def named(self, name: str) -> User | None:
        async with self._database.read() as session:
            return await _named(session, name.strip())

    async def identified(self, identity: str) -> User | None:
        """Who the identity provider says is `identity`."""
        async with self._database.read() as session:
            return (await session.exec(select(User).where(User.identity == identity))).first()

    async def identify(self, user_id: str, identity: str) -> None:
        """Tie a user to who they are at the identity provider. Raises: NotFound."""
        async with self._database.write() as session:
            (await _existing(session, user_id)).identity = identity

    async def set_role(self, user_id: str, role: Role) -> User:
        """Raises: NotFound, LastAdmin."""
        async with self._database.write() as session:
            user = await _existing(session, user_id)
            if role != "admin":
                await _keep_an_admin(session, user)
            user.role = role
            return user

    async def set_password(self, user_id: str, password: str) -> User:
        """Keep another hash. Raises: NotFound."""
        async with self._database.write() as session:
            user = await _existing(session, user_id)
            user.password = password
            return user

    async def remove(self, user_id: str, *, even_the_last: bool = False) -> User:
        """Take somebody's way in, with all their sign-ins; what they made stays.

        Args:
            even_the_last: Also the only user. Then the token opens the studio again.

        Raises:
            NotFound: There is no such user.
            LastAdmin: Nobody would be left who may manage the users.
        """
        async with self._database.write() as session:
            user = await _existing(session, user_id)
            count = (await session.exec(select(func.count()).select_from(User))).one()
            if count > 1 or not even_the_last:
                await _keep_an_admin(session, user)
            await session.delete(user)
            await session.exec(delete(Star).where(col(Star.user_id) == user_id))
            return user


async def _existing(session: AsyncSession, user_id: str) -> User:
    user = await session.get(User, user_id)
    if user is None:
        raise NotFound(f"There is no user {user_id!r}.")
    return user


async def _named(session: AsyncSession, name: str) -> User | None:
    # Compared here: what counts as the same letter in another case differs between databases.
    users = (await session.exec(select(User))).all()
    return next((user for user in users if user.name.casefold() == name.casefold()), None)


async def _keep_an_admin(session: AsyncSession, user: User) -> None:
    others = select(func.count()).select_from(User).where(User.role == "admin", col(User.id) != user.id)
    if user.role == "admin" and (await session.exec(others)).one() == 0:
        raise LastAdmin(
            f"{user.name!r} is the last admin.",
            fix="Make another user an admin first. Otherwise, no one could manage users.",
        )
