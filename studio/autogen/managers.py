"""AgentChat's group chat managers: who speaks next. Ours are part of their teams; a script may bring its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studio.messages import BaseMessage
from studio.teams import Team


class BaseGroupChatManager:
    """A manager of a script: `select_speaker` names who speaks next."""

    def __init__(
        self,
        name: str,
        group_topic_type: str,
        output_topic_type: str,
        participant_topic_types: list[str],
        participant_names: list[str],
        participant_descriptions: list[str],
        output_message_queue: Any,
        termination_condition: Any,
        max_turns: int | None,
        message_factory: Any,
        emit_team_events: bool = False,
    ) -> None:
        self._name = name
        self._group_topic_type, self._output_topic_type = group_topic_type, output_topic_type
        self._participant_names, self._participant_descriptions = participant_names, participant_descriptions
        self._participant_name_to_topic_type = dict(zip(participant_names, participant_topic_types, strict=True))
        self._output_message_queue = output_message_queue
        self._termination_condition, self._max_turns = termination_condition, max_turns
        self._message_factory, self._emit_team_events = message_factory, emit_team_events
        self._message_thread: list[BaseMessage] = []
        self._current_turn = 0

    @property
    def thread(self) -> list[BaseMessage]:
        """What was said and done, oldest first."""
        return self._message_thread

    async def validate_group_state(self, messages: list[Any] | None) -> None:
        """Refuse a task."""

    async def update_message_thread(self, messages: Sequence[BaseMessage]) -> None:
        """Take up what was said."""
        self._message_thread.extend(messages)

    async def select_speaker(self, thread: Sequence[Any]) -> list[str] | str:
        """Name who speaks next."""
        raise NotImplementedError

    async def reset(self) -> None:
        """Forget the state, so that the next run starts fresh."""

    async def save_state(self) -> Mapping[str, Any]:
        return {}

    async def load_state(self, state: Mapping[str, Any]) -> None:
        """Take up a saved state."""


class ManagerView:
    """What AgentChat keeps in a manager, read off one of our teams: `_message_thread`, `_current_turn` and the state
    of its kind, such as `_next_speaker_index`.
    """

    def __init__(self, team: Team) -> None:
        self._team = team

    def __getattr__(self, name: str) -> Any:
        team = self._team
        if name == "_message_thread":
            return list(team.thread)
        if name == "_current_turn":
            return team.turns
        state = team.manager_state()
        if name[1:] in state:
            return state[name[1:]]
        raise AttributeError(f"{type(self).__name__} of Team Studio has no {name!r}.")


class RoundRobinGroupChatManager(ManagerView):
    """That of a round-robin team."""


class SelectorGroupChatManager(ManagerView):
    """That of a selector team."""


class SwarmGroupChatManager(ManagerView):
    """That of a swarm."""


class MagenticOneOrchestrator(ManagerView):
    """That of a Magentic-One team."""


class GraphFlowManager(ManagerView):
    """That of a graph."""


class Runtime:
    """Stands where AgentChat keeps a team's runtime, for scripts that look up the manager there."""

    def __init__(self, team: Team) -> None:
        self._team = team

    async def try_get_underlying_agent_instance(self, agent_id: object, type: type[ManagerView]) -> ManagerView:
        """The view of the team's manager."""
        del agent_id
        return type(self._team)
