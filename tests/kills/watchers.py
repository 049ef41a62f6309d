"""People who look on, each from another replica now and then."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from random import Random

import httpx

from studio.runs import LogEntry
from studio.runs.journal.log import SHOWN
from tests.kills.studio import AGAIN_S, LOST, Watched, events, take_note

LOOKS_S = 0.5, 6.0
"""How long somebody looks before they reload the page."""


class Watchers:
    """Follow runs that others start and answer; tell at the end who was not shown all of the log, once and in order."""

    def __init__(self, runs: Mapping[str, Watched], random: Random) -> None:
        self._runs = runs
        self._random = random
        self.saw: list[tuple[str, Watched]] = []
        """What was seen of each run, by its name, from the first look to the run's end."""

    async def look_on(self, client: httpx.AsyncClient) -> None:
        """Follow one run after the other, until cancelled; who looks when it is cancelled has seen only a part."""
        while True:
            under_way = [name for name, each in self._runs.items() if not each.has_ended]
            if not under_way:
                await asyncio.sleep(0.5)
                continue
            name = self._random.choice(under_way)
            watched = Watched(self._runs[name].run_id, self._runs[name].kind)
            while not watched.has_ended:
                try:
                    async with asyncio.timeout(self._random.uniform(*LOOKS_S)):
                        async for kind, data in events(client, watched):
                            take_note(watched, kind, data)
                except (*LOST, TimeoutError):
                    await asyncio.sleep(AGAIN_S)
            self.saw.append((name, watched))

    def problems(self, logs: Mapping[str, Sequence[LogEntry]]) -> list[str]:
        """Who was not shown exactly what the log has."""
        wrong: list[str] = []
        for name, watched in self.saw:
            seen = [int(entry["seq"]) for entry in watched.shown]
            true = [entry.seq for entry in logs[name] if entry.kind in SHOWN]
            if seen != true:
                lost, extra = sorted(set(true) - set(seen)), len(seen) - len(set(seen))
                wrong.append(
                    f"a watcher of {name} missed {lost[:5]} and was shown {extra} twice: {seen[-5:]} {true[-5:]}"
                )
        return wrong
