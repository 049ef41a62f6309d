"""Measure how well knowledge bases answer: words alone, meaning alone, and both with the local model. Prints Markdown.

    .venv/bin/python scripts/measure_search.py        # with the extra `embeddings`

A handbook of 200 pages is asked 50 questions that share words with the fact they ask for, and 25 that share none.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from studio.knowledge import cut_passages  # noqa: E402
from studio.memory.local_model import LOCAL  # noqa: E402
from studio.services.knowledge_search import search  # noqa: E402
from studio.services.knowledge_vectors import choose_model, make_vectors, nearest_passages  # noqa: E402
from studio.store import Store, open_store  # noqa: E402
from studio.store.knowledge import ReadDocument  # noqa: E402
from tests.web.handbook import QUESTIONS, handbook_pages, page_of  # noqa: E402

Ask = Callable[[str], Awaitable[Sequence[int | None]]]
HITS = 5
OTHER_WORDS: dict[int, str] = {
    0: "How much holiday do I earn?",
    1: "By when must I take remaining holidays?",
    2: "How much time off do new mothers and fathers get?",
    3: "When do I need a doctor's certificate?",
    4: "Can I fly business-like on long-haul routes?",
    6: "How is driving my own automobile refunded?",
    7: "Deadline for expense paperwork after travelling",
    9: "How long must a login secret be?",
    11: "Whom do I call when my entry pass is missing?",
    14: "Where is the heart emergency device?",
    15: "How frequently must people who drive warehouse trucks be recertified?",
    17: "At what noise level do I need ear plugs?",
    19: "How long is the trial phase of a new job?",
    20: "From which figures does the yearly extra pay come?",
    21: "When are pay statements available online?",
    22: "What do I get for working extra hours?",
    23: "How much more do I earn when working late in the dark?",
    25: "Where do I get a height-adjustable table?",
    26: "Which company rents out bikes to staff?",
    27: "How expensive is leaving my car on the premises?",
    28: "How old must kids be for daycare?",
    36: "How long do we store guarantee requests?",
    37: "Who decides whether someone gets money back?",
    39: "When are security updates installed?",
    44: "How long may I borrow a novel?",
}
"""By the number of the fact: no word of it but the small ones."""


async def main() -> None:
    """Fill a studio of its own, and ask."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder)) as store:
            base_id = await _filled(store)
            await choose_model(store, base_id, LOCAL, "")
            began = time.monotonic()
            while await make_vectors(store, base_id):
                pass
            print(f"Vectors of {len(handbook_pages())} pages: {time.monotonic() - began:.1f} s\n")
            print(f"| Found within {HITS} hits | by words | by meaning | by both |\n|---|---|---|---|")
            for name, questions in _questions().items():
                rates = [await _found(ask, questions) for ask in _ways(store, base_id)]
                print(f"| {name} | {' | '.join(f'{rate} of {len(questions)}' for rate in rates)} |")


async def _filled(store: Store) -> str:
    base = await store.knowledge.create("Handbook", "", by="")
    pages = [f"{page}\n" for page in handbook_pages()]
    text = "".join(pages)
    passages = cut_passages(text, [0, *accumulate(map(len, pages[:-1]))])
    file = await store.files.add(_parts(text.encode()), max_bytes=len(text) * 2)
    read = ReadDocument("handbook.txt", file.sha256, file.size, "text/plain", "", len(pages), len(text), passages)
    await store.knowledge.add(base.id, read, by="")
    return base.id


async def _parts(content: bytes) -> AsyncGenerator[bytes]:
    yield content


def _questions() -> dict[str, Sequence[tuple[str, int]]]:
    other = [(question, page_of(fact)) for fact, question in OTHER_WORDS.items()]
    return {"Questions with words of the answer": QUESTIONS, "Questions in other words": other}


def _ways(store: Store, base_id: str) -> Sequence[Ask]:
    async def by_words(question: str) -> Sequence[int | None]:
        return await _pages(store, dict(await store.knowledge.ranked(base_id, question, HITS)))

    async def by_meaning(question: str) -> Sequence[int | None]:
        near = await nearest_passages(store, await store.knowledge.get(base_id), question, HITS)
        return await _pages(store, {each: 1.0 for each in near})

    async def by_both(question: str) -> Sequence[int | None]:
        return [hit.page for hit in await search(store, base_id, question, HITS)]

    return by_words, by_meaning, by_both


async def _pages(store: Store, scores: dict[int, float]) -> Sequence[int | None]:
    return [hit.page for hit in await store.knowledge.hits(scores)]


async def _found(ask: Ask, questions: Sequence[tuple[str, int]]) -> int:
    return sum([page in await ask(question) for question, page in questions])


if __name__ == "__main__":
    asyncio.run(main())
