"""Keep knowledge bases: documents that are searched, and their index.

Revision: 0030
Follows: 0029
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
INDEX_ON_SQLITE = (
    "CREATE VIRTUAL TABLE knowledge_index USING fts5("
    "base_id, heading, text, content='knowledge_passage', content_rowid='id', "
    "tokenize='porter unicode61 remove_diacritics 2')",
    "CREATE TRIGGER knowledge_passage_added AFTER INSERT ON knowledge_passage BEGIN "
    "INSERT INTO knowledge_index(rowid, base_id, heading, text) "
    "VALUES (new.id, new.base_id, new.heading, new.text); END",
    "CREATE TRIGGER knowledge_passage_removed AFTER DELETE ON knowledge_passage BEGIN "
    "INSERT INTO knowledge_index(knowledge_index, rowid, base_id, heading, text) "
    "VALUES ('delete', old.id, old.base_id, old.heading, old.text); END",
)
INDEX_ON_POSTGRESQL = (
    "CREATE TABLE knowledge_index (passage_id bigint PRIMARY KEY REFERENCES knowledge_passage (id) ON DELETE CASCADE, "
    "base_id varchar NOT NULL, words tsvector NOT NULL)",
    "CREATE INDEX ix_knowledge_index_words ON knowledge_index USING gin (words)",
    "CREATE INDEX ix_knowledge_index_base_id ON knowledge_index (base_id)",
    "CREATE FUNCTION knowledge_passage_added() RETURNS trigger AS $$ BEGIN "
    "INSERT INTO knowledge_index (passage_id, base_id, words) VALUES (new.id, new.base_id, "
    "setweight(to_tsvector('english', new.heading), 'A') || to_tsvector('english', new.text)); "
    "RETURN new; END $$ LANGUAGE plpgsql",
    "CREATE TRIGGER knowledge_passage_added AFTER INSERT ON knowledge_passage "
    "FOR EACH ROW EXECUTE FUNCTION knowledge_passage_added()",
)


def upgrade() -> None:
    op.create_table(
        "knowledge_base",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_knowledge_base"),
    )
    op.create_index("ix_knowledge_base_key", "knowledge_base", ["key"], unique=True)
    op.create_table(
        "knowledge_document",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("size", COUNTER, nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("pages", COUNTER, nullable=True),
        sa.Column("characters", COUNTER, nullable=False),
        sa.Column("passages", COUNTER, nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("added_at", TIME, nullable=False),
        sa.Column("read_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_knowledge_document"),
        sa.ForeignKeyConstraint(
            ["base_id"], ["knowledge_base.id"], name="fk_knowledge_document_base_id_knowledge_base", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["sha256"], ["file.sha256"], name="fk_knowledge_document_sha256_file"),
    )
    op.create_index("ix_knowledge_document_base_id_sha256", "knowledge_document", ["base_id", "sha256"], unique=True)
    op.create_index("ix_knowledge_document_base_id_name", "knowledge_document", ["base_id", "name"], unique=True)
    op.create_index("ix_knowledge_document_sha256", "knowledge_document", ["sha256"])
    op.create_table(
        "knowledge_passage",
        sa.Column("id", COUNTER, nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("number", COUNTER, nullable=False),
        sa.Column("page", COUNTER, nullable=True),
        sa.Column("heading", sa.String(), nullable=False),
        sa.Column("start", COUNTER, nullable=False),
        sa.Column("end", COUNTER, nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_knowledge_passage"),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["knowledge_document.id"],
            name="fk_knowledge_passage_document_id_knowledge_document",
            ondelete="CASCADE",
        ),
    )
    op.create_index(
        "ix_knowledge_passage_document_id_number", "knowledge_passage", ["document_id", "number"], unique=True
    )
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in INDEX_ON_SQLITE if is_sqlite else INDEX_ON_POSTGRESQL:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE knowledge_index")
    op.drop_table("knowledge_passage")
    op.drop_table("knowledge_document")
    op.drop_table("knowledge_base")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION knowledge_passage_added")
