"""Teams as AgentChat's scripts make and derive them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from pydantic import JsonValue, PrivateAttr

from studio import effects
from studio import teams as ours
from studio.autogen.agents import AssistantAgent, BaseChatAgent
from studio.autogen.compat_base import Freed, mix_in
from studio.autogen.managers import BaseGroupChatManager, Runtime
from studio.autogen.messages import MessageFactory
from studio.components import JsonObject
from studio.messages import BaseChatMessage, BaseMessage, StructuredMessage, message_types


class FreedTeam(Freed):
    """Takes a runtime and needs none; what AgentChat keeps in its manager can be looked at."""

    _team_id: str = PrivateAttr(default_factory=effects.new_id)

    _custom_types: Sequence[type[BaseMessage]] = PrivateAttr(())

    def __init__(
        self,
        *args: Any,
        runtime: object = None,
        custom_message_types: Sequence[type[BaseMessage]] | None = None,
        **data: Any,
    ) -> None:
        del runtime
        super().__init__(*args, **data)
        self._custom_types = tuple(custom_message_types or ())

    def known_types(self) -> list[type[BaseMessage]]:
        """Types of messages that a saved state of this team may hold beside the usual ones."""
        found = list(self._custom_types)
        for participant in cast("ours.Team", self).participants:
            if isinstance(participant, FreedTeam):
                found += participant.known_types()
            elif isinstance(participant, AssistantAgent) and (content := participant.answer_type) is not None:
                found.append(StructuredMessage[content])
            elif isinstance(participant, BaseChatAgent):
                found += [kind for kind in participant.produced_message_types if kind is not StructuredMessage]
        return found

    async def load_state(self, state: Any) -> None:
        with message_types(self.known_types()):
            await cast("Any", super()).load_state(state)

    @property
    def _runtime(self) -> Runtime:
        return Runtime(cast("ours.Team", self))

    @property
    def _group_chat_manager_name(self) -> str:
        return cast("ours.Team", self).manager_name


class Team(FreedTeam, ours.Team, stands_for=ours.Team):
    """Any team."""


class BaseGroupChat(Team):
    """A team of a script, whose manager says who speaks."""

    _manager_name: str = PrivateAttr("")
    _manager: BaseGroupChatManager | None = PrivateAttr(None)

    def __init__(
        self,
        name: str,
        description: str,
        participants: list[Any],
        group_chat_manager_name: str,
        group_chat_manager_class: type[Any],
        termination_condition: Any = None,
        max_turns: int | None = None,
        runtime: object = None,
        custom_message_types: Sequence[type[BaseMessage]] | None = None,
        emit_team_events: bool = False,
    ) -> None:
        del group_chat_manager_class
        super().__init__(
            name=name,
            description=description,
            participants=participants,
            termination_condition=termination_condition,
            max_turns=max_turns,
            emit_team_events=emit_team_events,
            runtime=runtime,
            custom_message_types=custom_message_types,
        )
        self._manager_name = group_chat_manager_name

    @property
    def manager_name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride] -- one per instance here
        return self._manager_name

    def _create_group_chat_manager_factory(self, *args: Any, **data: Any) -> Any:
        """A function that makes the manager; each team of a script has its own."""
        raise NotImplementedError

    def manager(self) -> BaseGroupChatManager:
        """Who says who speaks; made when first asked."""
        if self._manager is None:
            names = [participant.name for participant in self.participants]
            messages = MessageFactory()
            for kind in self._custom_types:
                messages.register(kind)
            make = self._create_group_chat_manager_factory(
                name=self._manager_name,
                group_topic_type=f"group_topic_{self._team_id}",
                output_topic_type=f"output_topic_{self._team_id}",
                participant_topic_types=[f"{name}_{self._team_id}" for name in names],
                participant_names=names,
                participant_descriptions=[participant.description for participant in self.participants],
                output_message_queue=cast("asyncio.Queue[Any]", asyncio.Queue()),
                termination_condition=self.termination_condition,
                max_turns=self.max_turns,
                message_factory=messages,
            )
            self._manager = cast("BaseGroupChatManager", make())
        return self._manager

    async def check_task(self, messages: Sequence[BaseChatMessage] | None, *, is_inside: bool) -> None:
        del is_inside
        await self.manager().validate_group_state(None if messages is None else list(messages))

    async def receive(
        self, new: Sequence[BaseMessage], said: Sequence[BaseChatMessage], *, speaker: str | None
    ) -> None:
        if (rest := super().receive(new, said, speaker=speaker)) is not None:
            await rest
        await self.manager().update_message_thread(new)

    async def choose_speaker(self) -> tuple[()]:
        chosen = await self.manager().select_speaker(self.manager().thread)
        self.next_speaker(*([chosen] if isinstance(chosen, str) else chosen))
        return ()

    async def forget(self) -> None:
        self.manager().thread.clear()
        await self.manager().reset()

    def manager_state(self) -> JsonObject:
        return {}

    async def save_state(self) -> JsonObject:
        saved = dict(await super().save_state())
        states = cast("JsonObject", saved["agent_states"])
        own = cast("JsonObject", states[self._manager_name])
        states[self._manager_name] = cast("JsonValue", {**own, **await self.manager().save_state()})
        return saved

    async def load_manager_state(self, state: JsonObject) -> None:
        self.manager().thread[:] = self.thread
        await self.manager().load_state(state)


mix_in(ours.Team, FreedTeam)
