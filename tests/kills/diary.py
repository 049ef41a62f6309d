"""A model server that keeps a diary: who asked what, when, and when the answer was sent in full."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.fakes.openai_server import OpenAIExchange, OpenAIServer
from tests.kills.teams import reply_to

FIRST, PER_WORD = 0.5, 0.5
"""Shares of an answer's time: before its first word, and for all words."""


@dataclass
class Asked:
    """One request. Times are those of `time.monotonic`; `answered_at` is None for one that was not answered in full."""

    key: str
    model: str
    at: float
    answered_at: float | None = None


class DiaryExchange(OpenAIExchange):
    """Takes as long for an answer as the name of the model says, in milliseconds behind its last colon."""

    _pause_s = 0.0

    async def run(self) -> None:
        server = self.server
        assert isinstance(server, DiaryServer)
        asked = Asked(key_of(self.request.body), str(self.model), time.monotonic())
        server.diary.append(asked)
        takes_s = int(asked.model.rpartition(":")[2]) / 1000
        if self.is_streamed():
            self._pause_s = takes_s * PER_WORD / max(len(self.pieces()), 1)
        await asyncio.sleep(takes_s * (FIRST if self.is_streamed() else 1))
        await super().run()
        await self.writer.drain()
        asked.answered_at = time.monotonic()

    async def _chunk(self, raw: bytes) -> None:
        await super()._chunk(raw)
        await asyncio.sleep(self._pause_s)


class DiaryServer(OpenAIServer):
    """Answers what `teams.reply_to` says."""

    exchange = DiaryExchange

    def __init__(self) -> None:
        super().__init__()
        self.diary: list[Asked] = []
        self.always(reply_to)


def key_of(body: Mapping[str, Any]) -> str:
    """Tells a request from all others: each conversation begins with the task of its run."""
    return hashlib.sha256(json.dumps([body["model"], body["messages"]], sort_keys=True).encode()).hexdigest()


def by_key(diary: Sequence[Asked]) -> Collection[Sequence[Asked]]:
    """All requests that are the same, in their order."""
    found: dict[str, list[Asked]] = {}
    for asked in diary:
        found.setdefault(asked.key, []).append(asked)
    return found.values()
