"""Finds what holds up the event loop: any step of it that takes the processor for longer than a bound."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

MAX_STEP_S = 0.05
"""What a request may take of the loop at a time."""
SAMPLE_S = 0.01
REFERENCE = json.dumps([{"text": "a few words " * 20, "number": number} for number in range(3000)])
"""What the speed of the processor is measured with: about 1 MB, so that its caches count as well."""
ORDINARY_S = 0.0042
"""What that takes of an ordinary machine, for which the bound is meant: one half as fast is given twice the time."""
MEASURES = 3


@dataclass
class Stall:
    """One step of the loop that took too long. `stack` is where it was when it had."""

    cpu_s: float
    stack: str

    def __str__(self) -> str:
        return f"{self.cpu_s * 1000:.0f} ms of the loop\n{self.stack}"


@dataclass
class Watchdog:
    """Measures the processor time of the thread and not the clock, so that other programs do not count; nor does the
    collector of garbage, which comes at any step.

    Processor time grows, too, where others use the same core, caches and memory. So the same piece of work is measured
    before, and again after a step that seems too long: a step is told as long as it takes at the speed from before, or
    at that of an ordinary machine.
    """

    max_step_s: float = MAX_STEP_S
    stalls: list[Stall] = field(default_factory=list[Stall])
    longest_s: float = 0.0
    _reference_s: float = 0.0
    _step: tuple[int, float] | None = None
    """The thread of the step under way, and when it began on that thread's clock."""
    _stack: str = ""
    _collecting_s: float = 0.0
    _collected_s: float = 0.0

    @contextmanager
    def watching(self) -> Generator[None]:
        run: Callable[[asyncio.Handle], None] = asyncio.Handle._run  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        self._reference_s = min(_reference_times())
        done = threading.Event()
        sampler = threading.Thread(target=self._sample, args=(done,), daemon=True)

        def timed(handle: asyncio.Handle) -> None:
            began_s, self._collected_s, self._stack = time.thread_time(), 0.0, ""
            self._step = (threading.get_ident(), began_s)
            try:
                run(handle)
            finally:
                self._step = None
                self._note(time.thread_time() - began_s - self._collected_s, handle)

        patch = pytest.MonkeyPatch()
        patch.setattr(asyncio.Handle, "_run", timed)
        gc.callbacks.append(self._note_collection)
        sampler.start()
        try:
            yield
        finally:
            done.set()
            sampler.join()
            gc.callbacks.remove(self._note_collection)
            patch.undo()

    def _note(self, cpu_s: float, handle: asyncio.Handle) -> None:
        if cpu_s > self.max_step_s:
            cpu_s /= max(1.0, max(_reference_times()) / min(self._reference_s, ORDINARY_S))
        self.longest_s = max(self.longest_s, cpu_s)
        if cpu_s > self.max_step_s:
            self.stalls.append(Stall(cpu_s, self._stack or repr(handle)))

    def _note_collection(self, phase: str, info: dict[str, int]) -> None:
        del info
        if (step := self._step) is not None and step[0] == threading.get_ident():
            if phase == "start":
                self._collecting_s = time.thread_time()
            else:
                self._collected_s += time.thread_time() - self._collecting_s

    def _sample(self, done: threading.Event) -> None:
        while not done.wait(SAMPLE_S):
            if (step := self._step) is None or self._stack:
                continue
            thread, began_s = step
            clock = time.pthread_getcpuclockid(thread)
            if time.clock_gettime(clock) - began_s > self.max_step_s:
                frame = sys._current_frames()[thread]  # pyright: ignore[reportPrivateUsage]
                self._stack = "".join(traceback.format_list(list(_ours(frame))))


def reference_work() -> None:
    """Takes `ORDINARY_S` of an ordinary machine."""
    json.dumps(json.loads(REFERENCE))


def _reference_times() -> list[float]:
    """What the same work takes of this thread's processor time now, a few times."""
    took: list[float] = []
    for _ in range(MEASURES):
        began_s = time.thread_time()
        reference_work()
        took.append(time.thread_time() - began_s)
    return took


def _ours(frame: Any) -> Iterator[traceback.FrameSummary]:
    """The frames of the studio, and the last two whatever they are."""
    frames = traceback.extract_stack(frame)
    yield from (each for each in frames[:-2] if "/studio/" in each.filename)
    yield from frames[-2:]
