"""`studio export`: a team as a Python script."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from studio.cli.load_files import read_document
from studio.code import export_python
from studio.components import FoundSecret, JsonObject, extract_secrets, load_component
from studio.components.secrets import variable_of
from studio.errors import SetupError


def export_file(file: Path, name: str, out: Path | None) -> None:
    """Write the script to a file, or print it; keys in the open become references to environment variables.

    Raises:
        ConfigError: The component cannot be written as Python.
        SetupError: The file cannot be written.
    """
    clean, variables = without_keys(read_document(file, name))
    code = export_python(load_component(clean))
    for where, variable in variables.items():
        print(f"studio: {where} contains a key in plain text; the script reads {variable} instead.", file=sys.stderr)
    if out is None:
        print(code, end="")
        return
    try:
        out.write_text(code, encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{str(out)!r} cannot be written: {error.strerror}.", fix="Choose another path.") from error


def without_keys(document: JsonObject) -> tuple[JsonValue, dict[str, str]]:
    """The document with environment variables in place of keys in the open, and these variables by place."""
    clean, found = extract_secrets(document)
    chosen = _variables(found)
    references = {secret.reference: f"env:{chosen[secret.value]}" for secret in found}
    return _replaced(clean, references), {secret.where: chosen[secret.value] for secret in found}


def _variables(found: Sequence[FoundSecret]) -> dict[str, str]:
    """A variable for each key: the usual one for the first that would take it, then one of its own."""
    chosen: dict[str, str] = {}
    for secret in found:
        is_taken = secret.variable in chosen.values()
        own = variable_of(secret.reference.partition(":")[2])
        chosen.setdefault(secret.value, own if is_taken else secret.variable)
    return chosen


def _replaced(node: JsonValue, references: dict[str, str]) -> JsonValue:
    if isinstance(node, dict):
        return {name: _replaced(item, references) for name, item in node.items()}
    if isinstance(node, list):
        return [_replaced(item, references) for item in node]
    if isinstance(node, str):
        for old, new in references.items():
            node = node.replace(old, new)
    return node
