"""Why a run goes as it goes stands in its log, and is no step of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from studio.components import load_component
from studio.conditions import ExternalTermination, MaxMessageTermination, TextMentionTermination, TokenUsageTermination
from studio.messages import Explanation, SpeakerDecisionEvent, TerminationProgressEvent, message_from_json
from studio.messages import explained as explaining
from studio.runs import Breakpoint, LogEntry, RunState
from studio.teams import RoundRobinGroupChat, Team
from tests.runs.scripted import OpenStudio, World, scripted
from tests.runs.tooling import started
from tests.teams.scripted import agent


def explained(entries: list[LogEntry]) -> list[tuple[str, object]]:
    return [
        (str(entry.body["type"]), entry.body.get("chosen") or entry.body.get("stop_reason"))
        for entry in entries
        if entry.kind == "explanation"
    ]


async def test_the_log_explains_each_turn_once(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: one", "b: two"), "Go.")
        await studio.until(run_id, RunState.FINISHED)
        kinds = [entry.kind for entry in await studio.log(run_id) if entry.kind in ("message", "explanation")]
        assert kinds == [
            *("explanation", "message"),  # how far the conditions are, the task
            *("explanation", "explanation", "message") * 2,  # who speaks, how far the conditions are, what was said
        ]
        assert explained(list(await studio.log(run_id)))[-2:] == [
            ("SpeakerDecisionEvent", ["script"]),
            ("TerminationProgressEvent", "Maximum number of turns 2 reached."),
        ]


def nested() -> RoundRobinGroupChat:
    """A team inside another one, with conditions of all sorts."""
    inner = RoundRobinGroupChat(name="inner", participants=[agent("x", *"123"), agent("y", *"456")], max_turns=2)
    said = TextMentionTermination(text='"5"\n\u20ac') & ExternalTermination()
    counted = MaxMessageTermination(max_messages=8) | TokenUsageTermination(max_total_token=2_000, max_prompt_token=500)
    return RoundRobinGroupChat(
        participants=[agent("ann", *"abc"), inner, agent("bob", *"def")],
        termination_condition=said | counted,
        max_turns=1_200,
    )


def timeless(fields: Mapping[str, object]) -> list[tuple[str, object]]:
    """All but when it was, in its order."""
    return [(name, "" if name == "created_at" else value) for name, value in fields.items()]


@pytest.mark.parametrize("breakpoints", [[], [Breakpoint(id="b", on="agent", name="nobody")]])
async def test_the_log_says_what_the_events_say(open_studio: OpenStudio, breakpoints: Sequence[Breakpoint]) -> None:
    document = nested().dump_component()
    with explaining():
        items = [item async for item in load_component(document, Team).run_stream(task="Go.")]
    told = [timeless(item.dump()) for item in items if isinstance(item, Explanation)]
    async with open_studio() as studio:
        run_id = await started(studio, document, breakpoints=breakpoints)
        await studio.until(run_id, RunState.FINISHED)
        logged = [timeless(entry.body) for entry in await studio.log(run_id) if entry.kind == "explanation"]
    assert logged == told
    assert len(logged) > 10


async def test_no_event_is_made_of_what_a_run_explains_while_nobody_looks(
    open_studio: OpenStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[type[Explanation]] = []
    for kind in (SpeakerDecisionEvent, TerminationProgressEvent):
        create = kind.create

        def counted(*, of: type[Explanation] = kind, create: Any = create, **what: Any) -> Explanation:
            made.append(of)
            return create(**what)

        monkeypatch.setattr(kind, "create", counted)
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted(*("a: one", "b: two") * 20), "Go.")
        await studio.until(run_id, RunState.FINISHED)
        entries = await studio.log(run_id)
    assert len(explained(list(entries))) > 80
    assert made.count(TerminationProgressEvent) == 0
    assert made.count(SpeakerDecisionEvent) <= 2  # the first of each participant, of which the text is kept


async def test_a_page_is_sent_explanations_in_their_order(open_studio: OpenStudio) -> None:
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(scripted("a: one", "b: +two three"), "Go.")
        batches = await studio.batches_until(run_id, lambda _: False)
        sent = [entry.seq for batch in batches for entry in batch.entries]
        assert sent == [entry.seq for entry in await studio.log(run_id) if entry.kind != "effect"]


async def test_a_step_gives_one_message_with_its_explanations(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: #hm", "a: two", "a: three"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "pause")
        world.answers.set()
        await studio.until(run_id, RunState.PAUSED, "user")
        assert await studio.said(run_id) == ["Go.", "one"]
        for said in (["hm"], ["hm", "two"]):
            await studio.supervisor.command(run_id, "step")
            await studio.until(run_id, RunState.PAUSED, "step")
            assert await studio.said(run_id) == ["Go.", "one", *said]


async def test_while_a_run_is_held_after_a_message_the_conditions_wait_for_what_becomes_of_it(
    open_studio: OpenStudio, world: World
) -> None:
    async with open_studio() as studio:
        world.answers.clear()
        run_id = await studio.supervisor.start(scripted("a: one", "a: two"), "Go.")
        await world.called.wait()
        await studio.supervisor.command(run_id, "pause")
        world.answers.set()
        await studio.until(run_id, RunState.PAUSED)
        progress = [entry for entry in await studio.log(run_id) if entry.body.get("type") == "TerminationProgressEvent"]
        event = message_from_json(progress[-1].body)
        assert isinstance(event, TerminationProgressEvent)
        assert event.to_text() == "0 of 2 turns"  # the message may still be changed, or dropped


async def test_who_speaks_is_explained_before_the_first_word(open_studio: OpenStudio, world: World) -> None:
    async with open_studio() as studio:
        world.holds_chunks = True
        run_id = await studio.supervisor.start(scripted("a: +one two"), "Go.")
        batch = (await studio.batches_until(run_id, lambda batch: bool(batch.chunks)))[-1]
        assert batch.chunks
        assert explained(list(await studio.log(run_id)))[-1] == ("SpeakerDecisionEvent", ["script"])
        await world.let_chunk(2)
        await studio.until(run_id, RunState.FINISHED)
