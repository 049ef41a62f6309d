"""`studio run`: a team or an agent on the terminal, without a server."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from studio.agents import BaseChatAgent
from studio.agents.participant import require_loaded
from studio.cli.approval_prompt import ask_approval, network_of
from studio.cli.knowledge import stored_knowledge
from studio.cli.load_files import read_document
from studio.cli.secrets import names_stored_secrets, stored_secrets
from studio.cli.terminal import terminal
from studio.components import Component, all_capabilities, load_component
from studio.components.redaction import Redactor
from studio.components.secrets import from_environment
from studio.console import Printer
from studio.effects import RedactingEffects, use
from studio.errors import ConfigError
from studio.messages import BaseMessage, TaskResult
from studio.runs.admission import require_jail
from studio.runs.redaction import redactor_for
from studio.sandbox import open_sandbox, outside_of, own_folder
from studio.sandbox.grants import Grants, enter
from studio.settings import Settings
from studio.teams import Team


def run_file(
    file: Path, name: str, task: str, *, settings: Settings, as_json: bool, approve: bool, hosts: Sequence[str] = ()
) -> None:
    """Run the team of a file and print what is said. `hosts` are those that its code may reach.

    Secrets come from the environment, and from the studio of these settings where there is one.

    Raises:
        ConfigError: The file holds nothing that can run.
        RunFailed: The run could not go on.
        SetupError: What the team could do was not approved.
    """
    runnable = _runnable(load_component(read_document(file, name)))
    person = terminal(sys.stderr if as_json else sys.stdout)
    needed = all_capabilities(runnable)
    granted = replace(network_of(needed, hosts), team_id=_id_of(file, name))
    if not approve:
        ask_approval(needed, person, hosts, own_folder(settings, granted.team_id))
    show = JsonLines() if as_json else Printer(sys.stdout)
    redactor = Redactor()
    with use(RedactingEffects(redactor, person.answer)):
        asyncio.run(_run(runnable, task, show, settings, redactor, granted))


def _id_of(file: Path, name: str) -> str:
    """Stands for the id of a stored team: the same for the same file, wherever it is run from."""
    where = f"{file.resolve()}\n{name}".encode(errors="surrogateescape")
    return f"file-{hashlib.sha256(where).hexdigest()[:40]}"


class JsonLines:
    """Prints each message and event as one line of JSON, and the result last."""

    def show(self, message: BaseMessage) -> None:
        self._line(message.dump())

    def close(self, result: TaskResult, *, output_stats: bool) -> None:
        del output_stats
        self._line({"type": "TaskResult", "stop_reason": result.stop_reason, "message_count": len(result.messages)})

    def _line(self, body: object) -> None:
        print(json.dumps(body), flush=True)


async def _run(
    runnable: Team | BaseChatAgent,
    task: str,
    show: Printer | JsonLines,
    settings: Settings,
    redactor: Redactor,
    granted: Grants,
) -> None:
    needed = all_capabilities(runnable)
    stored = await stored_secrets(settings) if names_stored_secrets(needed) else None
    redactor_for(redactor, runnable, stored or from_environment)
    async with stored_knowledge(settings, needed), open_sandbox(settings.sandbox, outside_of(settings)) as jail:
        enter(granted, "")
        require_jail(runnable, jail)
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
        fix="Add it to a team first.",
    )
