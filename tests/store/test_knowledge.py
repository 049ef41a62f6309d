"""The index of words on both databases: other forms of words are found, rare words count, what goes is forgotten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import accumulate

import pytest

from studio.errors import NotFound
from studio.knowledge import cut_passages
from studio.store import knowledge, knowledge_index
from tests.store.kept_documents import found, kept, read
from tests.store.stores import OpenStore
from tests.web.handbook import QUESTIONS, handbook_pages


async def test_words_are_found_in_other_forms_and_rare_words_count(open_it: OpenStore) -> None:
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        for number in range(5):
            await kept(store, base.id, f"{number}.txt", f"The office opens at {number}. The office is open to all.")
        await kept(store, base.id, "flights.txt", "The office books flights for all employees.")
        assert (await found(store, base.id, "Which office is booking a flight?"))[0] == "flights.txt"
        assert await found(store, base.id, "zebra") == []
        scores = [hit.score for hit in await store.knowledge.search(base.id, "office flights", 5)]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > scores[-1]


async def test_a_word_of_all_passages_does_not_let_all_be_ranked(
    open_it: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge_index, "MAX_RANKED", 3)
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        for number in range(5):
            await kept(store, base.id, f"{number}.txt", f"The office opens at {number}.")
        await kept(store, base.id, "flights.txt", "The office books flights.")
        assert await found(store, base.id, "office flights zebra") == ["flights.txt"]
        assert len(await found(store, base.id, "office")) == 3
        assert len(await found(store, base.id, "office opens")) == 3
        assert await found(store, base.id, "zebra") == []


async def test_a_knowledge_base_is_deleted_some_documents_at_a_time(
    open_it: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge, "DELETED_AT_ONCE", 2)
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        for number in range(5):
            await kept(store, base.id, f"{number}.txt", f"The office opens at {number}.")
        await store.knowledge.delete(base.id)
        assert await store.knowledge.list() == []
        assert await store.knowledge.documents(base.id) == []


@pytest.mark.parametrize("query", ['" OR NEAR( *', "flights & | ! <-> :*", "'; DROP TABLE x; --", "\\", "' flights"])
async def test_operators_of_search_languages_are_words(open_it: OpenStore, query: str) -> None:
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        await kept(store, base.id, "flights.txt", "The office books flights.")
        assert await found(store, base.id, f"flights {query}") == ["flights.txt"]
        await found(store, base.id, query)


async def test_what_is_removed_or_replaced_is_no_longer_found(open_it: OpenStore) -> None:
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        other = await store.knowledge.create("Other", "", "ann")
        one = await kept(store, base.id, "one.txt", "Flights leave at noon.")
        two = await kept(store, base.id, "two.txt", "Flights leave at night.")
        await kept(store, other.id, "other.txt", "Flights are free.")
        await store.knowledge.remove(base.id, one.id)
        assert await found(store, base.id, "flights") == ["two.txt"]
        await store.knowledge.replace(base.id, two.id, await read(store, "two.txt", "Trains leave at night."))
        assert await found(store, base.id, "flights") == []
        assert await found(store, base.id, "trains") == ["two.txt"]
        await store.knowledge.delete(base.id)
        with pytest.raises(NotFound):
            await store.knowledge.document(base.id, two.id)
        assert await found(store, base.id, "trains") == []
        assert await found(store, other.id, "flights") == ["other.txt"]


async def test_another_file_with_the_same_text_leaves_its_passages(open_it: OpenStore) -> None:
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        one = await kept(store, base.id, "one.txt", "Flights leave at noon.")
        before = await store.knowledge.ranked(base.id, "flights", 5)
        same = await read(store, "one.txt", "Flights leave at night.")
        same = same._replace(passages=cut_passages("Flights leave at noon."))
        assert (await store.knowledge.replace(base.id, one.id, same)).sha256 == same.sha256
        assert await store.knowledge.ranked(base.id, "flights", 5) == before


async def test_the_file_of_a_document_is_kept(open_it: OpenStore) -> None:
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        one = await kept(store, base.id, "one.txt", "Flights leave at noon.")
        later = datetime.now(UTC) + timedelta(days=2)
        await store.files.prune(later)
        assert (await store.files.get(one.sha256)).size == one.size
        await store.knowledge.remove(base.id, one.id)
        await store.files.prune(later)
        with pytest.raises(NotFound):
            await store.files.get(one.sha256)


async def test_questions_find_their_page_in_a_handbook(open_it: OpenStore) -> None:
    pages = [f"{page}\n" for page in handbook_pages()]
    text, starts = "".join(pages), [0, *accumulate(map(len, pages[:-1]))]
    async with open_it() as store:
        base = await store.knowledge.create("Handbook", "", "ann")
        document = (await read(store, "handbook.txt", text))._replace(passages=cut_passages(text, starts))
        await store.knowledge.add(base.id, document, "ann")
        misses = [
            question
            for question, page in QUESTIONS
            if page not in [hit.page for hit in await store.knowledge.search(base.id, question, 5)]
        ]
        assert len(misses) <= 2, misses
