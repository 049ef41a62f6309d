"""Agents: who speaks in a team."""

from studio.agents.agent_tool import AgentTool as AgentTool
from studio.agents.agent_tool import TaskTool as TaskTool
from studio.agents.assistant import AssistantAgent as AssistantAgent
from studio.agents.base import ChatAgent as ChatAgent
from studio.agents.handoff import Handoff as Handoff
from studio.agents.participant import Participant as Participant
from studio.agents.structured import InvalidAnswer as InvalidAnswer
from studio.agents.structured import StructuredMessageFactory as StructuredMessageFactory
from studio.agents.user_proxy import InputFailed as InputFailed
from studio.agents.user_proxy import UserProxyAgent as UserProxyAgent

BaseChatAgent = ChatAgent
