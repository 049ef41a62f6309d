"""A page that watches a run over a bad line: it is cut off at random places, and takes note of all it gets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

MAX_READ = 1 << 16
MAX_STAY = 12_000
"""Bytes that are read at most before a connection is lost."""

Told = Callable[[str], None]


def _silent(text: str) -> None:
    del text


@dataclass
class Watcher:
    """Follows one run from its beginning to its end.

    Args:
        url: Address of the server.
        token: To be let in.
        run_id: The run.
        random: Says where connections are lost.
        losses: How many of them; after that the watcher stays.
        told: Called with each piece of a message when it is known.
    """

    url: str
    token: str
    run_id: str
    random: Random
    losses: int = 0
    told: Told = _silent
    seqs: list[int] = field(default_factory=list[int])
    """Numbers of the entries, as they came."""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """What was seen of messages while they were written, by their ids."""
    faults: list[str] = field(default_factory=list[str])
    connections: int = 0
    _last_id: int = 0
    _is_over: bool = False

    async def watch(self) -> None:
        """Stay until the server says that the run is over."""
        while not self._is_over:
            stay = self.random.randrange(MAX_STAY) if self.connections < self.losses else None
            self.connections += 1
            await self._connect(stay)

    async def _connect(self, stay: int | None) -> None:
        """Read until so many bytes came, the end, or the server is gone."""
        address = urlsplit(self.url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=1 << 26)
        try:
            writer.write(self._request(address.netloc))
            status = (await reader.readline()).split(b" ")
            while await reader.readline() not in (b"\r\n", b""):
                pass
            if len(status) > 1 and status[1] == b"200":
                await self._read(reader, stay)
            else:
                self._is_over = True
                if status[1:2] != [b"204"]:
                    self.faults.append(f"the server answered {status}")
        finally:
            writer.transport.abort()

    def _request(self, host: str) -> bytes:
        """Half of the times the place is told as a browser does, else as a page that was opened again."""
        is_browser = self.random.random() < 0.5
        after = 0 if is_browser else self._last_id
        last = f"Last-Event-ID: {self._last_id}\r\n" if is_browser and self._last_id else ""
        path = f"/api/runs/{self.run_id}/stream?after={after}"
        return f"GET {path} HTTP/1.0\r\nHost: {host}\r\nAuthorization: Bearer {self.token}\r\n{last}\r\n".encode()

    async def _read(self, reader: asyncio.StreamReader, stay: int | None) -> None:
        waiting = b""
        while data := await reader.read(MAX_READ if stay is None else min(stay, MAX_READ)):
            *events, waiting = (waiting + data).split(b"\n\n")
            for event in events:
                self._take(event.decode())
            if stay is not None:
                stay -= len(data)
            if self._is_over or stay == 0:
                return

    def _take(self, event: str) -> None:
        lines = [line.partition(": ") for line in event.split("\n")]
        given = {name: value for name, _, value in lines}
        match given.get("event"):
            case "entries":
                self.seqs += [entry["seq"] for entry in json.loads(given["data"])]
                self._last_id = int(given["id"])
            case "chunks":
                for chunk in json.loads(given["data"]):
                    self._take_chunk(chunk)
            case "done":
                self._is_over = True
            case _:
                pass

    def _take_chunk(self, chunk: dict[str, Any]) -> None:
        known, offset, text = self.texts.get(chunk["message_id"], ""), chunk["offset"], chunk["text"]
        if offset > len(known):
            self.faults.append(f"nothing came of {chunk['message_id']} from {len(known)} to {offset}")
        elif not text.startswith(known[offset:]) and not known[offset:].startswith(text):
            self.faults.append(f"another text came of {chunk['message_id']} from {offset}")
        else:
            new = text[len(known) - offset :]
            self.texts[chunk["message_id"]] = known + new
            self.told(new)

    def compare(self, entries: list[dict[str, Any]]) -> None:
        """Find faults in what came, given all entries of the run that pages are sent."""
        expected = [entry["seq"] for entry in entries]
        if self.seqs != expected:
            missing, doubled = set(expected) - set(self.seqs), len(self.seqs) - len(set(self.seqs))
            self.faults.append(f"{len(missing)} entries lost, {doubled} doubled of {len(expected)}: {self.seqs}")
        whole = {entry["body"].get("id"): str(entry["body"].get("content")) for entry in entries}
        for message_id, text in self.texts.items():
            if not whole.get(message_id, "").startswith(text):
                self.faults.append(f"{message_id} was shown with a text that it does not have: {text!r}")
