"""What of AutoGen's core scripts for AgentChat use beside messages, tools and models."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow


def test_ids_are_read_from_their_text(run_script: RunScript):
    outcome = run_script("""
        from autogen_core import AgentId, DefaultTopicId, TopicId

        print(TopicId.from_str("news/today"), DefaultTopicId(), AgentId.from_str("clerk/7").key)
        print(TopicId.from_str(str(DefaultTopicId())) == TopicId("default", "default"))
        try:
            TopicId.from_str("news")
        except ValueError as error:
            print(error)
    """)
    assert outcome.lines == [
        "news/today default/default 7",
        "True",
        "Invalid topic id: 'news'. Write it as TYPE/KEY.",
    ]


PROGRAM = """
import asyncio
from dataclasses import dataclass
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core import (
    AgentId, ClosureAgent, ClosureContext, DefaultInterventionHandler, DefaultSubscription, DefaultTopicId,
    MessageContext, RoutedAgent, SingleThreadedAgentRuntime, default_subscription, message_handler,
)
from autogen_core.exceptions import CantHandleException, UndeliverableException
from autogen_ext.models.replay import ReplayChatCompletionClient

@dataclass
class Draft:
    text: str

@default_subscription
class Writer(RoutedAgent):
    def __init__(self, words):
        super().__init__("Writes.")
        self._delegate = AssistantAgent("writer", ReplayChatCompletionClient(words))

    @message_handler
    async def write(self, message: str, ctx: MessageContext) -> Draft:
        task = [TextMessage(content=message, source="user")]
        answer = await self._delegate.on_messages(task, ctx.cancellation_token)
        draft = Draft(answer.chat_message.to_text())
        await self.publish_message(draft, DefaultTopicId())
        return draft

class Counting(DefaultInterventionHandler):
    count = 0

    async def on_publish(self, message, *, message_context):
        self.count += 1
        return message

async def hear(agent: ClosureContext, message: Draft, ctx: MessageContext) -> None:
    print(agent.id, "hears", message.text, "of", ctx.sender)

async def main():
    counting = Counting()
    runtime = SingleThreadedAgentRuntime(intervention_handlers=[counting])
    await Writer.register(runtime, "writer", lambda: Writer(["A poem."]))
    await ClosureAgent.register_closure(runtime, "reader", hear, subscriptions=lambda: [DefaultSubscription()])
    runtime.start()
    print((await runtime.send_message("Write.", AgentId("writer", "default"))).text)
    try:
        await runtime.send_message("Write.", AgentId("nobody", "default"))
    except UndeliverableException as error:
        print(str(error).partition(":")[0])
    await runtime.stop_when_idle()
    print(counting.count)
    await runtime.close()

asyncio.run(main())
"""
"""Of agents that belong to no team; one of them lets an AssistantAgent answer."""


def test_agents_send_each_other_messages(run_script: RunScript):
    outcome = run_script(PROGRAM)
    assert sorted(outcome.lines) == [
        "1",
        "A poem.",
        "Recipient not found",
        "reader/default hears A poem. of writer/default",
    ], outcome.err


def test_a_schema_may_say_which_field_tells_its_kinds_apart(run_script: RunScript):
    outcome = run_script("""
        from autogen_core.utils import schema_to_pydantic_model

        def kind(word, **fields):
            pet = {"pet": {"type": "string", "enum": [word]}}
            return {"type": "object", "properties": {**pet, **fields}, "required": ["pet", *fields]}

        told = {"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}], "discriminator": {"propertyName": "pet"}}
        kinds = {"Cat": kind("cat", lives={"type": "integer"}), "Dog": kind("dog", name={"type": "string"})}
        schema = {"type": "object", "properties": {"it": told}, "required": ["it"], "$defs": kinds}
        Owner = schema_to_pydantic_model(schema)
        print(Owner(it={"pet": "cat", "lives": 9}).it.lives)
        print(Owner.model_json_schema()["properties"]["it"]["discriminator"]["propertyName"])
        del kinds["Dog"]["required"]  # then nothing tells them apart, and the first that fits counts
        print("discriminator" in schema_to_pydantic_model(schema).model_json_schema()["properties"]["it"])
    """)
    assert outcome.lines == ["9", "pet", "False"]


def test_a_token_ends_a_team_whose_agents_never_wait(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import BaseChatAgent
        from autogen_agentchat.base import Response
        from autogen_agentchat.messages import TextMessage
        from autogen_agentchat.teams import RoundRobinGroupChat
        from autogen_core import CancellationToken

        class Echo(BaseChatAgent):
            turns = 0

            @property
            def produced_message_types(self):
                return (TextMessage,)

            async def on_messages(self, messages, cancellation_token):
                self.turns += 1
                return Response(chat_message=TextMessage(content="again", source=self.name))

            async def on_reset(self, cancellation_token):
                pass

        async def main():
            agent, token = Echo("echo", "Says the same again."), CancellationToken()
            team = RoundRobinGroupChat([agent], max_turns=1_000)
            running = asyncio.create_task(team.run(task="Go.", cancellation_token=token))
            while agent.turns < 5:
                await asyncio.sleep(0)
            token.cancel()
            try:
                await running
            except asyncio.CancelledError:
                print("cancelled", agent.turns < 10)

        asyncio.run(main())
    """)
    assert outcome.lines == ["cancelled True"]


def test_a_component_of_a_script_is_found_by_its_module_and_name(run_script: RunScript):
    outcome = run_script("""
        from autogen_core import Component, ComponentBase
        from autogen_core._component_config import _type_to_provider_str
        from pydantic import BaseModel

        class Config(BaseModel):
            text: str

        class Newer(ComponentBase[Config], Component[Config]):
            component_config_schema, component_type, component_version = Config, "custom", 2

            def __init__(self, text):
                self.text = text

            @classmethod
            def _from_config(cls, config):
                return cls(config.text)

            @classmethod
            def _from_config_past_version(cls, config, version):
                return cls(config["words"])

        found = {"provider": _type_to_provider_str(Newer), "config": {"words": "hi"}, "component_version": 1}
        print(found["provider"], Newer.load_component(found).text)
    """)
    assert outcome.lines == ["__main__.Newer hi"]


def test_a_private_function_that_is_missing_says_so_when_it_is_called(run_script: RunScript):
    outcome = run_script("""
        from autogen_core.tools import _nothing_of_ours

        try:
            _nothing_of_ours()
        except ImportError as error:
            print(error)
    """)
    assert outcome.lines == [
        "Team Studio has no counterpart of 'autogen_core.tools._nothing_of_ours'. "
        "Take the import out, or run this script with AutoGen."
    ]


FLEET = """
import asyncio
from dataclasses import dataclass
from autogen_core import AgentId, DefaultTopicId, MessageContext, RoutedAgent, default_subscription, message_handler
from autogen_core import try_get_known_serializers_for_type
from autogen_ext.runtimes.grpc import GrpcWorkerAgentRuntime, GrpcWorkerAgentRuntimeHost

@dataclass
class Draft:
    text: str

@default_subscription
class Reviewer(RoutedAgent):
    def __init__(self):
        super().__init__("Reviews.")
        self.seen = asyncio.Event()

    @message_handler
    async def review(self, message: Draft, ctx: MessageContext) -> Draft:
        if not ctx.is_rpc:
            print("published", message.text)
            self.seen.set()
        return Draft(message.text.upper())

async def main():
    host = GrpcWorkerAgentRuntimeHost(address="localhost:0")
    host.start()
    workers = [GrpcWorkerAgentRuntime(host_address=host.address) for _ in range(2)]
    for worker in workers:
        await worker.start()
    await Reviewer.register(workers[0], "reviewer", lambda: Reviewer())
    workers[1].add_message_serializer(try_get_known_serializers_for_type(Draft))
    print(await workers[1].send_message(Draft("sent"), AgentId("reviewer", "default")))
    agent = await workers[0].try_get_underlying_agent_instance(AgentId("reviewer", "default"), Reviewer)
    await workers[1].publish_message(Draft("one"), DefaultTopicId())
    await asyncio.wait_for(agent.seen.wait(), 10)
    for worker in workers:
        await worker.stop()
    await host.stop()

asyncio.run(main())
"""


def test_agents_in_several_processes_find_the_names_of_grpc(run_script: RunScript):
    outcome = run_script(FLEET)
    assert outcome.lines == ["Draft(text='SENT')", "published one"], outcome.err
