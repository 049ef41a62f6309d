"""Tools of our own that do what small tools of other products do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.components import component
from studio.importers.tools import PROVIDER

MAX_ADDRESS = 2_000
_CALCULATOR = '''def calculator(expression: str) -> str:
    """Calculate with numbers."""
    operations = {
        ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
        ast.Mod: operator.mod, ast.USub: operator.neg,
    }

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in operations:
            return operations[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in operations:
            return operations[type(node.op)](value(node.operand))
        raise ValueError("Write numbers with + - * / % and parentheses.")

    if len(expression) > 500:
        raise ValueError("The expression is too long.")
    return str(value(ast.parse(expression, mode="eval").body))
'''
_NOW = '''def current_date_time() -> str:
    """Tell the date and time."""
    return datetime.now(timezone.utc).isoformat()
'''


def calculator() -> JsonObject:
    """A tool that calculates with numbers."""
    imports: list[JsonValue] = ["ast", "operator"]
    described = "Calculates with numbers."
    return component(
        PROVIDER, name="calculator", description=described, source_code=_CALCULATOR, global_imports=imports
    )


def current_date_time() -> JsonObject:
    """A tool that tells the date and time."""
    imports: list[JsonValue] = [{"module": "datetime", "imports": ["datetime", "timezone"]}]
    described = "Tells the date and time."
    return component(
        PROVIDER, name="current_date_time", description=described, source_code=_NOW, global_imports=imports
    )


def request(
    name: str, described: str, method: str, address: JsonValue, headers: Mapping[str, str]
) -> JsonObject | None:
    """A tool that sends a request to a fixed address; None where the model or a variable says the address."""
    if not isinstance(address, str) or "{" in address or len(address) > MAX_ADDRESS:
        return None
    try:
        url = urlsplit(address)
        port = url.port or (443 if url.scheme == "https" else 80)
    except ValueError:
        return None
    is_host = re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", url.hostname or "") is not None
    if url.scheme not in ("http", "https") or not is_host or url.username or url.query:
        return None
    if any("{{" in value for value in headers.values()):
        return None
    schema: JsonObject = {"type": "object", "properties": {}}
    return component(
        "autogen_ext.tools.http.HttpTool",
        name=name,
        description=described,
        scheme=url.scheme,
        host=url.hostname or "",
        port=port,
        path=url.path or "/",
        method=method,
        json_schema=schema,
        **({"headers": dict[str, JsonValue](headers)} if headers else {}),
    )
