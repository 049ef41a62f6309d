"""Stands in for `studio.teams.Team` until that class is there."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from studio.components import Component
from studio.messages import BaseChatMessage, BaseMessage, TaskResult


class Team(Component):
    def run_stream(self, *, task: str | BaseChatMessage) -> AsyncGenerator[BaseMessage | TaskResult]:
        raise NotImplementedError

    def request_stop(self, reason: str) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        return None
