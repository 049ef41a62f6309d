"""Whole runs of teams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from studio import effects
from studio.agents import ChatAgent, Handoff, UserProxyAgent
from studio.components import JsonObject, load_component
from studio.conditions import (
    ExternalTermination,
    MaxMessageTermination,
    SourceMatchTermination,
    TextMentionTermination,
    TimeoutTermination,
)
from studio.errors import ConfigError, ModelRefused
from studio.messages import (
    BaseChatMessage,
    CancellationToken,
    HandoffMessage,
    ModelClientStreamingChunkEvent,
    Response,
    SelectSpeakerEvent,
    TaskResult,
    TextMessage,
    ToolCallExecutionEvent,
)
from studio.teams import RoundRobinGroupChat, SelectorGroupChat
from tests.teams.scripted import CountingWorld, agent, pair, said, scripted, wishes


async def test_a_writer_and_a_critic_go_on_until_the_critic_agrees():
    team = RoundRobinGroupChat(
        participants=[agent("writer", "draft", "better draft"), agent("critic", "too short", "APPROVE")],
        termination_condition=TextMentionTermination(text="APPROVE", sources=["critic"]),
    )
    result = await team.run(task="Write a poem.")
    assert said(result.messages) == [
        ("user", "Write a poem."),
        ("writer", "draft"),
        ("critic", "too short"),
        ("writer", "better draft"),
        ("critic", "APPROVE"),
    ]
    assert result.stop_reason == "Text 'APPROVE' mentioned"


@pytest.mark.slow
async def test_a_selector_sends_the_question_to_the_one_with_the_tool():
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    calculator = agent("calculator", wishes(("add", '{"a": 2, "b": 3}')), tools=[add], description="Adds.")
    team = SelectorGroupChat(
        participants=[agent("writer", "It is 5. DONE", description="Writes."), calculator],
        model_client=scripted("calculator"),
        termination_condition=TextMentionTermination(text="DONE"),
        emit_team_events=True,
    )
    result = await team.run(task="2 + 3?")
    chosen = [event.content for event in result.messages if isinstance(event, SelectSpeakerEvent)]
    assert chosen == [["calculator"], ["writer"]]
    executed = next(event for event in result.messages if isinstance(event, ToolCallExecutionEvent))
    assert executed.content[0].content == "5"
    assert result.messages[-1].to_text() == "It is 5. DONE"


async def test_a_selector_may_be_a_python_function():
    team = SelectorGroupChat(
        participants=[agent("a", "1"), agent("b", "2"), agent("c", "3")],
        model_client=scripted(),
        termination_condition=MaxMessageTermination(max_messages=3),
        selector_func=lambda thread: "c" if len(thread) == 1 else None,
        candidate_func=lambda _thread: ["b"],
    )
    assert said((await team.run(task="go")).messages) == [("user", "go"), ("c", "3"), ("b", "2")]


async def test_a_question_to_the_selector_that_cannot_be_filled_in_is_an_error_of_the_config():
    team = SelectorGroupChat(
        participants=[agent("a", "1"), agent("b", "2")], model_client=scripted("a"), selector_prompt="{rolls}"
    )
    with pytest.raises(ConfigError, match="`selector_prompt` cannot be filled in: 'rolls'"):
        await team.run(task="go")


async def test_a_person_answers_when_the_turn_comes():
    world = CountingWorld("blue")
    team = RoundRobinGroupChat(
        participants=[agent("a", "Which colour?", "Blue it is."), UserProxyAgent(name="human")],
        termination_condition=MaxMessageTermination(max_messages=4),
    )
    with effects.use(world):
        result = await team.run(task="Paint.")
    assert said(result.messages)[-2:] == [("human", "blue"), ("a", "Blue it is.")]
    assert [question.prompt for question in world.questions] == ["Enter your response: "]


async def test_a_handoff_to_a_person_comes_back_as_a_handoff():
    asking = agent("a", wishes(("transfer_to_human", "{}")), handoffs=[Handoff(target="human")])
    team = RoundRobinGroupChat(
        participants=[asking, UserProxyAgent(name="human")],
        termination_condition=SourceMatchTermination(sources=["human"]),
    )
    world = CountingWorld("here I am")
    with effects.use(world):
        result = await team.run(task="go")
    assert world.questions[0].prompt == "Handoff received from a. Enter your response: "
    last = result.messages[-1]
    assert isinstance(last, HandoffMessage)
    assert (last.content, last.target) == ("here I am", "a")


async def test_an_error_of_an_agent_is_raised_as_it_is_and_the_team_can_go_on():
    team = RoundRobinGroupChat(participants=[agent("a", "1", "2"), agent("b")], max_turns=2)
    with pytest.raises(ModelRefused, match="The script has no more replies"):
        await team.run(task="go")
    with pytest.raises(ModelRefused):
        await team.run(task="again")  # a has answered, b's script is still empty
    assert said(team.thread) == [("user", "go"), ("a", "1"), ("user", "again"), ("a", "2")]


async def test_conditions_and_turns_count_from_zero_after_a_run_that_failed():
    team = RoundRobinGroupChat(
        participants=[agent("a", "1", "2", "3"), agent("b"), agent("c", "x")],
        termination_condition=MaxMessageTermination(max_messages=3),
    )
    with pytest.raises(ModelRefused):
        await team.run(task="go")
    result = await team.run(task="again")
    assert said(result.messages) == [("user", "again"), ("c", "x"), ("a", "2")]


async def test_what_an_agent_was_given_when_it_failed_is_not_given_again():
    world = CountingWorld()
    failing = RoundRobinGroupChat(participants=[agent("a"), agent("b", "1")], max_turns=1)
    with pytest.raises(ModelRefused):
        await failing.run(task="go")
    with effects.use(world), pytest.raises(ModelRefused):
        await failing.run()  # the turn that failed is tried again
    state = await failing.participants[0].save_state()
    context = state["llm_context"]
    assert isinstance(context, dict)
    assert context["messages"] == [{"content": "go", "source": "user", "type": "UserMessage"}]


async def test_a_timeout_counts_from_the_start_of_the_run_and_through_the_effects_port():
    world = CountingWorld()
    team = RoundRobinGroupChat(
        participants=[agent("a", "1")], termination_condition=TimeoutTermination(timeout_seconds=0)
    )
    with effects.use(world):
        result = await team.run(task="go")
    assert result.stop_reason == "Timeout of 0.0 seconds reached"
    assert world.asked == ["clock", "clock"]


async def test_a_stop_from_outside_comes_after_the_turn():
    condition = ExternalTermination()
    team = RoundRobinGroupChat(participants=[agent("a", "1", "2")], termination_condition=condition)
    condition.set()
    result = await team.run(task="go")
    assert (len(result.messages), result.stop_reason) == (1, "External termination requested")


async def test_teams_nest_and_a_team_that_heard_nothing_new_goes_on():
    inner = RoundRobinGroupChat(participants=[agent("w", "w1", "w2")], max_turns=1, name="inner")
    result = await RoundRobinGroupChat(participants=[inner], max_turns=2).run(task="go")
    assert said(result.messages) == [("user", "go"), ("w", "w1"), ("w", "w2")]
    assert result.stop_reason == "Maximum number of turns 2 reached."


async def test_streamed_pieces_are_shown_but_are_no_part_of_the_result():
    team = RoundRobinGroupChat(participants=[agent("a", "one two three", model_client_stream=True)], max_turns=1)
    items = [item async for item in team.run_stream(task="go")]
    pieces = [item.content for item in items if isinstance(item, ModelClientStreamingChunkEvent)]
    assert pieces == ["one ", "two ", "three"]
    assert isinstance(items[-1], TaskResult)
    assert len(items[-1].messages) == 2


async def test_a_condition_that_has_fired_already_ends_the_run_before_it_begins():
    team = pair(limit=0)
    assert (await team.run(task="go")).stop_reason == "The group chat has already terminated."


async def test_a_turn_limit_below_one_is_told_when_the_team_runs():
    team = RoundRobinGroupChat(participants=[agent("a", "1")], max_turns=0)
    with pytest.raises(ConfigError, match=r"must be greater than 0\."):
        await team.run(task="go")


@pytest.mark.parametrize("nothing", ["", None])
def test_a_name_and_a_description_that_say_nothing_are_the_usual_ones(nothing: str | None):
    document = pair().dump_component()
    config = {**cast("JsonObject", document["config"]), "name": nothing, "description": nothing}
    team = load_component({**document, "config": config}, RoundRobinGroupChat)
    assert (team.name, team.description) == ("RoundRobinGroupChat", "A team of agents.")


async def test_an_empty_task_list_is_refused():
    with pytest.raises(ValueError, match=r"Task list cannot be empty\."):
        await pair().run(task=[])


class Counting(ChatAgent):
    """Says how many messages it was given."""

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        del cancellation_token
        return Response(chat_message=TextMessage(content=str(len(messages)), source=self.name))


async def test_everybody_is_given_each_message_once_however_long_the_run():
    team = RoundRobinGroupChat(participants=[Counting(name="a"), Counting(name="b")], max_turns=40)
    result = await team.run(task="go")
    assert [message.to_text() for message in result.messages[1:]] == ["1", "2", *["1"] * 38]
