"""The base of executors: one execution, one effect; started on first use, and stopped at the end of the run.

One that a program has started itself lasts until the program stops it, also over several runs.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Annotated, ClassVar, Self

from pydantic import Field, JsonValue, PrivateAttr

from studio import effects
from studio.components import Advice, Component, JsonObject
from studio.effects import EffectRequest
from studio.errors import RunFailed
from studio.executors.code_calls import code_caller, tool_call_for
from studio.executors.run_files import current_run_files, keep_changed, marks_in
from studio.messages import CancellationToken, CodeBlock, CodeResult
from studio.sandbox import TEXT_LIMIT, current_jail
from studio.sandbox.grants import NO_NETWORK, granted_hosts

NETWORK_FAILURE = re.compile(
    r"gaierror|[Nn]ame resolution|[Nn]ame or service not known|nodename nor servname|Could not resolve host"
    r"|bad address|[Nn]etwork is unreachable|getaddrinfo"
)
"""What Python and the usual programs print where there is no network."""
LOOKED_AT = 4_000
"""Characters at the end of what code printed in which its failure is looked for."""
CODE_RUNS_HERE = Advice("code_runs_here", "Code that a model writes runs on this machine, not in a container.")


class ExecutorUnavailable(RunFailed):
    """What an executor needs is not here. No other, weaker one takes its place."""

    code = "executor_unavailable"


class CommandLineCodeResult(CodeResult):
    """What running code from files gave."""

    code_file: str | None = None
    """The first file that was run."""


class CodeExecutor(Component):
    """Runs blocks of code, one after the other, up to the first that fails.

    A subclass gives `_execute`, and `_start` and `_stop` where it holds something between executions.
    """

    component_type: ClassVar[str] = "code_executor"
    result_type: ClassVar[type[CodeResult]] = CodeResult

    timeout: Annotated[int, Field(ge=1, description="For each block of code, in seconds.")] = 60

    _changing: asyncio.Lock = PrivateAttr(default_factory=asyncio.Lock)
    _is_started: bool = PrivateAttr(default=False)
    _is_kept: bool = PrivateAttr(default=False)
    """Whether a program has started it itself."""
    _folder: Path = PrivateAttr(default=Path())
    """Where the code works, once it is started."""
    _brought: int = PrivateAttr(default=0)
    """The last file of the run that is in the folder."""

    async def execute_code_blocks(
        self, code_blocks: Sequence[CodeBlock], cancellation_token: CancellationToken | None = None
    ) -> CodeResult:
        """Run the blocks; a failure is a result with another exit code than 0.

        Args:
            code_blocks: Run in order.
            cancellation_token: Ends the execution, which then has a result that says so.

        Raises:
            ExecutorUnavailable: The executor cannot work on this machine.
        """
        blocks: list[JsonValue] = [block.model_dump() for block in code_blocks]

        async def run(code: Sequence[CodeBlock]) -> JsonValue:
            await self._make_ready()
            result, note = await self._execute_with_files(code, cancellation_token or CancellationToken())
            output = shortened(result.output)
            if result.exit_code != 0 and not self._has_network and NETWORK_FAILURE.search(output[-LOOKED_AT:]):
                output = f"{NO_NETWORK}\n{output}"
            output = f"{output}\n{note}" if note else output
            written: JsonObject = {"files": [file.model_dump() for file in result.files]} if result.files else {}
            return result.model_copy(update={"output": output}).model_dump(mode="json") | written

        tool_call = tool_call_for(code_blocks, run)
        request = EffectRequest("code", type(self).__name__, lambda: {"code_blocks": blocks}, tool=tool_call)
        return self.result_type.model_validate(await effects.call(request, lambda: run(code_blocks)))

    async def _execute_with_files(
        self, blocks: Sequence[CodeBlock], token: CancellationToken
    ) -> tuple[CodeResult, str]:
        """Run the blocks in a folder that has the files of the run, and keep what they write.

        Returns:
            The result, and a note about files that were not kept.
        """
        files = current_run_files.get()
        if files is None or not self._folder.name:
            return await self._execute(blocks, token), ""
        self._brought = await files.bring_in(self._folder, after=self._brought)
        before = await marks_in(self._folder)
        result = await self._execute(blocks, token)
        kept, note = await keep_changed(files, self._folder, before, code_caller().agent)
        return result.model_copy(update={"files": kept}), note

    @property
    def _has_network(self) -> bool:
        """Whether its code can reach anything."""
        return not current_jail.get().is_confining or bool(granted_hosts(self.capabilities()))

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> CodeResult:
        """Run the blocks; the executor is started."""
        raise NotImplementedError

    async def start(self) -> None:
        """Make ready, to be stopped by whoever called this. The first execution makes it ready, too, for one run."""
        await self._make_ready()
        self._is_kept = True

    async def stop(self) -> None:
        """Let go of everything; the next execution starts anew."""
        self._is_kept = False
        async with self._changing:
            if self._is_started:
                self._is_started = False
                await self._stop()

    async def release(self) -> None:
        """Let go of everything at the end of a run, unless a program has started it itself."""
        if not self._is_kept:
            await self.stop()

    async def restart(self) -> None:
        """Forget what earlier executions left in memory."""
        is_kept = self._is_kept
        await self.stop()
        await self._make_ready()
        self._is_kept = is_kept

    async def _make_ready(self) -> None:
        async with self._changing:
            if not self._is_started:
                await self._start()
                self._is_started, self._brought = True, 0

    async def _start(self) -> None:
        """Get what the executions share. When this is cancelled it lets go of it again."""

    async def _stop(self) -> None:
        """Let go of what `_start` got."""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.stop()


def path_of(temporary: tempfile.TemporaryDirectory[str]) -> Path:
    """Where a temporary folder really is."""
    return Path(temporary.name).resolve()


def shortened(text: str) -> str:
    """The text, cut with a note when it is longer than a model should read."""
    if len(text) <= TEXT_LIMIT:
        return text
    return f"{text[:TEXT_LIMIT]}\n[{len(text) - TEXT_LIMIT} more characters were left out]"
