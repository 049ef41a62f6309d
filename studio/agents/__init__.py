"""Agents: who speaks in a team."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy

if TYPE_CHECKING:
    from studio.agents.agent_tool import AgentTool as AgentTool
    from studio.agents.agent_tool import TaskTool as TaskTool
    from studio.agents.assistant import AssistantAgent as AssistantAgent
    from studio.agents.base import BaseChatAgent as BaseChatAgent
    from studio.agents.base import ChatAgent as ChatAgent
    from studio.agents.code_executor import CodeExecutorAgent as CodeExecutorAgent
    from studio.agents.code_turn import ApprovalFuncType as ApprovalFuncType
    from studio.agents.code_turn import ApprovalRequest as ApprovalRequest
    from studio.agents.code_turn import ApprovalResponse as ApprovalResponse
    from studio.agents.file_surfer import FileSurfer as FileSurfer
    from studio.agents.guardrail_kinds import ModelGuardrail as ModelGuardrail
    from studio.agents.guardrail_kinds import RegexGuardrail as RegexGuardrail
    from studio.agents.guardrails import Guardrail as Guardrail
    from studio.agents.handoff import Handoff as Handoff
    from studio.agents.iteration import InputRequestEvent as InputRequestEvent
    from studio.agents.iteration import RunIterator as RunIterator
    from studio.agents.magentic_one_coder import MagenticOneCoderAgent as MagenticOneCoderAgent
    from studio.agents.message_filter import MessageFilterAgent as MessageFilterAgent
    from studio.agents.message_filter import MessageFilterConfig as MessageFilterConfig
    from studio.agents.message_filter import PerSourceFilter as PerSourceFilter
    from studio.agents.openai_agent import OpenAIAgent as OpenAIAgent
    from studio.agents.participant import Participant as Participant
    from studio.agents.step import Assignment as Assignment
    from studio.agents.step import StepAgent as StepAgent
    from studio.agents.structured import InvalidAnswer as InvalidAnswer
    from studio.agents.structured import StructuredMessageFactory as StructuredMessageFactory
    from studio.agents.time_reply import TimeReplyAgent as TimeReplyAgent
    from studio.agents.unsupported import OpenAIAssistantAgent as OpenAIAssistantAgent
    from studio.agents.unsupported import Unsupported as Unsupported
    from studio.agents.unsupported import VideoSurfer as VideoSurfer
    from studio.agents.user_proxy import InputFailed as InputFailed
    from studio.agents.user_proxy import UserProxyAgent as UserProxyAgent
    from studio.agents.web_surfer import MultimodalWebSurfer as MultimodalWebSurfer
else:
    __getattr__ = lazy(
        __name__,
        {
            "agent_tool": "AgentTool TaskTool",
            "assistant": "AssistantAgent",
            "base": "BaseChatAgent ChatAgent",
            "code_executor": "CodeExecutorAgent",
            "code_turn": "ApprovalFuncType ApprovalRequest ApprovalResponse",
            "unsupported": "OpenAIAssistantAgent Unsupported VideoSurfer",
            "file_surfer": "FileSurfer",
            "guardrail_kinds": "ModelGuardrail RegexGuardrail",
            "guardrails": "Guardrail",
            "handoff": "Handoff",
            "iteration": "InputRequestEvent RunIterator",
            "magentic_one_coder": "MagenticOneCoderAgent",
            "message_filter": "MessageFilterAgent MessageFilterConfig PerSourceFilter",
            "openai_agent": "OpenAIAgent",
            "participant": "Participant",
            "step": "Assignment StepAgent",
            "structured": "InvalidAnswer StructuredMessageFactory",
            "time_reply": "TimeReplyAgent",
            "user_proxy": "InputFailed UserProxyAgent",
            "web_surfer": "MultimodalWebSurfer",
        },
    )
