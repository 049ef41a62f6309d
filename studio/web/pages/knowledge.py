"""Knowledge bases: their list, the documents and search of one, and the text of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request, Response
from fastapi.responses import RedirectResponse

from studio.knowledge import MAX_QUERY_CHARS, Hit
from studio.memory.local_model import LOCAL_MODEL, has_local_model
from studio.services.knowledge_search import search
from studio.web.dependencies import SettingsDep, StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/knowledge", include_in_schema=False)
DOCUMENTS_PAGE = 100
HITS_SHOWN = 10
PASSAGES_BEFORE = 3
PASSAGES_SHOWN = 24
Name = Annotated[str, Query(max_length=400)]
Number = Annotated[int, Query(ge=1, le=1_000_000)]
OptionalNumber = Annotated[int, Query(ge=0, le=1_000_000)]


@router.get("")
async def knowledge_page(request: Request, store: StoreDep, templates: TemplatesDep) -> Response:
    rows = await store.knowledge.list()
    return templates.page(request, "pages/knowledge.html", title="Knowledge", nav="knowledge", rows=rows)


@router.get("/cited")
async def cited_page(
    store: StoreDep, base: Name, file: Name, page: OptionalNumber = 0, section: OptionalNumber = 0
) -> Response:
    """Where a citation of an answer leads."""
    row = await store.knowledge.named(base, file)
    number = section or (await store.knowledge.first_of_page(row.id, page) if page else 1)
    return RedirectResponse(
        f"/knowledge/{quote(row.base_id)}/documents/{quote(row.id)}?section={number}#section-{number}", status_code=303
    )


@router.get("/{base_id}")
async def base_page(
    request: Request,
    base_id: str,
    store: StoreDep,
    templates: TemplatesDep,
    settings: SettingsDep,
    q: Annotated[str, Query(max_length=MAX_QUERY_CHARS)] = "",
    page: Number = 1,
) -> Response:
    base = await store.knowledge.get(base_id)
    rows = await store.knowledge.documents(base_id, offset=(page - 1) * DOCUMENTS_PAGE, limit=DOCUMENTS_PAGE + 1)
    hits: Sequence[Hit] = await search(store, base_id, q, HITS_SHOWN) if q.strip() else []
    return templates.page(
        request,
        "pages/knowledge_base.html",
        title=base.name,
        nav="knowledge",
        base=base,
        rows=rows[:DOCUMENTS_PAGE],
        page=page,
        has_more=len(rows) > DOCUMENTS_PAGE,
        query=q.strip(),
        hits=hits,
        max_file_mb=settings.max_file_mb,
        local_model=LOCAL_MODEL if has_local_model() else "",
        missing_vectors=await store.vectors.missing_count(base_id) if base.embedding_model else 0,
    )


@router.get("/{base_id}/documents/{document_id}")
async def document_page(
    request: Request,
    base_id: str,
    document_id: str,
    store: StoreDep,
    templates: TemplatesDep,
    section: OptionalNumber = 0,
    begin: Annotated[int, Query(ge=0, le=1_000_000, alias="from")] = 0,
) -> Response:
    base, document = await store.knowledge.get(base_id), await store.knowledge.document(base_id, document_id)
    first = max(1, min(begin or section - PASSAGES_BEFORE, document.passages))
    last = first + PASSAGES_SHOWN - 1
    return templates.page(
        request,
        "pages/knowledge_document.html",
        title=document.name,
        nav="knowledge",
        base=base,
        document=document,
        passages=await store.knowledge.passages(document_id, first=first, last=last),
        section=section,
        first=first,
        last=min(last, document.passages),
        earlier=max(1, first - PASSAGES_SHOWN),
        later=last + 1,
    )
