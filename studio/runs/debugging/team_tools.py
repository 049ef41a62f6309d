"""Which tools a team has, told apart by what they are and not by what they are called."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from studio.components import Component, walk
from studio.effects import canonical_json, sha256_hex
from studio.executors import CodeExecutor
from studio.executors.code_calls import CODE
from studio.tools import BaseTool, StaticWorkbench, Workbench

ANY = ""
"""The name of a tool of which only its server knows what it is called."""


class TeamTool(NamedTuple):
    """A tool, a server with tools, or what runs a model's code."""

    name: str
    mark: str
    """Follows from all that is said of it: another name, text, source or server gives another one."""
    capabilities: frozenset[str]
    """What it could do, whatever it is called."""


def tools_in(component: Component) -> list[TeamTool]:
    """All tools of a component and of what is inside it."""
    return [
        _tool(part)
        for _, part in walk(component)
        if isinstance(part, BaseTool | Workbench | CodeExecutor)
        and not isinstance(part, StaticWorkbench)  # its tools are parts of their own, and called by their own names
    ]


def marks_of(tools: Collection[TeamTool]) -> tuple[str, ...]:
    """By which tools are known again: each as it is, and what it could do."""
    return tuple(sorted({mark for tool in tools for mark in (tool.mark, *tool.capabilities)}))


def new_names(tools: Collection[TeamTool], known: Collection[str]) -> frozenset[str]:
    """What the tools are called that nobody knew like this."""
    return frozenset(tool.name for tool in tools if tool.mark not in known)


def _tool(part: BaseTool | Workbench | CodeExecutor) -> TeamTool:
    mark = sha256_hex(canonical_json(part.dump_component()))[:32]
    capabilities = frozenset(capability.hash[:32] for capability in part.capabilities())
    return TeamTool(_name_of(part), mark, capabilities)


def _name_of(part: BaseTool | Workbench | CodeExecutor) -> str:
    if isinstance(part, CodeExecutor):
        return CODE
    return part.schema["name"] if isinstance(part, BaseTool) and not part.is_opaque else ANY
