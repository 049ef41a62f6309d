"""The table: which of our names stands for which of AutoGen's.

Each module of AutoGen has lines of the form `our.module: Name Name TheirName=OurName`. What a private module of
AutoGen has beside the package around it stands here under its own name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

_ANTHROPIC_SETTINGS = (
    "studio.autogen.configs: AnthropicBedrockClientConfiguration=Settings AnthropicClientConfiguration=Settings",
    "studio.autogen.configs: BedrockInfo=Settings",
    "studio.autogen.compat_base: AnthropicBedrockClientConfigurationConfigModel=Config",
    "studio.autogen.compat_base: AnthropicClientConfigurationConfigModel=Config CreateArgumentsConfigModel=Config",
)
_OPENAI_CONFIGS = (
    "studio.autogen.compat_base: AzureOpenAIClientConfigurationConfigModel=Config CreateArgumentsConfigModel=Config",
    "studio.autogen.compat_base: BaseOpenAIClientConfigurationConfigModel=Config",
    "studio.autogen.compat_base: OpenAIClientConfigurationConfigModel=Config",
)

MODULES: dict[str, tuple[str, ...]] = {
    # --- autogen_agentchat ---
    "autogen_agentchat": (
        "studio.autogen.core: EVENT_LOGGER_NAME=CHAT_EVENTS TRACE_LOGGER_NAME=CHAT_TRACE __version__",
    ),
    "autogen_agentchat.agents": (
        "studio.autogen.agents: AssistantAgent BaseChatAgent UserProxyAgent",
        "studio.autogen.code_agents: CodeExecutorAgent",
        "studio.agents: ApprovalFuncType ApprovalRequest ApprovalResponse",
        "studio.agents: MessageFilterAgent MessageFilterConfig PerSourceFilter",
        "studio.agents: SocietyOfMindAgent",
        "studio.teams: SocietyOfMindAgent",
    ),
    "autogen_agentchat.agents._assistant_agent": ("studio.autogen.compat_base: AssistantAgentConfig=Config",),
    "autogen_agentchat.agents._user_proxy_agent": ("studio.autogen.configs: InputFuncType",),
    "autogen_agentchat.base": (
        "studio.autogen.agents: ChatAgent=BaseChatAgent TaskRunner=Participant",
        "studio.autogen.conditions: AndTerminationCondition OrTerminationCondition TerminationCondition",
        "studio.conditions: TerminatedException",
        "studio.messages: Response TaskResult",
        "studio.agents: Handoff",
        "studio.autogen.teams: Team",
    ),
    "autogen_agentchat.conditions": (
        "studio.conditions: ExternalTermination FunctionalTermination FunctionCallTermination HandoffTermination",
        "studio.conditions: MaxMessageTermination SourceMatchTermination StopMessageTermination TextMentionTermination",
        "studio.conditions: TextMessageTermination TokenUsageTermination",
        "studio.autogen.conditions: TimeoutTermination",
    ),
    "autogen_agentchat.messages": (
        "studio.messages: AgentEvent BaseAgentEvent BaseChatMessage BaseMessage BaseTextChatMessage ChatMessage",
        "studio.messages: CodeExecutionEvent CodeGenerationEvent HandoffMessage MemoryQueryEvent",
        "studio.messages: ModelClientStreamingChunkEvent MultiModalMessage SelectSpeakerEvent SelectorEvent",
        "studio.messages: StopMessage StructuredMessage TextMessage ThoughtEvent ToolCallExecutionEvent",
        "studio.messages: ToolCallRequestEvent ToolCallSummaryMessage UserInputRequestedEvent",
        "studio.messages: AssistantMessage FunctionCall FunctionExecutionResult Image LLMMessage UserMessage",
        "studio.messages.chat: StructuredContentType=Content",
        "studio.autogen.messages: MessageFactory StructuredMessageFactory",
    ),
    "autogen_agentchat.state": (
        "studio.autogen.state: AssistantAgentState BaseGroupChatManagerState BaseState ChatAgentContainerState",
        "studio.autogen.state: MagenticOneOrchestratorState RoundRobinManagerState SelectorManagerState",
        "studio.autogen.state: SocietyOfMindAgentState SwarmManagerState TeamState",
    ),
    "autogen_agentchat.teams": (
        "studio.autogen.teams: BaseGroupChat",
        "studio.teams: DiGraph DiGraphBuilder DiGraphEdge DiGraphNode GraphFlow",
        "studio.teams: MagenticOneGroupChat RoundRobinGroupChat SelectorGroupChat Swarm",
    ),
    "autogen_agentchat.teams._group_chat": (
        "studio.autogen.managers: BaseGroupChatManager GraphFlowManager MagenticOneOrchestrator",
        "studio.autogen.managers: RoundRobinGroupChatManager SelectorGroupChatManager SwarmGroupChatManager",
        "studio.autogen.events: GroupChatAgentResponse GroupChatError GroupChatMessage GroupChatPause",
        "studio.autogen.events: GroupChatRequestPublish GroupChatReset GroupChatResume GroupChatStart",
        "studio.autogen.events: GroupChatTeamResponse GroupChatTermination SerializableException",
        "studio.messages: BaseAgentEvent BaseChatMessage",
    ),
    "autogen_agentchat.teams._group_chat._round_robin_group_chat": (
        "studio.autogen.compat_base: RoundRobinGroupChatConfig=Config",
    ),
    "autogen_agentchat.tools": ("studio.agents: AgentTool", "studio.teams: TeamTool"),
    "autogen_agentchat.ui": ("studio.autogen.ui: Console UserInputManager",),
    "autogen_agentchat.utils": ("studio.autogen.content: content_to_str remove_images",),
    # --- autogen_core ---
    "autogen_core": (
        "studio.actors: Agent AgentId AgentInstantiationContext AgentMetadata AgentProxy AgentRuntime AgentType",
        "studio.actors: BaseAgent ClosureAgent ClosureContext DefaultInterventionHandler DefaultSubscription",
        "studio.actors: DefaultTopicId DropMessage InterventionHandler JSON_DATA_CONTENT_TYPE MessageContext",
        "studio.actors: MessageHandlerContext MessageSerializer PROTOBUF_DATA_CONTENT_TYPE RoutedAgent",
        "studio.actors: SingleThreadedAgentRuntime Subscription SubscriptionInstantiationContext TopicId",
        "studio.actors: TypePrefixSubscription TypeSubscription UnknownPayload default_subscription event",
        "studio.actors: message_handler rpc try_get_known_serializers_for_type type_subscription",
        "studio.actors.log_events: EVENT_LOGGER_NAME",
        "studio.autogen.core: ROOT_LOGGER_NAME TRACE_LOGGER_NAME __version__",
        "studio.autogen.envelope: Component ComponentBase ComponentFromConfig ComponentLoader ComponentModel",
        "studio.autogen.envelope: ComponentSchemaType ComponentToConfig ComponentType is_component_class",
        "studio.autogen.envelope: is_component_instance",
        "studio.messages: CancellationToken FunctionCall Image",
        "studio.models: CacheStore InMemoryStore",
    ),
    "autogen_core._component_config": ("studio.autogen.envelope: _type_to_provider_str=provider_of",),
    "autogen_core._function_utils": ("studio.autogen.core_runtime: get_typed_signature",),
    "autogen_core.code_executor._func_with_reqs": (
        "studio.autogen.core_runtime: build_python_functions_file",
        "studio.autogen.core_runtime: import_to_str to_code",
    ),
    "autogen_core.code_executor": (
        "studio.autogen.executors: CodeExecutor",
        "studio.messages: CodeBlock CodeResult",
        "studio.executors: Alias FunctionWithRequirements FunctionWithRequirementsStr ImportFromModule",
        "studio.executors: with_requirements",
        "studio.executors.imports: Import",
    ),
    "autogen_core._base_agent": ("studio.actors: handles subscription_factory",),
    "autogen_core._routed_agent": ("studio.actors.handlers: MessageHandler",),
    "autogen_core._serialization": (
        "studio.actors.serialization: DataclassJsonMessageSerializer ProtobufMessageSerializer",
        "studio.actors.serialization: PydanticJsonMessageSerializer SerializationRegistry has_nested_base_model",
    ),
    "autogen_core._type_helpers": ("studio.actors.handlers: AnyType get_types",),
    "autogen_core.exceptions": (
        "studio.actors.errors: CantHandleException MessageDroppedException NotAccessibleError UndeliverableException",
    ),
    "autogen_core.logging": (
        "studio.actors.log_events: AgentConstructionExceptionEvent DeliveryStage MessageDroppedEvent MessageEvent",
        "studio.actors.log_events: MessageHandlerExceptionEvent MessageKind",
        "studio.autogen.logs: LLMCallEvent LLMStreamEndEvent LLMStreamStartEvent ToolCallEvent",
    ),
    "autogen_core.tool_agent": (
        "studio.actors.tool_agent: InvalidToolArgumentsException ToolAgent ToolException ToolExecutionException",
        "studio.actors.tool_agent: ToolNotFoundException tool_agent_caller_loop",
    ),
    "autogen_core.memory": (
        "studio.autogen.memory: ListMemory Memory MemoryMimeType",
        "studio.memory: MemoryQueryResult UpdateContextResult",
        "studio.messages: MemoryContent",
    ),
    "autogen_core.model_context": (
        "studio.autogen.contexts: ChatCompletionContext",
        "studio.contexts: BufferedChatCompletionContext HeadAndTailChatCompletionContext",
        "studio.contexts: TokenLimitedChatCompletionContext UnboundedChatCompletionContext",
        "studio.contexts.base: ChatCompletionContextState=ContextState",
    ),
    "autogen_core.models": (
        "studio.autogen.models: ChatCompletionClient ModelCapabilities ModelFamily validate_model_info",
        "studio.models: ModelInfo",
        "studio.messages: AssistantMessage CreateResult FinishReasons FunctionExecutionResult",
        "studio.messages: FunctionExecutionResultMessage LLMMessage RequestUsage SystemMessage UserMessage",
        "studio.messages.llm: ChatCompletionTokenLogprob TopLogprob",
    ),
    "autogen_core.memory._list_memory": ("studio.autogen.compat_base: ListMemoryConfig=Config",),
    "autogen_core.tools._function_tool": ("studio.autogen.compat_base: FunctionToolConfig=Config",),
    "autogen_core.tools": (
        "studio.autogen.tools: BaseStreamTool BaseTool BaseToolWithState FunctionTool StreamTool Tool Workbench",
        "studio.messages: ParametersSchema ToolSchema",
        "studio.tools: ImageResultContent StaticStreamWorkbench StaticWorkbench TextResultContent ToolOverride",
        "studio.tools: ToolResult",
    ),
    "autogen_core.utils": (
        "studio.autogen.content: extract_json_from_str",
        "studio.autogen.schemas: schema_to_pydantic_model",
    ),
    "autogen_core.utils._json_to_pydantic": (
        "studio.autogen.schemas: FORMAT_MAPPING FormatNotSupportedError ReferenceNotFoundError SchemaConversionError",
        "studio.autogen.schemas: TYPE_MAPPING UnsupportedKeywordError _JSONSchemaToPydantic=JSONSchemaToPydantic",
    ),
    # --- autogen_ext ---
    "autogen_ext": ("studio.autogen.core: __version__",),
    "autogen_ext.agents": (),
    "autogen_ext.agents.file_surfer": ("studio.agents: FileSurfer",),
    "autogen_ext.agents.magentic_one": ("studio.agents: MagenticOneCoderAgent",),
    "autogen_ext.agents.openai": ("studio.autogen.code_agents: OpenAIAgent",),
    "autogen_ext.agents.openai._openai_agent": (
        "studio.autogen.compat_base: OpenAIAgentConfig=Config",
        "studio.agents.responses: _convert_message_to_openai_message=input_item",
    ),
    "autogen_ext.agents.video_surfer": (),
    "autogen_ext.agents.web_surfer": ("studio.agents: MultimodalWebSurfer",),
    "autogen_ext.auth": (),
    "autogen_ext.auth.azure": (
        "studio.models.azure_token: AzureTokenProvider",
        "studio.autogen.compat_base: TokenProviderConfig=Config",
    ),
    "autogen_ext.cache_store": (),
    "autogen_ext.cache_store.diskcache": (
        "studio.models: DiskCacheStore",
        "studio.autogen.compat_base: DiskCacheStoreConfig=Config",
    ),
    "autogen_ext.cache_store.redis": (
        "studio.models: RedisStore",
        "studio.autogen.compat_base: RedisStoreConfig=Config",
    ),
    "autogen_ext.code_executors": (
        "studio.autogen.executors: create_default_code_executor",
        "studio.executors: DockerCommandLineCodeExecutor LocalCommandLineCodeExecutor",
    ),
    "autogen_ext.code_executors.docker": ("studio.executors: DockerCommandLineCodeExecutor",),
    "autogen_ext.code_executors.docker_jupyter": (
        "studio.executors: DockerJupyterCodeExecutor DockerJupyterCodeResult DockerJupyterServer JupyterConnectable",
        "studio.executors: JupyterConnectionInfo",
    ),
    "autogen_ext.code_executors.jupyter": ("studio.executors: JupyterCodeExecutor JupyterCodeResult",),
    "autogen_ext.code_executors.local": ("studio.executors: LocalCommandLineCodeExecutor",),
    "autogen_ext.memory": (),
    "autogen_ext.memory.canvas": ("studio.memory: TextCanvas TextCanvasMemory",),
    "autogen_ext.memory.canvas._canvas_writer": (
        "studio.autogen.memory: ApplyPatchTool UpdateFileTool",
        "studio.memory.canvas_memory: ApplyPatchArgs ApplyPatchResult=CanvasStatus UpdateFileArgs",
        "studio.memory.canvas_memory: UpdateFileResult=CanvasStatus",
    ),
    "autogen_ext.memory.chromadb": (
        "studio.memory: ChromaDBVectorMemory ChromaDBVectorMemoryConfig CustomEmbeddingFunctionConfig",
        "studio.memory: DefaultEmbeddingFunctionConfig HttpChromaDBVectorMemoryConfig OpenAIEmbeddingFunctionConfig",
        "studio.memory: PersistentChromaDBVectorMemoryConfig SentenceTransformerEmbeddingFunctionConfig",
    ),
    "autogen_ext.memory.mem0": ("studio.memory: Mem0Memory Mem0MemoryConfig",),
    "autogen_ext.memory.redis": ("studio.autogen.memory: RedisMemory", "studio.memory: RedisMemoryConfig"),
    "autogen_ext.models": (),
    "autogen_ext.models._utils.parse_r1_content": ("studio.autogen.core_runtime: parse_r1_content",),
    "autogen_ext.models.anthropic": (
        "studio.models: AnthropicBedrockChatCompletionClient AnthropicChatCompletionClient",
        "studio.models.anthropic_client: BaseAnthropicChatCompletionClient=BaseAnthropicClient",
        *_ANTHROPIC_SETTINGS,
    ),
    "autogen_ext.models.anthropic.config": (
        *_ANTHROPIC_SETTINGS,
        "studio.autogen.configs: BaseAnthropicClientConfiguration=Settings CreateArguments=Settings",
        "studio.autogen.configs: ResponseFormat=Settings ThinkingConfig=Settings",
        "studio.autogen.compat_base: BaseAnthropicClientConfigurationConfigModel=Config BedrockInfoConfigModel=Config",
        "studio.autogen.compat_base: ThinkingConfigModel=Config",
    ),
    "autogen_ext.models.azure": (
        "studio.models: AzureAIChatCompletionClient",
        "studio.autogen.configs: AzureAIChatCompletionClientConfig=Settings",
    ),
    "autogen_ext.models.azure.config": (
        "studio.autogen.configs: AzureAIChatCompletionClientConfig=Settings AzureAIClientArguments=Settings",
        "studio.autogen.configs: AzureAICreateArguments=Settings GITHUB_MODELS_ENDPOINT",
    ),
    "autogen_ext.models.cache": ("studio.models: CHAT_CACHE_VALUE_TYPE ChatCompletionCache",),
    "autogen_ext.models.llama_cpp": ("studio.models: LlamaCppChatCompletionClient",),
    "autogen_ext.models.ollama": (
        "studio.models: OllamaChatCompletionClient",
        "studio.autogen.compat_base: BaseOllamaClientConfigurationConfigModel=Config CreateArgumentsConfigModel=Config",
    ),
    "autogen_ext.models.ollama._ollama_client": (
        "studio.autogen.core_runtime: OLLAMA_VALID_CREATE_KWARGS_KEYS convert_tools=convert_tools_for_ollama",
    ),
    "autogen_ext.models.ollama.config": (
        "studio.autogen.configs: BaseOllamaClientConfiguration=Settings CreateArguments=Settings",
        "studio.autogen.compat_base: BaseOllamaClientConfigurationConfigModel=Config CreateArgumentsConfigModel=Config",
    ),
    "autogen_ext.models.openai": (
        "studio.models: AzureOpenAIChatCompletionClient OpenAIChatCompletionClient",
        "studio.models.openai_client: BaseOpenAIChatCompletionClient",
        *_OPENAI_CONFIGS,
    ),
    "autogen_ext.models.openai._model_info": (
        "studio.autogen.core_runtime: resolve_model",
        "studio.autogen.models: ModelFamily",
        "studio.models: ModelInfo",
    ),
    "autogen_ext.models.openai._openai_client": (
        "studio.autogen.core_runtime: calculate_vision_tokens convert_tools to_oai_type",
    ),
    "autogen_ext.models.openai._transformation": ("studio.autogen.core_runtime: TransformerMap get_transformer",),
    "autogen_ext.models.openai._transformation.registry": (
        "studio.autogen.core_runtime: _find_model_family=find_model_family",
    ),
    "autogen_ext.models.openai.config": (
        *_OPENAI_CONFIGS,
        "studio.autogen.configs: AsyncAzureADTokenProvider AzureOpenAIClientConfiguration=Settings",
        "studio.autogen.configs: BaseOpenAIClientConfiguration=Settings CreateArguments=Settings",
        "studio.autogen.configs: JSONSchema=Settings OpenAIClientConfiguration=Settings ResponseFormat=Settings",
        "studio.autogen.configs: StreamOptions=Settings",
    ),
    "autogen_ext.models.replay": ("studio.autogen.models: ReplayChatCompletionClient",),
    "autogen_ext.runtimes": (),
    "autogen_ext.runtimes.grpc": (
        "studio.actors.grpc: GrpcWorkerAgentRuntime",
        "studio.autogen.grpc_host: GrpcWorkerAgentRuntimeHost GrpcWorkerAgentRuntimeHostServicer",
    ),
    "autogen_ext.teams": (),
    "autogen_ext.teams.magentic_one": (
        "studio.autogen.magentic_one: MagenticOne",
        "studio.teams: MagenticOneGroupChat",
        "studio.autogen.configs: AsyncInputFunc InputFuncType SyncInputFunc",
    ),
    "autogen_ext.tools": (),
    "autogen_ext.tools.code_execution": (
        "studio.autogen.code_agents: PythonCodeExecutionTool",
        "studio.tools.code_execution: CodeExecutionInput CodeExecutionResult",
    ),
    "autogen_ext.tools.http": ("studio.autogen.http_tool: HttpTool",),
    "autogen_ext.tools.langchain": ("studio.tools: LangChainToolAdapter",),
    "autogen_ext.tools.mcp._actor": ("studio.autogen.compat_base: McpSessionActorConfig=Config",),
    "autogen_ext.tools.mcp._workbench": ("studio.autogen.compat_base: McpWorkbenchConfig=Config",),
    "autogen_ext.tools.mcp": (
        "studio.autogen.mcp_tools: create_mcp_server_session mcp_server_tools",
        "studio.autogen.workbenches: McpSessionActor McpWorkbench",
        "studio.autogen.mcp_tools: SseServerParams StdioServerParams StreamableHttpServerParams",
        "studio.tools.mcp: McpServerParams SseMcpToolAdapter StdioMcpToolAdapter StreamableHttpMcpToolAdapter",
    ),
    "autogen_ext.ui": ("studio.autogen.ui: RichConsole=Console",),
}


@dataclass(frozen=True)
class PublicName:
    """Where a name of AutoGen is ours.

    Args:
        shown: The name in AutoGen.
        module: Our module.
        name: The name there.
    """

    shown: str
    module: str
    name: str


@cache
def names_in(module: str) -> tuple[PublicName, ...]:
    """What a module of AutoGen has, in the table's order."""
    found: list[PublicName] = []
    for line in MODULES.get(module, ()):
        ours, _, names = line.partition(":")
        for item in names.split():
            shown, _, name = item.partition("=")
            found.append(PublicName(shown, ours, name or shown))
    return tuple(found)
