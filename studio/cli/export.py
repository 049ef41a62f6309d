"""`studio export`: a team as a Python script."""

from __future__ import annotations

import sys
from pathlib import Path

from studio.cli.load_files import read_document
from studio.code import export_python
from studio.components import load_component
from studio.components.secret_variables import keys_as_variables
from studio.errors import SetupError


def export_file(file: Path, name: str, out: Path | None) -> None:
    """Write the script to a file, or print it; keys in the open become references to environment variables.

    Raises:
        ConfigError: The component cannot be written as Python.
        SetupError: The file cannot be written.
    """
    clean, variables = keys_as_variables(read_document(file, name))
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
