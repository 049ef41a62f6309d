"""What teams, agents, conditions and executors advise their author. Each rule with what it must leave alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from studio.agents import (
    AgentTool,
    AssistantAgent,
    CodeExecutorAgent,
    Handoff,
    MultimodalWebSurfer,
    Participant,
    StructuredMessageFactory,
    UserProxyAgent,
)
from studio.components import Component, JsonObject, load_component, validate_component
from studio.conditions import (
    ExternalTermination,
    FunctionCallTermination,
    HandoffTermination,
    MaxMessageTermination,
    SourceMatchTermination,
    StopMessageTermination,
    TerminationCondition,
    TextMentionTermination,
    TextMessageTermination,
    TimeoutTermination,
)
from studio.errors import Finding
from studio.executors import DockerCommandLineCodeExecutor, JupyterCodeExecutor, LocalCommandLineCodeExecutor
from studio.models import ModelInfo, ReplayChatCompletionClient
from studio.teams import (
    DiGraphBuilder,
    GraphFlow,
    MagenticOneGroupChat,
    RoundRobinGroupChat,
    SelectorGroupChat,
    SocietyOfMindAgent,
    TeamTool,
)
from studio.tools import FunctionTool, StaticWorkbench
from tests.teams.scripted import ABLE, scripted

TEN = MaxMessageTermination(max_messages=10)


def add(a: int, b: int) -> int:
    return a + b


def agent(name: str, **config: Any) -> AssistantAgent:
    """An agent without AutoGen's default instructions, which ask for TERMINATE."""
    return AssistantAgent(name, scripted(), **{"system_message": None, **config})


def model(**abilities: bool) -> ReplayChatCompletionClient:
    info: ModelInfo = {**ABLE, **abilities}  # pyright: ignore[reportAssignmentType] -- names come from the tests
    return ReplayChatCompletionClient(chat_completions=["a"], model_info=info)


def team(*members: Any, stop: TerminationCondition | None = TEN, **config: Any) -> RoundRobinGroupChat:
    participants = [*members] or [agent("a"), agent("b")]
    return RoundRobinGroupChat(participants=participants, termination_condition=stop, **config)


def selector(prompt: str | None = None, *members: AssistantAgent) -> SelectorGroupChat:
    people = members or (agent("a", description="Adds."), agent("b", description="Builds."))
    made = SelectorGroupChat(participants=list(people), model_client=scripted("a"), termination_condition=TEN)
    return made if prompt is None else made.model_copy(update={"selector_prompt": prompt})


def advice(component: Component) -> Sequence[Finding]:
    report = validate_component(component.dump_component())
    assert report.ok, report.errors
    return report.warnings


def codes(component: Component) -> list[str]:
    return [finding.code for finding in advice(component)]


def mended(component: Component, finding: Finding, number: int = 0) -> Component:
    """The component after one of the remedies of a finding."""
    fix = finding.fixes[number]
    document: Any = component.dump_component()
    *way, last = fix.pointer.split("/")[1:] or [""]
    here = document
    for step in way:
        here = here[int(step) if isinstance(here, list) else step]
    if last == "":
        return load_component(fix.value)  # pyright: ignore[reportArgumentType] -- plain JSON, as the page sends it
    here[int(last) if isinstance(here, list) else last] = fix.value
    return load_component(document)


# --- whether a team waits for what its agents are told to say ---


@pytest.mark.parametrize(
    "stop",
    [
        None,
        TEN,
        TEN | TextMentionTermination(text="APPROVE"),
        TextMentionTermination(text="TERMINATE", sources=["b"]),
        TEN & TimeoutTermination(timeout_seconds=3),
    ],
    ids=["nothing", "a limit", "another word", "from another agent", "both of two"],
)
def test_a_closing_word_that_no_condition_waits_for_is_noticed(stop: TerminationCondition | None):
    polite = team(agent("a", system_message="Reply with TERMINATE when done."), agent("b"), stop=stop)
    found = next(finding for finding in advice(polite) if finding.code == "unheard_word")
    assert found.where == "/config/participants/0/config/system_message"
    assert found.fixes[0].label == "Stop when TERMINATE is mentioned"
    assert "unheard_word" not in codes(mended(polite, found))


@pytest.mark.parametrize(
    "heard",
    [
        team(agent("a", system_message="Say TERMINATE."), stop=TEN | TextMentionTermination(text="TERMINATE")),
        team(agent("a", system_message="Say APPROVED or why not."), stop=TextMentionTermination(text="APPROVE")),
        team(agent("a", system_message="Answer in JSON. Never terminate early.")),
        team(agent("a", system_message="Say TERMINATE."), max_turns=1),
    ],
    ids=["the word", "its beginning", "no closing word", "one turn only"],
)
def test_a_closing_word_that_somebody_waits_for_is_left_alone(heard: Component):
    assert "unheard_word" not in codes(heard)


# --- whether a team ends ---


@pytest.mark.parametrize(
    "stop",
    [
        None,
        ExternalTermination(),
        SourceMatchTermination(sources=["nobody"]),
        ExternalTermination() | StopMessageTermination(),
        TEN & HandoffTermination(target="nobody"),
    ],
    ids=["none", "only from outside", "waits for nobody", "none of both", "not both"],
)
def test_a_team_that_nothing_ends_may_run_for_ever(stop: TerminationCondition | None):
    endless = team(stop=stop)
    found = next(finding for finding in advice(endless) if finding.code == "may_run_forever")
    assert found.where == "/config/termination_condition"
    assert found.fixes[0].label == "Add a limit of 20 messages"
    assert "may_run_forever" not in codes(mended(endless, found))


@pytest.mark.parametrize(
    "stop",
    [TEN, TimeoutTermination(timeout_seconds=3), TextMentionTermination(text="x") | ExternalTermination()],
)
def test_a_condition_that_can_be_met_ends_a_team(stop: TerminationCondition):
    assert codes(team(stop=stop)) == []


def test_a_turn_limit_ends_a_team():
    assert codes(team(stop=None, max_turns=3)) == []


def test_a_team_that_ends_by_itself_needs_no_condition():
    builder = DiGraphBuilder()
    a, b = agent("a"), agent("b")
    builder.add_node(a).add_node(b).add_edge(a, b)
    assert codes(GraphFlow(participants=[a, b], graph=builder.build())) == []
    described: list[Participant] = [agent("a", description="Adds."), agent("b", description="Builds.")]
    assert codes(MagenticOneGroupChat(participants=described, model_client=scripted("a"), max_turns=None)) == []


def test_teams_inside_teams_agents_and_tools_are_looked_at_too():
    endless = team(stop=None)
    outer = team(
        endless,
        SocietyOfMindAgent(name="thinker", team=endless, model_client=scripted("a")),
        agent("asker", tools=[TeamTool(team=endless, name="ask", description="Asks.")]),
        agent(
            "user_of_agent",
            tools=[AgentTool(agent=SocietyOfMindAgent(name="other", team=endless, model_client=scripted("a")))],
        ),
    )
    places = [finding.where for finding in advice(outer) if finding.code == "may_run_forever"]
    assert places == [
        "/config/participants/0/config/termination_condition",
        "/config/participants/1/config/team/config/termination_condition",
        "/config/participants/2/config/tools/0/config/team/config/termination_condition",
        "/config/participants/3/config/tools/0/config/agent/config/team/config/termination_condition",
    ]


# --- conditions that are never met, or too early ---


@pytest.mark.parametrize(
    ("stop", "place"),
    [
        (SourceMatchTermination(sources=["writter"]), "/config/sources/0"),
        (TextMentionTermination(text="x", sources=["writter"]), "/config/sources/0"),
        (TextMessageTermination(source="writter"), "/config/source"),
    ],
)
def test_a_condition_on_a_name_that_nobody_has_is_never_met(stop: TerminationCondition, place: str):
    misspelt = team(agent("writer"), agent("b"), stop=stop | TEN)
    (found,) = advice(misspelt)
    assert (found.code, found.where) == ("never_met", f"/config/termination_condition/config/conditions/0{place}")
    assert found.fixes[0].label == "Change it to writer"
    assert codes(mended(misspelt, found)) == []


def test_one_unknown_name_of_several_is_told_apart():
    (found,) = advice(team(stop=SourceMatchTermination(sources=["a", "bb"]) | TEN))
    assert (found.code, found.where) == (
        "unknown_name",
        "/config/termination_condition/config/conditions/0/config/sources/1",
    )


def test_names_inside_nested_teams_and_of_the_user_are_known():
    inner = team(agent("deep"), stop=TEN)
    stop = SourceMatchTermination(sources=["deep"]) | TextMentionTermination(text="x", sources=["user"])
    assert codes(team(inner, agent("b"), stop=stop)) == []


def test_a_handoff_that_nobody_can_make_ends_nothing():
    (found,) = advice(team(stop=HandoffTermination(target="user") | TEN))
    assert found.code == "never_met"
    assert codes(team(agent("a", handoffs=["user"]), stop=HandoffTermination(target="user") | TEN)) == []


def test_a_person_can_hand_back_to_anybody():
    assert codes(team(agent("a"), UserProxyAgent("you"), stop=HandoffTermination(target="a") | TEN)) == []


def test_a_tool_that_nobody_has_ends_nothing():
    tool = FunctionTool(add, description="Adds.")
    (found,) = advice(team(stop=FunctionCallTermination(function_name="add") | TEN))
    assert found.code == "never_met"
    assert codes(team(agent("a", tools=[tool]), stop=FunctionCallTermination(function_name="add") | TEN)) == []
    bench = agent("a", workbench=[StaticWorkbench(tools=[tool])])
    assert codes(team(bench, stop=FunctionCallTermination(function_name="add") | TEN)) == []


def test_a_stop_message_that_nobody_sends_ends_nothing():
    (found,) = advice(team(stop=StopMessageTermination() | TEN))
    assert found.code == "never_met"
    assert (
        codes(
            team(agent("a"), UserProxyAgent("you", human_input_mode="TERMINATE"), stop=StopMessageTermination() | TEN)
        )
        == []
    )


def test_nothing_is_said_of_names_where_a_part_is_unknown():
    document: Any = team(stop=SourceMatchTermination(sources=["robot"]) | TEN).dump_component()
    document["config"]["participants"].append({"provider": "acme.Robot", "component_type": "agent", "config": {}})
    assert [finding.code for finding in validate_component(document).warnings] == ["unknown_provider"]


@pytest.mark.parametrize(
    "stop",
    [MaxMessageTermination(max_messages=1), TextMessageTermination(), SourceMatchTermination(sources=["user", "a"])],
)
def test_a_condition_that_the_task_itself_meets_lets_nobody_speak(stop: TerminationCondition):
    assert codes(team(stop=stop)) == ["met_by_task"]


@pytest.mark.parametrize("stop", [MaxMessageTermination(max_messages=2), TextMessageTermination(source="a")])
def test_a_condition_that_needs_an_answer_is_fine(stop: TerminationCondition):
    assert codes(team(stop=stop)) == []


# --- names ---


def test_two_participants_of_one_name_are_an_error_with_a_remedy():
    document: Any = team(agent("a"), agent("b")).dump_component()
    document["config"]["participants"][1]["config"]["name"] = "a"
    errors = validate_component(document).errors
    places = [f"/config/participants/{at}/config/name" for at in (0, 1)]  # nobody knows which was meant to have it
    assert [(each.code, each.where) for each in errors] == [("duplicate_name", where) for where in places]
    fixes = [(fix.label, fix.pointer, fix.value) for each in errors for fix in each.fixes]
    assert fixes == [("Rename to a_2", where, "a_2") for where in places]


def test_what_is_missing_is_called_as_the_form_calls_it():
    document: Any = agent("a").dump_component()
    del document["config"]["model_client"], document["config"]["name"]
    errors = validate_component(document).errors
    told = {each.where: f"{each.message} {each.fix}".strip() for each in errors}
    assert told == {"/config/model_client": "Choose a model.", "/config/name": "“Name” is required. Fill it in."}


def test_a_name_that_is_no_word_can_be_mended():
    document: Any = agent("a").dump_component()
    document["config"]["name"] = "my writer!"
    (error,) = validate_component(document).errors
    assert (error.where, error.fixes[0].value) == ("/config/name", "my_writer")


def test_an_agent_of_a_nested_team_with_the_name_of_another_is_noticed():
    (found,) = advice(team(agent("a"), team(agent("a"), agent("c"))))
    assert (found.code, found.where) == ("same_name", "/config/participants/1/config/participants/0/config/name")
    assert codes(team(agent("a"), team(agent("b"), agent("c")))) == []


# --- models and tools ---


def test_a_model_that_calls_no_tools_is_noticed_where_a_workbench_has_some():
    bench = StaticWorkbench(tools=[FunctionTool(add, description="Adds.")])
    assert codes(AssistantAgent("a", model(function_calling=False), workbench=[bench])) == ["model_without_tools"]
    assert codes(AssistantAgent("a", model(function_calling=False), workbench=[StaticWorkbench()])) == []
    assert codes(AssistantAgent("a", model(), workbench=[bench])) == []


def test_a_model_that_follows_no_schema_is_noticed_where_answers_must():
    factory = StructuredMessageFactory({"type": "object", "properties": {"x": {"type": "string"}}})
    unable, able = model(structured_output=False), model()
    assert codes(AssistantAgent("a", unable, structured_message_factory=factory)) == ["model_without_schema"]
    assert codes(AssistantAgent("a", able, structured_message_factory=factory)) == []


def test_a_model_that_reads_no_pictures_is_noticed_where_pages_are_looked_at():
    assert codes(MultimodalWebSurfer("surfer", model(vision=False))) == ["model_without_vision"]
    assert codes(MultimodalWebSurfer("surfer", model(vision=True))) == []


def test_tools_that_the_model_cannot_tell_apart_are_noticed():
    tool = FunctionTool(add, description="Adds.")
    bench = StaticWorkbench(tools=[tool])
    (found,) = advice(agent("a", tools=[tool], workbench=[bench]))
    assert (found.code, found.where) == ("same_tool_name", "/config/workbench/0/config/tools/0")
    assert codes(agent("a", workbench=[bench, bench])) == ["same_tool_name"]
    named = FunctionTool(add, description="Adds.", name="transfer_to_b")
    assert codes(agent("a", handoffs=["b"], workbench=[StaticWorkbench(tools=[named])])) == ["same_tool_name"]
    assert codes(agent("a", tools=[tool], workbench=[StaticWorkbench(tools=[named])])) == []


def test_two_handoffs_to_one_name_are_noticed():
    twice = agent("a", handoffs=["b", Handoff(target="b", name="really_to_b")])
    (found,) = advice(twice)
    assert (found.code, found.where) == ("same_handoff", "/config/handoffs/1")
    assert codes(mended(twice, found)) == []
    assert codes(agent("a", handoffs=["b", "c"])) == []


# --- how a model chooses ---


def test_a_question_that_leaves_out_what_the_model_needs_is_noticed():
    lacking = selector("Choose well. {history}")
    (found,) = advice(lacking)
    assert (found.code, found.where) == ("question_lacks", "/config/selector_prompt")
    assert [fix.label for fix in found.fixes] == ["Insert {roles} and {participants}", "Use the default prompt"]
    assert all(codes(mended(lacking, found, number)) == [] for number in (0, 1))


def test_a_question_that_names_everybody_itself_lacks_nothing():
    people = agent("writer", description="Writes."), agent("editor", description="Edits.")
    assert codes(selector("Is it the writer's or the editor's turn? {history}", *people)) == []
    assert codes(selector()) == []


def test_participants_that_are_described_alike_cannot_be_chosen_between():
    alike = selector(None, agent("a"), agent("b"), agent("c", description="Counts."))
    assert [finding.where for finding in advice(alike) if finding.code == "no_description"] == [
        "/config/participants/0/config/description",
        "/config/participants/1/config/description",
    ]
    blank = MagenticOneGroupChat(
        participants=[agent("a", description=" "), agent("b", description="Builds.")], model_client=scripted("a")
    )
    assert codes(blank) == ["no_description"]
    assert codes(team(agent("a"), agent("b"))) == []


# --- code ---


def test_code_on_this_machine_can_be_moved_into_docker():
    here = CodeExecutorAgent("a", LocalCommandLineCodeExecutor(timeout=7), description="Runs.")
    (found,) = advice(here)
    assert (found.code, found.where) == ("code_runs_here", "/config/code_executor")
    there = mended(here, found)
    assert isinstance(there, CodeExecutorAgent)
    assert isinstance(there.code_executor, DockerCommandLineCodeExecutor)
    assert there.code_executor.timeout == 7
    assert codes(there) == []
    assert codes(JupyterCodeExecutor()) == ["code_runs_here"]


def test_what_is_wrong_inside_and_around_a_sound_team_does_not_tell_its_advice_twice():
    def wrong(inside: JsonObject) -> JsonObject:
        config: JsonObject = {"participants": [inside], "max_turns": "many"}
        return {"provider": "autogen_agentchat.teams.RoundRobinGroupChat", "config": config}

    sound = RoundRobinGroupChat(participants=[agent("a")]).dump_component()
    report = validate_component(wrong(wrong(wrong(sound))))
    assert len(report.errors) == 3
    assert [each.where.count("/participants/0") for each in report.warnings] == [3]
