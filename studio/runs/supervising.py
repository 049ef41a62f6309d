"""What the rest of the studio asks of whoever runs the teams."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping
from typing import Protocol

from pydantic import JsonValue

from studio.runs.commands import CommandName
from studio.runs.feed import Batch
from studio.runs.log import SHOWN, EntryKind, JsonObject
from studio.runs.mocks import Mock
from studio.runs.repeating.forking import FromSeq, Wish
from studio.runs.repeating.replaying import ToolMode
from studio.runs.view import RunView


class Supervisor(Protocol):
    """This process, or later many workers."""

    async def start(
        self,
        component: JsonValue,
        task: JsonValue,
        *,
        team_id: str | None = None,
        team_name: str = "",
        by: str = "",
        mocks: Mapping[str, Mock] | None = None,
    ) -> str: ...

    async def start_next(self, run_id: str, task: JsonValue, *, by: str = "") -> str: ...

    async def command(
        self,
        run_id: str,
        command: CommandName,
        *,
        by: str = "",
        request_id: str = "",
        text: str = "",
        data: JsonObject | None = None,
    ) -> RunView: ...

    async def fork(self, run_id: str, seq: int, wish: Wish | None = None, *, by: str = "") -> str: ...

    async def rerun(self, run_id: str, from_seq: FromSeq = None, *, by: str = "") -> str: ...

    async def replay(self, run_id: str, tools: Mapping[str, ToolMode] | None = None, *, by: str = "") -> str: ...

    async def view(self, run_id: str) -> RunView: ...

    def subscribe(
        self, run_id: str, after_seq: int = 0, *, kinds: Collection[EntryKind] = SHOWN
    ) -> AsyncGenerator[Batch]: ...
