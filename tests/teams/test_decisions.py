"""Why the one who speaks was chosen, and how far the conditions are, for those who ask."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest
from pydantic import JsonValue

from studio import effects
from studio.conditions import MaxMessageTermination, TextMentionTermination
from studio.effects import RecordingEffects
from studio.messages import (
    BaseMessage,
    Explanation,
    HandoffMessage,
    SpeakerDecisionEvent,
    TaskResult,
    TerminationProgressEvent,
    TextMessage,
    explained,
    message_from_json,
)
from studio.teams import (
    DiGraphBuilder,
    GraphFlow,
    MagenticOneGroupChat,
    RoundRobinGroupChat,
    SelectorGroupChat,
    SocietyOfMindAgent,
    Swarm,
    Team,
    TeamTool,
)
from tests.teams.scripted import agent, pair, scripted, wishes


async def items_of(team: Team, task: str | None = "go") -> list[BaseMessage | TaskResult]:
    with explained():
        async with aclosing(team.run_stream(task=task)) as stream:
            return [item async for item in stream]


async def decisions_of(team: Team, task: str | None = "go") -> list[SpeakerDecisionEvent]:
    return [item for item in await items_of(team, task) if isinstance(item, SpeakerDecisionEvent)]


async def progress_of(team: Team) -> list[TerminationProgressEvent]:
    return [item for item in await items_of(team) if isinstance(item, TerminationProgressEvent)]


def told(decisions: Sequence[SpeakerDecisionEvent]) -> list[tuple[str, str]]:
    return [(", ".join(decision.chosen), decision.rule) for decision in decisions]


async def test_a_round_robin_tells_who_comes_after_whom():
    first, second, third = await decisions_of(pair())
    assert told([first, second, third]) == [("a", "round robin"), ("b", "round robin"), ("a", "round robin")]
    assert first.candidates == ["a", "b"]
    assert second.reason == "b follows a in the order."


async def test_alone_in_a_team_one_is_the_only_candidate():
    [decision] = await decisions_of(RoundRobinGroupChat(participants=[agent("a", "1")], max_turns=1))
    assert told([decision]) == [("a", "only candidate")]


def selector(*answers: str, **config: Any) -> SelectorGroupChat:
    replies = [str(number) for number in range(9)]
    return SelectorGroupChat(
        participants=[agent("ann", *replies), agent("bob", *replies), agent("cat", *replies)],
        model_client=scripted(*answers),
        max_turns=2,
        **config,
    )


async def test_a_model_that_chooses_is_shown_with_its_prompt_and_every_answer():
    _, second = await decisions_of(selector("ann", "ann again", "bob or cat", "cat"))
    assert (second.rule, second.chosen, second.candidates) == ("model", ["cat"], ["bob", "cat"])
    assert second.reason == "The model selected cat at attempt 3. ann spoke last and cannot repeat."
    assert [attempt.answer for attempt in second.attempts] == ["ann again", "bob or cat", "cat"]
    assert [attempt.refused for attempt in second.attempts] == [
        "Names the last speaker, who cannot repeat.",
        "Names several participants.",
        "",
    ]
    assert "Only return the role" in second.prompt
    assert "[the conversation, 2 messages]" in second.prompt


@pytest.mark.parametrize("streams", [False, True])
async def test_an_attempt_names_the_recorded_effect_of_its_answer(streams: bool):
    recorded: list[dict[str, JsonValue]] = []

    async def append(body: dict[str, JsonValue]) -> None:
        recorded.append(body)

    with effects.use(RecordingEffects(append, run_id="run")):
        first, _ = await decisions_of(selector("ann", "bob", model_client_streaming=streams))
    [effect] = [body for body in recorded if body["request"] == first.attempts[0].request]
    assert "ann" in json.dumps(effect["result"])


async def test_a_model_that_names_nobody_leaves_the_word_with_the_last_speaker():
    _, second = await decisions_of(selector("ann", "?", "!", max_selector_attempts=2, allow_repeated_speaker=True))
    assert told([second]) == [("ann", "no usable answer")]
    assert len(second.attempts) == 2


async def test_when_nobody_may_speak_twice_the_other_one_is_all_that_is_left():
    team = SelectorGroupChat(
        participants=[agent("ann", "1"), agent("bob", "2")], model_client=scripted("ann"), max_turns=2
    )
    _, second = await decisions_of(team)
    assert told([second]) == [("bob", "repeat not allowed")]
    assert second.reason == "ann spoke last and cannot repeat, so only bob is left."


async def test_functions_that_choose_are_named():
    def bob(_thread: Sequence[BaseMessage]) -> str:
        return "bob"

    def only_cat(_thread: Sequence[BaseMessage]) -> list[str]:
        return ["cat"]

    by_function, by_candidates = selector(selector_func=bob), selector(candidate_func=only_cat)
    assert told(await decisions_of(by_function)) == [("bob", "function")] * 2
    assert told(await decisions_of(by_candidates)) == [("cat", "only candidate")] * 2


async def test_a_swarm_tells_who_handed_over_and_when_nobody_did():
    team = Swarm(
        participants=[
            agent("ann", "hm", wishes(("transfer_to_bob", "{}")), handoffs=["bob"]),
            agent("bob", "done"),
        ],
        max_turns=3,
    )
    first, second, third = await decisions_of(team)
    assert told([first, second, third]) == [("ann", "no handoff"), ("ann", "no handoff"), ("bob", "handoff")]
    assert third.reason == "ann handed off to bob."


async def test_a_swarm_that_was_loaded_does_not_tell_an_old_handoff_again():
    def make() -> Swarm:
        return Swarm(
            participants=[agent("ann", "1", handoffs=["bob"]), agent("bob", "2", "3", handoffs=["ann"])], max_turns=1
        )

    team, loaded = make(), make()
    await team.run(task=HandoffMessage(content="over", source="user", target="bob"))
    await loaded.load_state(await team.save_state())
    assert told(await decisions_of(loaded, None)) == [("bob", "no handoff")]


async def test_a_graph_tells_which_edges_were_taken_and_which_not():
    a, b, c = agent("a", "go YES"), agent("b", "1"), agent("c", "2")
    builder = DiGraphBuilder()
    builder.add_node(a).add_node(b).add_node(c)
    builder.add_edge(a, b, condition="YES").add_edge(a, c, condition="NO")
    team = GraphFlow(participants=builder.get_participants(), graph=builder.build())
    start, after = await decisions_of(team)
    assert told([start, after]) == [("a", "graph start"), ("b", "graph edge")]
    assert after.candidates == ["b", "c"]
    assert [(edge.target, edge.condition, edge.was_taken) for edge in after.edges] == [
        ("b", "YES", True),
        ("c", "NO", False),
    ]
    assert after.reason == "Followed: a to b ('YES' was mentioned). Not followed: a to c ('NO' was not mentioned)."


async def test_a_graph_tells_that_a_node_waits_for_more_edges():
    a, b, c, d = agent("a", "1"), agent("b", "2"), agent("c", "3"), agent("d", "4")
    builder = DiGraphBuilder()
    builder.add_node(a).add_node(b).add_node(c).add_node(d)
    builder.add_edge(a, b).add_edge(a, d).add_edge(b, c).add_edge(c, d)
    team = GraphFlow(participants=builder.get_participants(), graph=builder.build())
    decisions = await decisions_of(team)
    assert [decision.chosen for decision in decisions] == [["a"], ["b"], ["c"], ["d"]]
    assert decisions[1].reason == "Followed: a to b, a to d. Waiting for other edges to d."


def ledger(**answers: object) -> str:
    usual = {
        "is_request_satisfied": False,
        "is_in_loop": False,
        "is_progress_being_made": True,
        "next_speaker": "a",
        "instruction_or_question": "Go on.",
    }
    return json.dumps({name: {"reason": f"for {name}", "answer": answers.get(name, usual[name])} for name in usual})


async def test_an_orchestrator_shows_its_ledger_and_when_it_ends():
    model = scripted("facts", "plan", "not a valid ledger", ledger(), ledger(is_request_satisfied=True), "The answer.")
    team = MagenticOneGroupChat(participants=[agent("a", "1"), agent("b", "2")], model_client=model, max_turns=5)
    items = await items_of(team)
    first, last = [item for item in items if isinstance(item, SpeakerDecisionEvent)]
    assert (first.chosen, first.rule, first.reason) == (["a"], "ledger", "for next_speaker")
    assert [bool(attempt.refused) for attempt in first.attempts] == [True, False]
    assert json.loads(first.attempts[1].answer)["next_speaker"]["answer"] == "a"
    assert (last.chosen, last.reason) == ([], "The request is satisfied: for is_request_satisfied")
    rounds = [item for item in items if isinstance(item, TerminationProgressEvent)][-1].conditions[0]
    assert (rounds.so_far, rounds.where) == ("1 of 5 rounds", "/config/max_turns")


def nested() -> RoundRobinGroupChat:
    inner = RoundRobinGroupChat(name="inner", participants=[agent("x", "1")], max_turns=1)
    return RoundRobinGroupChat(name="outer", participants=[inner, agent("z", "2")], max_turns=2)


async def test_a_nested_team_explains_itself_and_says_where_it_is():
    told_by = [(decision.team, decision.path, decision.chosen) for decision in await decisions_of(nested())]
    assert told_by == [("outer", [], ["inner"]), ("inner", ["inner"], ["x"]), ("outer", [], ["z"])]


async def test_teams_inside_tools_and_agents_explain_themselves():
    helpers = RoundRobinGroupChat(name="helpers", participants=[agent("h", "help")], max_turns=1)
    tool = TeamTool(team=helpers, name="ask_helpers", description="Helps.")
    thinkers = RoundRobinGroupChat(name="thinkers", participants=[agent("t", "thought")], max_turns=1)
    team = RoundRobinGroupChat(
        participants=[
            agent("caller", wishes(("ask_helpers", '{"task": "help"}')), "done", tools=[tool]),
            SocietyOfMindAgent(name="mind", team=thinkers, model_client=scripted("mine")),
        ],
        max_turns=2,
    )
    paths = [(decision.path, decision.chosen) for decision in await decisions_of(team)]
    assert paths == [([], ["caller"]), (["caller"], ["h"]), ([], ["mind"]), (["mind"], ["t"])]


async def test_branches_side_by_side_explain_themselves():
    def sub(name: str) -> RoundRobinGroupChat:
        return RoundRobinGroupChat(name=name, participants=[agent(f"{name}_agent", "1")], max_turns=1)

    a, b, c = agent("a", "1"), sub("left"), sub("right")
    builder = DiGraphBuilder()
    builder.add_node(a).add_node(b).add_node(c).add_edge(a, b).add_edge(a, c)  # pyright: ignore[reportArgumentType]
    team = GraphFlow(participants=builder.get_participants(), graph=builder.build())
    decisions = await decisions_of(team)
    assert decisions[1].chosen == ["left", "right"]
    assert sorted(decision.path for decision in decisions[2:]) == [["left"], ["right"]]


async def test_progress_comes_before_the_last_message_of_a_turn():
    items = await items_of(pair(limit=3))
    shown = [
        item.to_text() if isinstance(item, TextMessage | TerminationProgressEvent) else type(item).__name__
        for item in items
    ]
    assert shown == [
        *("1 of 3 messages", "go", "SpeakerDecisionEvent", "2 of 3 messages", "1"),
        *("SpeakerDecisionEvent", "3 of 3 messages", "1", "TaskResult"),
    ]


async def test_the_last_progress_names_what_fired_and_where_it_stands():
    team = RoundRobinGroupChat(
        participants=[agent("a", "1", "DONE")],
        termination_condition=MaxMessageTermination(max_messages=9) | TextMentionTermination(text="DONE"),
        max_turns=5,
    )
    last = (await progress_of(team))[-1]
    assert [(part.where, part.so_far, part.has_fired) for part in last.conditions] == [
        ("/config/max_turns", "1 of 5 turns", False),
        ("/config/termination_condition/config/conditions/0", "3 of 9 messages", False),
        ("/config/termination_condition/config/conditions/1", '"DONE" seen', True),
    ]
    assert last.stop_reason == "Text 'DONE' mentioned"


async def test_nobody_is_told_who_does_not_ask():
    async with aclosing(nested().run_stream(task="go")) as stream:
        assert not [item async for item in stream if isinstance(item, Explanation)]


async def test_explanations_are_kept_nowhere():
    team = nested()
    result = (await items_of(team))[-1]
    assert isinstance(result, TaskResult)
    assert not [message for message in (*result.messages, *team.thread) if isinstance(message, Explanation)]
    assert "DecisionEvent" not in json.dumps(await team.save_state())


async def messages_in(*, explains: bool) -> list[JsonValue]:
    async def append(body: dict[str, JsonValue]) -> None:
        del body

    async def run() -> TaskResult:
        with effects.use(RecordingEffects(append, run_id="run")):
            return await nested().run(task="go")

    if not explains:
        result = await run()
    else:
        with explained():
            result = await run()
    return [message.model_dump(mode="json", exclude={"created_at"}) for message in result.messages]


async def test_explaining_changes_nothing_else_in_a_recorded_run():
    assert await messages_in(explains=True) == await messages_in(explains=False)


async def test_run_iter_explains_to_those_who_want_it():
    items = [item async for item in pair(limit=2).run_iter("go", yield_on=[SpeakerDecisionEvent])]
    assert [type(item).__name__ for item in items] == ["SpeakerDecisionEvent", "TaskResult"]


async def test_an_explanation_is_read_back_from_its_json():
    for item in await items_of(selector("ann", "bob")):
        if isinstance(item, Explanation):
            assert message_from_json(item.dump()) == item


async def test_an_explanation_does_not_grow_with_the_run():
    team = SelectorGroupChat(
        participants=[agent("ann", *["a"] * 30), agent("bob", *["b"] * 30), agent("cat", "c")],
        model_client=scripted(*(["ann", "bob"] * 20)),
        max_turns=40,
    )
    sizes = [len(item.model_dump_json()) for item in await items_of(team) if isinstance(item, Explanation)]
    assert max(sizes[-4:]) <= max(sizes[4:8]) + 8  # a number may have a digit more
