"""What processes tell each other about runs, as a store keeps it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, Protocol

from studio.runs.concurrency import Notifier
from studio.runs.journal.log import JsonObject, NewRun
from studio.runs.submission import Submission

WORK = "work"
"""The topic of new submissions and commands; each run is a topic by its id."""


class SentCommand(NamedTuple):
    """A command on its way to the process that drives its run. `body` has the fields of `Command`."""

    id: int
    run_id: str
    body: JsonObject


class LiveState(NamedTuple):
    """What of a run is not in its log: its status as its driver shows it, and unfinished messages."""

    view: JsonObject
    written: Sequence[JsonObject]


class Notifications(Protocol):
    """Wakes whoever waits for a topic, in whichever process. One may get lost: look every few seconds all the same."""

    def topic(self, name: str) -> Notifier:
        """What is rung when the topic is notified; kept for as long as somebody holds it."""
        ...

    async def notify(self, *topics: str) -> None:
        """Ring these everywhere, after what is to be found there was committed. Never raises."""
        ...

    def listening(self) -> AbstractAsyncContextManager[None]:
        """Hear of what other processes notify, inside the block."""
        ...


class FleetStore(Protocol):
    """Who drives which run; submissions, commands and live states, by run."""

    async def claim(self, limit: int, *, besides: Collection[str] = ()) -> Sequence[str]:
        """Become the driver of runs that nobody drives and that wait for a worker, such as those of one that is gone.

        Args:
            limit: How many at most.
            besides: Those that are not claimed for going on by themselves, since that was tried in vain.
        """
        ...

    async def claimed(self) -> Sequence[str]:
        """Ids of the runs that this worker is the driver of."""
        ...

    async def release(self, run_ids: Collection[str]) -> None:
        """Let go of runs, and forget their live states: another worker may claim them."""
        ...

    async def submit(self, new: NewRun, submission: Submission) -> str:
        """Make a run that another process is to drive, in one transaction with its submission; returns its id.

        Raises:
            NotFound: Its team is gone.
        """
        ...

    async def submitted(self) -> Sequence[tuple[str, Submission]]:
        """Claimed runs that wait to be driven for the first time, the oldest first; some hundreds at most."""
        ...

    async def begun(self, run_id: str) -> None:
        """Drop a submission: its run has begun, or ended."""
        ...

    async def send(self, run_id: str, body: JsonObject) -> int:
        """Keep a command until it is settled; returns its id, by which commands are ordered.

        Raises:
            NotFound: There is no such run.
        """
        ...

    async def unsettled(self) -> Sequence[SentCommand]:
        """Commands of claimed runs that were not settled yet, in their order; some hundreds at most."""
        ...

    async def settle(self, command_id: int, outcome: JsonObject) -> None:
        """Keep what came of a command, and drop what it said."""
        ...

    async def outcome(self, command_id: int) -> JsonObject | None:
        """What came of a command; None while it is not settled."""
        ...

    async def driven(self, team_id: str) -> Sequence[str]:
        """Ids of a team's runs that a worker drives now."""
        ...

    async def publish(self, states: Mapping[str, LiveState | None]) -> None:
        """Replace what is known of these runs; None drops it. What this worker does not drive stays as it is."""
        ...

    async def live(self, run_id: str) -> LiveState | None:
        """What the process that drives the run has told last; None when none does."""
        ...

    async def tidy(self) -> None:
        """Drop outcomes that nobody has fetched for an hour."""
        ...
