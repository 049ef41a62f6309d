"""The shapes of saved states, for scripts that look into them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

Plain = dict[str, Any]


class BaseState(BaseModel):
    """Any saved state."""

    type: str = "BaseState"
    version: str = "1.0.0"


class AssistantAgentState(BaseState):
    type: str = "AssistantAgentState"
    llm_context: Plain = Field(default_factory=lambda: {"messages": []})


class TeamState(BaseState):
    type: str = "TeamState"
    agent_states: Plain = Field(default_factory=dict[str, Any])


class ChatAgentContainerState(BaseState):
    type: str = "ChatAgentContainerState"
    agent_state: Plain = Field(default_factory=dict[str, Any])
    message_buffer: list[Plain] = Field(default_factory=list[Plain])


class BaseGroupChatManagerState(BaseState):
    type: str = "BaseGroupChatManagerState"
    message_thread: list[Plain] = Field(default_factory=list[Plain])
    current_turn: int = 0


class RoundRobinManagerState(BaseGroupChatManagerState):
    type: str = "RoundRobinManagerState"
    next_speaker_index: int = 0


class SelectorManagerState(BaseGroupChatManagerState):
    type: str = "SelectorManagerState"
    previous_speaker: str | None = None


class SwarmManagerState(BaseGroupChatManagerState):
    type: str = "SwarmManagerState"
    current_speaker: str = ""


class MagenticOneOrchestratorState(BaseGroupChatManagerState):
    type: str = "MagenticOneOrchestratorState"
    task: str = ""
    facts: str = ""
    plan: str = ""
    n_rounds: int = 0
    n_stalls: int = 0


class SocietyOfMindAgentState(BaseState):
    type: str = "SocietyOfMindAgentState"
    inner_team_state: Plain = Field(default_factory=dict[str, Any])
