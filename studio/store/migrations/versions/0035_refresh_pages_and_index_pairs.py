"""Read web pages of knowledge bases again on a schedule, and index pairs of East Asian characters.

Revision: 0035
Follows: 0034
"""

from __future__ import annotations

import re
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"

TIME = sa.DateTime(timezone=True)
TEXTS = ("refresh", "refresh_error", "etag")
ROWS_AT_ONCE = 500
WORD = re.compile(r"[^\W_]+")
EAST_ASIAN = re.compile(
    "[\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)

DROP_ON_SQLITE = (
    "DROP TRIGGER knowledge_passage_added",
    "DROP TRIGGER knowledge_passage_removed",
    "DROP TABLE knowledge_index",
)
INDEX_ON_SQLITE = (
    "CREATE VIRTUAL TABLE knowledge_index USING fts5("
    "base_id, heading, text, pairs, content='knowledge_passage', content_rowid='id', "
    "tokenize='porter unicode61 remove_diacritics 2')",
    "CREATE TRIGGER knowledge_passage_added AFTER INSERT ON knowledge_passage BEGIN "
    "INSERT INTO knowledge_index(rowid, base_id, heading, text, pairs) "
    "VALUES (new.id, new.base_id, new.heading, new.text, new.pairs); END",
    "CREATE TRIGGER knowledge_passage_removed AFTER DELETE ON knowledge_passage BEGIN "
    "INSERT INTO knowledge_index(knowledge_index, rowid, base_id, heading, text, pairs) "
    "VALUES ('delete', old.id, old.base_id, old.heading, old.text, old.pairs); END",
    "INSERT INTO knowledge_index(knowledge_index) VALUES ('rebuild')",
)
FORMER_INDEX_ON_SQLITE = (
    "CREATE VIRTUAL TABLE knowledge_index USING fts5("
    "base_id, heading, text, content='knowledge_passage', content_rowid='id', "
    "tokenize='porter unicode61 remove_diacritics 2')",
    "CREATE TRIGGER knowledge_passage_added AFTER INSERT ON knowledge_passage BEGIN "
    "INSERT INTO knowledge_index(rowid, base_id, heading, text) "
    "VALUES (new.id, new.base_id, new.heading, new.text); END",
    "CREATE TRIGGER knowledge_passage_removed AFTER DELETE ON knowledge_passage BEGIN "
    "INSERT INTO knowledge_index(knowledge_index, rowid, base_id, heading, text) "
    "VALUES ('delete', old.id, old.base_id, old.heading, old.text); END",
    "INSERT INTO knowledge_index(knowledge_index) VALUES ('rebuild')",
)
FUNCTION = (
    "CREATE OR REPLACE FUNCTION knowledge_passage_added() RETURNS trigger AS $$ BEGIN "
    "INSERT INTO knowledge_index (passage_id, base_id, words) VALUES (new.id, new.base_id, "
    "setweight(to_tsvector('english', new.heading), 'A') || to_tsvector('english', new.text){pairs}); "
    "RETURN new; END $$ LANGUAGE plpgsql"
)
ON_POSTGRESQL = (
    FUNCTION.format(pairs=" || to_tsvector('english', new.pairs)"),
    "UPDATE knowledge_index SET words = words || to_tsvector('english', pairs) FROM knowledge_passage "
    "WHERE knowledge_passage.id = passage_id AND pairs <> ''",
)


def upgrade() -> None:
    for name in TEXTS:
        op.add_column("knowledge_document", sa.Column(name, sa.String(), nullable=False, server_default=""))
    for name in ("refresh_at", "checked_at"):
        op.add_column("knowledge_document", sa.Column(name, TIME, nullable=True))
    op.create_index("ix_knowledge_document_refresh_at", "knowledge_document", ["refresh_at"])
    op.add_column("knowledge_passage", sa.Column("pairs", sa.String(), nullable=False, server_default=""))
    _fill()
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in (*DROP_ON_SQLITE, *INDEX_ON_SQLITE) if is_sqlite else ON_POSTGRESQL:
        op.execute(statement)


def _fill() -> None:
    """Pairs of the passages that are there."""
    connection, after = op.get_bind(), 0
    some = sa.text("SELECT id, heading, text FROM knowledge_passage WHERE id > :after ORDER BY id LIMIT :most")
    change = sa.text("UPDATE knowledge_passage SET pairs = :pairs WHERE id = :id")
    while rows := connection.execute(some, {"after": after, "most": ROWS_AT_ONCE}).all():
        made = [{"id": each.id, "pairs": _pairs(f"{each.heading}\n{each.text}")} for each in rows]
        if changed := [each for each in made if each["pairs"]]:
            connection.execute(change, changed)
        after = rows[-1].id


def _pairs(text: str) -> str:
    """As `studio.knowledge.words.index_pairs` made them when this was written."""
    if not EAST_ASIAN.search(text):
        return ""
    found = list[str]()
    for word in WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        runs = list(EAST_ASIAN.finditer(word))
        if not runs:
            continue
        found += [part for part in EAST_ASIAN.split(word) if part]
        for run in runs:
            characters = run[0]
            found += [characters[at : at + 2] for at in range(len(characters))]
    return " ".join(found)


def downgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in DROP_ON_SQLITE if is_sqlite else (FUNCTION.format(pairs=""),):
        op.execute(statement)
    op.drop_column("knowledge_passage", "pairs")
    for statement in FORMER_INDEX_ON_SQLITE if is_sqlite else ():
        op.execute(statement)
    op.drop_index("ix_knowledge_document_refresh_at", "knowledge_document")
    for name in (*TEXTS, "refresh_at", "checked_at"):
        op.drop_column("knowledge_document", name)
