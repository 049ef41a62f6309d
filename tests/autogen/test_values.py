"""Small values of AutoGen's that scripts make, compare and dump."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow

IMPORTED_BY_THE_GUIDE = """
autogen_agentchat: EVENT_LOGGER_NAME TRACE_LOGGER_NAME
autogen_agentchat.agents: ApprovalRequest ApprovalResponse AssistantAgent BaseChatAgent CodeExecutorAgent
autogen_agentchat.agents: MessageFilterAgent MessageFilterConfig PerSourceFilter UserProxyAgent
autogen_agentchat.base: Handoff Response TaskResult TerminatedException TerminationCondition
autogen_agentchat.conditions: ExternalTermination HandoffTermination MaxMessageTermination StopMessageTermination
autogen_agentchat.conditions: TextMentionTermination TextMessageTermination
autogen_agentchat.messages: BaseAgentEvent BaseChatMessage HandoffMessage MultiModalMessage StopMessage
autogen_agentchat.messages: StructuredMessage TextMessage ToolCallExecutionEvent ToolCallRequestEvent
autogen_agentchat.messages: ToolCallSummaryMessage
autogen_agentchat.teams: DiGraphBuilder GraphFlow MagenticOneGroupChat RoundRobinGroupChat SelectorGroupChat Swarm
autogen_agentchat.ui: Console
autogen_core: CancellationToken Component EVENT_LOGGER_NAME FunctionCall Image SingleThreadedAgentRuntime
autogen_core.memory: ListMemory Memory MemoryContent MemoryMimeType
autogen_core.model_context: BufferedChatCompletionContext UnboundedChatCompletionContext
autogen_core.models: AssistantMessage ChatCompletionClient FunctionExecutionResult ModelInfo RequestUsage UserMessage
autogen_core.tools: FunctionTool
autogen_ext.agents.web_surfer: MultimodalWebSurfer
autogen_ext.auth.azure: AzureTokenProvider
autogen_ext.cache_store.diskcache: DiskCacheStore
autogen_ext.code_executors.local: LocalCommandLineCodeExecutor
autogen_ext.memory.chromadb: ChromaDBVectorMemory PersistentChromaDBVectorMemoryConfig
autogen_ext.memory.chromadb: SentenceTransformerEmbeddingFunctionConfig
autogen_ext.memory.mem0: Mem0Memory
autogen_ext.memory.redis: RedisMemory RedisMemoryConfig
autogen_ext.models.anthropic: AnthropicChatCompletionClient
autogen_ext.models.azure: AzureAIChatCompletionClient
autogen_ext.models.cache: CHAT_CACHE_VALUE_TYPE ChatCompletionCache
autogen_ext.models.ollama: OllamaChatCompletionClient
autogen_ext.models.openai: AzureOpenAIChatCompletionClient OpenAIChatCompletionClient
autogen_ext.teams.magentic_one: MagenticOne
autogen_ext.tools.mcp: McpWorkbench StdioServerParams
"""


def test_every_name_that_the_guide_imports_is_there(run_script: RunScript):
    lines = [line.split(": ") for line in IMPORTED_BY_THE_GUIDE.split("\n") if line]
    imports = "\n".join(f"from {module} import {', '.join(names.split())}" for module, names in lines)
    assert run_script(f"{imports}\nprint(CHAT_CACHE_VALUE_TYPE)\n").lines


def test_the_one_client_of_the_guide_that_is_missing_is_named(run_script: RunScript):
    outcome = run_script("""
        try:
            from autogen_ext.models.semantic_kernel import SKChatCompletionAdapter
        except ImportError as error:
            print(error)
    """)
    assert outcome.lines == [
        "Team Studio has no counterpart of AutoGen's module 'autogen_ext.models.semantic_kernel'. "
        "Use the client of the service itself, such as OpenAIChatCompletionClient."
    ]


def test_calls_and_usage_may_be_made_by_place_and_print_as_they_are_made(run_script: RunScript):
    outcome = run_script("""
        from autogen_core import FunctionCall
        from autogen_core.models import RequestUsage

        print(RequestUsage(1, 2), RequestUsage(1, completion_tokens=2) == RequestUsage(1, 2))
        print(FunctionCall("c1", "{}", name="ring"))
        try:
            RequestUsage(1, 2, 3, 4)
        except TypeError as error:
            print(error)
    """)
    assert outcome.lines == [
        "RequestUsage(prompt_tokens=1, completion_tokens=2) True",
        "FunctionCall(id='c1', arguments='{}', name='ring')",
        "RequestUsage has 3 fields, 4 values were given.",
    ]


def test_a_list_memory_is_dumped_with_what_was_added(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_core.memory import ListMemory, MemoryContent, MemoryMimeType

        async def main():
            memory = ListMemory()
            await memory.add(MemoryContent(content="vegan", mime_type=MemoryMimeType.TEXT))
            loaded = ListMemory.load_component(memory.dump_component())
            print(loaded.name, [item.content for item in loaded.content], loaded.content[0].mime_type)
            print(loaded.content[0].mime_type == MemoryMimeType.TEXT, MemoryMimeType.TEXT)
            await memory.clear()
            print(memory.dump_component().config, len(loaded.content))

        asyncio.run(main())
    """)
    assert outcome.lines == [
        "default_list_memory ['vegan'] text/plain",
        "True MemoryMimeType.TEXT",
        "{'name': 'default_list_memory', 'memory_contents': []} 1",
    ]


def test_the_ready_made_team_runs_code_in_a_container_unless_told_otherwise(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
        from autogen_ext.models.replay import ReplayChatCompletionClient
        from autogen_ext.teams.magentic_one import MagenticOne

        able = {"vision": True, "function_calling": True, "json_output": True, "family": "unknown"}
        client = ReplayChatCompletionClient([], model_info=able)
        for executor in (None, LocalCommandLineCodeExecutor()):
            team = MagenticOne(client, code_executor=executor)
            terminal = team.dump_component().config["participants"][3]["config"]
            print(team.client is client, terminal["name"], terminal["code_executor"]["label"])
    """)
    assert outcome.lines == [
        "True ComputerTerminal DockerCommandLineCodeExecutor",
        "True ComputerTerminal LocalCommandLineCodeExecutor",
    ]


def test_an_answer_of_a_service_is_logged_once_also_through_a_cache(run_script: RunScript):
    outcome = run_script("""
        import asyncio, logging
        from autogen_core import EVENT_LOGGER_NAME
        from autogen_core.logging import LLMCallEvent
        from autogen_core.models import CreateResult, RequestUsage, UserMessage
        from autogen_ext.models.cache import ChatCompletionCache
        from autogen_ext.models.openai import OpenAIChatCompletionClient

        class Offline(OpenAIChatCompletionClient):
            async def _create(self, call):
                usage = RequestUsage(prompt_tokens=7, completion_tokens=3)
                return CreateResult(finish_reason="stop", content="yes", usage=usage, cached=False)

        class Counter(logging.Handler):
            tokens = 0

            def emit(self, record):
                if isinstance(record.msg, LLMCallEvent):
                    self.tokens += record.msg.prompt_tokens + record.msg.completion_tokens

        async def main():
            client = ChatCompletionCache(Offline(model="gpt-4o", api_key="none"))
            for _ in range(3):
                await client.create([UserMessage(content="May I?", source="user")])

        counter = Counter()
        logging.getLogger(EVENT_LOGGER_NAME).addHandler(counter)
        logging.getLogger(EVENT_LOGGER_NAME).setLevel(logging.INFO)
        asyncio.run(main())
        print(counter.tokens)
    """)
    assert outcome.lines == ["10"]


def test_what_a_memory_and_a_context_begin_with_is_there_from_json_too(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_core import ComponentLoader
        from autogen_core.memory import ListMemory, MemoryContent
        from autogen_core.model_context import BufferedChatCompletionContext

        hello = {"type": "UserMessage", "content": "hello", "source": "user"}
        config = {"buffer_size": 3, "initial_messages": [hello]}
        context = ComponentLoader.load_component(
            {"provider": "autogen_core.model_context.BufferedChatCompletionContext", "config": config}
        )
        print([message.content for message in asyncio.run(context.get_messages())])
        made = ListMemory("facts", [MemoryContent(content="tea", mime_type="text/plain")])
        loaded = ListMemory.load_component(made.dump_component())
        found = asyncio.run(loaded.query("anything"))
        print(len(made.content), found.model_dump(mode="json")["results"][0]["content"])
    """)
    assert outcome.lines == ["['hello']", "1 tea"]


def test_a_tool_of_a_script_is_dumped_inside_its_agent_and_read_as_autogen_writes_it(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from typing import Annotated
        from autogen_agentchat.agents import AssistantAgent
        from autogen_core import CancellationToken
        from autogen_core.tools import FunctionTool
        from autogen_ext.models.replay import ReplayChatCompletionClient
        from pydantic import BaseModel, model_serializer

        class Shout(BaseModel):
            text: str

            @model_serializer
            def _loud(self) -> str:
                return self.text.upper()

        def shout(text: str) -> Annotated[Shout, "louder"]:
            return Shout(text=text)

        tool = FunctionTool(shout, "Shouts.")
        print(tool.return_type().__name__, tool.return_value_as_string(Shout(text="hey")))
        able = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown"}
        agent = AssistantAgent("a", ReplayChatCompletionClient([], model_info=able), tools=[tool])
        [workbench] = agent.dump_component().config["workbench"]
        print(workbench["config"]["tools"][0]["config"]["name"])
    """)
    assert outcome.lines == ["Shout HEY", "shout"]


def test_a_combination_that_has_fired_raises_what_autogen_raises(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
        from autogen_agentchat.messages import TextMessage

        async def main() -> None:
            either = MaxMessageTermination(1) | TextMentionTermination("x")
            await either([TextMessage(content="a", source="b")])
            try:
                await either([])
            except RuntimeError as error:
                print(error)

        asyncio.run(main())
    """)
    assert outcome.lines == ["Termination condition has already been reached"]


def test_a_model_of_a_schema_knows_formats_and_refuses_what_it_does_not_know(run_script: RunScript):
    outcome = run_script("""
        from autogen_core.utils import schema_to_pydantic_model

        def made(**field):
            return schema_to_pydantic_model({"type": "object", "properties": {"x": field}, "required": ["x"]}, "Made")

        print(repr(made(type="string", format="date")(x="2026-01-02").x), made(type="array", items={})(x=[1, "a"]).x)
        for field in ({"type": "string", "format": "odd"}, {"title": "X"}, {"$ref": "#/$defs/Gone"}):
            try:
                made(**field)
            except Exception as error:
                print(type(error).__name__)
    """)
    assert outcome.lines == [
        "datetime.date(2026, 1, 2) [1, 'a']",
        "FormatNotSupportedError",
        "UnsupportedKeywordError",
        "ReferenceNotFoundError",
    ]
