"""The tables of knowledge bases; see `tables.py`.

Beside them, migrations make the index `knowledge_index`, which is the database's own (`knowledge_index.py`); triggers
keep it up to date, so a restored backup has it, too.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, Index

from studio.store.tables import Counter, Table, UtcDateTime


class KnowledgeBase(Table, table=True):
    """Documents that are searched. `key` is its name in lower case, so that a name is taken once.

    `embedding_model` makes vectors of its passages, at the service of a model connection; empty: there are none.
    """

    id: str = Field(primary_key=True)
    name: str
    key: str = Field(index=True, unique=True)
    description: str = ""
    embedding_connection: str = ""
    embedding_model: str = ""
    by: str = ""
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)


class KnowledgeDocument(Table, table=True):
    """A document of a knowledge base, once for each content. `url` is where it was fetched from.

    `pages` is None where it has none, such as Markdown. `read_at` is when its passages were made. `refresh` is how
    often its address is asked for a change, `refresh_at` when it is next; `checked_at` is when it was last.
    """

    __table_args__ = (Index(None, "base_id", "sha256", unique=True), Index(None, "base_id", "name", unique=True))

    id: str = Field(primary_key=True)
    base_id: str = Field(foreign_key="knowledge_base.id", ondelete="CASCADE")
    name: str
    sha256: str = Field(index=True, foreign_key="file.sha256")
    media_type: str
    size: int = Field(sa_type=Counter)
    url: str = ""
    pages: int | None = Field(default=None, sa_type=Counter)
    characters: int = Field(sa_type=Counter)
    passages: int = Field(sa_type=Counter)
    by: str = ""
    added_at: datetime = Field(sa_type=UtcDateTime)
    read_at: datetime = Field(sa_type=UtcDateTime)
    refresh: str = ""
    refresh_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)
    refresh_error: str = ""
    checked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    etag: str = ""


class KnowledgePassage(Table, table=True):
    """A part of a document; together they are its text. `number` counts from 1; characters from `start` to `end`.

    `pairs` are those of its East Asian characters, for the index.
    """

    __table_args__ = (Index(None, "document_id", "number", unique=True),)

    id: int | None = Field(default=None, primary_key=True, sa_type=Counter)
    document_id: str = Field(foreign_key="knowledge_document.id", ondelete="CASCADE")
    base_id: str
    number: int = Field(sa_type=Counter)
    page: int | None = Field(default=None, sa_type=Counter)
    heading: str = ""
    start: int = Field(sa_type=Counter)
    end: int = Field(sa_type=Counter)
    text: str
    pairs: str = ""


class KnowledgeVector(Table, table=True):
    """What a passage means, as numbers: 4 bytes each, of length 1 together."""

    passage_id: int = Field(primary_key=True, foreign_key="knowledge_passage.id", ondelete="CASCADE", sa_type=Counter)
    base_id: str = Field(index=True)
    vector: bytes
