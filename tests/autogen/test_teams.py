"""Scripts as AgentChat's users write them: teams of its own agents."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow


def test_two_agents_take_turns_and_one_calls_a_function(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from enum import Enum
        from typing import Annotated
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
        from autogen_agentchat.messages import ToolCallExecutionEvent, ToolCallRequestEvent
        from autogen_agentchat.teams import RoundRobinGroupChat
        from autogen_core import FunctionCall
        from autogen_core.models import CreateResult, ModelFamily, RequestUsage
        from autogen_core.tools import FunctionTool
        from autogen_ext.models.replay import ReplayChatCompletionClient

        class Unit(Enum):
            METRE = "m"
            FOOT = "ft"

        def measure(thing: Annotated[str, "What to measure"], unit: Unit = Unit.METRE) -> str:
            '''Say how long a thing is.'''
            return f"{thing}: 3 {unit.value}"

        call = CreateResult(
            finish_reason="function_calls",
            content=[FunctionCall(id="1", name="measure", arguments='{"thing": "boat", "unit": "ft"}')],
            usage=RequestUsage(prompt_tokens=1, completion_tokens=1),
            cached=False,
        )
        able = {"vision": False, "function_calling": True, "json_output": False, "family": ModelFamily.UNKNOWN}
        carpenter = AssistantAgent(
            "carpenter",
            model_client=ReplayChatCompletionClient([call, "It is measured."], model_info=able),
            tools=[FunctionTool(measure, description="Say how long a thing is.")],
        )
        painter = AssistantAgent("painter", ReplayChatCompletionClient(["Painted. DONE"]))
        stop = TextMentionTermination("DONE") | MaxMessageTermination(max_messages=9)
        team = RoundRobinGroupChat([carpenter, painter], termination_condition=stop)

        async def main() -> None:
            result = await team.run(task="Build a boat.")
            for message in result.messages:
                print(message.source, message.type)
            print(result.messages[2].content[0].content)
            print(result.stop_reason)

        asyncio.run(main())
    """)
    assert outcome.lines == [
        "user TextMessage",
        "carpenter ToolCallRequestEvent",
        "carpenter ToolCallExecutionEvent",
        "carpenter ToolCallSummaryMessage",
        "painter TextMessage",
        "boat: 3 ft",
        "Text 'DONE' mentioned",
    ]


def test_a_function_selects_who_speaks_and_the_console_shows_it(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.teams import SelectorGroupChat
        from autogen_agentchat.ui import Console
        from autogen_ext.models.replay import ReplayChatCompletionClient

        def choose(thread):
            return "critic" if thread[-1].source == "writer" else "writer"

        model = ReplayChatCompletionClient(["A poem.", "Too short.", "A longer poem."])
        team = SelectorGroupChat(
            [AssistantAgent("writer", model), AssistantAgent("critic", model)],
            model_client=model,
            selector_func=choose,
            max_turns=3,
        )
        asyncio.run(Console(team.run_stream(task="Write.")))
    """)
    assert [line for line in outcome.lines if line.startswith("-")] == [
        "---------- TextMessage (user) ----------",
        "---------- TextMessage (writer) ----------",
        "---------- TextMessage (critic) ----------",
        "---------- TextMessage (writer) ----------",
        "---------- Maximum number of turns 3 reached.",
    ]


def test_an_answer_follows_a_model_and_a_saved_state_brings_it_back(run_script: RunScript):
    outcome = run_script("""
        import asyncio, json
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.messages import StructuredMessage
        from autogen_agentchat.teams import RoundRobinGroupChat
        from autogen_ext.models.replay import ReplayChatCompletionClient
        from pydantic import BaseModel

        class Verdict(BaseModel):
            score: int
            why: str

        def team():
            model = ReplayChatCompletionClient(['{"score": 7, "why": "solid"}'])
            judge = AssistantAgent("judge", model, output_content_type=Verdict)
            return RoundRobinGroupChat([judge], max_turns=1)

        async def main() -> None:
            first, second = team(), team()
            result = await first.run(task="Judge.")
            verdict = result.messages[-1]
            assert isinstance(verdict, StructuredMessage) and isinstance(verdict.content, Verdict)
            state = json.loads(json.dumps(await first.save_state()))
            await second.load_state(state)
            again = await second.save_state()
            print(verdict.content.score, again == state)
            result = await second.run()
            print(isinstance(result.messages[-1].content, Verdict), result.model_dump_json().count("solid"))

        asyncio.run(main())
    """)
    assert outcome.lines == ["7 True", "True 1"]


def test_a_team_is_dumped_as_a_component_model_and_loaded_again(run_script: RunScript):
    outcome = run_script("""
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.base import TerminationCondition
        from autogen_agentchat.conditions import MaxMessageTermination
        from autogen_agentchat.teams import RoundRobinGroupChat
        from autogen_core import ComponentLoader, ComponentModel
        from autogen_core.models import ChatCompletionClient
        from autogen_ext.models.openai import OpenAIChatCompletionClient

        client = OpenAIChatCompletionClient(model="gpt-4o", api_key="sk-nothing")
        stop = MaxMessageTermination(3) & MaxMessageTermination(4)
        team = RoundRobinGroupChat([AssistantAgent("a", client)], termination_condition=stop)
        model = team.dump_component()
        assert isinstance(model, ComponentModel)
        print(model.provider, model.component_type, model.label)
        print(model.config["participants"][0]["config"]["workbench"][0]["label"])
        text = model.model_dump_json()
        loaded = RoundRobinGroupChat.load_component(ComponentModel.model_validate_json(text))
        print(loaded.dump_component() == model, "sk-nothing" in text)
        print(isinstance(ComponentLoader.load_component(stop.dump_component()), TerminationCondition))
        try:
            ChatCompletionClient.load_component(stop.dump_component())
        except TypeError as error:
            print(error)
    """)
    assert outcome.lines == [
        "autogen_agentchat.teams.RoundRobinGroupChat team RoundRobinGroupChat",
        "StaticStreamWorkbench",
        "True False",
        "True",
        "Expected type does not match",
    ]


def test_a_person_is_asked_through_the_input_manager(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import UserProxyAgent
        from autogen_agentchat.teams import RoundRobinGroupChat
        from autogen_agentchat.ui import Console, UserInputManager

        async def answer(prompt, cancellation_token=None):
            return f"heard {prompt!r} for {len(UserProxyAgent.InputRequestContext.request_id())} characters"

        manager = UserInputManager(callback=answer)
        user = UserProxyAgent("user", input_func=manager.get_wrapped_callback())
        team = RoundRobinGroupChat([user], max_turns=1)
        result = asyncio.run(Console(team.run_stream(task="Ask."), user_input_manager=manager))
        print(result.messages[-1].content)
    """)
    assert outcome.lines[-1] == "heard 'Enter your response: ' for 36 characters"
