"""The agents of a runtime, and how those that nobody has written to yet are made."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

from studio.actors.errors import AgentNotFound, AlreadyRegistered, NoFactory, UndeliverableException
from studio.actors.identity import AgentId
from studio.actors.instantiation import AgentInstantiationContext
from studio.actors.log_events import log_failed_construction
from studio.actors.protocols import Agent, AgentRuntime

logger = logging.getLogger("autogen_core")
Factory = Callable[[], Any]


class AgentTable:
    """Finds agents by their IDs, and makes them when they are asked for first.

    Args:
        runtime: Where they live.
    """

    def __init__(self, runtime: AgentRuntime) -> None:
        self._runtime = runtime
        self._factories: dict[str, tuple[Factory, type[Any] | None]] = {}
        """By agent type, with the class that a factory must make."""
        self._classes: dict[str, type[Agent]] = {}
        """Of types whose agents are registered one by one."""
        self._made: dict[AgentId, Agent] = {}
        self._coming: dict[AgentId, asyncio.Future[Agent]] = {}

    def has_type(self, agent_type: str) -> bool:
        return agent_type in self._factories or agent_type in self._classes

    def known(self, agent_id: AgentId) -> Agent | None:
        """The agent, if it was made."""
        return self._made.get(agent_id)

    def made(self) -> list[tuple[AgentId, Agent]]:
        """All agents that are there now."""
        return [*self._made.items()]

    def add_factory(self, agent_type: str, factory: Factory, expected_class: type[Any] | None) -> None:
        """Raises: InvalidName, AlreadyRegistered."""
        AgentId(agent_type, "default")  # which says what is wrong with the name
        self._refuse_known(agent_type)
        self._factories[agent_type] = factory, expected_class

    async def add_instance(self, agent: Agent, agent_id: AgentId) -> None:
        """Raises: AlreadyRegistered: The ID is taken, or agents of its type are made otherwise."""
        if agent_id in self._made:
            raise AlreadyRegistered(f"There is an agent {agent_id} already.")
        cls = type(agent)
        if agent_id.type not in self._classes:
            self._refuse_known(agent_id.type)
        elif self._classes[agent_id.type] is not cls:
            raise AlreadyRegistered(f"Agents of type {agent_id.type!r} are of another class than {cls.__name__}.")
        await agent.bind_id_and_runtime(agent_id, self._runtime)
        self._classes[agent_id.type] = cls
        self._made[agent_id] = agent

    async def get(self, agent_id: AgentId) -> Agent:
        """The agent. Several that ask while it is being made get the same.

        Raises:
            AgentNotFound, NoFactory: It is not there, and nobody can make it.
            Exception: What its factory raised.
        """
        if (known := self._made.get(agent_id)) is not None:
            return known
        if (coming := self._coming.get(agent_id)) is not None:
            return await asyncio.shield(coming)
        coming = self._coming[agent_id] = asyncio.get_running_loop().create_future()
        try:
            made = await self._make(agent_id)
        except BaseException as error:
            coming.set_exception(error if isinstance(error, Exception) else UndeliverableException(repr(error)))
            coming.exception()  # it may be that nobody else asks
            logger.error("Error constructing agent %s", agent_id, exc_info=True)
            log_failed_construction(agent_id, error)
            raise
        else:
            self._made[agent_id] = made
            coming.set_result(made)
            return made
        finally:
            del self._coming[agent_id]

    async def _make(self, agent_id: AgentId) -> Agent:
        if agent_id.type in self._classes:
            raise NoFactory(f"There is no agent {agent_id}: agents of this type are registered one by one.")
        if agent_id.type not in self._factories:
            raise AgentNotFound(f"Agent with name {agent_id.type} not found.")
        factory, expected = self._factories[agent_id.type]
        with AgentInstantiationContext.populate_context((self._runtime, agent_id)):
            given = factory()
            made: Agent = await given if isawaitable(given) else given
        if expected is not None and not isinstance(made, expected):
            raise TypeError(f"The factory of {agent_id.type!r} made a {type(made).__name__}.")
        return made

    def _refuse_known(self, agent_type: str) -> None:
        if self.has_type(agent_type):
            raise AlreadyRegistered(f"Agents of type {agent_type!r} are there already.", fix="Choose another type.")
