"""Knowledge bases: documents that are searched, and what is found in them."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.errors import ConfigError, StudioError
from studio.knowledge import MAX_QUERY_CHARS, Hit
from studio.services.knowledge import add_document, add_page, read_again
from studio.services.knowledge_search import search
from studio.services.knowledge_vectors import choose_model, make_vectors
from studio.store import Store
from studio.store.knowledge import MAX_HITS, BaseSummary
from studio.store.knowledge_refreshes import Interval
from studio.store.knowledge_tables import KnowledgeBase, KnowledgeDocument
from studio.web.auth.person import Person
from studio.web.dependencies import DocumentsDep, PersonDep, SettingsDep, StoreDep
from studio.web.fetch import WEB_PAGES, Fetched, fetch_changed
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api/knowledge", tags=["knowledge"])
DOWNLOAD_IT = "Download the page, and add it as a file."
MAX_PASSAGES = 200
Refresh = Annotated[Interval, Field(description="How often a web page is read again; empty: never.")]
Name = Annotated[str, Field(min_length=1, max_length=100, description="Links to its documents name it.")]


class NewBase(RequestBody):
    name: Name
    description: Annotated[str, Field(max_length=1_000)] = ""


class NewDocument(RequestBody):
    file_id: Annotated[str, Field(min_length=1, max_length=100, description="The ID that the upload gave.")]
    name: Annotated[str, Field(max_length=4_000, description="Citations name it.")] = ""


class NewPage(RequestBody):
    url: Annotated[str, Field(min_length=1, max_length=2_000, description="http or https address.")]
    refresh: Refresh = ""


class RefreshIn(RequestBody):
    refresh: Refresh


class Question(RequestBody):
    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
    limit: Annotated[int, Field(ge=1, le=MAX_HITS)] = 5


class EmbeddingsIn(RequestBody):
    connection_id: Annotated[
        str,
        Field(
            max_length=100,
            description="Of a model connection to an OpenAI-compatible service; `local` for the model here; or empty.",
        ),
    ] = ""
    model: Annotated[str, Field(max_length=200, examples=["nomic-embed-text"])] = ""


class EmbeddingsOut(DeferredModel):
    connection_id: str
    model: str
    missing: int = Field(description="Passages without a vector.")


class BaseOut(DeferredModel):
    """A knowledge base."""

    id: str
    name: str
    description: str
    embedding_connection: str
    embedding_model: str
    by: str
    created_at: datetime
    updated_at: datetime


class BaseSummaryOut(BaseOut):
    """A knowledge base, and how much is in it."""

    documents: int
    passages: int


class DocumentOut(DeferredModel):
    """A document of a knowledge base; `pages` is null where it has none."""

    id: str
    base_id: str
    name: str
    sha256: str
    media_type: str
    size: int
    url: str
    pages: int | None
    characters: int
    passages: int
    by: str
    added_at: datetime
    read_at: datetime
    refresh: Refresh
    refresh_at: datetime | None = Field(description="When its address is asked next.")
    refresh_error: str = Field(description="What went wrong when it was asked last.")
    checked_at: datetime | None = Field(description="When it was asked last, whether or not it had changed.")


class AddedOut(DeferredModel):
    """The document, and whether it is new: the same content is kept once."""

    document: DocumentOut
    is_new: bool


class HitOut(DeferredModel):
    """A passage that was found. Scores compare hits of one search."""

    document_id: str
    file: str
    page: int | None
    section: int = Field(description="The number of the passage in its document, counted from 1.")
    heading: str
    citation: str = Field(description="How an answer names the place.")
    score: float
    text: str


class PassageOut(DeferredModel):
    """A part of a document; together they are its text."""

    section: int
    page: int | None
    heading: str
    text: str


@router.get("", summary="List the knowledge bases")
async def list_bases(store: StoreDep) -> list[BaseSummaryOut]:
    return [_summary(each) for each in await store.knowledge.list()]


@router.post("", status_code=201, summary="Add a knowledge base")
async def create_base(body: NewBase, store: StoreDep, person: PersonDep) -> BaseOut:
    name = " ".join(body.name.split())
    if not name or not name.isprintable():
        raise ConfigError("The name has no letters, or characters that cannot be shown.", where="/name")
    return _base(await store.knowledge.create(name, body.description.strip(), person.name))


@router.get("/{base_id}", summary="Get a knowledge base")
async def get_base(base_id: str, store: StoreDep) -> BaseOut:
    return _base(await store.knowledge.get(base_id))


@router.delete("/{base_id}", status_code=204, summary="Delete a knowledge base with its documents")
async def delete_base(base_id: str, store: StoreDep) -> None:
    await store.knowledge.delete(base_id)


@router.get("/{base_id}/documents", summary="List documents of a knowledge base, by name")
async def list_documents(
    base_id: str,
    store: StoreDep,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[DocumentOut]:
    await store.knowledge.get(base_id)
    return [_document(each) for each in await store.knowledge.documents(base_id, offset=offset, limit=limit)]


@router.post("/{base_id}/documents", status_code=201, summary="Read an uploaded file and add it")
async def create_document(
    base_id: str, body: NewDocument, store: StoreDep, documents: DocumentsDep, person: PersonDep
) -> AddedOut:
    """Reading a long PDF takes a while. The same content is added once."""
    added = await add_document(store, documents, base_id, body.file_id, body.name, person.name)
    await _try_vectors(store, base_id)
    return AddedOut(document=_document(added[0]), is_new=added[1])


@router.post("/{base_id}/pages", status_code=201, summary="Fetch a page from a URL and add it")
async def create_page(
    base_id: str, body: NewPage, store: StoreDep, documents: DocumentsDep, settings: SettingsDep, person: PersonDep
) -> AddedOut:
    await store.knowledge.get(base_id)
    found = await _fetched(body.url, settings.allow_private_urls, person)
    row, is_new = await add_page(store, documents, base_id, body.url.strip(), found.content or b"", person.name)
    if is_new:
        await store.refreshes.note(row.id, datetime.now(UTC), etag=found.etag)
        row = await store.refreshes.choose(base_id, row.id, body.refresh, datetime.now(UTC))
    await _try_vectors(store, base_id)
    return AddedOut(document=_document(row), is_new=is_new)


@router.post("/{base_id}/documents/{document_id}/read", summary="Read a document again; a web page is fetched again")
async def read_document_again(
    base_id: str,
    document_id: str,
    store: StoreDep,
    documents: DocumentsDep,
    settings: SettingsDep,
    person: PersonDep,
) -> DocumentOut:
    row = await store.knowledge.document(base_id, document_id)
    found = await _fetched(row.url, settings.allow_private_urls, person) if row.url else None
    read = await read_again(store, documents, row, found.content if found else None)
    if found:
        await store.refreshes.note(row.id, datetime.now(UTC), etag=found.etag)
        read = await store.knowledge.document(base_id, document_id)
    await _try_vectors(store, base_id)
    return _document(read)


@router.put("/{base_id}/documents/{document_id}/refresh", summary="Choose how often a web page is read again")
async def choose_refresh(base_id: str, document_id: str, body: RefreshIn, store: StoreDep) -> DocumentOut:
    """The first time is one interval from now. A page that has not changed is left as it is."""
    return _document(await store.refreshes.choose(base_id, document_id, body.refresh, datetime.now(UTC)))


@router.delete("/{base_id}/documents/{document_id}", status_code=204, summary="Remove a document")
async def delete_document(base_id: str, document_id: str, store: StoreDep) -> None:
    await store.knowledge.remove(base_id, document_id)


@router.get("/{base_id}/documents/{document_id}/passages", summary="Read passages of a document, in order")
async def list_passages(
    base_id: str,
    document_id: str,
    store: StoreDep,
    first: Annotated[int, Query(ge=1, le=1_000_000, description="Number of the first one.")] = 1,
    limit: Annotated[int, Query(ge=1, le=MAX_PASSAGES)] = 20,
) -> list[PassageOut]:
    await store.knowledge.document(base_id, document_id)
    rows = await store.knowledge.passages(document_id, first=first, last=first + limit - 1)
    return [PassageOut(section=row.number, page=row.page, heading=row.heading, text=row.text) for row in rows]


@router.post("/{base_id}/search", summary="Find the passages that fit a question best")
async def search_base(base_id: str, body: Question, store: StoreDep) -> list[HitOut]:
    """By full text, in other forms of the words, too. With an embedding model, also by meaning."""
    return [_hit(each) for each in await search(store, base_id, body.query, body.limit)]


@router.put("/{base_id}/embeddings", summary="Choose the embedding model, for search by meaning")
async def choose_embeddings(base_id: str, body: EmbeddingsIn, store: StoreDep) -> EmbeddingsOut:
    """One vector is made as a test. Vectors of another model are deleted. Without a connection, words alone count."""
    await choose_model(store, base_id, body.connection_id, body.model.strip())
    return await _embeddings(store, base_id)


@router.post("/{base_id}/embeddings", summary="Make vectors of passages that have none, up to 512")
async def make_embeddings(base_id: str, store: StoreDep) -> EmbeddingsOut:
    await make_vectors(store, base_id)
    return await _embeddings(store, base_id)


async def _embeddings(store: Store, base_id: str) -> EmbeddingsOut:
    base = await store.knowledge.get(base_id)
    missing = await store.vectors.missing_count(base_id) if base.embedding_model else 0
    return EmbeddingsOut(connection_id=base.embedding_connection, model=base.embedding_model, missing=missing)


async def _try_vectors(store: Store, base_id: str) -> None:
    """A document is found by its words, whatever the service says; the page tells how many vectors are missing."""
    with suppress(StudioError):
        await make_vectors(store, base_id)


async def _fetched(url: str, allow_private: bool, person: Person) -> Fetched:
    person.must("admin")  # the server fetches it, from where the server is
    return await fetch_changed(url, "", allow_private=allow_private, accept=WEB_PAGES, instead=DOWNLOAD_IT)


def _base(row: KnowledgeBase) -> BaseOut:
    return BaseOut(**row.model_dump(include={*BaseOut.model_fields}))


def _summary(summary: BaseSummary) -> BaseSummaryOut:
    base = summary.base.model_dump(include={*BaseOut.model_fields})
    return BaseSummaryOut(**base, documents=summary.documents, passages=summary.passages)


def _document(row: KnowledgeDocument) -> DocumentOut:
    return DocumentOut(**row.model_dump(include={*DocumentOut.model_fields}))


def _hit(hit: Hit) -> HitOut:
    return HitOut(
        document_id=hit.document_id,
        file=hit.file,
        page=hit.page,
        section=hit.number,
        heading=hit.heading,
        citation=hit.citation,
        score=hit.score,
        text=hit.text,
    )
