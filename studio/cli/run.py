"""`studio run`: a team or an agent on the terminal, without a server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from studio.agents import BaseChatAgent
from studio.agents.participant import require_loaded
from studio.cli.reading import read_document
from studio.cli.secrets import names_stored_secrets, stored_secrets
from studio.cli.terminal import Terminal, terminal
from studio.components import Capability, Component, all_capabilities, load_component, secret_source
from studio.console import Printer, printable
from studio.effects import Live, use
from studio.errors import ConfigError, SetupError
from studio.messages import BaseMessage, TaskResult
from studio.settings import Settings
from studio.teams import Team


def run_file(file: Path, name: str, task: str, *, settings: Settings, as_json: bool, approve: bool) -> None:
    """Run the team of a file and print what is said.

    Secrets come from the environment, and from the studio of these settings where there is one.

    Raises:
        ConfigError: The file holds nothing that can run.
        RunFailed: The run could not go on.
        SetupError: What the team could do was not approved.
    """
    runnable = _runnable(load_component(read_document(file, name)))
    person = terminal(sys.stderr if as_json else sys.stdout)
    if not approve:
        _ask_approval(all_capabilities(runnable), person)
    show = JsonLines() if as_json else Printer(sys.stdout)
    with use(Live(person.answer)):
        asyncio.run(_run(runnable, task, show, settings))


class JsonLines:
    """Prints each message and event as one line of JSON, and the result last."""

    def show(self, message: BaseMessage) -> None:
        self._line(message.dump())

    def close(self, result: TaskResult, *, output_stats: bool) -> None:
        del output_stats
        self._line({"type": "TaskResult", "stop_reason": result.stop_reason, "message_count": len(result.messages)})

    def _line(self, body: object) -> None:
        print(json.dumps(body), flush=True)


async def _run(runnable: Team | BaseChatAgent, task: str, show: Printer | JsonLines, settings: Settings) -> None:
    if names_stored_secrets(all_capabilities(runnable)) and (source := await stored_secrets(settings)):
        secret_source.set(source)
    await _play(runnable, task, show)


async def _play(runnable: Team | BaseChatAgent, task: str, show: Printer | JsonLines) -> None:
    async with aclosing(runnable.run_stream(task=task)) as stream:
        async for item in stream:
            if isinstance(item, TaskResult):
                show.close(item, output_stats=True)
            else:
                show.show(item)


def _runnable(component: Component) -> Team | BaseChatAgent:
    require_loaded(component)
    if isinstance(component, Team | BaseChatAgent):
        return component
    raise ConfigError(
        f"{component.label!r} is a {component.component_type}; only a team or an agent can run.",
        fix="Put it into a team first.",
    )


def _ask_approval(needed: Sequence[Capability], person: Terminal) -> None:
    if not needed:
        return
    print("This team could do the following:", file=sys.stderr)
    for capability in needed:
        print(f"  - {printable(capability.text)}", file=sys.stderr)
        if capability.kind in ("python", "process"):
            print("\n".join(f"      {line}" for line in printable(capability.detail).splitlines()), file=sys.stderr)
    if not person.is_person():
        raise SetupError("Nobody is here to approve this.", fix="Read the list, then add --approve.")
    if not person.confirm("Approve all of it for this run? [y/N] "):
        raise SetupError("Not approved, so nothing was run.")
