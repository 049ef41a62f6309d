"""Tools whose functions are not plain, and servers of tools."""

from __future__ import annotations

import ast
from typing import cast

from pydantic import JsonValue

from studio.code.dialect import Writer
from studio.code.functions import OFFERED, import_bindings
from studio.code.layout import Call, Expression, Text
from studio.components.python_text import parsed
from studio.exporters.agent_framework_helpers import CORE
from studio.tools import FunctionTool
from studio.tools.mcp import McpWorkbench, SseServerParams, StdioServerParams

SERVER_FIELDS = ("command", "args", "env", "url", "headers")
"""What is said of a server of tools."""


def is_callable_there(tool: FunctionTool) -> bool:
    """Whether there is a function, and it needs nothing that only the studio hands to it."""
    tree = _tree_of(tool)
    if tool.has_cancellation_support or tree is None or not function_name(tool):
        return False
    return not any(isinstance(node, ast.Name) and node.id in OFFERED for node in ast.walk(tree))


def function_name(tool: FunctionTool) -> str:
    """The function that the tool calls: the first in its source. Empty if there is none."""
    tree = _tree_of(tool)
    found = (
        each.name for each in (tree.body if tree else ()) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return next(found, "")


def _tree_of(tool: FunctionTool) -> ast.Module | None:
    try:
        return parsed(tool.source_code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def source_of_tool(tool: FunctionTool) -> str:
    """The source with the imports that the tool names beside it."""
    config = cast("dict[str, JsonValue]", tool.dump_component()["config"])
    statements = [statement for _, statement in import_bindings(config.get("global_imports", [])) or ()]
    return "".join(f"{statement}\n" for statement in statements) + tool.source_code


def mcp_call(bench: McpWorkbench, where: str = "", values: Writer | None = None) -> Call | None:
    """The call that connects to a server; None for a kind of server that Agent Framework has no class for."""
    server = bench.server_params
    if isinstance(server, SseServerParams):
        return None
    kind = "MCPStdioTool" if isinstance(server, StdioServerParams) else "MCPStreamableHTTPTool"
    if values is None:
        return Call(kind)
    named: dict[str, Expression] = {"name": Text(f"server_{where.rpartition('/')[2]}".rstrip("_"))}
    renamed = {"headers": "static_headers"}
    for field in SERVER_FIELDS:
        value = getattr(server, field, None)
        if value:
            named[renamed.get(field, field)] = values.expression(value, f"{where}/config/server_params/{field}", field)
    return Call(
        values.imports.use(CORE, kind), named=(*named.items(), ("load_prompts", values.expression(False, where)))
    )
