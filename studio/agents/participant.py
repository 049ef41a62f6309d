"""What agents and teams have in common: a name, and that they can be given a task."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, ClassVar

from pydantic import JsonValue

from studio.agents.cleanup import release_all
from studio.agents.tasks import Task, cancellable, messages_of
from studio.components import Component, Opaque, walk
from studio.errors import Finding, InvalidComponent
from studio.messages import BaseChatMessage, BaseMessage, CancellationToken, Response, TaskResult

if TYPE_CHECKING:
    from studio.agents.iteration import RunIterator, YieldOn


class Participant(Component):
    """Takes part in a team: an agent, or a team as a whole."""

    component_type: ClassVar[str] = "agent"

    if TYPE_CHECKING:  # agents and teams declare them with defaults of their own
        name: str
        description: str

    async def run(
        self,
        task: Task | None = None,
        cancellation_token: CancellationToken | None = None,
        output_task_messages: bool = True,
    ) -> TaskResult:
        """Work on a task to its end.

        Args:
            task: Text, a message or several; None goes on with the conversation so far.
            cancellation_token: `cancel()` ends the run at once with `asyncio.CancelledError`.
            output_task_messages: Whether the result holds the task, too.
        """
        result: TaskResult | None = None
        async with aclosing(self.run_stream(task, cancellation_token, output_task_messages)) as items:
            async for item in items:
                if isinstance(item, TaskResult):
                    result = item
        assert result is not None, "a stream that ends without an error ends with its result"
        return result

    async def run_stream(
        self,
        task: Task | None = None,
        cancellation_token: CancellationToken | None = None,
        output_task_messages: bool = True,
    ) -> AsyncGenerator[BaseMessage | TaskResult, None]:
        """As `run`, giving every message and event when it happens, and the result last.

        Nothing happens ahead of a pull: who does not ask for the next item holds the run. Close the generator
        (`contextlib.aclosing`) to end the run early.
        """
        messages = messages_of(task)
        require_loaded(self)
        work = self.execute(messages, cancellation_token or CancellationToken(), output_task_messages)
        try:
            async with aclosing(cancellable(work, cancellation_token) if cancellation_token else work) as items:
                async for item in items:
                    yield item
        finally:
            await release_all(self.release)

    def run_iter(self, task: Task | None = None, *, yield_on: YieldOn | None = None) -> RunIterator:
        """Step through a run from a program, with `async for`, or with `for` where no event loop is running.

        Args:
            task: As for `run`.
            yield_on: Only give these kinds of messages and events; all when left out. A question to a person is
                always given, as an `InputRequestEvent` with `respond()`, and so is the result.

        An error of the run is raised. Leaving the loop ends the run.
        """
        from studio.agents.iteration import RunIterator  # few programs step through a run themselves

        return RunIterator(self.run_stream(task), yield_on, self.abandon)

    def a_run_iter(self, task: Task | None = None, *, yield_on: YieldOn | None = None) -> RunIterator:
        """As `run_iter`, under AG2's name for `async for`."""
        return self.run_iter(task, yield_on=yield_on)

    def abandon(self) -> None:
        """Take a run as over whose reader has left without closing it."""
        for _, part in walk(self):
            if part is not self and isinstance(part, Participant) and not part.is_opaque:
                part.abandon()

    def execute(
        self,
        messages: list[BaseChatMessage] | None,
        token: CancellationToken,
        show_task: bool,
        *,
        is_inside: bool = False,
    ) -> AsyncGenerator[BaseMessage | TaskResult, None]:
        """One run inside another or on its own; `run_stream` is for callers."""
        raise NotImplementedError

    async def take_turn(
        self, messages: list[BaseChatMessage], token: CancellationToken
    ) -> Response | AsyncGenerator[BaseMessage | Response, None] | AsyncGenerator[BaseMessage | TaskResult, None]:
        """Speak in a team: the response, where there is nothing else to tell; and else all that happens."""
        return self.execute(messages or None, token, False, is_inside=True)

    def unheard(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        """Of those that a turn began with, which was then broken off, what it must be told again.

        Args:
            messages: The same object as the turn was given.
        """
        return messages

    async def release(self) -> None:
        """End of a run: let go of connections and processes. They come back when they are needed again."""

    async def save_state(self) -> Mapping[str, JsonValue]:
        """What was said so far, in AutoGen's shape."""
        return {"type": "BaseState", "version": "1.0.0"}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        """Take up a saved state."""
        del state


RECORDED_PROGRAM = "studio.actors.Program"
"""Provider of what stands in the place of a team in the run of a program whose agents send each other messages."""


def unknown_parts(component: Component) -> list[Finding]:
    """What is inside and kept, but of no kind that is installed here."""
    if isinstance(component, Opaque) and component.raw["provider"] == RECORDED_PROGRAM:
        message = f"{component.label!r} is a program of which the studio has only the record, so it cannot start it."
        fix = "Start it with `studio run FILE`; `--replay RUN` gives the recorded answers again."
        return [Finding("recorded_program", message, fix, "")]
    return [
        Finding(
            "opaque_component",
            f"{part.label!r} is not installed, so no team that contains it can run.",
            "Replace it, or install the package that provides it.",
            where,
        )
        for where, part in walk(component)
        if part.is_opaque
    ]


def require_loaded(component: Component) -> None:
    """See that everything inside can run.

    Raises:
        InvalidComponent: With all that is unknown.
    """
    if unknown := unknown_parts(component):
        raise InvalidComponent(unknown)
