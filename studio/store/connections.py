"""Connections to model services: complete model components under a name. See docs/design/connections.md."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import uuid4

from sqlalchemy import func
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import Conflict, NotFound
from studio.store.database import Database
from studio.store.tables import JsonObject, ModelConnection


class Connections:
    """The connections of this studio. They hold references to keys, never a key: the caller sees to it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self) -> Sequence[ModelConnection]:
        """All, by name."""
        async with self._database.read() as session:
            query = select(ModelConnection).order_by(func.lower(ModelConnection.name), col(ModelConnection.id))
            return (await session.exec(query)).all()

    async def get(self, connection_id: str) -> ModelConnection:
        """Raises: NotFound."""
        async with self._database.read() as session:
            return await _get(session, connection_id)

    async def add(self, name: str, component: JsonObject) -> ModelConnection:
        """Add one; the first is the default.

        Raises:
            Conflict: Another has this name.
        """
        async with self._database.write() as session:
            await _check_name(session, name, "")
            is_first = (await session.exec(select(ModelConnection.id).limit(1))).first() is None
            row = ModelConnection(
                id=str(uuid4()), name=name, component=component, is_default=is_first, created_at=datetime.now(UTC)
            )
            session.add(row)
        return row

    async def change(self, connection_id: str, name: str, component: JsonObject) -> ModelConnection:
        """Raises: NotFound, or Conflict: another has this name."""
        async with self._database.write() as session:
            row = await _get(session, connection_id)
            await _check_name(session, name, connection_id)
            row.name, row.component = name, component
        return row

    async def make_default(self, connection_id: str) -> None:
        """New agents get this one; "" is none.

        Raises:
            NotFound: There is no such connection.
        """
        async with self._database.write() as session:
            if connection_id:
                await _get(session, connection_id)
            await session.exec(update(ModelConnection).values(is_default=col(ModelConnection.id) == connection_id))

    async def delete(self, connection_id: str) -> None:
        """Remove the name; the models of teams stay as they are.

        Raises:
            NotFound: There is no such connection.
        """
        async with self._database.write() as session:
            await session.delete(await _get(session, connection_id))


async def _get(session: AsyncSession, connection_id: str) -> ModelConnection:
    row = await session.get(ModelConnection, connection_id)
    if row is None:
        raise NotFound(f"There is no connection {connection_id!r}.", fix="It may have been deleted in another tab.")
    return row


async def _check_name(session: AsyncSession, name: str, own_id: str) -> None:
    query = select(ModelConnection.id).where(ModelConnection.name == name, ModelConnection.id != own_id)
    if (await session.exec(query)).first() is not None:
        raise Conflict(f"There is already a connection {name!r}.", fix="Choose another name.", where="/name")
