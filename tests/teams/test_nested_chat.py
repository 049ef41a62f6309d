"""Agents whose answers come out of chats with others."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from studio import effects
from studio.agents import ChatAgent, Participant
from studio.agents.base import Step
from studio.code import export_python
from studio.components import all_capabilities, catalogue
from studio.errors import InvalidComponent
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    HandoffMessage,
    Image,
    MultiModalMessage,
    Response,
    TextMessage,
    ThoughtEvent,
)
from studio.runs import RunState
from studio.teams import (
    DiGraph,
    DiGraphEdge,
    DiGraphNode,
    GraphFlow,
    MagenticOneGroupChat,
    NestedChat,
    NestedChatAgent,
    RoundRobinGroupChat,
    SelectorGroupChat,
    Swarm,
    Team,
)
from studio.tools import FunctionTool
from tests.runs.conftest import new_database as new_database
from tests.runs.conftest import open_studio as open_studio
from tests.runs.conftest import world as world
from tests.runs.scripted import OpenStudio
from tests.teams.scripted import CountingWorld, agent, said, scripted

PICTURE = Image(data="iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class Listening(ChatAgent):
    """Keeps what it hears, and answers with a number."""

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        del cancellation_token
        heard.extend((self.name, message.source, message.to_text()) for message in messages)
        return Response(chat_message=TextMessage(content=f"{self.name} says {len(heard)}", source=self.name))

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        heard.append((self.name, "", "forgets"))


heard: list[tuple[str, str, str]] = []


@pytest.fixture(autouse=True)
def _nobody_has_heard_anything() -> None:  # pyright: ignore[reportUnusedFunction] -- pytest uses it
    heard.clear()


async def answer(nested: NestedChatAgent, *messages: BaseChatMessage) -> str:
    return (await nested.on_messages(messages)).chat_message.to_text()


def boss(
    participants: Sequence[Participant], chats: list[NestedChat] | None = None, name: str = "boss", **config: Any
) -> NestedChatAgent:
    """An agent that talks to these before it answers."""
    return NestedChatAgent(name=name, participants=list(participants), chats=chats, **config)


def text(content: str, source: str = "user") -> TextMessage:
    return TextMessage(content=content, source=source)


async def test_without_more_said_it_talks_to_each_participant_in_order_and_carries_over():
    nested = boss([agent("a", "idea"), Listening(name="b")])
    response = await nested.on_messages([text("a poem")])
    assert (response.chat_message.source, response.chat_message.to_text()) == ("boss", "b says 2")
    assert heard == [("b", "", "forgets"), ("b", "boss", "a poem\nContext:\nidea")]


async def test_each_chat_has_its_own_message_and_may_do_without_the_results_before():
    chats = [
        NestedChat(participant="b", message="Think about {message}."),
        NestedChat(participant="b", message="{{Sum up}}.", takes_carryover=False, clear_history=False),
    ]
    nested = boss([Listening(name="b")], chats)
    await answer(nested, text("poems"))
    assert heard == [("b", "", "forgets"), ("b", "boss", "Think about poems."), ("b", "boss", "{Sum up}.")]


async def test_in_a_chat_of_several_turns_the_agent_speaks_in_between():
    chat = NestedChat(participant="critic", max_turns=2)
    writer = Listening(name="writer")
    nested = boss([agent("critic", "shorter", "good. TERMINATE")], [chat], "author", agent=writer)
    items = [item async for item in nested.run_stream(task="a poem")]
    assert said(items[:-1])[1:] == [  # pyright: ignore[reportArgumentType] -- all but the last are messages
        ("author", "a poem"),
        ("critic", "shorter"),
        ("author", "writer says 2"),
        ("critic", "good. TERMINATE"),
        ("author", "good."),
    ]
    assert heard == [("writer", "user", "a poem"), ("writer", "critic", "shorter")]


async def test_a_chat_ends_when_either_side_is_done():
    chat = NestedChat(participant="critic", max_turns=9)
    nested = boss([agent("critic", "shorter")], [chat], agent=agent("w", "enough TERMINATE"))
    assert await answer(nested, text("a poem")) == "enough"


async def test_messages_of_others_than_the_triggers_are_answered_by_the_agent():
    nested = boss([agent("a", "idea")], triggers=["user"], agent=Listening(name="self"))
    assert await answer(nested, text("go")) == "idea"
    response = await nested.on_messages([text("and you?", source="peer")])
    assert (response.chat_message.source, response.chat_message.to_text()) == ("boss", "self says 3")
    assert heard == [("self", "user", "go"), ("self", "boss", "idea"), ("self", "peer", "and you?")]


async def test_the_model_sums_a_chat_up_where_that_is_asked_for():
    world = CountingWorld()
    chat = NestedChat(participant="a", summary_method="reflection_with_llm", summary_prompt="In short?")
    nested = boss([agent("a", "a long idea")], [chat], model_client=scripted("short"))
    with effects.use(world):
        response = await nested.on_messages([text("go")])
    assert response.chat_message.to_text() == "short"
    assert response.chat_message.models_usage is not None
    asked = world.bodies[-1]
    assert isinstance(asked, dict)
    messages = asked["messages"]
    assert isinstance(messages, list)
    assert [message["content"] for message in messages if isinstance(message, dict)] == [
        "go",
        "a long idea",
        "In short?",
    ]


async def test_a_picture_reaches_the_participants():
    nested = boss([agent("a", "idea"), Listening(name="b")])
    await answer(nested, MultiModalMessage(content=["look", PICTURE], source="user"))
    assert heard[-1] == ("b", "boss", "look\n<image>\nContext:\nidea")


async def test_a_team_takes_part_in_a_chat_and_is_stopped_and_reset_with_it():
    inner = RoundRobinGroupChat(name="inner", participants=[agent("x", "1", "2"), Listening(name="y")], max_turns=2)
    nested = boss([inner])
    team = RoundRobinGroupChat(participants=[nested], max_turns=1)
    result = await team.run(task="go")
    assert said(result.messages)[-1] == ("boss", "y says 3")
    await team.reset()
    assert inner.thread == []


async def test_leaving_in_the_middle_of_a_chat_leaves_an_agent_that_can_be_used_again():
    inner = RoundRobinGroupChat(name="inner", participants=[agent("x", "1", "2"), agent("y", "3", "4")], max_turns=2)
    team = RoundRobinGroupChat(participants=[boss([inner])], max_turns=1)
    async for item in team.run_iter("go", yield_on=[TextMessage]):
        if isinstance(item, TextMessage) and item.source == "x":
            break
    await team.reset()
    assert said((await team.run(task="again")).messages)[-1] == ("boss", "3")


async def test_what_it_remembers_is_saved_and_taken_up_again():
    def made() -> NestedChatAgent:
        chat = NestedChat(participant="a", clear_history=False)
        return boss([agent("a", "1", "2")], [chat], triggers=["user"], agent=Listening(name="self"))

    first, second = made(), made()
    await answer(first, text("one"))
    await second.load_state(await first.save_state())
    assert await second.save_state() == await first.save_state()
    heard.clear()
    await answer(second, text("two", source="peer"))
    assert heard == [("self", "user", "one"), ("self", "boss", "1"), ("self", "peer", "two")]
    await second.on_reset()
    state: Mapping[str, JsonValue] = await second.save_state()
    assert state["unheard"] == []


class Pondering(Listening):
    """Says that it thinks before it takes up what it hears."""

    async def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        yield ThoughtEvent(content="hm", source=self.name)
        yield await self.on_messages(messages, cancellation_token)


def made_to_be_left() -> Team:
    """A team whose `boss` has a chat, and in its second turn answers by its own agent."""
    inner = RoundRobinGroupChat(name="inner", participants=[agent("x", *"1111"), agent("y", *"2222")], max_turns=2)
    first = boss([inner], triggers=["user"], agent=Pondering(name="self"))
    return RoundRobinGroupChat(participants=[first, agent("peer", "hi")], max_turns=3)


async def left_at(team: Team, source: str, task: str | None) -> None:
    async with aclosing(team.run_stream(task=task)) as items:
        async for item in items:
            if isinstance(item, BaseMessage) and item.source == source:
                return
    raise AssertionError(f"{source} said nothing")


@pytest.mark.parametrize("is_saved", [False, True])
async def test_a_turn_that_is_broken_off_is_told_to_its_agent_once(*, is_saved: bool):
    team = made_to_be_left()
    await left_at(team, "x", "go")
    await left_at(team, "x", None)
    if is_saved:
        state = await team.save_state()
        team = made_to_be_left()
        await team.load_state(state)
    await left_at(team, "self", None)
    assert heard == []
    if is_saved:
        state = await team.save_state()
        team = made_to_be_left()
        await team.load_state(state)
    await left_at(team, "boss", None)
    assert heard == [("self", "user", "go"), ("self", "boss", "2"), ("self", "peer", "hi")]


def nested(**config: Any) -> NestedChatAgent:
    return boss([agent("a", "idea"), agent("b", "done")], **config)


GRAPH = DiGraph(
    nodes={"boss": DiGraphNode(name="boss", edges=[DiGraphEdge(target="z")]), "z": DiGraphNode(name="z")},
)
LEDGER = (
    '{"is_request_satisfied": {"answer": %s, "reason": ""}, "is_in_loop": {"answer": false, "reason": ""}, '
    '"is_progress_being_made": {"answer": true, "reason": ""}, "next_speaker": {"answer": "boss", "reason": ""}, '
    '"instruction_or_question": {"answer": "go", "reason": ""}}'
)


@pytest.mark.parametrize(
    "team",
    [
        RoundRobinGroupChat(participants=[nested()], max_turns=1),
        SelectorGroupChat(participants=[nested(), agent("z", "1")], model_client=scripted("boss"), max_turns=1),
        Swarm(participants=[nested(agent=agent("self", "1"))], max_turns=1),
        GraphFlow(participants=[nested(), agent("z", "1")], graph=GRAPH),
        MagenticOneGroupChat(
            participants=[nested()],
            model_client=scripted("facts", "plan", LEDGER % "false", LEDGER % "true", "final"),
        ),
    ],
    ids=lambda team: type(team).__name__,
)
async def test_it_runs_in_every_kind_of_team(team: Team):
    assert ("boss", "done") in said((await team.run(task="go")).messages)


class HandingOver(ChatAgent):
    """Hands over."""

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (HandoffMessage,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        del messages, cancellation_token
        return Response(chat_message=HandoffMessage(content="yours", target="z", source=self.name))


async def test_its_agent_may_hand_over_in_a_swarm():
    first = boss([agent("a", "idea")], triggers=["z"], agent=HandingOver(name="self"))
    result = await Swarm(participants=[first, agent("z", "mine")], max_turns=2).run(task="go")
    assert said(result.messages) == [("user", "go"), ("boss", "yours"), ("z", "mine")]


@pytest.mark.parametrize(
    ("config", "where", "words"),
    [
        ({"chats": [{"participant": "nobody"}]}, "/config/chats", "not a participant"),
        ({"chats": [{"participant": "a", "max_turns": 2}]}, "/config/chats", "needs the agent"),
        (
            {"chats": [{"participant": "a", "summary_method": "reflection_with_llm"}]},
            "/config/chats",
            "needs the model",
        ),
        ({"chats": [{"participant": "a", "message": "{x}"}]}, "/config/chats/0/message", "Unknown: x"),
        ({"triggers": ["user"]}, "/config/triggers", "need the agent"),
        ({"participants": []}, "/config/participants", "At least one"),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_loaded(config: dict[str, JsonValue], where: str, words: str):
    document = boss([agent("a", "1")]).dump_component()
    own = document["config"]
    assert isinstance(own, dict)
    own.update(config)
    with pytest.raises(InvalidComponent, match=words) as refused:
        NestedChatAgent.load_component(document)
    assert [finding.where for finding in refused.value.findings] == [where]


chats = st.lists(
    st.builds(
        NestedChat,
        participant=st.sampled_from(["a", "inner"]),
        message=st.none() | st.just("About {message}"),
        max_turns=st.integers(1, 9),
        summary_method=st.sampled_from(["last_msg", "reflection_with_llm"]),
        summary_prompt=st.none() | st.text(),
        takes_carryover=st.booleans(),
        clear_history=st.booleans(),
    ),
    max_size=3,
)


@given(st.none() | chats, st.none() | st.lists(st.text(), max_size=2))
def test_dump_then_load_gives_the_same_agent(chats: list[NestedChat] | None, triggers: list[str] | None):
    inner = RoundRobinGroupChat(name="inner", participants=[agent("x", "1")])
    made = boss([agent("a", "1"), inner], chats, triggers=triggers, agent=agent("w", "1"), model_client=scripted("s"))
    dumped = made.dump_component()
    loaded = NestedChatAgent.load_component(dumped)
    assert loaded == made
    assert loaded.dump_component() == dumped


def test_exported_code_makes_the_same_agent():
    chat = NestedChat(participant="a", message="About {message}", max_turns=2)
    made = boss([agent("a", "1")], [chat], agent=agent("w", "1"))
    code = export_python(made)
    scope: dict[str, object] = {"__name__": "exported"}
    exec(compile(code, "exported.py", "exec"), scope)
    build = scope["build_agent"]
    assert callable(build)
    remade = build()
    assert isinstance(remade, NestedChatAgent)
    assert remade.dump_component() == made.dump_component()


def test_what_its_participants_need_is_asked_for():
    tool = FunctionTool(name="f", description="", source_code="def f() -> int:\n    return 1\n")
    made = boss([agent("a", "1", tools=[tool])])
    assert [(need.kind, need.where) for need in all_capabilities(made)] == [
        ("python", "/config/participants/0/config/tools/0")
    ]


def test_the_palette_offers_it_among_the_agents_with_its_places():
    entry = next(item for item in catalogue() if item["provider"] == NestedChatAgent.provider)
    assert entry["group"] == "agents"
    slots = entry["slots"]
    assert isinstance(slots, list)
    assert [slot["field"] for slot in slots if isinstance(slot, dict)] == ["participants", "agent", "model_client"]


async def test_a_recorded_run_logs_what_is_said_in_the_chats(open_studio: OpenStudio):
    document = RoundRobinGroupChat(participants=[nested()], max_turns=1).dump_component()
    async with open_studio() as studio:
        run_id = await studio.supervisor.start(document, "go")
        await studio.until(run_id, RunState.FINISHED)
        assert await studio.said(run_id) == ["go", "go", "idea", "go\nContext:\nidea", "done", "done"]
