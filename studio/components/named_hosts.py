"""Hosts that a text names: a suggestion for whoever decides what code may reach. Nothing is executed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from studio.components.python_text import NO_FILE

MAX_HOSTS = 20
_ADDRESS = re.compile(
    r"\b(https?|wss?)://(?![^\s/?#]*@)((?:\[[0-9a-f:.]+\]|[^\s/?#\\\"'<>{}()\[\]@:]+)(?::\d+)?)", re.IGNORECASE
)
_NAME = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}(?::\d{1,5})?", re.IGNORECASE)
_HOST = re.compile(r"(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.IGNORECASE)
_CONNECTS = re.compile(r"connect|resolve|gethost|getaddr|socket", re.IGNORECASE)
_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


def hosts_in(text: str) -> tuple[str, ...]:
    """The hosts of all web addresses of a text, each with its port, in their order."""
    return _first(_of_addresses(text))


def hosts_in_python(source: str) -> tuple[str, ...]:
    """The hosts that a program names in its texts: in web addresses, and as a name that is connected to.

    What it puts together while it runs, or reads from elsewhere, is not found.
    """
    try:
        tree = ast.parse(source, NO_FILE)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return hosts_in(source)
    return _first(_of_tree(tree))


def is_host(text: str) -> bool:
    """Whether a text is a host, perhaps with a port, and nothing else."""
    return _HOST.fullmatch(text) is not None


def _of_tree(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _of_addresses(node.value)
        elif isinstance(node, ast.Call) and _CONNECTS.search(ast.unparse(node.func)):
            yield from (text for text in _texts_of(node) if _NAME.fullmatch(text))


def _texts_of(call: ast.Call) -> Iterator[str]:
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        parts = argument.elts if isinstance(argument, ast.Tuple) else [argument]
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


def _of_addresses(text: str) -> Iterator[str]:
    for scheme, host in _ADDRESS.findall(text):
        name = str(host).rstrip(".,;:").lower()
        if is_host(name):
            yield name if re.search(r":\d+$", name) else f"{name}:{_PORTS[str(scheme).lower()]}"


def _first(hosts: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hosts))[:MAX_HOSTS]
