from __future__ import annotations

from studio.components import JsonObject
from studio.runs import Draft, EntryKind, Lease, NewRun, RunState, RunStatus
from studio.store import Store
from tests.store.stores import RUNNING, OpenStore

ENDED = RunStatus(state=RunState.FINISHED, reason="end")
KINDS: list[EntryKind] = ["message", "event", "effect", "state"]
USAGE: JsonObject = {"prompt_tokens": 30, "completion_tokens": 4}


def message(text: str, source: str = "ann", **fields: object) -> Draft:
    return Draft("message", {"type": "TextMessage", "source": source, "content": text, **fields})  # pyright: ignore[reportArgumentType]


async def logged(store: Store, *drafts: Draft) -> Lease:
    lease = await store.runs.create(NewRun({"provider": "x"}, "Go.", "Go."))
    await store.runs.append(lease, drafts, RUNNING)
    return lease


async def test_the_index_tells_of_each_entry_without_its_body(open_it: OpenStore) -> None:
    failed = Draft("event", {"type": "ToolCallExecutionEvent", "content": [{"name": "write", "is_error": True}]})
    asks = Draft("state", {"state": "paused", "reason": "input", "pending": {"request_id": "q"}})
    code = Draft("effect", {"effect": "execute", "result": {"exit_code": 1}})
    async with open_it() as store:
        run = await logged(store, message("Hello.", models_usage=USAGE), failed, asks, code)
        rows = await store.logs.index(run.run_id, after=0, limit=10, kinds=KINDS)
        assert [(row.seq, row.kind, row.type, row.source) for row in rows] == [
            (1, "message", "TextMessage", "ann"),
            (2, "event", "ToolCallExecutionEvent", ""),
            (3, "state", "", ""),
            (4, "effect", "", ""),
        ]
        assert [row.note for row in rows] == ["", "write", "paused input", ""]
        assert (rows[0].prompt_tokens, rows[0].completion_tokens, rows[1].prompt_tokens) == (30, 4, 0)
        assert [row.is_error for row in rows] == [False, True, False, True]
        assert [row.is_question for row in rows] == [False, False, True, False]
        assert all(row.size > 10 for row in rows)


async def test_an_entry_with_odd_texts_leaves_the_log_readable(open_it: OpenStore) -> None:
    """Tools give out NULs and models halves of characters, which JSON can say and text in a database cannot."""
    odd = ("nul \0", "half \ud83d", "other half \ude00", "whole 😀", "told \\u0000 \\ud83d")
    async with open_it() as store:
        told = [message(text, target="bob 😀") for text in odd]
        run = await logged(store, *told, Draft("effect", {"source": "ann", "result": "".join(odd)}))
        rows = await store.logs.index(run.run_id, after=0, limit=10, kinds=KINDS)
        assert [row.source for row in rows] == ["ann"] * 6
        assert [row.note for row in rows[:5]] == ["bob 😀"] * 5
        assert [step.source for step in await store.costs.steps_of_run(run.run_id)] == ["ann"] * 6
        assert [entry.body["content"] for entry in await store.runs.read(run.run_id, kinds=["message"])] == [
            "nul \0",
            "half �",
            "other half �",
            *odd[3:],
        ]
        hits = (await store.logs.search(run.run_id, "half", after=0, limit=10, kinds=["message"])).hits
        assert [hit.seq for hit in hits] == [2, 3]


async def test_a_wrong_count_of_tokens_leaves_the_index_readable(open_it: OpenStore) -> None:
    wrong = [{"prompt_tokens": told, "completion_tokens": 2} for told in (2**40, "many", 1.5, None, -1)]
    async with open_it() as store:
        run = await logged(store, *(message("x", models_usage=usage) for usage in wrong))
        rows = await store.logs.index(run.run_id, after=0, limit=10, kinds=KINDS)
        assert [row.prompt_tokens for row in rows] == [2**40, 0, 0, 0, 0]
        assert [row.completion_tokens for row in rows] == [2] * 5


async def test_a_search_finds_what_is_read_in_any_case(open_it: OpenStore) -> None:
    async with open_it() as store:
        run = await logged(
            store, message("A café,  at NIGHT."), message('100% of "it", a_b', id="night"), message("ÄRGER at night")
        )

        async def found(text: str) -> list[int]:
            return [hit.seq for hit in (await store.logs.search(run.run_id, text, after=0, limit=9, kinds=KINDS)).hits]

        assert await found("Café, at night") == [1]
        assert await found("at night") == [1, 3]
        assert await found("ärger") == [3]
        assert await found('100% of "IT"') == await found("a_b") == [2]
        assert await found("axb") == await found("9% o") == await found("\0") == []
        first = await store.logs.search(run.run_id, "at night", after=0, limit=1, kinds=KINDS)
        assert ([hit.match for hit in first.hits], first.next_after) == (["at NIGHT"], 1)


async def test_entries_are_read_between_two_from_either_end(open_it: OpenStore) -> None:
    async with open_it() as store:
        run = await logged(store, *(message(str(number)) for number in range(8)))
        oldest = await store.logs.between(run.run_id, after=2, before=7, limit=2, kinds=KINDS)
        newest = await store.logs.between(run.run_id, after=2, before=7, limit=2, kinds=KINDS, newest=True)
        assert [entry.seq for entry in (*oldest.entries, *newest.entries)] == [3, 4, 5, 6]


async def test_a_fork_has_the_entries_that_it_goes_on_from(open_it: OpenStore) -> None:
    async with open_it() as store:
        root = await logged(store, message("one"), message("two"), message("three"))
        origin = NewRun({"provider": "x"}, "Go.", "Go.", None, "", root.run_id, 2, root.run_id, origin="fork")
        fork = await store.runs.create(origin)
        await store.runs.append(fork, [message("other")], RUNNING)
        deeper = await store.runs.create(NewRun({}, "Go.", "Go.", None, "", fork.run_id, 3, root.run_id, origin="fork"))
        await store.runs.append(deeper, [message("four")], RUNNING)
        log = await store.runs.read(deeper.run_id)
        assert [entry.body["content"] for entry in log] == ["one", "two", "other", "four"]
        assert {entry.run_id for entry in log} == {deeper.run_id}
        rows = await store.logs.index(deeper.run_id, after=1, limit=2, kinds=KINDS)
        assert [row.seq for row in rows] == [2, 3]
        found = await store.logs.search(deeper.run_id, "three", after=0, limit=9, kinds=KINDS)
        assert found.hits == []
        assert {run.id for run in await store.runs.line(root.run_id)} == {root.run_id, fork.run_id, deeper.run_id}


async def test_a_run_with_the_id_of_a_deleted_fork_has_only_its_own_entries(open_it: OpenStore) -> None:
    async with open_it() as store:
        root = await logged(store, message("one"), message("two"))
        origin = NewRun({"provider": "x"}, "Go.", "Go.", None, "", root.run_id, 2, root.run_id, origin="fork")
        fork = await store.runs.create(origin)
        await store.runs.append(fork, [message("three")], ENDED)
        await store.runs.append(root, [], ENDED)
        record = await store.runs.get(fork.run_id)
        entries = await store.runs.read(fork.run_id)
        await store.logs.between(fork.run_id, after=0, before=9, limit=9, kinds=KINDS)
        for run_id in (fork.run_id, root.run_id):
            await store.runs.delete(run_id)
        await store.run_imports.add_run(record, entries)
        read = await store.runs.read(fork.run_id)
        shown = (await store.logs.between(fork.run_id, after=0, before=9, limit=9, kinds=KINDS)).entries
        assert [entry.seq for entry in shown] == [entry.seq for entry in read] == [1, 2, 3]


async def test_a_run_that_was_brought_here_joins_no_line_of_another(open_it: OpenStore) -> None:
    async with open_it() as store:
        real = await logged(store, message("one"))
        await store.runs.append(real, [], ENDED)
        record = await store.runs.get(real.run_id)
        claims = record.model_copy(update={"id": "brought", "root_id": real.run_id})
        entries = [entry._replace(run_id="brought") for entry in await store.runs.read(real.run_id)]
        await store.run_imports.add_run(claims, entries)
        again = NewRun({}, "Go.", "Go.", None, "", "brought", 1, real.run_id, origin="fork")
        fork = await store.runs.create(again)
        assert [(run.id, run.origin) for run in await store.runs.line(real.run_id)] == [(real.run_id, "")]
        line = {(run.id, run.origin) for run in await store.runs.line(fork.run_id)}
        assert line == {("brought", "import"), (fork.run_id, "fork")}
