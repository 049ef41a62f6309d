"""Scripts that derive classes of their own from AutoGen's."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow


COUNT_DOWN = """\
import asyncio
from typing import AsyncGenerator, Sequence
from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import ChatAgent, Response
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from autogen_ext.models.replay import ReplayChatCompletionClient

class CountDownAgent(BaseChatAgent):
    unit: str = "seconds"

    def __init__(self, name: str, count: int = 3):
        self.before = "kept"
        super().__init__(name, "A simple agent that counts down.")
        self._count = count
        self._description_of_unit = self.unit

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (TextMessage,)

    async def on_messages(self, messages, cancellation_token: CancellationToken) -> Response:
        response = None
        async for message in self.on_messages_stream(messages, cancellation_token):
            if isinstance(message, Response):
                response = message
        return response

    async def on_messages_stream(self, messages, cancellation_token):
        inner = []
        for left in range(self._count, 0, -1):
            message = TextMessage(content=f"{left} {self.unit}...", source=self.name)
            inner.append(message)
            yield message
        yield Response(
            chat_message=TextMessage(content="Done!", source=self.name), inner_messages=inner
        )

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        self._count = 3

async def main() -> None:
    counter = CountDownAgent("counter", count=2)
    counter.extra = [1]
    assert isinstance(counter, ChatAgent) and counter in {counter}
    assert isinstance(AssistantAgent("a", ReplayChatCompletionClient([])), BaseChatAgent)
    print(counter.before, counter._name, counter.extra)
    other = AssistantAgent("other", ReplayChatCompletionClient(["Bye"]))
    result = await RoundRobinGroupChat([counter, other], max_turns=2).run(task="Go")
    print([message.content for message in result.messages])
    result = await counter.run(task="Alone", output_task_messages=False)
    print(len(result.messages))

asyncio.run(main())
try:
    BaseChatAgent("nobody", "abstract")
except TypeError as error:
    print("abstract" in str(error))
"""


def test_an_agent_of_a_script_speaks_beside_ours_and_keeps_any_attribute(run_script: RunScript):
    outcome = run_script(COUNT_DOWN)
    assert outcome.lines == [
        "kept counter [1]",
        "['Go', '2 seconds...', '1 seconds...', 'Done!', 'Bye']",
        "3",
        "True",
    ]


def test_a_condition_of_a_script_stops_a_team_and_is_dumped(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.base import TerminatedException, TerminationCondition
        from autogen_agentchat.conditions import MaxMessageTermination
        from autogen_agentchat.messages import StopMessage
        from autogen_agentchat.teams import RoundRobinGroupChat
        from autogen_core import Component
        from autogen_ext.models.replay import ReplayChatCompletionClient
        from pydantic import BaseModel

        class WordLimitConfig(BaseModel):
            words: int

        class WordLimit(TerminationCondition, Component[WordLimitConfig]):
            component_config_schema = WordLimitConfig
            component_provider_override = "my_package.WordLimit"

            def __init__(self, words: int) -> None:
                self._words = words
                self._seen = 0
                self._terminated = False

            @property
            def terminated(self) -> bool:
                return self._terminated

            async def __call__(self, messages):
                if self._terminated:
                    raise TerminatedException("Termination condition has already been reached")
                self._seen += sum(len(message.to_text().split()) for message in messages)
                if self._seen >= self._words:
                    self._terminated = True
                    return StopMessage(content=f"{self._seen} words", source="WordLimit")

            async def reset(self) -> None:
                self._terminated, self._seen = False, 0

            def _to_config(self) -> WordLimitConfig:
                return WordLimitConfig(words=self._words)

            @classmethod
            def _from_config(cls, config: WordLimitConfig) -> "WordLimit":
                return cls(config.words)

        model = ReplayChatCompletionClient(["one two", "three four", "five"])
        stop = WordLimit(5) | MaxMessageTermination(50)
        team = RoundRobinGroupChat([AssistantAgent("a", model)], termination_condition=stop)
        print(asyncio.run(team.run(task="Count")).stop_reason)
        dumped = stop.dump_component()
        print(dumped.config["conditions"][0]["provider"], dumped.config["conditions"][0]["config"])
        loaded = TerminationCondition.load_component(dumped)
        print(type(loaded._conditions[0]).__name__, loaded.dump_component() == dumped)
    """)
    assert outcome.lines == ["5 words", "my_package.WordLimit {'words': 5}", "WordLimit True"]


def test_a_tool_of_a_script_gets_its_arguments_checked(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import AssistantAgent
        from autogen_core import CancellationToken, FunctionCall
        from autogen_core.models import CreateResult, RequestUsage
        from autogen_core.tools import BaseTool
        from autogen_ext.models.replay import ReplayChatCompletionClient
        from pydantic import BaseModel, Field

        class SquareArgs(BaseModel):
            value: int = Field(description="What to square")

        class Squared(BaseModel):
            result: int

        class SquareTool(BaseTool[SquareArgs, Squared]):
            def __init__(self) -> None:
                super().__init__(SquareArgs, Squared, "square", "Squares a number.", strict=True)
                self.calls = 0

            async def run(self, args: SquareArgs, cancellation_token: CancellationToken) -> Squared:
                self.calls += 1
                return Squared(result=args.value**2)

        tool = SquareTool()
        print(tool.schema["parameters"])
        print(asyncio.run(tool.run_json({"value": 4}, CancellationToken())))
        calls = [
            FunctionCall(id="1", name="square", arguments='{"value": 5}'),
            FunctionCall(id="2", name="square", arguments='{"value": "many"}'),
        ]
        answer = CreateResult(
            finish_reason="function_calls",
            content=calls,
            usage=RequestUsage(prompt_tokens=0, completion_tokens=0),
            cached=False,
        )
        able = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown"}
        agent = AssistantAgent("a", ReplayChatCompletionClient([answer], model_info=able), tools=[tool])
        result = asyncio.run(agent.run(task="Square."))
        good, bad = result.messages[-2].content
        print(good.content, bad.is_error, tool.calls)
    """)
    assert outcome.lines == [
        "{'type': 'object', 'properties': {'value': {'description': 'What to square', 'title': 'Value', "
        "'type': 'integer'}}, 'required': ['value'], 'additionalProperties': False}",
        "result=16",
        '{"result": 25} True 2',
    ]


def test_any_callable_of_a_script_is_a_tool(run_script: RunScript):
    outcome = run_script("""
        import asyncio, functools
        from autogen_core import CancellationToken, ComponentLoader
        from autogen_core.tools import FunctionTool, StaticWorkbench
        from pydantic import BaseModel

        class Point(BaseModel):
            x: int
            y: int = 0

        def move(point: Point, by: int = 2) -> Point:
            return Point(x=point.x + by, y=point.y)

        class Greeter:
            async def __call__(self, name: str) -> str:
                return f"Hello {name}"

        far = FunctionTool(functools.partial(move, by=10), description="Moves far.", name="far")
        moved = asyncio.run(far.run_json({"point": {"x": 1}}, CancellationToken()))
        print(moved, far.schema["parameters"]["required"])
        bench = StaticWorkbench([FunctionTool(move, "Moves."), FunctionTool(Greeter(), "Greets.", name="greet")])
        print(asyncio.run(bench.call_tool("move", {"point": {"x": 1}})).to_text())
        print(asyncio.run(bench.call_tool("greet", {"name": "Ann"})).to_text())

        def add(a: int, b: int = 2) -> int:
            return a + b

        loaded = ComponentLoader.load_component(FunctionTool(add, "Adds.").dump_component(), FunctionTool)
        print(loaded.name, loaded.description, asyncio.run(loaded.run_json({"a": 1}, CancellationToken())))
    """)
    assert outcome.lines == ["x=11 y=0 ['point']", '{"x": 3, "y": 0}', "Hello Ann", "add Adds. 3"]


PARROT = """\
import asyncio
from autogen_agentchat.agents import AssistantAgent
from autogen_core.memory import Memory, MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.models import ChatCompletionClient, CreateResult, RequestUsage, SystemMessage

class Parrot(ChatCompletionClient):
    def __init__(self) -> None:
        self.asked = 0

    async def create(self, messages, *, tools=[], tool_choice="auto", json_output=None,
                     extra_create_args={}, cancellation_token=None):
        self.asked += 1
        usage = RequestUsage(prompt_tokens=2, completion_tokens=3)
        text = " | ".join(str(message.content) for message in messages)
        return CreateResult(finish_reason="stop", content=text, usage=usage, cached=False)

    async def create_stream(self, messages, **arguments):
        yield "piece "
        yield await self.create(messages)

    async def close(self) -> None: ...
    def actual_usage(self): return RequestUsage(prompt_tokens=2, completion_tokens=3)
    def total_usage(self): return self.actual_usage()
    def count_tokens(self, messages, *, tools=[]): return 0
    def remaining_tokens(self, messages, *, tools=[]): return 100

    @property
    def capabilities(self): return self.model_info

    @property
    def model_info(self):
        return {"vision": False, "function_calling": False, "json_output": False, "family": "unknown"}

class Notes(Memory):
    component_type = "memory"

    def __init__(self, text):
        self._text = text

    async def update_context(self, model_context):
        await model_context.add_message(SystemMessage(content=self._text))
        found = await self.query("")
        return UpdateContextResult(memories=found)

    async def query(self, query, cancellation_token=None, **kwargs):
        return MemoryQueryResult(results=[MemoryContent(content=self._text, mime_type=MemoryMimeType.TEXT)])

    async def add(self, content, cancellation_token=None): ...
    async def clear(self): ...
    async def close(self): ...

parrot = Parrot()
notes = Notes("remember")
agent = AssistantAgent("p", parrot, system_message="Repeat.", memory=[notes], model_client_stream=True)
result = asyncio.run(agent.run(task="hello"))
print([message.type for message in result.messages])
print(result.messages[-1].content, result.messages[-1].models_usage.completion_tokens, parrot.asked)
"""


def test_a_client_and_a_memory_of_a_script_serve_our_agent(run_script: RunScript):
    outcome = run_script(PARROT)
    assert outcome.lines == [
        "['TextMessage', 'MemoryQueryEvent', 'TextMessage']",
        "Repeat. | hello | remember 3 1",
    ]


def test_a_team_of_a_script_brings_its_own_manager(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.teams import BaseGroupChat
        from autogen_agentchat.teams._group_chat._base_group_chat_manager import BaseGroupChatManager
        from autogen_ext.models.replay import ReplayChatCompletionClient

        class LastFirstManager(BaseGroupChatManager):
            async def validate_group_state(self, messages): ...
            async def reset(self): ...
            async def save_state(self): return {"note": len(self._message_thread)}
            async def load_state(self, state): self.note = state["note"]
            async def select_speaker(self, thread):
                return [self._participant_names[-1 if len(thread) == 1 else 0]]

        class LastFirst(BaseGroupChat):
            def __init__(self, participants):
                super().__init__(
                    name="LastFirst", description="", participants=participants, max_turns=2,
                    group_chat_manager_name="LastFirstManager", group_chat_manager_class=LastFirstManager,
                )

            def _create_group_chat_manager_factory(
                self, name, group_topic_type, output_topic_type, participant_topic_types, participant_names,
                participant_descriptions, output_message_queue, termination_condition, max_turns, message_factory,
            ):
                return lambda: LastFirstManager(
                    name, group_topic_type, output_topic_type, participant_topic_types, participant_names,
                    participant_descriptions, output_message_queue, termination_condition, max_turns, message_factory,
                )

        model = ReplayChatCompletionClient(["x", "y"])
        team = LastFirst([AssistantAgent(name, model) for name in ("a", "b", "c")])
        result = asyncio.run(team.run(task="go"))
        print([message.source for message in result.messages])
        print(asyncio.run(team.save_state())["agent_states"]["LastFirstManager"]["note"])
    """)
    assert outcome.lines == ["['user', 'c', 'a']", "3"]


def test_a_script_may_use_names_that_the_engine_uses_for_something_else(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import BaseChatAgent
        from autogen_agentchat.base import Response, TerminationCondition
        from autogen_agentchat.messages import StopMessage, TextMessage
        from autogen_agentchat.teams import RoundRobinGroupChat

        class Foreman(BaseChatAgent):
            label = "boss"
            produced_message_types = (TextMessage,)

            def __init__(self, name):
                super().__init__(name, "Has many words.")
                self.children = ["ann", "bob"]
                self.summary = "none"
                self._note = 5

            def execute(self, hours):
                return f"{self.label} of {self.children} worked {hours + self._note} hours"

            async def on_messages(self, messages, cancellation_token):
                return Response(chat_message=TextMessage(content=self.execute(3), source=self.name))

            async def on_reset(self, cancellation_token): ...

        class Once(TerminationCondition):
            start = 0
            terminated = False

            async def __call__(self, messages):
                self.start += 1
                return StopMessage(content=f"looked {self.start} times", source="Once") if self.start > 1 else None

            async def reset(self): ...

        team = RoundRobinGroupChat([Foreman("f")], termination_condition=Once())
        result = asyncio.run(team.run(task="go"))
        print(result.messages[-1].content, "-", result.stop_reason)
    """)
    assert outcome.lines == ["boss of ['ann', 'bob'] worked 8 hours - looked 2 times"]
