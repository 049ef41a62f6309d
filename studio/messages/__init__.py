"""What agents, models and people say. Names and fields are AgentChat's."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.messages.cancellation import CancellationToken as CancellationToken
from studio.messages.cancellation import linked as linked
from studio.messages.chat import BaseAgentEvent as BaseAgentEvent
from studio.messages.chat import BaseChatMessage as BaseChatMessage
from studio.messages.chat import BaseMessage as BaseMessage
from studio.messages.chat import BaseTextChatMessage as BaseTextChatMessage
from studio.messages.chat import CodeBlock as CodeBlock
from studio.messages.chat import CodeExecutionEvent as CodeExecutionEvent
from studio.messages.chat import CodeGenerationEvent as CodeGenerationEvent
from studio.messages.chat import CodeResult as CodeResult
from studio.messages.chat import ContextVariablesEvent as ContextVariablesEvent
from studio.messages.chat import GuardrailEvent as GuardrailEvent
from studio.messages.chat import HandoffMessage as HandoffMessage
from studio.messages.chat import MemoryQueryEvent as MemoryQueryEvent
from studio.messages.chat import ModelClientStreamingChunkEvent as ModelClientStreamingChunkEvent
from studio.messages.chat import MultiModalMessage as MultiModalMessage
from studio.messages.chat import Response as Response
from studio.messages.chat import SelectorEvent as SelectorEvent
from studio.messages.chat import SelectSpeakerEvent as SelectSpeakerEvent
from studio.messages.chat import StopMessage as StopMessage
from studio.messages.chat import StructuredMessage as StructuredMessage
from studio.messages.chat import TaskResult as TaskResult
from studio.messages.chat import TextMessage as TextMessage
from studio.messages.chat import ThoughtEvent as ThoughtEvent
from studio.messages.chat import ToolCallExecutionEvent as ToolCallExecutionEvent
from studio.messages.chat import ToolCallRequestEvent as ToolCallRequestEvent
from studio.messages.chat import ToolCallSummaryMessage as ToolCallSummaryMessage
from studio.messages.chat import ToolEvent as ToolEvent
from studio.messages.chat import UserInputRequestedEvent as UserInputRequestedEvent
from studio.messages.chat import as_heard as as_heard
from studio.messages.chat import made as made
from studio.messages.chat import text_said as text_said
from studio.messages.explanation_json import counted_json as counted_json
from studio.messages.explanation_json import figures as figures
from studio.messages.explanation_json import frame_of as frame_of
from studio.messages.explanation_json import progress_json as progress_json
from studio.messages.explanation_json import uncounted_json as uncounted_json
from studio.messages.explanations import Explanation as Explanation
from studio.messages.explanations import Listener as Listener
from studio.messages.explanations import clipped as clipped
from studio.messages.explanations import explained as explained
from studio.messages.explanations import is_explained as is_explained
from studio.messages.explanations import listener as listener
from studio.messages.explanations import seen_through as seen_through
from studio.messages.given import given_message as given_message
from studio.messages.given import images_of as images_of
from studio.messages.llm import AssistantMessage as AssistantMessage
from studio.messages.llm import CreateResult as CreateResult
from studio.messages.llm import FinishReasons as FinishReasons
from studio.messages.llm import FunctionCall as FunctionCall
from studio.messages.llm import FunctionExecutionResult as FunctionExecutionResult
from studio.messages.llm import FunctionExecutionResultMessage as FunctionExecutionResultMessage
from studio.messages.llm import Image as Image
from studio.messages.llm import LLMMessage as LLMMessage
from studio.messages.llm import MemoryContent as MemoryContent
from studio.messages.llm import ParametersSchema as ParametersSchema
from studio.messages.llm import RequestUsage as RequestUsage
from studio.messages.llm import SystemMessage as SystemMessage
from studio.messages.llm import ToolSchema as ToolSchema
from studio.messages.llm import UserMessage as UserMessage
from studio.messages.llm import assistant_message as assistant_message
from studio.messages.llm import system_message as system_message
from studio.messages.llm import text_answer as text_answer
from studio.messages.llm import user_message as user_message
from studio.messages.parser import message_from_json as message_from_json
from studio.messages.parser import message_types as message_types
from studio.messages.parser import type_name as type_name
from studio.messages.portions import MAX_TEXT as MAX_TEXT
from studio.messages.portions import count_words as count_words
from studio.messages.portions import give_way as give_way
from studio.messages.portions import in_portions as in_portions
from studio.messages.prompt import History as History
from studio.messages.prompt import Prompt as Prompt
from studio.messages.prompt import Written as Written
from studio.messages.prompt import digest_over as digest_over
from studio.messages.prompt import hold_parts as hold_parts
from studio.messages.prompt import sum_over as sum_over
from studio.messages.prompt import text_over as text_over
from studio.messages.prompt import without_images as without_images
from studio.messages.prompt import word_count as word_count
from studio.messages.unchecked import unchecked as unchecked

if TYPE_CHECKING:
    from studio.messages.decisions import ConditionProgress as ConditionProgress
    from studio.messages.decisions import EdgeDecision as EdgeDecision
    from studio.messages.decisions import Rule as Rule
    from studio.messages.decisions import SelectionAttempt as SelectionAttempt
    from studio.messages.decisions import SpeakerDecisionEvent as SpeakerDecisionEvent
    from studio.messages.decisions import TerminationProgressEvent as TerminationProgressEvent
    from studio.messages.unions import AgentEvent as AgentEvent
    from studio.messages.unions import ChatMessage as ChatMessage
else:
    __getattr__ = lazy(
        __name__,
        {
            "decisions": "ConditionProgress EdgeDecision Rule SelectionAttempt SpeakerDecisionEvent "
            "TerminationProgressEvent",
            "unions": "AgentEvent ChatMessage",
        },
    )
